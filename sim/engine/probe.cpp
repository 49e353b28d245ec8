#include <fmt/format.h>

#include "dataflow/array_timing.h"
#include "sim/base/error.h"
#include "sim/engine/plan.h"

namespace systole {

namespace {

constexpr std::int64_t most_vectors = 1'000'000'000;

void check(const ProbeOptions& options) {
    const auto within = [](std::int64_t value, std::int64_t least, const char* name) {
        if (value >= least && value <= most_vectors)
            return;
        throw InputError(fmt::format("{} is {}; it must lie between {} and {}", name, value, least, most_vectors));
    };
    within(options.streamed, 1, "--streamed");
    within(options.passes, 1, "--passes");
    within(options.idle, 0, "--idle");
}

// A problem whose passes are those asked for: each fills the array once with a stationary tile of its own, or, with
// reuse, all with the same.
Mapping probe_mapping(const Machine& machine, const ProbeOptions& options, const CoreLimits& limits) {
    const auto& array = machine.array;
    const bool os = options.dataflow == Dataflow::output_stationary;
    OrientedGemm tile{.dataflow = options.dataflow,
                      .rows = os ? array.rows : options.streamed,
                      .cols = std::int64_t{array.cols} * array.count,
                      .depth = os ? options.streamed * limits.q : std::int64_t{array.rows} * limits.q,
                      .x = machine.default_format,
                      .y = machine.default_format,
                      .out = machine.default_format};
    auto problem = tile;
    if (!options.reuse) {
        problem.cols *= options.passes;
    } else {
        (os ? problem.depth : problem.rows) *= options.passes;
    }
    return {.problem = problem, .tile = tile, .cols_outer = false, .split_rows = false, .from = DataOrigin::vmem};
}

MachineOutcome run_probe(const Machine& machine, const ProbeOptions& options, bool preload_bias) {
    MachineRun run;
    const OperandFormats formats{machine.default_format, machine.default_format, machine.default_format};
    run.limits = core_limits(machine, formats);
    run.limits.accumulator_capacity = run.limits.vmem_capacity = unlimited; // the array alone is looked at
    const auto mapping = probe_mapping(machine, options, run.limits);
    const auto extents = to_tile(mapping.problem);
    run.problem = {.name = "probe", .m = extents.m, .n = extents.n, .k = extents.k, .formats = formats};
    validate(run.problem);
    run.shares = {{.m0 = 0, .n0 = 0, .mapping = mapping}};
    run.from = DataOrigin::vmem;
    run.engine = options.engine == EngineKind::automatic ? EngineKind::tile : options.engine;
    const auto interval = pass_interval(machine.array, options.dataflow, options.streamed + options.idle);
    const double passes = static_cast<double>(options.passes);
    refuse_cost(
        "the probe",
        {.cycles = passes * static_cast<double>(interval) + static_cast<double>(crossing_latency(machine.array)),
         .pes = static_cast<double>(machine.pe_count()),
         .events = passes},
        run.engine, "use --engine tile, or fewer --passes and --streamed");
    run.idle = options.idle;
    run.preload_bias = preload_bias;
    return run_machine(machine, run);
}

} // namespace

ProbeResult probe_array(const Machine& asked, const ProbeOptions& options) {
    require_simulable(asked);
    check(options);
    Machine machine = asked;
    machine.cores = 1;
    const bool os = options.dataflow == Dataflow::output_stationary;
    const auto outcome = run_probe(machine, options, false);
    const auto& marks = outcome.marks;
    const auto to_last_result = [](const ArrayMarks& m, Cycles first) { return m.last_result - first + 1; };
    ProbeResult result;
    result.first_vmem_read_to_last_result = to_last_result(marks, 0); // the run begins with its first read
    result.first_streamed_to_last_result = to_last_result(marks, marks.first_vector);
    result.first_stationary_to_last_result = to_last_result(marks, os ? marks.first_vector : marks.first_load);
    result.pass_interval = options.passes > 1 ? marks.last_start - marks.start_before
                                              : pass_interval(machine.array, options.dataflow, options.streamed);
    if (os) {
        // The bias goes in just before the first vector; the run that preloads it begins that much earlier.
        const auto biased = run_probe(machine, options, true);
        const Cycles first_bias = biased.marks.first_vector - load_cycles(machine.array);
        result.first_bias_to_last_result = to_last_result(biased.marks, first_bias);
    }
    return result;
}

} // namespace systole
