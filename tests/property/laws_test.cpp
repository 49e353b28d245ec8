// What must hold for every run on every machine: the product, the two laws of the model, and bytes that are conserved.
#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/roofline/roofline.h"
#include "tests/support/cases.h"
#include "tests/support/check_property.h"
#include "tests/support/closed_form.h"
#include "tests/support/convolutions.h"
#include "tests/support/for_each_engine.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

constexpr int cases = 500;
constexpr double most_discarded = 0.6;

// Runs `check(case, result)` on random machines and problems.
template <typename Check>
void for_random_runs(const std::string& description, Check&& check) {
    for_each_engine([&](EngineKind engine) {
        DiscardCounter counter;
        check_property(description, cases, [&] {
            const Case drawn = *any_case();
            check(drawn, run_or_discard(drawn, engine, counter));
        });
        counter.require_at_most(most_discarded);
    });
}

std::int64_t products(const Case& drawn) { return drawn.problem().count; }

// Which homes lie beyond a level: `vmem` everything, `hbm` what is not in VMEM, `pcie` what is in host memory.
enum class Level { vmem, hbm, pcie };

bool beyond(Level level, Home home) {
    return level == Level::vmem || (level == Level::hbm ? home != Home::vmem : home == Home::origin);
}

// What has to cross a level of an operand, of all products.
Bytes a_bytes(const Case& drawn, Level level = Level::vmem) {
    if (!beyond(level, drawn.problem().homes.a))
        return 0;
    return drawn.window ? stored_bytes(products(drawn) * touched_by_hand(*drawn.window, false), drawn.a)
                        : products(drawn) * stored_bytes(drawn.m * drawn.k, drawn.a);
}

Bytes b_bytes(const Case& drawn, Level level = Level::vmem) {
    const auto [keep, group] = drawn.sparsity();
    const Bytes one = stored_bytes(keep * ceil_div(drawn.k, group) * drawn.n, drawn.b);
    return beyond(level, drawn.problem().homes.b) ? products(drawn) * one : 0;
}

// Of the indices of a sparse B: log2(M) bits for each of N values.
Bytes meta_bytes(const Case& drawn, Level level = Level::vmem) {
    const auto [keep, group] = drawn.sparsity();
    std::int64_t bits = 0;
    while (keep < group && 1 << bits < group)
        ++bits;
    return beyond(level, drawn.problem().homes.b) ? ceil_div(bits * keep * ceil_div(drawn.k, group) * drawn.n, 8) : 0;
}

Bytes c_bytes(const Case& drawn, Level level = Level::vmem) {
    return beyond(level, drawn.problem().homes.c) ? products(drawn) * stored_bytes(drawn.m * drawn.n, drawn.c) : 0;
}

Bytes in_bytes(const Case& drawn, Level level) {
    return a_bytes(drawn, level) + b_bytes(drawn, level) + meta_bytes(drawn, level);
}

// Each element once. Where elements are half a byte every transfer ends at a whole one: at worst each has its own.
bool once(Bytes counted, Bytes whole, Format format) {
    return bits(format) % 8 == 0 ? counted == whole : counted >= whole && counted <= 2 * whole;
}

} // namespace

TEST_CASE("the product of a random run is the reference product") {
    for_random_runs("product", [](const Case&, const OperatorResult& result) {
        // run_or_discard() has let nothing but a verified product pass where an engine computes one.
        RC_ASSERT(result.verified.value_or(true));
        RC_ASSERT(result.cycles > 0);
    });
}

