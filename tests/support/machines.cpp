#include "tests/support/machines.h"

#include "sim/base/error.h"
#include "tests/support/engines.h"

namespace systole::test {

Machine ideal_machine(int rows, int cols) {
    Machine machine;
    machine.name = "ideal";
    machine.array.rows = rows;
    machine.array.cols = cols;
    machine.macs_per_pe_cycle = {{Format::int8, 1}};
    machine.default_format = Format::int8;
    machine.dma.issue_interval = 0;
    return machine;
}

GemmProblem gemm(std::int64_t m, std::int64_t n, std::int64_t k, Format c) {
    GemmProblem problem;
    problem.m = m;
    problem.n = n;
    problem.k = k;
    problem.formats = {Format::int8, Format::int8, c};
    return problem;
}

RunOptions run_options(EngineKind engine, Dataflow dataflow, DataOrigin from) {
    RunOptions options;
    options.engine = engine;
    options.dataflow = dataflow;
    options.from = from;
    if (computes_values(engine)) {
        options.verify = true;
    }
    return options;
}

OperatorResult run_one(const Machine& machine, const GemmProblem& problem, const RunOptions& options) {
    const RunResult result = simulate(machine, {problem}, options);
    if (result.operators.size() != 1) {
        throw InternalError("one problem gave " + std::to_string(result.operators.size()) + " results");
    }
    const OperatorResult& only = result.operators.front();
    if (options.verify.value_or(false) && only.verified != true) {
        throw std::runtime_error("the product was to be verified and was not");
    }
    return only;
}

OperatorResult run_from_vmem(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, EngineKind engine) {
    return run_one(machine, problem, run_options(engine, dataflow, DataOrigin::vmem));
}

ProbeResult probe(const Machine& machine, EngineKind engine, Dataflow dataflow, std::int64_t streamed,
                  std::int64_t passes, Cycles idle, bool reuse) {
    ProbeOptions options;
    options.engine = engine;
    options.dataflow = dataflow;
    options.streamed = streamed;
    options.passes = passes;
    options.idle = idle;
    options.reuse = reuse;
    return probe_array(machine, options);
}

} // namespace systole::test
