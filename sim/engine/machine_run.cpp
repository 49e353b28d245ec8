#include "sim/engine/machine_run.h"

#include <fmt/format.h>

#include "dataflow/operand_bytes.h"
#include "pe/array_flat.h"
#include "pe/array_structural.h"
#include "sim/base/error.h"
#include "sim/engine/chip_module.h"
#include "sim/engine/dry_run.h"
#include "sim/engine/waveform.h"
#include "sim/engine/window_values.h"
#include "sim/kernel/session.h"

namespace systole {

namespace {

bool swapped(const MachineRun& run) {
    return run.shares.front().mapping.problem.dataflow == Dataflow::input_stationary;
}

// A, B, the indices of a sparse B, and C lie one behind the other in memory, row-major.
OperandMap operand_map(const MachineRun& run, const CoreShare& share) {
    const auto& p = run.problem;
    const auto place = [&](std::uint64_t base, std::int64_t rows, std::int64_t cols, Format format) {
        return MatrixPlace{.base = base,
                           .instance_bytes = stored_bytes(rows * cols, format),
                           .instance0 = share.instance0,
                           .cols = cols,
                           .format = format};
    };
    const auto stored_b = b_bytes(p);
    auto a = place(0, p.m, p.k, p.formats.a);
    if (p.window)
        a.map = {FeatureMap(*p.window), p.window->channels, p.count};
    auto b = place(static_cast<std::uint64_t>(bytes_of_a(p)), p.k, p.n, p.formats.b);
    auto c = place(b.base + static_cast<std::uint64_t>(p.count * stored_b.total()), p.m, p.n, p.formats.c);
    a.row0 = c.row0 = share.m0;
    b.col0 = c.col0 = share.n0;
    if (!p.sparsity.dense()) {
        b.sparse = true;
        b.index_base = b.base + static_cast<std::uint64_t>(stored_b.values);
        b.index_first = index_range(p.sparsity, p.k, {0, share.n0, 0, p.k}).bytes;
    }
    a.name = "A";
    b.name = "B";
    c.name = "C";
    if (!swapped(run))
        return {a, b, c};
    a.transposed = b.transposed = c.transposed = true;
    return {b, a, c};
}

// A share of row-major matrices of `rows` x `cols`, one behind the other.
struct Part {
    std::int64_t instance = 0;
    std::int64_t row = 0, col = 0; // where it begins
    std::int64_t rows = 0, cols = 0;
    bool transposed = false;
};

template <typename T>
MatrixView<T> view(T* data, const Part& part) {
    const auto whole = part.rows * part.cols;
    T* first = data + part.instance * whole + part.row * part.cols + part.col;
    return part.transposed ? MatrixView<T>{first, 1, part.cols, whole} : MatrixView<T>{first, part.cols, 1, whole};
}

// B as the array gets it where it is sparse.
using CompressedB = std::variant<std::monostate, CompressedMatrix<std::int8_t>, CompressedMatrix<float>>;

CompressedB compressed_b(const MachineRun& run) {
    const auto& p = run.problem;
    if (!run.values || p.sparsity.dense())
        return {};
    return std::visit(
        [&]<typename T>(const OperandValues<T>& values) -> CompressedB {
            return compress(p.sparsity, values.b, p.k, p.n);
        },
        run.values->operands);
}

ArrayJob array_job(const MachineRun& run, const CoreShare& share, const CompressedB& compressed,
                   const WindowValues& window) {
    ArrayJob job{.mapping = share.mapping, .limits = run.limits, .operands = {}, .index = {}, .out = {}};
    if (run.problem.formats.accumulation() == Accumulation::fp32)
        job.operands = OperandViews<float>{};
    if (!run.values)
        return job;
    const auto& p = run.problem;
    const bool transposed = swapped(run);
    const Part part_of_a{share.instance0, share.m0, 0, p.m, p.k, transposed};
    const Part part_of_b{share.instance0, 0, share.n0, p.k, p.n, transposed};
    std::visit(
        [&]<typename T>(const OperandValues<T>& values) {
            const auto a = p.window ? window.view<T>(share.instance0, share.m0, transposed)
                                    : view<const T>(values.a.data(), part_of_a);
            const auto* sparse = std::get_if<CompressedMatrix<T>>(&compressed);
            const auto b = view<const T>((sparse ? sparse->values : values.b).data(), part_of_b);
            if (sparse)
                job.index = view<const std::uint8_t>(sparse->index.data(), part_of_b);
            job.operands = OperandViews<T>{transposed ? b : a, transposed ? a : b};
        },
        run.values->operands);
    job.out = view<Pattern>(run.values->c.data(), {share.instance0, share.m0, share.n0, p.m, p.n, transposed});
    return job;
}

ChipConfig chip_config(const Machine& machine, const MachineRun& run) {
    ChipConfig config;
    config.time = TimeBase(machine.clock);
    config.hbm = machine.hbm;
    config.pcie = machine.pcie;
    config.from = run.from;
    config.timeline = run.timeline;
    for (const auto& share : run.shares) {
        config.cores.push_back({.sequencer = {.mapping = share.mapping,
                                              .limits = run.limits,
                                              .read_latency = machine.vmem.read_latency,
                                              .idle = run.idle,
                                              .preload_bias = run.preload_bias,
                                              .epilogue = run.problem.epilogue,
                                              .vector_operations_per_cycle = machine.vector.operations_per_cycle()},
                                .vmem = machine.vmem,
                                .dma = machine.dma,
                                .operands = operand_map(run, share),
                                .here = {},
                                .here_operand = swapped(run) ? 0 : 1,
                                .ahead = {},
                                .timeline = run.timeline,
                                .index = static_cast<int>(config.cores.size())});
        auto& core = config.cores.back();
        if (!run.here.empty())
            core.here = run.here[static_cast<std::size_t>(core.index)];
        if (!run.ahead.empty())
            core.ahead = run.ahead[static_cast<std::size_t>(core.index)];
    }
    return config;
}

// x and y under the names of the user's operands.
void add_operands(OperandBytes& bytes, Bytes x, Bytes y, bool swap) {
    bytes.a += swap ? y : x;
    bytes.b += swap ? x : y;
}

void add_registers(Traffic& traffic, const RegisterCounts& registers, const OrientedGemm& p, bool swap) {
    add_operands(traffic.pe.read, stored_bytes(registers.x_read, p.x), stored_bytes(registers.y_read, p.y), swap);
    add_operands(traffic.pe.write, stored_bytes(registers.x_written, p.x), stored_bytes(registers.y_written, p.y),
                 swap);
    traffic.pe.read.psum += registers.psum_read * accumulator_word;
    traffic.pe.write.psum += registers.psum_written * accumulator_word;
    const auto index_bytes = [&](std::int64_t indices) {
        return p.sparsity.dense() ? 0 : ceil_div(indices * p.sparsity.index_bits(), 8);
    };
    traffic.pe.read.meta += index_bytes(registers.index_read);
    traffic.pe.write.meta += index_bytes(registers.index_written);
    traffic.pe.accesses += registers.x_read + registers.y_read + registers.psum_read + registers.index_read +
                           registers.x_written + registers.y_written + registers.psum_written + registers.index_written;
}

void add_core(MachineOutcome& outcome, const MachineRun& run, const CoreShare& share, const Core& core) {
    const auto& counter = core.sequencer().counter();
    const bool swap = swapped(run);
    auto& traffic = outcome.traffic;
    outcome.macs += counter.macs();
    outcome.array_passes += counter.array_passes();
    outcome.vmem_conflict_cycles += core.vmem().conflict_cycles();
    add_registers(traffic, counter.registers(), share.mapping.problem, swap);

    traffic.accumulator.read.psum += counter.accumulator_read();
    traffic.accumulator.write.psum += counter.accumulator_written();
    traffic.accumulator.accesses += counter.accumulator_accesses();

    add_operands(traffic.vmem.read, counter.x_streamed(), counter.y_streamed(), swap);
    traffic.vmem.read.meta += counter.indices_streamed();
    traffic.vmem.read.vector += core.sequencer().epilogue_read();
    traffic.vmem.write.c += counter.out_written();
    traffic.vmem.accesses += counter.vmem_accesses();
    const auto* fetcher = core.fetcher();
    if (!fetcher)
        return;
    const auto* storer = core.storer();
    const Bytes ahead = fetcher->ahead_fetched();
    traffic.vmem.write.b += ahead;
    traffic.hbm.read.b += ahead;
    add_operands(traffic.vmem.write, fetcher->fetched(0), fetcher->fetched(1), swap);
    traffic.vmem.write.meta += fetcher->indices_fetched();
    traffic.vmem.read.c += storer->stored();
    traffic.vmem.accesses += fetcher->requests() + storer->requests();
    add_operands(traffic.hbm.read, fetcher->fetched(0), fetcher->fetched(1), swap);
    traffic.hbm.read.meta += fetcher->indices_fetched();
    traffic.hbm.write.c += storer->stored();
    traffic.hbm.accesses += fetcher->requests() + storer->requests();
}

void add_host(MachineOutcome& outcome, const OperandMap& operands, bool swap, const HostLink& host) {
    auto& traffic = outcome.traffic;
    const Bytes x = host.sent_down(operands.x.base);
    const Bytes y = host.sent_down(operands.y.base);
    add_operands(traffic.pcie.write, x, y, swap);
    add_operands(traffic.hbm.write, x, y, swap); // what comes from the host passes through HBM
    const auto& b = swap ? operands.x : operands.y;
    const Bytes indices = b.sparse ? host.sent_down(b.index_base) : 0;
    traffic.pcie.write.meta += indices;
    traffic.hbm.write.meta += indices;
    traffic.hbm.read.c += host.sent_up();
    traffic.pcie.read.c += host.sent_up();
    traffic.pcie.accesses += host.requests();
    traffic.hbm.accesses += host.requests();
    outcome.pcie = host.use(outcome.cycles);
}

// A core's port cycles, times the PEs behind the port; cores without a share are padding.
void add_stack(MachineOutcome& outcome, const Machine& machine, const MachineRun& run, const Chip& chip) {
    const std::int64_t slots =
        std::int64_t{machine.array.rows} * machine.array.cols * machine.array.count * run.limits.q;
    std::int64_t all_slots = 0;
    if (__builtin_mul_overflow(slots * machine.cores, outcome.cycles, &all_slots)) {
        throw InputError(run.problem.name + ": the PE-slots of the run leave 64 bits (split the problem)");
    }
    for (auto& core : chip.cores()) {
        const auto& sequencer = core->sequencer();
        for (const auto cause : all_causes)
            outcome.stack[cause] += core->waits()[cause] * slots;
        outcome.stack[Cause::useful] += sequencer.counter().macs();
        outcome.stack[Cause::padding] += sequencer.issue_cycles() * slots - sequencer.counter().macs();
    }
    const auto without_work = machine.cores - static_cast<std::int64_t>(chip.cores().size());
    outcome.stack[Cause::padding] += without_work * outcome.cycles * slots;
}

// The arrays of all cores; empty in the tile engine.
struct Grids {
    std::vector<std::unique_ptr<StructuralGrid>> structural;
    std::vector<std::unique_ptr<FlatGrid>> flat;
    std::vector<ArrayGrid*> all;
};

Grids build_grids(const MachineRun& run, const CompressedB& b, const WindowValues& window) {
    Grids grids;
    for (std::size_t i = 0; i < run.shares.size(); ++i) {
        const auto job = array_job(run, run.shares[i], b, window);
        const auto name = fmt::format("core{}", i);
        if (run.engine == EngineKind::structural) {
            grids.structural.push_back(std::make_unique<StructuralGrid>(name.c_str(), job));
            grids.all.push_back(grids.structural.back().get());
        } else if (run.engine == EngineKind::flat) {
            grids.flat.push_back(make_flat_grid(name.c_str(), job));
            grids.all.push_back(grids.flat.back().get());
        }
    }
    return grids;
}

void check_grids(const Grids& grids, const Chip& chip) {
    for (const auto* grid : grids.all) {
        if (!grid->idle())
            throw InternalError("results that a pass has promised never left the array");
    }
    for (std::size_t i = 0; i < grids.structural.size(); ++i) {
        if (grids.structural[i]->counts() == chip.cores()[i]->sequencer().counter().registers())
            continue;
        const auto text = [](const RegisterCounts& c) {
            return fmt::format("x {}/{}, y {}/{}, psum {}/{}, indices {}/{}", c.x_read, c.x_written, c.y_read,
                               c.y_written, c.psum_read, c.psum_written, c.index_read, c.index_written);
        };
        throw InternalError(fmt::format("the PEs have counted register reads/writes {}, the closed form {}",
                                        text(grids.structural[i]->counts()),
                                        text(chip.cores()[i]->sequencer().counter().registers())));
    }
}

} // namespace

MachineOutcome run_machine(const Machine& machine, const MachineRun& run) {
    KernelSession session;
    const auto config = chip_config(machine, run);
    ChipWatch watch{.max_cycles = std::min(run.max_cycles, config.time.max_cycles()),
                    .cycles_before = run.cycles_before,
                    .progress = run.progress,
                    .sample = {}};
    const auto b = compressed_b(run);
    const auto window = run.values && run.problem.window ? WindowValues(run.problem, *run.values) : WindowValues();
    auto grids = build_grids(run, b, window);
    std::unique_ptr<Waveform> waveform;
    if (run.waveform) {
        std::vector<const StructuralGrid*> shown;
        for (const auto& grid : grids.structural)
            shown.push_back(grid.get());
        waveform = std::make_unique<Waveform>(*run.waveform, machine.clock, shown);
        watch.sample = [&](Cycles now) { waveform->sample(now); };
    }
    ChipModule module("chip", config, grids.all, watch, run.external_memory);
    for (auto& grid : grids.structural)
        grid->clock(module.clock);
    for (auto& grid : grids.flat)
        grid->clock(module.clock);
    session.run();
    MachineOutcome outcome;
    outcome.cycles = module.finish();
    outcome.hbm = module.hbm_use(outcome.cycles);
    outcome.ahead = module.chip().take_ahead();
    const Chip& chip = module.chip();
    check_grids(grids, chip);
    if (waveform)
        waveform->finish(outcome.cycles);
    for (std::size_t i = 0; i < run.shares.size(); ++i)
        add_core(outcome, run, run.shares[i], *chip.cores()[i]);
    if (chip.host())
        add_host(outcome, config.cores.front().operands, swapped(run), *chip.host());
    add_stack(outcome, machine, run, chip);
    outcome.kernel_events = module.activations();
    outcome.vmem_allocation = chip.cores().front()->allocation().buffers();
    outcome.marks = chip.cores().front()->sequencer().marks();
    return outcome;
}

std::vector<AheadUnits> ahead_units(const Machine& machine, const MachineRun& later, Bytes room) {
    const std::size_t b = swapped(later) ? 0 : 1;
    std::vector<AheadUnits> lists;
    for (const auto& share : later.shares) {
        const auto& mapping = share.mapping;
        const bool from_host = mapping.from_host(swapped(later) ? mapping.problem.x_home : mapping.problem.y_home);
        PassUnits units(mapping, later.limits, operand_map(later, share), machine.dma.burst_bytes);
        const auto tiles = from_host ? 0 : held_tiles(mapping, later.limits)[b].count;
        lists.push_back(first_units(units, static_cast<int>(b), tiles, room));
    }
    return lists;
}

Cycles cycles_of(const Machine& machine, const MachineRun& run, Cycles enough) {
    ChipConfig config = chip_config(machine, run);
    for (auto& core : config.cores)
        core.causes = false;
    return dry_run(config, enough);
}

} // namespace systole
