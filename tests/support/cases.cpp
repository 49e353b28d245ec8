#include "tests/support/cases.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/base/error.h"
#include "tests/support/engines.h"
#include "tests/support/machines.h"

namespace systole::test {

namespace {

std::int64_t or_unlimited(std::int64_t value) { return value == 0 ? unlimited : value; }

// Integers below `end` whatever the size RapidCheck has grown to; they shrink toward 0.
rc::Gen<std::int64_t> below(std::int64_t end) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(0, end));
}

// 0 (unlimited) half of the time and when shrunk, else from `begin` to below `end`.
rc::Gen<std::int64_t> bounded_or_unlimited(std::int64_t begin, std::int64_t end) {
    const std::int64_t span = end - begin;
    return rc::gen::map(below(2 * span), [=](std::int64_t drawn) { return drawn < span ? 0 : begin + drawn - span; });
}

// One of the choices; shrinks toward the first, which rc::gen::element does not.
template <typename T, typename... Ts>
rc::Gen<T> one_of(T first, Ts... rest) {
    const std::vector<T> choices{first, T{rest}...};
    return rc::gen::map(below(static_cast<std::int64_t>(choices.size())),
                        [choices](std::int64_t drawn) -> T { return choices[static_cast<std::size_t>(drawn)]; });
}

ArrayConfig array_of(const Case& from) {
    ArrayConfig array;
    array.rows = from.rows;
    array.cols = from.cols;
    array.count = from.arrays;
    array.edge_latency = from.edge_latency;
    array.mac_latency = from.mac_latency;
    array.weight_buffers = from.weight_buffers;
    array.swap = from.drained ? Swap::drained : Swap::wavefront;
    array.swap_period = from.swap_period();
    array.accumulator_buffers = from.accumulator_buffers;
    array.drain_axis = from.drain_axis;
    array.propagation = from.broadcast ? Propagation::broadcast_rows : Propagation::systolic;
    array.min_rows = from.min_rows;
    array.transposer = from.transposer;
    return array;
}

const char* name_of(DrainAxis axis) {
    return axis == DrainAxis::columns ? "columns" : axis == DrainAxis::rows ? "rows" : "none";
}

// Three in eight are dense.
rc::Gen<SparsePattern> any_sparsity() {
    using P = SparsePattern;
    return one_of(P{1, 1}, P{2, 4}, P{1, 1}, P{1, 4}, P{1, 1}, P{2, 4}, P{4, 8}, P{1, 2});
}

// int8 half of the time.
rc::Gen<Format> any_operand_format() {
    return one_of(Format::int8, Format::int8, Format::int8, Format::int8, Format::int8, Format::int8, Format::int8,
                  Format::int4, Format::fp8_e4m3, Format::fp8_e5m2, Format::bf16, Format::fp16, Format::fp32);
}

rc::Gen<Case> array_and_problem(CaseLimits limits) {
    using rc::gen::inRange;
    using rc::gen::set;
    const std::int64_t dimension_end = limits.largest_dimension + 1;
    const auto dense = rc::gen::build<Case>(
        set(&Case::rows, inRange(1, limits.largest_array + 1)), set(&Case::cols, inRange(1, limits.largest_array + 1)),
        set(&Case::edge_latency, inRange(0, 4)), set(&Case::mac_latency, inRange(1, 5)),
        set(&Case::weight_buffers, one_of(2, 1)), set(&Case::drained, one_of(false, true)),
        set(&Case::swap_beyond_load, inRange(0, limits.largest_array + 4)),
        set(&Case::accumulator_buffers, one_of(2, 1)),
        set(&Case::drain_axis, one_of(DrainAxis::columns, DrainAxis::rows, DrainAxis::none)),
        set(&Case::broadcast, one_of(false, true)), set(&Case::min_rows, inRange(1, 7)),
        set(&Case::vmem_read_latency, inRange(0, 6)), set(&Case::m, inRange<std::int64_t>(1, dimension_end)),
        set(&Case::n, inRange<std::int64_t>(1, dimension_end)), set(&Case::k, inRange<std::int64_t>(1, dimension_end)),
        set(&Case::a, any_operand_format()), set(&Case::b, any_operand_format()),
        set(&Case::c, one_of(Format::int8, Format::int32, Format::int4, Format::fp8_e5m2, Format::bf16)),
        set(&Case::dataflow, one_of(ws, os, is)));
    return rc::gen::map(rc::gen::pair(dense, any_sparsity()), [](const std::pair<Case, SparsePattern>& drawn) {
        Case result = drawn.first;
        result.keep = drawn.second.keep;
        result.group = drawn.second.group;
        return result;
    });
}

