#include "sim/cli/compare_sparsity.h"

#include <memory>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/out_dir.h"
#include "sim/cli/simulate_input.h"
#include "sim/cli/simulate_run.h"
#include "sim/cli/values.h"
#include "sim/report/sparsity_gain.h"

namespace systole {

namespace {

void refuse_what_is_about_one_run(const ParsedOptions& options) {
    for (const char* const option : {"--explain", "--sensitivity", "--max-gap", "--plot", "--html", "--save-mapping"}) {
        if (options.has(option)) {
            throw InputError(
                fmt::format("{} is about one run, --sparsity both makes two (give --sparsity 2:4 or dense)", option));
        }
    }
}

RunResult run_dense(SimulateInput input, const ParsedOptions& options, const Session& session) {
    input.run.weights = dense_pattern;
    for (GemmProblem& problem : input.problems) {
        problem.sparsity = dense_pattern;
    }
    return run_shown(input, options, session);
}

} // namespace

int compare_sparsity(const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json});
    refuse_what_is_about_one_run(options);
    SimulateInput input = read_simulate_input(options);
    require_different_files(options, {"compare.txt", "compare.json"}, {"-o"});
    const auto folder = options.has("--out-dir") ? std::make_unique<OutDir>(*options.get("--out-dir")) : nullptr;
    const auto file = open_output(options);
    for (const std::string& warning : input.warnings) {
        warn(warning, options, session);
    }
    const RunResult dense = run_dense(input, options, session);
    const RunResult sparse = run_shown(input, options, session);
    const std::string text = sparsity_pair_text(dense, sparse);
    const std::string json = sparsity_pair_json(dense, sparse);
    if (folder) {
        const std::vector<NamedText> files{{"compare.txt", text}, {"compare.json", json}};
        folder->commit(files, manifest_text(input.machine, session.command_line, files));
    }
    const std::string& shown = format == OutputFormat::json ? json : text;
    if (file) {
        file->commit(shown);
    } else {
        write_to_stream(shown, session.out);
    }
    const int wrong = verification(dense, session);
    return wrong != exit_good ? wrong : verification(sparse, session);
}

} // namespace systole
