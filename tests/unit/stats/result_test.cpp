#include <limits>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "tests/golden/sample_result.h"

using namespace systole;

TEST_CASE("every cause has its own name and a description") {
    std::set<std::string> names;
    for (const Cause cause : all_causes) {
        names.insert(std::string(name(cause)));
        CHECK_FALSE(description(cause).empty());
    }
    CHECK(names.size() == all_causes.size());
    CHECK(name(Cause::useful) == "useful");
    CHECK(name(Cause::control) == "control");
}

TEST_CASE("a cycle stack sums its causes and adds up with others") {
    CycleStack stack;
    CHECK(stack.total() == 0);
    stack[Cause::useful] = 5;
    stack[Cause::control] = 7;
    CycleStack other;
    other[Cause::useful] = 1;
    other[Cause::pcie] = 2;
    stack += other;
    CHECK(stack[Cause::useful] == 6);
    CHECK(stack[Cause::pcie] == 2);
    CHECK(stack.total() == 15);
}

TEST_CASE("ratios are those of the model") {
    OperatorResult result = sample_operator();
    CHECK(result.flops() == 128);
    CHECK(result.array_utilization() == 0.4); // 64 / 160
    CHECK(result.mapping_efficiency() == 1.0);
    CHECK(result.roofline_efficiency() == Approx(0.6)); // 12 ns / 20 ns
    result.stack[Cause::padding] = 192;
    CHECK(result.mapping_efficiency() == 0.25); // 64 / (64 + 192)
}

TEST_CASE("ratios of an empty result are no division by zero, and what takes no time is at its roof") {
    const OperatorResult empty;
    CHECK(empty.array_utilization() == 0);
    CHECK(empty.mapping_efficiency() == 0);
    CHECK(empty.roofline_efficiency() == 1);
    CHECK(empty.roofline_gap() == 0);
}

TEST_CASE("the total of one operator is the operator under another name") {
    const OperatorResult total = total_of({sample_operator()});
    CHECK(total.name == "total");
    CHECK(total.m == 4);
    CHECK(total.cycles == 20);
    CHECK(total.verified == true);
    CHECK(total.traffic == sample_operator().traffic);
}

TEST_CASE("the total of several operators sums counts and bytes and keeps what they share") {
    OperatorResult other = sample_operator();
    other.m = 8;
    const OperatorResult total = total_of({sample_operator(), other, sample_operator()});
    CHECK(total.m == 0); // not the same in all
    CHECK(total.kind == "gemm");
    CHECK(total.passes == 6);
    CHECK(total.macs == 192);
    CHECK(total.cycles == 60);
    CHECK(total.seconds == Approx(60e-9));
    CHECK(total.pe_slots == 480);
    CHECK(total.stack.total() == total.pe_slots);
    CHECK(total.kernel_events == 300);
    CHECK(total.traffic.hbm.read.a == 96);
    CHECK(total.traffic.pe.accesses == 816);
    CHECK(total.array_utilization() == 0.4);
}

TEST_CASE("a total counts the tasks of its operators") {
    OperatorResult three = sample_operator();
    three.tasks = 3;
    CHECK(total_of({sample_operator(), three}).tasks == 4);
}

TEST_CASE("a run is verified if all operators are, wrong if one is, unknown otherwise") {
    OperatorResult good = sample_operator();
    OperatorResult bad = good;
    bad.verified = false;
    OperatorResult unknown = good;
    unknown.verified = std::nullopt;
    CHECK(total_of({good, good}).verified == true);
    CHECK(total_of({good, unknown}).verified == std::nullopt);
    unknown.macs = 0; // no product, so there is nothing to verify
    CHECK(total_of({good, unknown}).verified == true);
    CHECK(total_of({unknown, unknown}).verified == std::nullopt);
    unknown.macs = good.macs;
    CHECK(total_of({good, unknown, bad}).verified == false);
    CHECK(total_of({}).verified == std::nullopt);
    CHECK(total_of({}).kind == "none");
    CHECK(total_of({}).tasks == 0);
}

TEST_CASE("a total that leaves 64 bits is refused, not wrapped around") {
    OperatorResult huge = sample_operator();
    huge.macs = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_AS(total_of({huge, sample_operator()}), InputError);
}