const char* name_of(Home home) { return home == Home::origin ? "origin" : home == Home::hbm ? "hbm" : "vmem"; }

// Three in four are where the data starts.
rc::Gen<OperandHomes> any_homes() {
    const auto home = one_of(Home::origin, Home::origin, Home::origin, Home::hbm, Home::vmem, Home::origin,
                             Home::origin, Home::origin);
    return rc::gen::map(rc::gen::tuple(home, home, home), [](const auto& drawn) {
        return OperandHomes{std::get<0>(drawn), std::get<1>(drawn), std::get<2>(drawn)};
    });
}

const char* name_of(RefreshMode refresh) {
    return refresh == RefreshMode::all_bank ? "all_bank" : refresh == RefreshMode::per_bank ? "per_bank" : "none";
}

} // namespace

// The timing is that of configs/hbm/hbm2_1pc.toml but for the refresh.
DramConfig small_dram(RefreshMode refresh) {
    DramConfig dram;
    dram.name = "small";
    dram.organization.channels = 2;
    dram.organization.pseudo_channels = 1;
    dram.organization.bank_groups = 2;
    dram.organization.banks = 2;
    dram.organization.row_bytes = 128;
    dram.timing.cwl = 5;
    dram.timing.rcd_write = 12;
    dram.timing.rrd_l = 4;
    dram.timing.faw = 15;
    dram.timing.rtw = 13;
    dram.timing.refi = 400;
    dram.timing.rfc = 60;
    dram.timing.refi_per_bank = 60;
    dram.timing.rfc_per_bank = 40;
    dram.refresh = refresh;
    dram.queues = {.read = 16, .write = 16, .write_high = 12, .write_low = 4, .bank_window = 6, .prepare_both = true};
    dram.mapping = "bg1 ch1 co2 ba1 ro";
    dram.rotate = true;
    return dram;
}

Machine Case::machine() const {
    Machine result = ideal_machine(rows, cols);
    result.array = array_of(*this);
    result.cores = cores;
    result.clock = clock;
    result.vector = {.lanes = vector_lanes, .sublanes = 1, .alus = 1};
    result.macs_per_pe_cycle = {{a, rate}, {b, rate}};
    result.default_format = a;
    result.accumulator_capacity = or_unlimited(accumulator_capacity);
    result.vmem.capacity = or_unlimited(vmem_capacity);
    result.vmem.bandwidth = or_unlimited(vmem_bandwidth);
    result.vmem.banks = or_unlimited(vmem_banks);
    result.vmem.ports = vmem_ports;
    result.vmem.buffers = vmem_buffers;
    result.vmem.read_latency = vmem_read_latency;
    result.dma.burst_bytes = dma_burst;
    result.dma.outstanding = dma_outstanding;
    result.dma.engines = dma_engines;
    result.dma.issue_interval = dma_issue_interval;
    result.hbm.bandwidth = or_unlimited(hbm_bandwidth);
    result.hbm.latency = hbm_latency;
    if (has_dram()) {
        result.hbm.dram = std::make_shared<const DramConfig>(small_dram(hbm_refresh));
        result.hbm.stacks = hbm_stacks;
        result.hbm.mode = memory_mode;
    }
    result.pcie.bandwidth = or_unlimited(pcie_bandwidth);
    result.pcie.latency = pcie_latency;
    return result;
}

GemmProblem Case::problem() const {
    GemmProblem result = gemm(m, n, k);
    result.formats = {a, b, c};
    result.sparsity = sparsity();
    if (result.sparsity.dense())
        result.count = count;
    if (from != DataOrigin::vmem)
        result.homes = homes;
    result.window = window;
    if (epilogue_operations > 0)
        result.epilogue = {epilogue_operations, epilogue_bits};
    return result;
}

namespace {

std::ostream& operator<<(std::ostream& out, const ConvolutionWindow& w) {
    const auto pair = [](const Pair& sides) { return std::to_string(sides[0]) + "x" + std::to_string(sides[1]); };
    return out << "batch=" << w.batch << " channels=" << w.channels << " map=" << pair({w.height, w.width})
               << " outputs=" << pair(w.outputs) << " kernel=" << pair(w.kernel) << " stride=" << pair(w.stride)
               << " dilation=" << pair(w.dilation) << " padding (top, left, bottom, right)=" << w.padding.top << ","
               << w.padding.left << "," << w.padding.bottom << "," << w.padding.right;
}

} // namespace

