#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/config/machine.h"

using namespace systole;

namespace {

Machine two_rate_machine() {
    Machine machine;
    machine.name = "example";
    machine.clock = 1'500'000'000;
    machine.cores = 2;
    machine.array.rows = 128;
    machine.array.cols = 128;
    machine.array.count = 4;
    machine.macs_per_pe_cycle = {{Format::int8, 2}, {Format::bf16, 1}};
    return machine;
}

} // namespace

TEST_CASE("the rate of two operands is that of the slower format", "[config][machine]") {
    const Machine machine = two_rate_machine();
    CHECK(macs_per_pe_cycle(machine, {Format::int8, Format::int8, Format::int32}) == 2);
    CHECK(macs_per_pe_cycle(machine, {Format::bf16, Format::bf16, Format::fp32}) == 1);
    CHECK(macs_per_pe_cycle(machine, {Format::bf16, Format::int8, Format::bf16}) == 1);
}

TEST_CASE("a format that the array does not take is refused by name", "[config][machine]") {
    const Machine machine = two_rate_machine();
    CHECK_THROWS_WITH(macs_per_pe_cycle(machine, {Format::int8, Format::fp16, Format::int8}),
                      "the array of example does not take fp16 operands (it takes int8, bf16; array.formats lists "
                      "them)");
}

TEST_CASE("the peak counts two operations for every multiply-add of every PE", "[config][machine]") {
    // 2 * 128 * 128 * 4 arrays * 2 cores * 1.5e9 Hz
    CHECK(two_rate_machine().pe_count() == 131'072);
    CHECK(peak_flops(two_rate_machine(), 1) == 3.93216e14);
    CHECK(peak_flops(two_rate_machine(), 2) == 7.86432e14);
}
