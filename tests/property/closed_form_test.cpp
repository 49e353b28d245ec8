// Random arrays and policies against the closed forms.
#include "tests/support/check_property.h"
#include "tests/support/closed_form.h"
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

TEST_CASE("a run from an ideal VMEM takes the cycles of the closed form") {
    for_each_engine([](EngineKind engine) {
        check_property("cycles of the closed form", 500, [engine] {
            const Case drawn = *any_ideal_case();
            const auto [streamed, passes] = pass_count(drawn);
            const ClosedForm form = closed_form(drawn.machine().array, drawn.dataflow, streamed);
            const OperatorResult result = run_if_it_fits(drawn, engine).value();
            RC_ASSERT(result.passes == passes);
            RC_ASSERT(result.cycles == drawn.vmem_read_latency + back_to_back(form, passes, streamed));
        });
    });
}

TEST_CASE("its stack is the one of the model: loads, fill and drain, control, and VMEM's latency") {
    for_each_engine([](EngineKind engine) {
        check_property("stack of the closed form", 500, [engine] {
            const Case drawn = *any_ideal_case();
            const ArrayConfig array = drawn.machine().array;
            const auto [streamed, passes] = pass_count(drawn);
            const ClosedForm form = closed_form(array, drawn.dataflow, streamed);
            const OperatorResult result = run_if_it_fits(drawn, engine).value();
            const std::int64_t slots = std::int64_t{drawn.rows} * drawn.cols;

            const bool serial = drawn.dataflow == os ? array.accumulator_buffers == 1 : array.weight_buffers == 1;
            const Cycles per_switch = serial ? form.load : std::max<Cycles>(0, form.load - streamed);
            RC_ASSERT(result.stack[Cause::useful] == drawn.m * drawn.n * positions(drawn));
            RC_ASSERT(result.stack[Cause::useful] + result.stack[Cause::padding] == passes * streamed * slots);
            RC_ASSERT(result.stack[Cause::stationary_load] == (form.load + (passes - 1) * per_switch) * slots);
            RC_ASSERT(result.stack[Cause::fill_drain] == form.tail * (serial ? passes : 1) * slots);
            RC_ASSERT(result.stack[Cause::vmem] == drawn.vmem_read_latency * slots);
            // What is left can only be the array's control, and the sum is the whole run.
            RC_ASSERT(result.stack.total() == result.pe_slots);
            for (const Cause cause :
                 {Cause::vmem_capacity, Cause::hbm_bandwidth, Cause::hbm_latency, Cause::pcie, Cause::vector}) {
                RC_ASSERT(result.stack[cause] == 0);
            }
        });
    });
}

TEST_CASE("a probe counts what the closed form says, from every event") {
    for_each_engine([](EngineKind engine) {
        check_property("probe of the closed form", 1000, [engine] {
            const Case drawn = *any_ideal_case();
            const auto streamed = *rc::gen::inRange<std::int64_t>(1, 41).as("streamed");
            const auto passes = *rc::gen::inRange<std::int64_t>(1, 7).as("passes");
            const ClosedForm form = closed_form(drawn.machine().array, drawn.dataflow, streamed);
            const Cycles total = back_to_back(form, passes, streamed);
            const ProbeResult result = probe(drawn.machine(), engine, drawn.dataflow, streamed, passes);
            RC_ASSERT(result.first_streamed_to_last_result == total - form.load);
            RC_ASSERT(result.first_stationary_to_last_result == total);
            RC_ASSERT(result.first_vmem_read_to_last_result == total + drawn.vmem_read_latency);
            RC_ASSERT(result.first_bias_to_last_result.has_value() == (drawn.dataflow == os));
            RC_ASSERT(result.first_bias_to_last_result.value_or(total + drawn.rows) == total + drawn.rows);
            if (passes > 1) {
                RC_ASSERT(result.pass_interval == form.interval);
            }
        });
    });
}

TEST_CASE("register accesses are those of the mapping, on random problems") {
    for_each_engine([](EngineKind engine) {
        check_property("register accesses", 300, [engine] {
            Case drawn = *any_ideal_case();
            drawn.keep = drawn.group = 1;
            drawn.a = drawn.b = Format::int8;
            drawn.broadcast = false; // how many registers an input passes is then not the subject
            const LevelTraffic pe = run_if_it_fits(drawn, engine).value().traffic.pe;
            const std::int64_t macs = drawn.m * drawn.n * drawn.k;
            RC_ASSERT(pe.read.a == macs);
            RC_ASSERT(pe.read.b == macs);
            RC_ASSERT(pe.read.psum == 4 * macs);
            // A stationary element in row r is written r + 1 times; each is loaded once.
            std::int64_t loaded = 0;
            for (std::int64_t row = 0; row < drawn.k; ++row) {
                loaded += row % drawn.rows + 1;
            }
            if (drawn.dataflow == ws) {
                RC_ASSERT(pe.write.a == macs);
                RC_ASSERT(pe.write.b == loaded * drawn.n);
                RC_ASSERT(pe.write.psum == 4 * macs);
            } else if (drawn.dataflow == is) {
                RC_ASSERT(pe.write.a == loaded * drawn.m);
                RC_ASSERT(pe.write.b == macs);
                RC_ASSERT(pe.write.psum == 4 * macs);
            } else {
                RC_ASSERT(pe.write.a == macs);
                RC_ASSERT(pe.write.b == macs);
            }
        });
    });
}