std::ostream& operator<<(std::ostream& out, const Case& t) {
    out << "--gemm " << t.m << "x" << t.n << "x" << t.k << " --dataflow " << short_name(t.dataflow) << " --from "
        << name(t.from) << " --dtype " << name(t.a) << "," << name(t.b) << "," << name(t.c) << " --sparsity "
        << name(t.sparsity()) << " count=" << t.count;
    if (t.window)
        out << " window: " << *t.window;
    out << " homes=" << name_of(t.homes.a) << "," << name_of(t.homes.b) << "," << name_of(t.homes.c)
        << " epilogue=" << t.epilogue_operations << " operations," << t.epilogue_bits
        << " bits, lanes=" << t.vector_lanes << " clock=" << t.clock << " cores=" << t.cores << " array: " << t.rows
        << "x" << t.cols << " count=" << t.arrays << " q=" << t.rate << " edge_latency=" << t.edge_latency
        << " mac_latency=" << t.mac_latency << " weight_buffers=" << t.weight_buffers
        << " swap=" << (t.drained ? "drained" : "wavefront") << " swap_period=" << t.swap_period()
        << " accumulator_buffers=" << t.accumulator_buffers << " drain_axis=" << name_of(t.drain_axis)
        << " propagation=" << (t.broadcast ? "broadcast_rows" : "systolic") << " min_rows=" << t.min_rows
        << " transposer=" << t.transposer << " (0 is unlimited) accumulator.capacity=" << t.accumulator_capacity
        << " vmem: capacity=" << t.vmem_capacity << " bandwidth=" << t.vmem_bandwidth << " banks=" << t.vmem_banks
        << " ports=" << t.vmem_ports << " buffers=" << t.vmem_buffers << " read_latency=" << t.vmem_read_latency
        << " dma: burst_bytes=" << t.dma_burst << " outstanding=" << t.dma_outstanding << " engines=" << t.dma_engines
        << " issue_interval=" << t.dma_issue_interval << " hbm: bandwidth=" << t.hbm_bandwidth
        << " latency_ps=" << t.hbm_latency << " stacks=" << t.hbm_stacks << " refresh=" << name_of(t.hbm_refresh)
        << " memory.mode=" << (t.memory_mode == MemoryMode::fast ? "fast" : "burst")
        << " pcie: bandwidth=" << t.pcie_bandwidth << " latency_ps=" << t.pcie_latency;
    return out;
}

rc::Gen<Case> any_ideal_case(CaseLimits limits) { return array_and_problem(limits); }

