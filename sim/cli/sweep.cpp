// `systole sweep`: many machines, runs and workloads, into one database.
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/file_memory.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/sweep_estimate.h"
#include "sim/cli/sweep_grow.h"
#include "sim/cli/sweep_plan.h"
#include "sim/cli/sweep_point.h"
#include "sim/cli/sweep_progress.h"
#include "sim/cli/values.h"
#include "sim/report/json.h"
#include "sim/sweep/pool.h"
#include "sim/sweep/ranking.h"
#include "sim/sweep/run_sweep.h"

namespace systole {

namespace {

constexpr std::int64_t most_workers = 4096;

std::vector<OptionSpec> sweep_options() {
    const std::vector<OptionSpec> own{
        {"--out", "DB", "the database of the results (SQLite); it is made"},
        {"--resume", "",
         "go on with a database that is there: no finished point is run again; the sweep may have grown since"},
        {"--workers", "N", "processes at a time (one for each core)"},
        {"--shard", "I/N", "runs every N-th point, from the I-th on; in a Slurm job array its task says which"},
        {"--dry-run", "", "only says how many points there are and, on standard error, how long they may take"},
        {"--best-by", "KEY", "what the progress line calls best (time)"},
    };
    std::vector<OptionSpec> options = sweep_plan_options();
    options.insert(options.begin() + 2, own.begin(), own.end());
    return with_common_options(options, "text|json");
}

std::optional<std::string> environment(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Shard asked_shard(const ParsedOptions& options, const Session& session) {
    if (const std::optional<std::string> text = options.get("--shard")) {
        return parse_shard(*text);
    }
    const std::optional<Shard> shard = slurm_shard(environment);
    if (shard && !options.has("--quiet")) {
        session.err << fmt::format("systole: shard {}/{}, the task of Slurm's job array\n", shard->index, shard->count);
    }
    return shard.value_or(Shard{});
}

int asked_workers(const ParsedOptions& options) {
    return static_cast<int>(integer_option(options, "--workers", 1, most_workers).value_or(usable_cores()));
}

// New, as it was left by a run that was interrupted, or grown from one that was smaller.
Store open_store(const std::string& path, const SweepPlan& plan, const SweepHeader& header, const Shard& shard,
                 const ParsedOptions& options, const Session& session) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        return Store::create(path, header);
    }
    if (!options.has("--resume")) {
        throw InputError({path}, "is there already (--resume goes on with it; else give another --out, or remove it)");
    }
    if (Store::is_empty(path)) {
        return Store::create(path, header);
    }
    grow_sweep(path, plan, header, shard, options, session);
    return Store(path, Database::Mode::write);
}

SweepProgress run(const SweepPlan& plan, Shard shard, int workers, const Metric& best_by, Store& store,
                  const ParsedOptions& options, const Session& session) {
    std::optional<SweepProgressLine> line;
    if (session.terminal && !options.has("--quiet")) {
        line.emplace(session.err, best_by, terminal_columns());
    }
    SweepRun job{plan.space, shard, workers, {}, {}, {}, {}};
    job.run_point = [&](const Settings& settings) { return run_point(point_arguments(plan.arguments, settings)); };
    job.stop = [] { return InterruptGuard::signal() != 0; };
    if (line) {
        job.seen = [&](std::int64_t point, const PointOutcome& outcome) {
            line->see(plan.space.settings(point), outcome);
        };
        job.progress = [&](const SweepProgress& progress) { line->update(progress); };
    }
    return run_sweep(job, store);
}

struct Summary {
    std::string path;
    std::int64_t points = 0; // of the space
    std::int64_t here = 0;   // of the shard
    std::int64_t stored = 0;
    std::int64_t failed = 0;
    std::int64_t lost = 0;
};

std::string summary_text(const Summary& summary, OutputFormat format) {
    if (format == OutputFormat::json) {
        return json_text({{"database", summary.path},
                          {"points", summary.points},
                          {"stored", summary.stored},
                          {"failed", summary.failed},
                          {"lost", summary.lost}});
    }
    std::string text = fmt::format("{}: {} of {} points", summary.path, summary.stored, summary.points);
    if (summary.failed + summary.lost > 0) {
        text += fmt::format(", {} failed, {} lost", summary.failed, summary.lost);
    }
    return text + fmt::format("\n`systole sweep show {}` shows them.\n", shell_line({summary.path}));
}

int run_sweep_command(const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json});
    const Shard shard = asked_shard(options, session);
    const int workers = asked_workers(options);
    const FileMemory memory; // all points are of the same files, whatever becomes of these meanwhile
    const SweepPlan plan = read_sweep_plan(options);
    const Metric& best_by = ranking_key(options.get("--best-by").value_or("time"));
    if (options.has("--dry-run")) {
        return dry_run_sweep(plan, shard, workers, options, session);
    }
    const std::optional<std::string> path = path_option(options, "--out");
    if (!path) {
        throw InputError("no database (give --out FILE; --dry-run needs none)");
    }
    require_plain_file("--out", *path);
    const SweepHeader header = sweep_header(plan);
    const InterruptGuard guard;
    Summary summary{.path = *path, .points = plan.space.size()};
    {
        Store store = open_store(*path, plan, header, shard, options, session);
        const SweepProgress progress = run(plan, shard, workers, best_by, store, options, session);
        summary.stored = store.count();
        summary.failed = store.count("failed");
        summary.lost = store.count("lost");
        if (const int signal = InterruptGuard::signal(); signal != 0) {
            session.err << fmt::format("systole: interrupted; {} of {} points are stored in {} (go on with --resume)\n",
                                       progress.stored, progress.points, *path);
            return 128 + signal;
        }
        write_canonical(store, *path);
    }
    write_result(summary_text(summary, format), options, session);
    if (summary.failed + summary.lost > 0) {
        session.err << fmt::format("systole: {} points failed, {} were lost (`systole sweep show {} --failed` says "
                                   "why; --resume tries the lost ones again)\n",
                                   summary.failed, summary.lost, shell_line({*path}));
        return exit_check_failed;
    }
    return exit_good;
}

} // namespace

Command sweep_command() {
    return {{"sweep",
             "Runs every combination of the axes' values, on all cores, into a database that can be resumed, sharded "
             "and grown; `sweep show`, `sweep plot` and `sweep merge` work on it.",
             "[FILE]",
             sweep_options(),
             "  systole sweep --chip edge_16x16 --gemm 128x128x64 --out edge.db \\\n"
             "      --axis array.rows=8..64 --axis dataflow=ws,os,is\n"
             "  systole sweep bert_attention_dataflow --dry-run\n"
             "  systole sweep bert_attention_dataflow --out bert.db --resume\n"
             "  systole sweep --chip tpu_v5e --gemm 4096x4096x4096 --out shapes.db \\\n"
             "      --axis array.rows,array.cols=8x512..512x8 \\\n"
             "      --axis \"hbm.bandwidth=400..1600 GB/s\"\n"
             "  systole sweep bert_attention_dataflow --shard 3/8 --out part-3.db\n",
             {{"sweep show DB", "its points as a table, CSV or JSON; the best"},
              {"sweep plot DB", "heatmap, curves, Pareto front; a page"},
              {"sweep merge OUT DB...", "one database out of those of shards"}}},
            run_sweep_command};
}

} // namespace systole
