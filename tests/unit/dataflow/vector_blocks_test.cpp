#include <catch2/catch.hpp>

#include "dataflow/vector_blocks.h"
#include "sim/base/error.h"

using namespace systole;

namespace {

// Registers of 4 elements.
constexpr VectorConfig unit{.lanes = 4, .sublanes = 1, .alus = 2};

VectorProblem bytes_to_bytes(std::int64_t elements) {
    return {.name = "work",
            .function = "relu",
            .elements = elements,
            .operations_per_element = 3,
            .format = Format::int8,
            .reads = {{elements, Home::origin}},
            .writes = {{elements, Home::origin}}};
}

VectorLimits limits(Bytes in_flight, Bytes capacity = unlimited) {
    return {.unit = unit, .from = DataOrigin::hbm, .vmem_capacity = capacity, .buffers = 2, .in_flight = in_flight};
}

} // namespace

TEST_CASE("a register of any raggedness takes an ALU for a cycle", "[dataflow][vector]") {
    CHECK(unit.cycles(8, 3) == 3); // 2 registers * 3 operations / 2 ALUs
    CHECK(unit.cycles(9, 3) == 5); // 3 * 3 / 2, rounded up
    CHECK(unit.cycles(1, 1) == 1);
    CHECK(unit.cycles(0, 3) == 0);
}

TEST_CASE("blocks are halved until the DMA can have one in flight", "[dataflow][vector]") {
    // 36 bytes: 9 registers, then 5, then 3: 12 bytes.
    const VectorBlocks blocks(bytes_to_bytes(36), {0, 36}, limits(16));
    CHECK(blocks.positions() == 12);
    CHECK(blocks.count() == 3);
    CHECK(blocks.fetched_bytes() == 12);
    CHECK(blocks.stored_bytes() == 12);
    CHECK(blocks.alu_cycles(0) == 5);                                             // 3 * 3 / 2
    CHECK(VectorBlocks(bytes_to_bytes(36), {0, 36}, limits(1)).positions() == 4); // no less than a register
}

TEST_CASE("work that crosses no DMA is one block", "[dataflow][vector]") {
    auto problem = bytes_to_bytes(36);
    problem.reads[0].home = problem.writes[0].home = Home::vmem;
    problem.resident_bytes = 10;
    const VectorBlocks blocks(problem, {0, 36}, limits(16));
    CHECK(blocks.count() == 1);
    CHECK(blocks.resident_bytes() == 36 + 36 + 10);
    CHECK(blocks.fetched_bytes() == 0);
}

TEST_CASE("blocks fit into VMEM, beside what stays there", "[dataflow][vector]") {
    auto problem = bytes_to_bytes(36);
    // Two blocks of 4 + 4 bytes need 16; of 12 + 12 bytes 48.
    CHECK(VectorBlocks(problem, {0, 36}, limits(16, 48)).positions() == 12);
    CHECK(VectorBlocks(problem, {0, 36}, limits(16, 47)).positions() == 8);
    CHECK(VectorBlocks(problem, {0, 36}, limits(16, 16)).positions() == 4);
    CHECK_THROWS_WITH(VectorBlocks(problem, {0, 36}, limits(16, 15)),
                      Catch::Contains("work: needs 16 bytes of VMEM and finds 15: 0 for data that stays there") &&
                          Catch::Contains("blocks of 4 elements, 2 at a time (raise vmem.capacity"));
    CHECK(VectorBlocks(problem, {0, 36}, limits(16)).least_vmem() == 16);
    problem.resident_bytes = 20;
    CHECK_THROWS_AS(VectorBlocks(problem, {0, 36}, limits(16, 35)), InputError);
    CHECK(VectorBlocks(problem, {0, 36}, limits(16, 36)).positions() == 4);
    CHECK(VectorBlocks(problem, {0, 36}, limits(16)).least_vmem() == 16 + 20);
}

TEST_CASE("parts of an operand meet exactly, whatever its size", "[dataflow][vector]") {
    for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{7}, Bytes{36}, Bytes{1000}}) {
        auto problem = bytes_to_bytes(36);
        problem.reads[0].bytes = bytes;
        Bytes end = 0;
        for (const auto& share : share_among_cores(problem, unit, 2)) {
            const VectorBlocks blocks(problem, share, limits(8));
            for (std::int64_t block = 0; block < blocks.count(); ++block) {
                const auto part = blocks.part(bytes, block);
                CHECK(part.begin == end);
                CHECK(part.size() <= blocks.fetched_bytes());
                end = part.end;
            }
        }
        CHECK(end == bytes);
    }
}

TEST_CASE("cores get whole registers, as evenly as these allow", "[dataflow][vector]") {
    const auto shares = share_among_cores(bytes_to_bytes(35), unit, 2); // 9 registers
    REQUIRE(shares.size() == 2);
    CHECK(shares[0].size() == 16);
    CHECK(shares[1].size() == 19);
    CHECK(share_among_cores(bytes_to_bytes(5), unit, 4).size() == 2);
}

TEST_CASE("work without operations is spread by its bytes", "[dataflow][vector]") {
    VectorProblem copy = bytes_to_bytes(0);
    copy.reads = {{10, Home::hbm}};
    copy.writes = {{40, Home::hbm}};
    CHECK(copy.positions() == 40);
    const VectorBlocks blocks(copy, {0, 40}, limits(16));
    CHECK(blocks.elements(0) == 0);
    CHECK(blocks.alu_cycles(0) == 1);
    CHECK(blocks.part(10, 0).size() == 3); // 12 of 40 positions
}

TEST_CASE("counts of the vector unit that make no sense are refused", "[dataflow][vector]") {
    auto problem = bytes_to_bytes(10);
    CHECK_NOTHROW(validate(problem));
    problem.elements = -1;
    CHECK_THROWS_WITH(validate(problem), Catch::Contains("work: -1 elements of 3 operations each"));
    problem.elements = std::int64_t{1} << 59;
    CHECK_THROWS_WITH(validate(problem), Catch::Contains("more than 64 bits can count (split the operator)"));
    problem.elements = 10;
    problem.reads[0].bytes = -1;
    CHECK_THROWS_AS(validate(problem), InputError);
}
