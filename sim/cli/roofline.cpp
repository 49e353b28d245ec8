// `systole roofline`: the analytic model, of the problems that `simulate` takes. Closed-form operators have commands of
// their own (roofline_operators.cpp, roofline_numbers.cpp).
#include <algorithm>

#include <fmt/format.h>

#include "dataflow/mapping.h"
#include "sim/base/error.h"
#include "sim/base/table.h"
#include "sim/cli/network_input.h"
#include "sim/cli/pictures.h"
#include "sim/cli/problem_input.h"
#include "sim/cli/roofline_commands.h"
#include "sim/cli/roofline_network.h"
#include "sim/cli/roofline_request.h"
#include "sim/cli/simulate_run.h"
#include "sim/cli/values.h"
#include "sim/engine/plan.h"
#include "sim/report/gnuplot.h"
#include "sim/roofline/matmul.h"

namespace systole {

namespace {

std::optional<std::optional<Dataflow>> parse_dataflow_or_auto(std::string_view text) {
    if (text == "auto") {
        return std::optional<Dataflow>();
    }
    const std::optional<Dataflow> dataflow = parse_dataflow(text);
    return dataflow ? std::optional(dataflow) : std::nullopt;
}

struct Tiling {
    std::optional<Tile> tile;
    std::optional<Dataflow> dataflow = Dataflow::weight_stationary;
};

Tiling read_tiling(const ParsedOptions& options) {
    Tiling tiling;
    if (const auto tile = options.get("--tile")) {
        tiling.tile = parse_shape("--tile", *tile);
    }
    tiling.dataflow = word_option(options, "--dataflow", parse_dataflow_or_auto, "ws, os, is or auto")
                          .value_or(Dataflow::weight_stationary);
    return tiling;
}

// What the mapping that `simulate` would take moves. One that does not fit, where no tile was asked for, says nothing
// about the roofline.
void add_mapped_bytes(analytic::Work& work, const ChipRequest& request, const GemmProblem& problem,
                      const Tiling& tiling) {
    RunOptions run;
    run.from = request.from;
    run.tile = tiling.tile;
    run.dataflow = tiling.dataflow;
    Plan plan;
    try {
        plan = make_plan(request.machine, problem, run);
    } catch (const InputError&) {
        if (tiling.tile) {
            throw;
        }
        return;
    }
    double vmem = 0;
    double hbm = 0;
    for (const CoreShare& share : plan.shares) {
        const MappedBytes bytes = mapped_bytes(share.mapping, plan.limits);
        vmem += static_cast<double>(bytes.x_streamed + bytes.y_streamed + bytes.out_written);
        hbm += static_cast<double>(bytes.x_fetched + bytes.y_fetched + bytes.out_stored);
    }
    work.tiled_bytes["vmem"] = vmem;
    work.tiled_bytes["hbm"] = hbm;
    if (request.from == DataOrigin::host) {
        // From the host everything is written to HBM and read from there again.
        work.tiled_bytes["hbm"] += work.bytes();
        work.tiled_bytes["pcie"] = work.bytes();
    }
}

bool array_takes(const Machine& machine, const OperandFormats& formats) {
    return !machine.roofline_only && machine.macs_per_pe_cycle.contains(formats.a) &&
           machine.macs_per_pe_cycle.contains(formats.b);
}

void add_tiled_bytes(analytic::Work& work, const ChipRequest& request, const GemmProblem& problem,
                     const Tiling& tiling) {
    if (array_takes(request.machine, problem.formats)) {
        add_mapped_bytes(work, request, problem, tiling);
    } else if (tiling.tile) {
        work.tiled_bytes["hbm"] = analytic::tiled_gemm_bytes(problem, *tiling.tile);
    }
}

void add_tile_limit(RooflineAnswer& answer, const std::vector<GemmProblem>& problems, const Tiling& tiling) {
    if (tiling.tile && problems.size() == 1) {
        const double limit = analytic::tiled_intensity_limit(
            static_cast<double>(tiling.tile->m), static_cast<double>(tiling.tile->n), problems.front().formats);
        answer.quantities.push_back(
            {"tiled_intensity_limit", "intensity of this tile for long K, C not counted", "FLOP/B", limit});
    }
}

// The peak that is drawn beside the dense one: of the sparsest operator, if one is sparse.
std::optional<PeakRoof> sparse_roof(const ChipRequest& request, const std::vector<GemmProblem>& problems,
                                    double dense_peak) {
    SparsePattern pattern = dense_pattern;
    for (const GemmProblem& problem : problems) {
        if (problem.sparsity.keep * pattern.group < pattern.keep * problem.sparsity.group) {
            pattern = problem.sparsity;
        }
    }
    if (pattern.dense()) {
        return std::nullopt;
    }
    const double best = static_cast<double>(pattern.group) / pattern.keep;
    return PeakRoof{dtype_text(problems.front().formats) + " " + name(pattern),
                    analytic::sparse_peak(dense_peak, request.eta, best), true};
}

// Every roof of the chip, and the operators on them.
std::string script_of(const RooflineAnswer& answer, const ChipRequest& request,
                      const std::vector<GemmProblem>& problems, PictureFormat format) {
    const OperandFormats formats = problems.front().formats;
    const analytic::Roofs dense = analytic::chip_roofs(request.machine, formats, request.rates);
    std::vector<analytic::Result> results;
    for (const RooflineOperator& one : answer.operators) {
        results.push_back(one.result);
    }
    const std::string what =
        results.size() == 1 ? results.front().work.name : fmt::format("{} operators", results.size());
    return roofline_script(
        roofline_figure(dense, sparse_roof(request, problems, dense.peak), dtype_text(formats), results),
        what + " on " + answer.chip, format);
}

int run_roofline(const ParsedOptions& options, const Session& session) {
    if (!options.positionals().empty()) {
        reject_operator(options.positionals().front());
    }
    require_one_input(options, "nothing to answer");
    const ChipRequest request = chip_request(options);
    if (const std::optional<RooflineAnswer> network = network_answer(options, request)) {
        return write_answer(*network, options, session);
    }
    const Tiling tiling = read_tiling(options);
    std::vector<GemmProblem> problems = read_problems(options, request.machine.default_format);
    require_different_files(options, {}, {"-o", "--plot"});
    PlotFile plot(options, problems.size());
    RooflineAnswer answer = answer_about(request, "gemm");
    for (GemmProblem& problem : problems) {
        problem.sparsity = request.sparsity.value_or(problem.sparsity);
        analytic::Work work = analytic::gemm(problem);
        add_tiled_bytes(work, request, problem, tiling);
        answer.operators.push_back({analytic::evaluate(work, request.roofs(problem.formats, problem.sparsity)),
                                    dtype_text(problem.formats), name(problem.sparsity)});
    }
    add_tile_limit(answer, problems, tiling);
    if (!plot.wanted()) {
        return write_answer(answer, options, session);
    }
    const std::string picture = run_gnuplot(script_of(answer, request, problems, plot.format()));
    const int exit = write_answer(answer, options, session);
    plot.commit(picture);
    return exit;
}

} // namespace

std::vector<Command> roofline_commands() {
    std::vector<Command> all = roofline_operator_commands();
    for (const Command& command : roofline_number_commands()) {
        all.push_back(command);
    }
    return all;
}

void reject_operator(const std::string& word) {
    std::vector<std::string> names;
    std::string list;
    for (const Command& command : roofline_commands()) {
        names.push_back(command.spec.name.substr(command.spec.name.rfind(' ') + 1));
        list += (list.empty() ? "" : ", ") + names.back();
    }
    if (std::find(names.begin(), names.end(), word) != names.end()) {
        throw InputError(fmt::format("the operator comes first (write systole roofline {}, then its options)", word));
    }
    const std::string near = nearest(word, names);
    throw InputError(fmt::format("there is no roofline of '{}' ({}there are {}; without a word, --gemm, --workload or "
                                 "--topology)",
                                 word.substr(0, 60), near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                                 list));
}

Command roofline_command() {
    std::vector<OptionSpec> own = problem_options();
    for (const OptionSpec& option : chip_options()) {
        own.push_back(option);
    }
    for (const OptionSpec& option : network_options()) {
        own.push_back(option);
    }
    own.push_back({"--tile", "MxNxK", "size of the tiles in VMEM, for the tiled bytes (as simulate would choose)"});
    own.push_back({"--dataflow", "ws|os|is|auto", "what stays in the array, for the tiled bytes (ws)"});
    own.push_back(plot_option("draw the roofs of the chip with every operator"));
    std::string operators;
    for (const Command& command : roofline_commands()) {
        operators += "  systole " + command.spec.name + " --help\n";
    }
    return {{"roofline",
             "The analytic model, without simulation: bytes, intensities, ridges, lower and upper bounds of matrix "
             "products on a chip or a data sheet. A first word chooses another operator, with options of its own.",
             "[OPERATOR]", with_common_options(own, "text|json|csv"),
             "  systole roofline --chip tpu_v5e --gemm 256x8192x8192\n"
             "  systole roofline --chip h100 --workload llama3_8b_ffn --format json\n"
             "  systole roofline --chip tpu_v5e --workload resnet50 --bind batch=8\n"
             "  systole roofline --chip gpu_312t --gemm 1024x1024x1024 --tile 128x128x128 \\\n"
             "      --dtype fp16\n"
             "  systole roofline attention --chip gpu_1000t --seq 1024 --dim 64 \\\n"
             "      --method standard\n"
             "  systole roofline --chip h100 --workload llama3_8b_ffn --plot h100.svg\n"
             "\noperators:\n" +
                 operators},
            run_roofline};
}

} // namespace systole
