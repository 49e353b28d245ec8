// `systole compare`: a run beside its roofline, and the whole difference by cause.
#include "sim/report/compare.h"

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/compare_sparsity.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/max_gap.h"
#include "sim/cli/out_dir.h"
#include "sim/cli/pictures.h"
#include "sim/cli/problem_input.h"
#include "sim/cli/sensitivity.h"
#include "sim/cli/simulate_input.h"
#include "sim/cli/simulate_run.h"
#include "sim/cli/values.h"

namespace systole {

namespace {

std::vector<OptionSpec> compare_options() {
    std::vector<OptionSpec> options = run_options(
        "dense|2:4|both", "; both: dense and sparse runs side by side, what is gained and what ate the rest");
    const std::vector<OptionSpec> own{
        layers_option(true),
        {"--explain", "", "say of each cause what it is and what would shrink it"},
        {"--sensitivity", "",
         "run again with one value of the chip twice as good at a time, and sort by what that saves"},
        {"--max-gap", "P",
         "fail (exit 1) if the gap of an operator or of the whole run (of a network: of that alone) is above P "
         "percent; "
         "gap = 1 - "
         "roofline_efficiency = 1 - lower bound / simulated time"},
        {"--out-dir", "DIR", "write the result in every format, and manifest.json, into DIR"},
    };
    const std::vector<OptionSpec> pictures = picture_options();
    options.insert(options.end(), own.begin(), own.end());
    options.insert(options.end(), pictures.begin(), pictures.end());
    return with_common_options(options, "text|json|csv");
}

void require_columns(const ParsedOptions& options, OutputFormat format) {
    for (const char* const option : {"--explain", "--sensitivity"}) {
        if (format == OutputFormat::csv && options.has(option)) {
            throw InputError(fmt::format("{} has no columns (use --format text or json)", option));
        }
    }
}

std::string in_format(OutputFormat format, const Comparison& comparison) {
    switch (format) {
    case OutputFormat::json:
        return compare_json(comparison);
    case OutputFormat::csv:
        return compare_csv(comparison);
    default:
        return compare_text(comparison);
    }
}

std::vector<NamedText> all_files(const Comparison& comparison) {
    return {{"compare.txt", compare_text(comparison)},
            {"compare.json", compare_json(comparison)},
            {"compare.csv", compare_csv(comparison)}};
}

int run_compare(const ParsedOptions& options, const Session& session) {
    if (asks_both_sparsities(options)) {
        return compare_sparsity(options, session);
    }
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json, OutputFormat::csv});
    require_columns(options, format);
    const std::optional<Gap> most = max_gap(options);
    SimulateInput input = read_simulate_input(options);
    const LayerRows rows = layer_rows(options, true, input);
    require_different_files(options, {"compare.txt", "compare.json", "compare.csv"},
                            {"-o", "--plot", "--html", "--save-mapping"});
    Pictures pictures(options, input);
    const auto folder = options.has("--out-dir") ? std::make_unique<OutDir>(*options.get("--out-dir")) : nullptr;
    const auto file = open_output(options);
    SavedMappings mappings(options);
    for (const std::string& warning : input.warnings) {
        warn(warning, options, session);
    }

    Comparison comparison{input.machine, run_shown(input, options, session), options.has("--explain"), {}, rows};
    if (options.has("--sensitivity")) {
        comparison.sensitivity = sensitivity(input, comparison.run);
    }
    pictures.write(input, comparison.run, options, session);
    const std::string text = in_format(format, comparison);
    if (folder) {
        const std::vector<NamedText> files = all_files(comparison);
        folder->commit(files, manifest_text(input.machine, session.command_line, files));
    }
    mappings.commit(comparison.run);
    if (file) {
        file->commit(text);
    } else {
        write_to_stream(text, session.out);
    }
    const int verified = verification(comparison.run, session);
    const int within = most ? check_gap(comparison.run, *most, session) : exit_good;
    return verified != exit_good ? verified : within;
}

} // namespace

Command compare_command() {
    return {{"compare",
             "Runs operators as `simulate` does and explains, cause by cause, what is missing to the roofline.", "",
             compare_options(),
             "  systole compare --chip edge_16x16 --gemm 128x768x768 --explain\n"
             "  systole compare --chip tpu_v5e --workload bert_base_attention --sensitivity\n"
             "  systole compare --chip edge_16x16 --gemm 512x512x512 --max-gap 25%\n"
             "  systole compare --chip npu_200t --workload ffn_4096 --sparsity both\n"
             "  systole compare --chip npu_200t --gemm 512x512x512 --from host --format json\n"
             "  systole compare --chip tpu_v5e --workload v5e_critical_batch \\\n"
             "      --plot knee.svg --html knee.html\n"},
            run_compare};
}

} // namespace systole
