#include "sim/cli/sweep_show.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/values.h"

namespace systole {

namespace {

constexpr std::int64_t usual_limit = 40;

std::vector<std::string> names_between_commas(const std::string& text) {
    std::vector<std::string> names;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = text.find(',', begin);
        names.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    }
    return names;
}

void keep_rows(Table& table, const std::vector<std::size_t>& numbers) {
    std::vector<Row> rows;
    for (const std::size_t number : numbers) {
        rows.push_back(std::move(table.rows[number]));
    }
    table.rows = std::move(rows);
}

void keep_front(Shown& shown, const std::string& keys) {
    std::vector<std::vector<Cell>> columns;
    std::vector<Better> better;
    std::string names;
    for (const std::string& name : names_between_commas(keys)) {
        const Metric& metric = ranking_key(name);
        if (std::find(shown.by.begin(), shown.by.end(), &metric) != shown.by.end()) {
            throw InputError(
                fmt::format("--pareto '{}' names {} twice (leave one out)", keys.substr(0, 60), metric.name));
        }
        shown.by.push_back(&metric);
        columns.push_back(shown.points.values(metric.name));
        better.push_back(metric.better);
        names += (names.empty() ? "" : " and ") + metric.name;
    }
    if (shown.by.size() < 2) {
        throw InputError(fmt::format("--pareto '{}' needs two keys at least (for example --pareto time,area; one is "
                                     "what --best-by takes)",
                                     keys.substr(0, 60)));
    }
    keep_rows(shown.points, pareto_front(columns, better));
    shown.order = "no other point is better in " + names;
}

void sort_by(Shown& shown, const std::string& key) {
    const Metric& metric = ranking_key(key);
    shown.by.push_back(&metric);
    keep_rows(shown.points, best_first(shown.points.values(metric.name), metric.better));
    shown.order = fmt::format("the best {} first", metric.name);
}

// Why a question has no answer, rather than an empty table.
void require_answer(const Shown& shown, const std::string& path) {
    if (shown.points.rows.empty() && !shown.by.empty() && shown.stored > shown.failed + shown.lost) {
        throw InputError({path},
                         fmt::format("{} is known of no point (area and sram_bytes are not known where VMEM or the "
                                     "accumulators are unlimited)",
                                     shown.by.back()->name));
    }
}

int run_show(const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json, OutputFormat::csv});
    if (options.positionals().size() != 1) {
        throw InputError("say which database is shown: systole sweep show DB");
    }
    const std::string& path = options.positionals().front();
    const std::optional<std::int64_t> limit = integer_option(options, "--limit", 1);
    if (options.has("--pareto") + options.has("--best-by") + options.has("--failed") > 1) {
        throw InputError("--pareto, --best-by and --failed choose different points (give one of them)");
    }
    Store store(path, Database::Mode::write);
    Shown shown;
    shown.stored = store.count();
    shown.failed = store.count("failed");
    shown.lost = store.count("lost");
    shown.layers = options.has("--layers");
    shown.points = read_points(store);
    if (const auto keys = options.get("--pareto")) {
        keep_front(shown, *keys);
    } else if (const auto key = options.get("--best-by")) {
        sort_by(shown, *key);
    } else if (options.has("--failed")) {
        const std::size_t status = shown.points.column("status");
        std::erase_if(shown.points.rows, [status](const Row& row) { return row[status] == Cell("ok"); });
        shown.order = "those that failed or were lost";
    }
    require_answer(shown, path);
    if (limit && format != OutputFormat::text && shown.points.rows.size() > static_cast<std::size_t>(*limit)) {
        shown.points.rows.resize(static_cast<std::size_t>(*limit));
    }
    write_result(format == OutputFormat::json ? sweep_json(store, shown)
                 : format == OutputFormat::csv
                     ? sweep_csv(store, shown)
                     : sweep_text(store, shown, static_cast<std::size_t>(limit.value_or(usual_limit))),
                 options, session);
    return exit_good;
}

} // namespace

Command sweep_show_command() {
    return {{"sweep show",
             "Shows the points of a sweep's database: all of them, the best ones, or those that no other one beats.",
             "DB",
             with_common_options(
                 {{"--best-by", "KEY", "the best first: time, cycles, utilization, efficiency, area, hbm_bytes, ..."},
                  {"--pareto", "KEY,KEY", "the Pareto front: points that no other one beats in all of these"},
                  {"--failed", "", "the points that failed or were lost, with the reason"},
                  {"--layers", "", "a row for each layer of each point (CSV), or layers in the points (JSON)"},
                  {"--limit", "N", "so many points at most (text: 40; CSV and JSON: all)"}},
                 "text|json|csv"),
             "  systole sweep show edge.db\n"
             "  systole sweep show edge.db --best-by time --limit 10\n"
             "  systole sweep show edge.db --pareto time,area\n"
             "  systole sweep show edge.db --layers --format csv -o layers.csv\n"},
            run_show};
}

} // namespace systole
