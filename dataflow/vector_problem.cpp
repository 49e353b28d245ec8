#include "dataflow/vector_problem.h"

#include <algorithm>

#include "sim/base/error.h"

namespace systole {

namespace {

// Of all operands, or -1 if that is no count.
Bytes total_bytes(const VectorProblem& problem) {
    Bytes sum = problem.resident_bytes;
    bool good = sum >= 0;
    for (const auto* operands : {&problem.reads, &problem.writes}) {
        for (const auto& operand : *operands)
            good = good && operand.bytes >= 0 && !__builtin_add_overflow(sum, operand.bytes, &sum);
    }
    return good ? sum : -1;
}

} // namespace

std::int64_t VectorProblem::positions() const {
    Bytes most = resident_bytes;
    for (const auto* operands : {&reads, &writes}) {
        for (const auto& operand : *operands)
            most = std::max(most, operand.bytes);
    }
    return std::max<std::int64_t>(1, elements > 0 ? elements : most);
}

void validate(const VectorProblem& problem) {
    if (problem.elements < 0 || problem.operations_per_element < 0) {
        throw InputError(problem.name + ": " + std::to_string(problem.elements) + " elements of " +
                         std::to_string(problem.operations_per_element) + " operations each (neither can be negative)");
    }
    std::int64_t operations = 0;
    const bool fits = !__builtin_mul_overflow(problem.elements, problem.operations_per_element, &operations) &&
                      std::max({operations, problem.elements, problem.operations_per_element}) <= max_vector_operations;
    const Bytes bytes = total_bytes(problem);
    if (!fits || bytes < 0 || bytes > max_vector_operations) {
        throw InputError(problem.name + ": " + std::to_string(problem.elements) + " elements of " +
                         std::to_string(problem.operations_per_element) +
                         " operations each, or the bytes they read and write, are more than 64 bits can count (split " +
                         "the operator)");
    }
}

} // namespace systole
