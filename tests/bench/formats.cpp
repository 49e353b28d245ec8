#include "tests/bench/formats.h"

#include <string>

#include "sim/engine/plan.h"
#include "tests/bench/measure.h"

namespace systole::bench {

namespace {

constexpr int side = 128;
constexpr std::int64_t vectors = 40'000;

// One pass that fills the array, with random values: operands are fed, products are computed, nothing is verified.
struct FlatRun {
    Machine machine;
    MachineRun run;
    GemmValues values;

    FlatRun(const OperandFormats& formats, Dataflow dataflow) {
        machine.name = "bench";
        machine.array.rows = machine.array.cols = side;
        for (const Format format : all_formats) {
            machine.macs_per_pe_cycle[format] = 1;
        }
        GemmProblem problem;
        problem.m = problem.n = problem.k = side;
        (dataflow == Dataflow::output_stationary ? problem.k : problem.m) = vectors;
        problem.formats = formats;
        RunOptions options;
        options.engine = EngineKind::flat;
        options.from = DataOrigin::vmem;
        options.dataflow = dataflow;
        run = machine_run(make_plan(machine, problem, options), EngineKind::flat, options);
        values = random_values(problem, 1);
    }

    double pe_cycles() {
        run.values = &values;
        return static_cast<double>(side) * side * static_cast<double>(run_machine(machine, run).cycles);
    }
};

double rate(const OperandFormats& formats, Dataflow dataflow) {
    FlatRun run(formats, dataflow);
    return measure([&] { return run.pe_cycles(); }, 5).per_second();
}

// Each beside a measurement of int8 of its own, so that other programs disturb both alike.
void one_format(const OperandFormats& formats, Dataflow dataflow, const std::string& what) {
    const double int8 = rate({}, dataflow);
    print_ratio("int8 over " + what, int8 / rate(formats, dataflow), "goal: at most 2");
}

void one_dataflow(Dataflow dataflow, const std::string& what) {
    print_rate("flat 128x128, " + what + ", int8", rate({}, dataflow), "PE-cycles");
    for (const Format format : all_formats) {
        if (format != Format::int8 && is_operand(format)) {
            one_format({format, format, format}, dataflow, std::string(name(format)) + ", " + what);
        }
    }
    one_format({Format::bf16, Format::int8, Format::bf16}, dataflow, "bf16 with int8 weights, " + what);
}

} // namespace

void formats() {
    one_dataflow(Dataflow::weight_stationary, "weight-stationary");
    one_dataflow(Dataflow::output_stationary, "output-stationary");
}

} // namespace systole::bench
