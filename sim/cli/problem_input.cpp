#include "sim/cli/problem_input.h"

#include <array>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/values.h"
#include "sim/workload/operand_formats.h"
#include "sim/workload/scalesim_topology.h"
#include "sim/workload/sparsity_pattern.h"
#include "sim/workload/workload.h"

namespace systole {

namespace {

constexpr std::array inputs{"--gemm", "--conv", "--workload", "--topology"};

std::vector<GemmProblem> read_in_formats(const ParsedOptions& options, const OperandFormats& formats) {
    if (const auto workload = options.get("--workload")) {
        return load_workload(*workload, formats).operators;
    }
    if (const auto topology = options.get("--topology")) {
        return load_scalesim_topology(*topology, formats).operators;
    }
    const Tile shape = parse_shape("--gemm", options.get("--gemm").value_or(""));
    GemmProblem problem{"gemm", shape.m, shape.n, shape.k, formats};
    validate(problem);
    return {problem};
}

} // namespace

std::vector<OptionSpec> problem_options() {
    return {
        {"--gemm", "MxNxK", "one matrix product, C[M,N] = A[M,K] * B[K,N]"},
        {"--workload", "FILE", "a workload file, or the name of one (`systole info workloads`)"},
        {"--topology", "FILE", "a SCALE-Sim topology, convolutions or GEMMs"},
    };
}

void require_one_problem(const ParsedOptions& options, const std::string& nothing) {
    std::string given;
    for (const char* const input : inputs) {
        if (options.has(input)) {
            if (!given.empty()) {
                throw InputError(fmt::format("{} and {} are both given (one run has one input)", given, input));
            }
            given = input;
        }
    }
    if (given.empty()) {
        throw InputError(nothing + " (give --gemm MxNxK, --workload FILE or --topology FILE)");
    }
}

std::optional<OperandFormats> asked_formats(const ParsedOptions& options) {
    const std::optional<std::string> text = options.get("--dtype");
    if (!text) {
        return std::nullopt;
    }
    const Parsed<OperandFormats> parsed = parse_operand_formats(*text);
    if (!parsed.value) {
        throw InputError("--dtype " + parsed.error);
    }
    return parsed.value;
}

bool asks_both_sparsities(const ParsedOptions& options) { return options.get("--sparsity") == "both"; }

std::optional<SparsePattern> asked_sparsity(const ParsedOptions& options) {
    const std::optional<std::string> text = options.get("--sparsity");
    if (!text || asks_both_sparsities(options)) {
        return std::nullopt;
    }
    const Parsed<SparsePattern> parsed = parse_sparsity_pattern(*text);
    if (!parsed.value) {
        throw InputError("--sparsity " + parsed.error);
    }
    return parsed.value;
}

std::vector<GemmProblem> read_problems(const ParsedOptions& options, Format usual) {
    const std::optional<OperandFormats> asked = asked_formats(options);
    std::vector<GemmProblem> problems = read_in_formats(options, asked.value_or(OperandFormats{usual, usual, usual}));
    for (GemmProblem& problem : problems) {
        problem.formats = asked.value_or(problem.formats);
    }
    return problems;
}

} // namespace systole