TEST_CASE("every PE-slot has exactly one cause") {
    for_random_runs("stack", [](const Case& drawn, const OperatorResult& result) {
        const std::int64_t per_cycle = std::int64_t{drawn.rows} * drawn.cols * drawn.arrays * drawn.cores * drawn.rate;
        RC_ASSERT(result.pe_slots == per_cycle * result.cycles);
        RC_ASSERT(result.stack.total() == result.pe_slots);
        for (const Cause cause : all_causes) {
            RC_ASSERT(result.stack[cause] >= 0);
        }
        RC_ASSERT(result.stack[Cause::useful] == products(drawn) * drawn.m * drawn.n * positions(drawn));
        RC_ASSERT(result.macs == products(drawn) * drawn.m * drawn.n * positions(drawn));
        RC_ASSERT(result.dense_macs == products(drawn) * drawn.m * drawn.n * drawn.k);
        RC_ASSERT(result.sparsity == drawn.sparsity());
        if (drawn.from == DataOrigin::vmem) {
            RC_ASSERT(result.stack[Cause::hbm_bandwidth] == 0);
            RC_ASSERT(result.stack[Cause::hbm_latency] == 0);
        }
        if (drawn.from != DataOrigin::host) {
            RC_ASSERT(result.stack[Cause::pcie] == 0);
        }
        RC_ASSERT(drawn.epilogue_operations > 0 || result.stack[Cause::vector] == 0);
    });
}

TEST_CASE("seconds are cycles of the core clock") {
    for_random_runs("seconds", [](const Case& drawn, const OperatorResult& result) {
        const double seconds = static_cast<double>(result.cycles) / static_cast<double>(drawn.clock);
        RC_ASSERT(std::abs(result.seconds - seconds) <= 1e-12 * seconds);
    });
}

TEST_CASE("no run beats the roofline") {
    for_random_runs("lower bound", [](const Case& drawn, const OperatorResult& result) {
        const Machine machine = drawn.machine();
        const Roofline& roofline = result.roofline;
        const double one_rounding = 1 + 1e-12;
        RC_ASSERT(result.seconds * one_rounding >= roofline.lower_bound_s);
        RC_ASSERT(roofline.upper_bound_s * one_rounding >= roofline.lower_bound_s);
        // The bounds once more, from the definitions: a bound of 0 would hold always.
        const double macs = static_cast<double>(result.macs);
        const double t_math = 2 * macs / peak_flops(machine, drawn.rate);
        RC_ASSERT(roofline.lower_bound_s * one_rounding >= t_math);
        RC_ASSERT(result.seconds * one_rounding >= t_math);
        const auto in = [&](Level level) { return static_cast<double>(in_bytes(drawn, level)); };
        const auto out = [&](Level level) { return static_cast<double>(c_bytes(drawn, level)); };
        if (drawn.from != DataOrigin::vmem && drawn.hbm_bandwidth > 0) {
            RC_ASSERT(result.seconds * one_rounding >=
                      (in(Level::hbm) + out(Level::hbm)) / static_cast<double>(drawn.hbm_bandwidth));
        }
        if (drawn.from == DataOrigin::host && drawn.pcie_bandwidth > 0) {
            RC_ASSERT(result.seconds * one_rounding >=
                      std::max(in(Level::pcie), out(Level::pcie)) / static_cast<double>(drawn.pcie_bandwidth));
        }
        const double vector_rate =
            static_cast<double>(drawn.vector_lanes * drawn.cores) * static_cast<double>(drawn.clock);
        const double outputs = static_cast<double>(products(drawn) * drawn.m * drawn.n);
        RC_ASSERT(result.seconds * one_rounding >=
                  outputs * static_cast<double>(drawn.epilogue_operations) / vector_rate);
        if (drawn.vmem_bandwidth > 0) {
            const double rate =
                static_cast<double>(drawn.vmem_bandwidth * drawn.cores) * static_cast<double>(drawn.clock);
            RC_ASSERT(result.seconds * one_rounding >= (in(Level::vmem) + out(Level::vmem)) / rate);
        }
    });
}

TEST_CASE("every cycle of the HBM's data buses has one cause") {
    for_random_runs("HBM time", [](const Case& drawn, const OperatorResult& result) {
        const HbmUse& use = result.hbm;
        if (!drawn.has_dram() || drawn.from == DataOrigin::vmem) {
            RC_ASSERT(use == HbmUse{});
            return;
        }
        RC_ASSERT(std::min({use.data, use.row, use.turnaround, use.refresh, use.idle}) >= 0);
        RC_ASSERT(use.data + use.row + use.turnaround + use.refresh + use.idle == result.cycles);
        RC_ASSERT(use.row_hits < use.accesses || use.accesses + use.row_hits == 0); // none: all operands are in VMEM
        RC_ASSERT(use.activates >= use.accesses - use.row_hits);
        const DramConfig dram = small_dram(drawn.hbm_refresh);
        // Requests move whole accesses, at least those of their bytes.
        RC_ASSERT(use.accesses * dram.organization.access_bytes >= result.traffic.hbm.read.total());
        RC_ASSERT(drawn.hbm_refresh != RefreshMode::none || use.refresh == 0);
    });
}

