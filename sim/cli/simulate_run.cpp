#include "sim/cli/simulate_run.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/out_dir.h"
#include "sim/cli/progress.h"
#include "sim/cli/values.h"
#include "sim/engine/saved_mappings.h"
#include "sim/report/wrap.h"

namespace systole {

namespace fs = std::filesystem;

OptionSpec layers_option(bool detail) {
    return {"--layers", detail ? "folded|all|detail" : "folded|all",
            std::string("rows of a network's table: repetitions of a block share one if there are many (folded), or a "
                        "row for each operator (all)") +
                (detail ? ", and each one's levels and waterfall (detail)" : "")};
}

LayerRows layer_rows(const ParsedOptions& options, bool detail, const SimulateInput& input) {
    const char* const known = detail ? "folded, all or detail" : "folded or all";
    const LayerRows rows = word_option(options, "--layers", parse_layer_rows, known).value_or(LayerRows::folded);
    if (rows == LayerRows::detail && !detail) {
        reject_word("--layers", "detail", known);
    }
    if (options.has("--layers") && !input.network) {
        throw InputError("--layers is for networks: a list of products has a row for each (leave it out)");
    }
    return rows;
}

void require_different_files(const ParsedOptions& options, const std::vector<std::string>& in_folder,
                             const std::vector<std::string>& file_options) {
    std::map<fs::path, std::string> owners;
    const auto claim = [&owners](const fs::path& path, const std::string& option) {
        std::error_code error; // of a path that cannot be followed: its opening will tell
        const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
        if (error || fs::is_character_file(whole, error)) {
            return;
        }
        const auto [known, is_new] = owners.try_emplace(whole, option);
        if (!is_new) {
            throw InputError(fmt::format("{} and {} would both write {}", known->second, option, path.string()));
        }
    };
    if (const auto folder = path_option(options, "--out-dir")) {
        claim(fs::path(*folder) / manifest_name, "--out-dir");
        for (const std::string& name : in_folder) {
            claim(fs::path(*folder) / name, "--out-dir");
        }
    }
    for (const std::string& option : file_options) {
        if (const auto path = path_option(options, option); path && *path != "-") {
            claim(*path, option);
        }
    }
}

SavedMappings::SavedMappings(const ParsedOptions& options) {
    if (const auto path = path_option(options, "--save-mapping")) {
        file_ = std::make_unique<OutputFile>(*path);
    }
}

void SavedMappings::commit(const RunResult& result) {
    if (!file_) {
        return;
    }
    file_->commit(mapping_file_text(mappings_of(result)));
}

RunResult run_shown(SimulateInput& input, const ParsedOptions& options, const Session& session) {
    if (!session.terminal || options.has("--quiet")) {
        return simulate(input.machine, input, input.run);
    }
    ProgressBar bar(session.err);
    input.run.progress = [&bar](Cycles done, Cycles estimate) { bar.update(done, estimate); };
    RunResult result = simulate(input.machine, input, input.run);
    input.run.progress = {};
    return result;
}

int verification(const RunResult& result, const Session& session) {
    std::string wrong;
    for (const OperatorResult& one : result.operators) {
        if (one.verified == false) {
            wrong += (wrong.empty() ? "" : ", ") + one.name;
        }
    }
    if (wrong.empty()) {
        return exit_good;
    }
    session.err << "systole: the product differs from the reference: " << printable(wrong) << "\n";
    return exit_check_failed;
}

} // namespace systole
