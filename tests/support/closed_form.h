// The closed forms of docs/model.md, "Array timing", written down a second time and from the page alone: what the
// engines are held against on random arrays.
#pragma once

#include "dataflow/array_config.h"
#include "tests/support/cases.h"

namespace systole::test {

struct ClosedForm {
    Cycles load = 0;     // R; OS: 0
    Cycles interval = 0; // between the starts of two passes
    Cycles tail = 0;     // from the last vector's cycle to the last result: R + C - 2 + E (+ D)
};

ClosedForm closed_form(const ArrayConfig& array, Dataflow dataflow, Cycles streamed);

// From the first stationary row (OS: first streamed vector) to the last result.
Cycles back_to_back(const ClosedForm& form, std::int64_t passes, Cycles streamed);

// MACs of an output: K, or of a sparse B the stored positions, which of a ragged last group are no more than it has.
std::int64_t positions(const Case& test_case);

// S and T of a whole GEMM whose operands lie in an ideal VMEM.
struct PassCount {
    Cycles streamed = 0;
    std::int64_t passes = 0;
};

PassCount pass_count(const Case& test_case);

} // namespace systole::test