namespace {

rc::Gen<Case> any_matrix_case(CaseLimits limits) {
    using rc::gen::inRange;
    using rc::gen::set;
    using Int = std::int64_t;
    return rc::gen::build(
        array_and_problem(limits), set(&Case::count, one_of<Int>(1, 1, 1, 2, 3, 5)), set(&Case::homes, any_homes()),
        set(&Case::epilogue_operations, one_of<Int>(0, 0, 0, 1, 5, 40)),
        set(&Case::epilogue_bits, one_of<Int>(0, 8, 16)), set(&Case::vector_lanes, one_of(4, 1, 16)),
        set(&Case::arrays, inRange(1, 4)), set(&Case::cores, inRange(1, 3)),
        set(&Case::transposer, one_of(false, true)), set(&Case::rate, one_of(1, 2)),
        set(&Case::accumulator_capacity, bounded_or_unlimited(256, 4096)),
        set(&Case::vmem_capacity, bounded_or_unlimited(512, 8192)),
        set(&Case::vmem_bandwidth, bounded_or_unlimited(1, 65)),
        set(&Case::vmem_banks, one_of<Int>(0, 1, 2, 3, 4, 5, 6, 7, 8)), set(&Case::vmem_ports, one_of(1, 2)),
        set(&Case::vmem_buffers, one_of(2, 1, 3)), set(&Case::dma_burst, one_of<Int>(4096, 256, 100, 16)),
        set(&Case::dma_outstanding, one_of(16, 2, 1)), set(&Case::dma_engines, one_of(1, 2, 3, 4)),
        set(&Case::dma_issue_interval, one_of(0, 1, 2, 3)),
        set(&Case::hbm_bandwidth, one_of<Int>(0, 1'000'000'000, 3'000'000'000, 16'000'000'000, 819'000'000'000)),
        set(&Case::hbm_latency, one_of<Int>(0, 1'000, 12'345, 100'000)), set(&Case::hbm_stacks, one_of(0, 0, 1, 2)),
        set(&Case::hbm_refresh, one_of(RefreshMode::all_bank, RefreshMode::per_bank, RefreshMode::none)),
        set(&Case::memory_mode, one_of(MemoryMode::fast, MemoryMode::fast, MemoryMode::burst)),
        set(&Case::pcie_bandwidth, one_of<Int>(0, 1'000'000'000, 4'000'000'000, 32'000'000'000)),
        set(&Case::pcie_latency, one_of<Int>(0, 7'777, 500'000)),
        set(&Case::clock, one_of<Int>(1'000'000'000, 700'000'000, 940'000'000, 1'500'000'000, 3'000'000'000)),
        set(&Case::from, one_of(DataOrigin::vmem, DataOrigin::hbm, DataOrigin::host)));
}

} // namespace

namespace {

// One side of a window, drawn so that at least one output fits.
struct Side {
    std::int64_t pixels = 1, outputs = 1, kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0;
};

rc::Gen<Side> any_window_side() {
    using rc::gen::inRange;
    using rc::gen::set;
    using Int = std::int64_t;
    const auto drawn = rc::gen::build<Side>(
        set(&Side::pixels, inRange<Int>(1, 9)), set(&Side::kernel, one_of<Int>(1, 3, 2, 3, 5)),
        set(&Side::stride, one_of<Int>(1, 1, 2, 3, 4)), set(&Side::dilation, one_of<Int>(1, 1, 1, 2, 3)),
        set(&Side::before, one_of<Int>(0, 1, 0, 2)), set(&Side::behind, one_of<Int>(0, 1, 0, 2)));
    return rc::gen::map(drawn, [](Side side) {
        const auto reach = side.dilation * (side.kernel - 1) + 1;
        side.pixels = std::max(side.pixels, reach - side.before - side.behind);
        side.outputs = (side.before + side.pixels + side.behind - reach) / side.stride + 1;
        return side;
    });
}

rc::Gen<ConvolutionWindow> any_window() {
    const auto counts = rc::gen::pair(one_of<std::int64_t>(1, 1, 2, 3), one_of<std::int64_t>(1, 2, 3, 5));
    return rc::gen::map(rc::gen::tuple(any_window_side(), any_window_side(), counts), [](const auto& drawn) {
        const auto& [rows, cols, counts] = drawn;
        return ConvolutionWindow{.batch = counts.first,
                                 .channels = counts.second,
                                 .height = rows.pixels,
                                 .width = cols.pixels,
                                 .outputs = {rows.outputs, cols.outputs},
                                 .kernel = {rows.kernel, cols.kernel},
                                 .stride = {rows.stride, cols.stride},
                                 .dilation = {rows.dilation, cols.dilation},
                                 .padding = {rows.before, cols.before, rows.behind, cols.behind}};
    });
}

Case with_window(Case drawn, const ConvolutionWindow& window) {
    drawn.window = window;
    drawn.m = window.batch * window.outputs[0] * window.outputs[1];
    drawn.k = window.channels * window.taps();
    return drawn;
}

} // namespace

rc::Gen<Case> any_convolution_case(CaseLimits limits) {
    return rc::gen::map(rc::gen::pair(any_matrix_case(limits), any_window()),
                        [](const auto& drawn) { return with_window(drawn.first, drawn.second); });
}

rc::Gen<Case> any_case(CaseLimits limits) {
    const auto kind = one_of(false, false, false, true);
    return rc::gen::map(rc::gen::tuple(kind, any_matrix_case(limits), any_window()), [](const auto& drawn) {
        const auto& [convolution, matrix, window] = drawn;
        return convolution ? with_window(matrix, window) : matrix;
    });
}

std::optional<OperatorResult> run_if_it_fits(const Case& test_case, EngineKind engine) {
    try {
        return run_one(test_case.machine(), test_case.problem(),
                       run_options(engine, test_case.dataflow, test_case.from));
    } catch (const InputError&) {
        if (!test_case.may_not_fit()) {
            throw;
        }
        return std::nullopt;
    }
}

OperatorResult run_or_discard(const Case& test_case, EngineKind engine, DiscardCounter& counter) {
    const std::optional<OperatorResult> result = run_if_it_fits(test_case, engine);
    if (!result) {
        counter.discarded();
        RC_DISCARD("does not fit the machine");
    }
    counter.kept();
    return *result;
}

} // namespace systole::test
