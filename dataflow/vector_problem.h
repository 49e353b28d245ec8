// What the vector unit is, and what it is given to do: element by element, whatever the function is called.
#pragma once

#include <string>
#include <vector>

#include "dataflow/problem.h"
#include "sim/base/quantities.h"

namespace systole {

// The vector unit of one core: registers of lanes x sublanes elements, and so many instructions on whole registers a
// cycle. An element of any format takes a place of its own.
struct VectorConfig {
    int lanes = 128;
    int sublanes = 8;
    int alus = 2;

    std::int64_t register_elements() const { return std::int64_t{lanes} * sublanes; }
    std::int64_t operations_per_cycle() const { return register_elements() * alus; }
    // Of one core: an instruction takes one ALU for a cycle, on a ragged last register as well.
    Cycles cycles(std::int64_t elements, std::int64_t operations_per_element) const {
        return ceil_div(ceil_div(elements, register_elements()) * operations_per_element, alus);
    }

    bool operator==(const VectorConfig&) const = default;
};

struct VectorOperand {
    Bytes bytes = 0;
    Home home = Home::origin;
};

// `operations_per_element` instructions of a lane for each of `elements` (sim/workload/vector_functions.h says what an
// operation is). Reads and writes are spread over the elements in proportion, each byte once. `resident_bytes` lie in
// VMEM from the start and are read there, besides `reads`.
struct VectorProblem {
    std::string name = "vector";
    std::string function; // for people
    std::int64_t elements = 1;
    std::int64_t operations_per_element = 1;
    Format format = Format::int8;
    std::vector<VectorOperand> reads;
    std::vector<VectorOperand> writes;
    Bytes resident_bytes = 0;

    std::int64_t operations() const { return elements * operations_per_element; }
    // What is cut into blocks and dealt to cores: the elements; of a copy, where there are none, the bytes of the
    // largest operand.
    std::int64_t positions() const;
};

// It lies in VMEM as a whole and crosses no DMA: where data starts in VMEM, all do.
constexpr bool lies_in_vmem(Home home, DataOrigin from) { return home == Home::vmem || from == DataOrigin::vmem; }
// It starts, or has to end, in host memory.
constexpr bool lies_in_host(Home home, DataOrigin from) { return home == Home::origin && from == DataOrigin::host; }

// Larger problems are refused, so that counts stay within 64 bits.
inline constexpr std::int64_t max_vector_operations = std::int64_t{1} << 60;

// Throws InputError for negative counts and for counts beyond the above.
void validate(const VectorProblem& problem);

} // namespace systole