TEST_CASE("bytes that leave one level enter the next") {
    for_random_runs("conservation", [](const Case& drawn, const OperatorResult& result) {
        const auto& [pe, accumulator, vmem, hbm, pcie] = result.traffic;
        if (drawn.from == DataOrigin::vmem) {
            RC_ASSERT(hbm == LevelTraffic{});
            RC_ASSERT(pcie == LevelTraffic{});
            RC_ASSERT(vmem.write.a == 0);
            RC_ASSERT(vmem.write.b + vmem.write.meta == 0);
            RC_ASSERT(once(vmem.write.c, c_bytes(drawn), drawn.c));
            return;
        }
        RC_ASSERT(hbm.read.a == vmem.write.a);
        RC_ASSERT(hbm.read.b == vmem.write.b);
        RC_ASSERT(hbm.read.meta == vmem.write.meta);
        RC_ASSERT(hbm.read.meta >= meta_bytes(drawn, Level::hbm));
        RC_ASSERT(hbm.write.c == vmem.read.c);
        RC_ASSERT(once(hbm.write.c, c_bytes(drawn, Level::hbm), drawn.c));
        RC_ASSERT(once(vmem.write.c, c_bytes(drawn), drawn.c));
        RC_ASSERT(hbm.read.a >= a_bytes(drawn, Level::hbm));
        RC_ASSERT(hbm.read.b >= b_bytes(drawn, Level::hbm));
        if (drawn.from == DataOrigin::hbm) {
            RC_ASSERT(pcie == LevelTraffic{});
            RC_ASSERT(hbm.write.a == 0);
            RC_ASSERT(hbm.write.b == 0);
            RC_ASSERT(hbm.read.c == 0);
            return;
        }
        if (drawn.window) { // each touched row once, or where cores share the outputs once for each
            const bool crosses = beyond(Level::pcie, drawn.problem().homes.a);
            const Bytes rows =
                crosses ? stored_bytes(products(drawn) * touched_by_hand(*drawn.window, true), drawn.a) : 0;
            RC_ASSERT(pcie.write.a >= rows);
            RC_ASSERT(pcie.write.a <= (bits(drawn.a) < 8 ? 2 : 1) * rows * drawn.cores);
            RC_ASSERT(drawn.cores > 1 || once(pcie.write.a, rows, drawn.a));
        } else {
            RC_ASSERT(once(pcie.write.a, a_bytes(drawn, Level::pcie), drawn.a));
        }
        RC_ASSERT(once(pcie.write.b, b_bytes(drawn, Level::pcie), drawn.b));
        RC_ASSERT(pcie.write.meta >= meta_bytes(drawn, Level::pcie)); // each core's part ends at a whole byte
        RC_ASSERT(pcie.write.meta < meta_bytes(drawn, Level::pcie) + drawn.cores);
        RC_ASSERT(hbm.write.meta == pcie.write.meta);
        RC_ASSERT(once(pcie.read.c, c_bytes(drawn, Level::pcie), drawn.c));
        RC_ASSERT(pcie.read.a + pcie.read.b + pcie.write.c == 0);
        RC_ASSERT(hbm.write.a == pcie.write.a);
        RC_ASSERT(hbm.write.b == pcie.write.b);
        RC_ASSERT(hbm.read.c == pcie.read.c);
    });
}

