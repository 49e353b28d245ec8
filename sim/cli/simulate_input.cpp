#include "sim/cli/simulate_input.h"

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/cli/conv_input.h"
#include "sim/cli/matrix_files.h"
#include "sim/cli/network_input.h"
#include "sim/cli/problem_input.h"
#include "sim/cli/values.h"
#include "sim/config/load.h"
#include "sim/engine/network_run.h"
#include "sim/workload/mapping_file.h"
#include "sim/workload/scalesim_cfg.h"

namespace systole {

namespace {

constexpr const char* scalesim_chip = "scalesim_like";

void read_machine(const ParsedOptions& options, const ScalesimConfig& cfg, SimulateInput& input) {
    const std::optional<std::string> chip = options.get("--chip");
    if (!chip && !options.has("--scalesim-cfg")) {
        throw InputError("no chip (give --chip NAME; `systole info chips` lists them)");
    }
    // Behind those of the .cfg: of two settings of one key the later counts.
    input.chip = chip.value_or(scalesim_chip);
    input.overrides = cfg.overrides;
    for (const std::string& set : options.all("--set")) {
        input.overrides.push_back(set);
    }
    input.machine = load_machine(input.chip, input.overrides);
}

// What is said about one matrix product, or about all alike, says nothing about a network.
void refuse_for_network(const ParsedOptions& options) {
    for (const char* const option : {"--tile", "--prune", "--a", "--b", "--c", "--vcd"}) {
        if (options.has(option)) {
            throw InputError(
                fmt::format("{} is for matrix products, not for a network (leave it out, or give --gemm)", option));
        }
    }
}

bool read_whole_network(const ParsedOptions& options, SimulateInput& input) {
    std::optional<Network> named = named_network(options, input.machine.default_format);
    if (!named) {
        return false;
    }
    refuse_for_network(options);
    input.run.fuse = options.has("--fuse");
    input.run.weights =
        asks_both_sparsities(options) ? usual_sparsity : asked_sparsity(options).value_or(dense_pattern);
    LoweredNetwork lowered = lower(*named);
    for (const std::string& skipped : named->skipped) {
        input.warnings.push_back("left out: " + skipped);
    }
    input.network = std::make_shared<const NetworkInput>(NetworkInput{std::move(*named), std::move(lowered)});
    return true;
}

void read_formatted_problems(const ParsedOptions& options, SimulateInput& input) {
    const Format usual = input.machine.default_format;
    if (std::optional<GemmProblem> problem = problem_of_matrices(options, input.run.given)) {
        problem->formats = asked_formats(options).value_or(OperandFormats{usual, usual, usual});
        input.problems = {*problem};
    } else if (std::optional<GemmProblem> conv = asked_convolution(options)) {
        conv->formats = asked_formats(options).value_or(OperandFormats{usual, usual, usual});
        input.problems = {*conv};
    } else {
        input.problems = read_problems(options, usual);
    }
    const std::optional<SparsePattern> sparsity = asked_sparsity(options);
    for (GemmProblem& problem : input.problems) {
        problem.sparsity = sparsity.value_or(problem.sparsity);
        if (asks_both_sparsities(options) && problem.sparsity.dense()) {
            problem.sparsity = usual_sparsity;
        }
    }
    check_pruning(input.run.given, input.problems);
    for (const GemmProblem& problem : input.problems) {
        macs_per_pe_cycle(input.machine, problem.formats); // refuses what the array does not take
    }
}

struct DataflowChoice {
    std::optional<Dataflow> dataflow; // empty: auto
};

std::optional<DataflowChoice> parse_dataflow_choice(std::string_view text) {
    if (text == "auto") {
        return DataflowChoice{};
    }
    const std::optional<Dataflow> dataflow = parse_dataflow(text);
    return dataflow ? std::optional(DataflowChoice{dataflow}) : std::nullopt;
}

std::optional<bool> read_verify(const ParsedOptions& options) {
    if (options.has("--verify") && options.has("--no-verify")) {
        throw InputError("--verify and --no-verify are both given");
    }
    if (options.has("--verify")) {
        return true;
    }
    return options.has("--no-verify") ? std::optional(false) : std::nullopt;
}

void read_mapping(const ParsedOptions& options, RunOptions& run) {
    const std::optional<std::string> mapping = options.get("--mapping");
    if (!mapping) {
        return;
    }
    const std::string fixed = "fixed:";
    if (mapping->starts_with(fixed) && mapping->size() > fixed.size()) {
        run.fixed = load_mapping_file(mapping->substr(fixed.size()));
    } else if (*mapping == "naive") {
        run.mapping = MappingMode::naive;
    } else if (*mapping != "auto") {
        reject_word("--mapping", *mapping, "auto, naive or fixed:FILE");
    }
    if (options.has("--tile")) {
        throw InputError("--mapping and --tile are both given (--tile is a mapping of its own)");
    }
}

std::optional<WaveformOptions> read_waveform(const ParsedOptions& options) {
    const std::optional<std::string> file = path_option(options, "--vcd");
    const std::optional<Cycles> from = integer_option(options, "--vcd-from", 0);
    const std::optional<Cycles> to = integer_option(options, "--vcd-to", 0);
    if (!file) {
        if (from || to) {
            throw InputError("--vcd-from and --vcd-to choose the cycles of a waveform file (give --vcd FILE too)");
        }
        return std::nullopt;
    }
    require_plain_file("--vcd", *file);
    WaveformOptions waveform{*file, from.value_or(0), to.value_or(unlimited)};
    if (waveform.to < waveform.from) {
        throw InputError(fmt::format("--vcd-to {} lies before --vcd-from {}", waveform.to, waveform.from));
    }
    return waveform;
}

std::optional<TraceFileOptions> read_trace(const ParsedOptions& options) {
    const std::optional<std::string> file = path_option(options, "--trace");
    const std::optional<std::string> limit = options.get("--trace-limit");
    if (!file) {
        if (limit) {
            throw InputError("--trace-limit bounds the size of a timeline (give --trace FILE too)");
        }
        return std::nullopt;
    }
    require_plain_file("--trace", *file);
    TraceFileOptions trace{.file = *file};
    if (limit) {
        const Parsed<Bytes> bytes = parse_bytes(*limit);
        if (!bytes.value) {
            throw InputError("--trace-limit " + bytes.error);
        }
        trace.limit = *bytes.value;
    }
    return trace;
}

void check_engine(const RunOptions& run) {
    if (run.engine == EngineKind::tile && run.verify == true) {
        throw InputError("--engine tile carries no values, so there is nothing to verify (use --engine flat or "
                         "structural, or leave out --verify)");
    }
    if (run.waveform && run.engine != EngineKind::structural) {
        throw InputError("--vcd shows the ports and PEs of the structural engine (use --engine structural)");
    }
}

RunOptions read_run_options(const ParsedOptions& options, const ScalesimConfig& cfg) {
    RunOptions run;
    const auto dataflow = word_option(options, "--dataflow", parse_dataflow_choice, "ws, os, is or auto");
    read_mapping(options, run);
    if (dataflow) {
        run.dataflow = dataflow->dataflow;
    } else if (cfg.dataflow || run.fixed) { // a mapping file knows its own
        run.dataflow = cfg.dataflow;
    }
    run.waveform = read_waveform(options);
    run.engine = word_option(options, "--engine", parse_engine, "structural, flat, tile or auto")
                     .value_or(run.waveform ? EngineKind::structural : EngineKind::automatic);
    run.from = word_option(options, "--from", parse_data_origin, "vmem, hbm or host").value_or(DataOrigin::hbm);
    run.verify = read_verify(options);
    if (const auto tile = options.get("--tile")) {
        run.tile = parse_shape("--tile", *tile);
    }
    run.seed = static_cast<std::uint64_t>(integer_option(options, "--seed", 0).value_or(1));
    run.max_cycles = integer_option(options, "--max-cycles", 1);
    check_engine(run);
    return run;
}

std::string ignored_keys(const std::string& file, const std::vector<std::string>& keys) {
    std::string list;
    for (const std::string& key : keys) {
        list += (list.empty() ? "" : ", ") + key;
    }
    return fmt::format("{}: ignored, as the chip file decides it: {}", file, list);
}

} // namespace

std::vector<OptionSpec> run_options(const std::string& sparsities, const std::string& sparsity_help) {
    std::vector<OptionSpec> options = problem_options();
    const std::vector<OptionSpec> convolution = convolution_options();
    options.insert(options.begin() + 1, convolution.begin(), convolution.end());
    for (const OptionSpec& option : network_options()) {
        options.push_back(option);
    }
    const std::vector<OptionSpec> own{
        {"--scalesim-cfg", "FILE",
         "array size and dataflow from a SCALE-Sim configuration; the chip is then "
         "scalesim_like unless --chip names another"},
        {"--chip", "NAME|FILE", "the chip (`systole info chips`)"},
        {"--set", "KEY=VALUE", "changes a value of the chip (`systole info keys`)", true},
        {"--dataflow", "ws|os|is|auto",
         "what stays in the array: weights (ws), outputs, inputs; auto takes the "
         "fastest"},
        {"--engine", "structural|flat|tile|auto", "how the array is simulated; all give the same cycles"},
        {"--from", "vmem|hbm|host", "where the operands are at the start and the result ends (hbm)"},
        {"--dtype", "A[,B[,C]]",
         "stored number formats (the chip's first one; `systole info formats`); B and C like A if left out"},
        {"--a", "FILE.npy", "A as a NumPy matrix of M x K; values are rounded to its format"},
        {"--b", "FILE.npy", "B, K x N; with --a and --b the shape is theirs and --gemm may be left out"},
        {"--sparsity", sparsities,
         "B in N:M structured sparsity: of every M along K, N are stored (the files' own, else dense)" + sparsity_help},
        {"--prune", "magnitude",
         "of a sparse B keep the largest of every group along K; else it has to be as sparse as --sparsity says"},
        {"--tile", "MxNxK", "size of the tiles in VMEM"},
        {"--mapping", "auto|naive|fixed:FILE",
         "how tiles, loops and sharing are chosen without --tile: the fastest that a search finds (auto), by a formula "
         "out of a few (naive), or as a file of --save-mapping says"},
        {"--fuse", "",
         "of a network: do elementwise work on the results of the product before it, on their way to VMEM"},
        {"--save-mapping", "FILE", "write the mapping of every operator, for --mapping fixed:FILE"},
        {"--verify", "", "compare the product with a reference; fail if that is not possible"},
        {"--no-verify", "", "do not compare it"},
        {"--seed", "N", "of the operand values (1)"},
        {"--max-cycles", "N", "refuse runs that would take more (about ten minutes of the engine)"},
    };
    options.insert(options.end(), own.begin(), own.end());
    return options;
}

SimulateInput read_simulate_input(const ParsedOptions& options) {
    if (!options.has("--a") || !options.has("--b")) {
        require_one_input(options, "nothing to run");
    }
    SimulateInput input;
    ScalesimConfig cfg;
    if (const auto file = options.get("--scalesim-cfg")) {
        cfg = load_scalesim_cfg(*file);
        if (!cfg.ignored.empty()) {
            input.warnings.push_back(ignored_keys(*file, cfg.ignored));
        }
    }
    input.run = read_run_options(options, cfg);
    input.trace = read_trace(options);
    read_machine(options, cfg, input);
    require_simulable(input.machine);
    input.run.given = read_given_operands(options);
    if (!read_whole_network(options, input)) {
        if (options.has("--fuse")) {
            throw InputError(
                "--fuse is for networks: a product alone has no elementwise work behind it (leave it out)");
        }
        read_formatted_problems(options, input);
    }
    return input;
}

RunResult simulate(const Machine& machine, const SimulateInput& input, const RunOptions& run) {
    return input.network ? simulate_network(machine, input.network->network, input.network->lowered, run)
                         : simulate(machine, input.problems, run);
}

std::vector<std::string> operator_names(const SimulateInput& input) {
    std::vector<std::string> names;
    for (const GemmProblem& problem : input.problems) {
        names.push_back(problem.name);
    }
    if (!input.network) {
        return names;
    }
    for (const LoweredOperator& one : input.network->lowered.operators) {
        if (!one.tasks.empty()) {
            names.push_back(input.network->network.operators[one.index].name);
        }
    }
    return names;
}

} // namespace systole
