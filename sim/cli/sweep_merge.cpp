// `systole sweep merge`.
#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/values.h"
#include "sim/report/json.h"
#include "sim/sweep/merge.h"

namespace systole {

namespace {

int run_merge(const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json});
    const std::vector<std::string>& words = options.positionals();
    if (words.size() < 2) {
        throw InputError("say what is merged: systole sweep merge OUT DB... (OUT is made, or added to)");
    }
    require_plain_file("sweep merge", words.front());
    const Merged merged = merge_stores(words.front(), {words.begin() + 1, words.end()});
    const std::int64_t missing = merged.points - merged.stored;
    if (format == OutputFormat::json) {
        write_result(json_text({{"database", words.front()},
                                {"points", merged.points},
                                {"stored", merged.stored},
                                {"missing", missing},
                                {"failed", merged.failed}}),
                     options, session);
        return exit_good;
    }
    std::string text = fmt::format("{}: {} of {} points", words.front(), merged.stored, merged.points);
    text += merged.failed > 0 ? fmt::format(", {} failed", merged.failed) : "";
    text += missing > 0 ? fmt::format(", {} missing", missing) : "";
    write_result(text + "\n", options, session);
    return exit_good;
}

} // namespace

Command sweep_merge_command() {
    return {{"sweep merge",
             "Puts the databases of a sweep's shards together into OUT. Doing it again, or with more of them, is fine; "
             "databases of different sweeps or versions are refused.",
             "OUT DB...", with_common_options({}, "text|json"),
             "  systole sweep merge all.db part-*.db\n"
             "  systole sweep show all.db --pareto time,area\n"},
            run_merge};
}

} // namespace systole