TEST_CASE("the array's own bytes: every MAC reads its operands and its partial sum") {
    for_random_runs("register reads", [](const Case& drawn, const OperatorResult& result) {
        const std::int64_t macs = products(drawn) * drawn.m * drawn.n * positions(drawn);
        const Bytes per_core = drawn.cores - 1; // each rounds its own up to a whole byte
        const Bytes a = result.traffic.pe.read.a - stored_bytes(macs, drawn.a);
        const Bytes b = result.traffic.pe.read.b - stored_bytes(macs, drawn.b);
        RC_ASSERT(a >= 0 && a <= (drawn.a == Format::int4 ? per_core : 0));
        RC_ASSERT(b >= 0 && b <= (drawn.b == Format::int4 ? per_core : 0));
        RC_ASSERT(result.traffic.vmem.read.a >= a_bytes(drawn));
        RC_ASSERT(result.traffic.vmem.read.b >= b_bytes(drawn));
        RC_ASSERT(result.traffic.vmem.read.meta >= meta_bytes(drawn));
        const auto read_by_epilogue = drawn.epilogue_operations > 0 ? drawn.epilogue_bits / 8 : 0;
        RC_ASSERT(result.traffic.vmem.read.vector == products(drawn) * drawn.m * drawn.n * read_by_epilogue);
    });
}

TEST_CASE("the roofline beside a run is the analytic one") {
    for_random_runs("roofline", [](const Case& drawn, const OperatorResult& result) {
        const Roofline expected = analyze(drawn.machine(), drawn.problem(), drawn.from, TiledBytes{});
        RC_ASSERT(result.roofline.t_math_s == expected.t_math_s);
        RC_ASSERT(result.roofline.lower_bound_s == expected.lower_bound_s);
        RC_ASSERT(result.roofline.upper_bound_s == expected.upper_bound_s);
        RC_ASSERT(result.roofline.bound == expected.bound);
        RC_ASSERT(result.roofline.levels.size() == expected.levels.size());
        for (const auto& [level, values] : expected.levels) {
            const RooflineLevel& beside = result.roofline.levels.at(level);
            RC_ASSERT(beside.compulsory_bytes == values.compulsory_bytes);
            RC_ASSERT(beside.tiled_bytes >= beside.compulsory_bytes);
        }
    });
}

TEST_CASE("what the mapping must move at HBM is what the run moved") {
    for_random_runs("tiled bytes", [](const Case& drawn, const OperatorResult& result) {
        RC_PRE(drawn.from == DataOrigin::hbm);
        RC_ASSERT(result.roofline.levels.at("hbm").tiled_bytes == result.traffic.hbm.total());
    });
}

TEST_CASE("no count depends on the operands' values, and a run can be repeated") {
    for_each_engine([](EngineKind engine) {
        DiscardCounter counter;
        check_property("other values", 200, [&] {
            const Case drawn = *any_case();
            const OperatorResult first = run_or_discard(drawn, engine, counter);
            RunOptions options = run_options(engine, drawn.dataflow, drawn.from);
            options.seed = *rc::gen::inRange<std::uint64_t>(1, 1000).as("seed");
            const OperatorResult second = run_one(drawn.machine(), drawn.problem(), options);
            RC_ASSERT(first.cycles == second.cycles);
            RC_ASSERT(first.stack == second.stack);
            RC_ASSERT(first.traffic == second.traffic);
        });
        counter.require_at_most(most_discarded);
    });
}

TEST_CASE("the total of a network is the sum of its operators") {
    for_each_engine([](EngineKind engine) {
        DiscardCounter counter;
        check_property("sum of operators", 200, [&] {
            const Case drawn = *any_case();
            run_or_discard(drawn, engine, counter);
            const std::vector<GemmProblem> network(3, drawn.problem());
            const RunResult result =
                simulate(drawn.machine(), network, run_options(engine, drawn.dataflow, drawn.from));
            RC_ASSERT(result.operators.size() == network.size());
            Cycles cycles = 0;
            CycleStack stack;
            Traffic traffic;
            for (const OperatorResult& one : result.operators) {
                cycles += one.cycles;
                stack += one.stack;
                traffic += one.traffic;
                RC_ASSERT(one.stack.total() == one.pe_slots);
            }
            RC_ASSERT(result.total.cycles == cycles);
            RC_ASSERT(result.total.stack == stack);
            RC_ASSERT(result.total.traffic == traffic);
            RC_ASSERT(result.total.stack.total() == result.total.pe_slots);
            RC_ASSERT(result.total.macs == 3 * drawn.problem().macs());
        });
        counter.require_at_most(most_discarded);
    });
}
