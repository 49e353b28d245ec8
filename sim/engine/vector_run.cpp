#include "sim/engine/vector_run.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/timeline.h"
#include "sim/engine/chip_module.h"
#include "sim/engine/dry_run.h"
#include "sim/engine/laws.h"
#include "sim/engine/plan.h"
#include "sim/kernel/session.h"
#include "sim/roofline/roofline.h"

namespace systole {

namespace {

VectorLimits limits_of(const Machine& machine, DataOrigin from) {
    return {.unit = machine.vector,
            .from = from,
            .vmem_capacity = machine.vmem.capacity,
            .buffers = machine.vmem.buffers,
            .in_flight = machine.dma.in_flight() * machine.dma.burst_bytes};
}

ChipConfig chip_config(const Machine& machine, const VectorProblem& problem, DataOrigin from, Timeline* timeline) {
    ChipConfig config;
    config.time = TimeBase(machine.clock);
    config.hbm = machine.hbm;
    config.pcie = machine.pcie;
    config.from = from;
    config.timeline = timeline;
    for (const auto& share : share_among_cores(problem, machine.vector, machine.cores)) {
        CoreConfig core;
        core.vector = VectorBlocks(problem, share, limits_of(machine, from));
        core.vmem = machine.vmem;
        core.dma = machine.dma;
        core.timeline = timeline;
        core.index = static_cast<int>(config.cores.size());
        config.cores.push_back(core);
    }
    return config;
}

// What the run will take, about.
Cost cost_of(const Machine& machine, const ChipConfig& config) {
    Cost cost;
    double bytes = 0;
    for (const auto& core : config.cores) {
        const auto blocks = static_cast<double>(core.vector->count());
        const double moved =
            static_cast<double>(core.vector->fetched_bytes()) + static_cast<double>(core.vector->stored_bytes());
        bytes += blocks * moved;
        cost.events += blocks * (1 + moved / static_cast<double>(machine.dma.burst_bytes));
        cost.cycles = std::max(cost.cycles, blocks * static_cast<double>(core.vector->alu_cycles(0)));
    }
    double rate = static_cast<double>(machine.hbm.bandwidth);
    if (config.from == DataOrigin::host)
        rate = std::min(rate, static_cast<double>(machine.pcie.bandwidth));
    if (config.from != DataOrigin::vmem)
        cost.cycles = std::max(cost.cycles, bytes / rate * static_cast<double>(machine.clock));
    return cost;
}

void refuse_if_too_long(const Machine& machine, const VectorProblem& problem, const Cost& cost,
                        const RunOptions& options) {
    const auto slots = static_cast<double>(machine.pe_count());
    constexpr double most_slots = 9e18;
    const auto most = std::min(static_cast<double>(TimeBase(machine.clock).max_cycles()), most_slots / slots);
    if (cost.cycles > most) {
        throw InputError(fmt::format("{}: about {:.3g} cycles are more than the {:.3g} that 64 bits of picoseconds and "
                                     "PE-slots hold on this machine (split the operator)",
                                     problem.name, cost.cycles, most));
    }
    if (!options.max_cycles) {
        refuse_cost(problem.name, cost, EngineKind::tile,
                    fmt::format("use --max-cycles {:.0f} to run it all the same", std::ceil(cost.cycles * 2)));
    } else if (cost.cycles > static_cast<double>(*options.max_cycles)) {
        throw InputError(fmt::format("{}: about {:.3g} cycles are more than --max-cycles {} (raise it)", problem.name,
                                     cost.cycles, *options.max_cycles));
    }
}

// The bytes that one core's DMA engines moved are those that the model says, no more and no fewer.
void check_conserved(const VectorProblem& problem, DataOrigin from, const Traffic& traffic, const HostLink* host) {
    const auto crossing = [&](const std::vector<VectorOperand>& operands, bool from_host) {
        Bytes sum = 0;
        for (const auto& operand : operands) {
            const bool counts = from_host ? lies_in_host(operand.home, from) : !lies_in_vmem(operand.home, from);
            sum += counts ? operand.bytes : 0;
        }
        return sum;
    };
    const Bytes down = host ? crossing(problem.reads, true) : 0;
    const Bytes up = host ? crossing(problem.writes, true) : 0;
    const bool good = traffic.hbm.read.vector == crossing(problem.reads, false) + up &&
                      traffic.hbm.write.vector == crossing(problem.writes, false) + down &&
                      traffic.pcie.write.vector == down && traffic.pcie.read.vector == up;
    if (!good)
        throw InternalError(problem.name + ": bytes were lost between VMEM and the host");
}

void add_core(Traffic& traffic, const Core& core) {
    const auto& vector = core.vector();
    traffic.vmem.read.vector += vector.read();
    traffic.vmem.write.vector += vector.written();
    traffic.vmem.accesses += vector.accesses();
    if (!core.fetcher())
        return;
    const Bytes fetched = core.fetcher()->fetched(vector_reads);
    const Bytes stored = core.storer()->stored();
    const auto requests = core.fetcher()->requests() + core.storer()->requests();
    const Bytes ahead = core.fetcher()->ahead_fetched();
    traffic.vmem.write.b += ahead;
    traffic.hbm.read.b += ahead;
    traffic.vmem.write.vector += fetched;
    traffic.vmem.read.vector += stored;
    traffic.vmem.accesses += requests;
    traffic.hbm.read.vector += fetched;
    traffic.hbm.write.vector += stored;
    traffic.hbm.accesses += requests;
}

void add_host(Traffic& traffic, const VectorProblem& problem, const HostLink& host) {
    std::uint64_t base = 0;
    Bytes down = 0;
    for (const auto& read : problem.reads) {
        if (read.bytes > 0) // the operand behind begins at the same place
            down += host.sent_down(base);
        base += static_cast<std::uint64_t>(read.bytes);
    }
    traffic.pcie.write.vector += down;
    traffic.hbm.write.vector += down;
    traffic.hbm.read.vector += host.sent_up();
    traffic.pcie.read.vector += host.sent_up();
    traffic.pcie.accesses += host.requests();
    traffic.hbm.accesses += host.requests();
}

// The array idles behind its port; cores without a share are padding.
void add_stack(OperatorResult& result, const Machine& machine, const Chip& chip) {
    const std::int64_t slots = std::int64_t{machine.array.rows} * machine.array.cols * machine.array.count;
    if (__builtin_mul_overflow(slots * machine.cores, result.cycles, &result.pe_slots))
        throw InputError(result.name + ": the PE-slots of the run leave 64 bits (split the operator)");
    for (const auto& core : chip.cores()) {
        for (const auto cause : all_causes)
            result.stack[cause] += core->waits()[cause] * slots;
    }
    const auto without_work = machine.cores - static_cast<std::int64_t>(chip.cores().size());
    result.stack[Cause::padding] += without_work * result.cycles * slots;
}

OperatorResult described(const VectorProblem& problem, DataOrigin from) {
    OperatorResult result;
    result.name = problem.name;
    result.kind = "vector";
    result.formats = {problem.format, problem.format, problem.format};
    result.from = from;
    result.tile = {0, 0, 0};
    return result;
}

void collect(OperatorResult& result, const Machine& machine, const VectorProblem& problem, ChipModule& module,
             std::vector<AheadUnits>* ahead) {
    result.cycles = module.finish();
    auto left = module.chip().take_ahead();
    if (ahead)
        std::move(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(std::min(left.size(), ahead->size())),
                  ahead->begin());
    const Chip& chip = module.chip();
    result.seconds = static_cast<double>(result.cycles) / static_cast<double>(machine.clock);
    result.hbm = module.hbm_use(result.cycles);
    for (const auto& core : chip.cores()) {
        add_core(result.traffic, *core);
        result.vmem_conflict_cycles += core->vmem().conflict_cycles();
    }
    if (chip.host()) {
        add_host(result.traffic, problem, *chip.host());
        result.pcie = chip.host()->use(result.cycles);
    }
    add_stack(result, machine, chip);
    result.kernel_events = module.activations();
    result.vmem_allocation = chip.cores().front()->allocation().buffers();
    result.roofline = analyze(machine, problem, result.from);
    check_conserved(problem, result.from, result.traffic, chip.host());
}

void end_operator(Timeline& timeline, const TimeBase& time, const OperatorResult& result,
                  const VectorProblem& problem) {
    const std::array facts{TimelineFact{"kind", 0, result.kind}, TimelineFact{"function", 0, problem.function},
                           TimelineFact{"elements", problem.elements},
                           TimelineFact{"operations", problem.operations()}};
    timeline.end_operator(time.at(result.cycles), facts);
}

} // namespace

OperatorResult run_vector(const Machine& machine, const VectorProblem& problem, const RunOptions& options,
                          std::vector<AheadUnits>* ahead) {
    require_simulable(machine);
    validate(problem);
    auto config = chip_config(machine, problem, options.from, options.timeline);
    for (std::size_t core = 0; ahead && core < std::min(ahead->size(), config.cores.size()); ++core)
        config.cores[core].ahead = std::move((*ahead)[core]);
    const auto cost = cost_of(machine, config);
    refuse_if_too_long(machine, problem, cost, options);
    if (options.timeline) {
        options.timeline->begin_operator(
            problem.name, {.ticks_per_cycle = config.time.per_cycle(), .ticks_per_second = config.time.per_second()});
    }
    ChipWatch watch{.max_cycles = std::min(options.cycles_left(), config.time.max_cycles()),
                    .cycles_before = options.cycles_before,
                    .progress = {},
                    .sample = {}};
    if (options.progress)
        watch.progress = [&](Cycles now) { options.progress(now, static_cast<Cycles>(cost.cycles)); };
    auto result = described(problem, options.from);
    {
        KernelSession session;
        ChipModule module("chip", config, {}, watch, options.external_memory);
        session.run();
        collect(result, machine, problem, module, ahead);
    }
    if (options.timeline)
        end_operator(*options.timeline, config.time, result, problem);
    check_laws(result, {}, static_cast<bool>(options.external_memory));
    return result;
}

VectorRoom vector_room(const Machine& machine, const VectorProblem& problem, DataOrigin from) {
    auto limits = limits_of(machine, from);
    limits.vmem_capacity = unlimited;
    VectorRoom room;
    for (const auto& share : share_among_cores(problem, machine.vector, machine.cores)) {
        const VectorBlocks blocks(problem, share, limits);
        room.stays = std::max(room.stays, blocks.resident_bytes());
        room.least = std::max(room.least, blocks.least_vmem());
    }
    return room;
}

Cycles vector_cycles(const Machine& machine, const VectorProblem& problem, DataOrigin from) {
    return dry_run(chip_config(machine, problem, from, nullptr));
}

} // namespace systole
