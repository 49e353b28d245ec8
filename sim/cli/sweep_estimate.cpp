#include "sim/cli/sweep_estimate.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "sim/cli/exit_code.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/sweep_point.h"
#include "sim/report/json.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"
#include "sim/sweep/pool.h"

namespace systole {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t most_samples = 16;
constexpr std::chrono::seconds longest_sampling{5};

struct Sampled {
    std::int64_t points = 0;
    double seconds = 0; // of one worker
};

// From the first point to the last at even distances; the middle of each part, so that a sweep whose points grow is
// not judged by its smallest.
std::vector<std::int64_t> samples_of(std::int64_t points) {
    const std::int64_t count = std::min(points, most_samples);
    std::vector<std::int64_t> samples;
    for (std::int64_t i = 0; i < count; ++i) {
        samples.push_back((2 * i + 1) * points / (2 * count));
    }
    // The middle ones first: what is not reached in time is then not all at one end.
    std::stable_sort(samples.begin(), samples.end(), [points](std::int64_t a, std::int64_t b) {
        return std::abs(2 * a - points) < std::abs(2 * b - points);
    });
    return samples;
}

Sampled sample(const SweepPlan& plan) {
    const std::vector<std::int64_t> samples = samples_of(plan.space.size());
    const InterruptGuard guard;
    const Clock::time_point begin = Clock::now();
    Sampled sampled;
    std::size_t next = 0;
    PoolJob job;
    job.next = [&]() -> std::optional<std::int64_t> {
        return next < samples.size() ? std::optional(samples[next++]) : std::nullopt;
    };
    job.work = [&](std::int64_t point) {
        return encode(run_point(point_arguments(plan.arguments, plan.space.settings(point))));
    };
    job.done = [&](std::int64_t, const std::string&) {
        ++sampled.points;
        sampled.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    };
    job.lost = [](std::int64_t, const std::string&) {};
    job.tick = [] {};
    job.stop = [&] { return InterruptGuard::signal() != 0 || Clock::now() - begin > longest_sampling; };
    run_pool(job);
    return sampled;
}

std::string duration_text(double seconds) {
    if (seconds < 120) {
        return fmt::format("{:.1f} s", seconds);
    }
    return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string estimate_text(const SweepPlan& plan, std::int64_t points, int workers) {
    const Sampled sampled = sample(plan);
    if (sampled.points == 0) {
        return fmt::format("a point takes more than {} s: {} points on {} workers more than {}",
                           longest_sampling.count(), points, workers,
                           duration_text(static_cast<double>(longest_sampling.count() * points) / workers));
    }
    const double each = sampled.seconds / static_cast<double>(sampled.points);
    return fmt::format("about {} with {} worker{}: {} a point, the mean of {}",
                       duration_text(each * static_cast<double>(points) / workers), workers, workers == 1 ? "" : "s",
                       scaled(each, "s"), sampled.points);
}

std::string plan_text(const SweepPlan& plan, const Shard& shard, std::int64_t points) {
    std::string text = fmt::format("{} points", plan.space.size());
    if (plan.space.combinations() != plan.space.size()) {
        text += fmt::format(" of {} combinations", plan.space.combinations());
    }
    if (shard.count > 1) {
        text += fmt::format("; {} in shard {}/{}", points, shard.index, shard.count);
    }
    text += "\n";
    for (const Axis& axis : plan.space.axes()) {
        std::string values;
        for (const AxisValue& value : axis.values) {
            values += (values.empty() ? "" : ", ") + text_of(value);
            if (values.size() > 400) {
                values += fmt::format(", ... {} values", axis.values.size());
                break;
            }
        }
        text += wrap(fmt::format("  {:<22}", name_of(axis)), values) + "\n";
    }
    return text +
           wrap("first: ", "systole simulate " + shell_line(point_arguments(plan.arguments, plan.space.settings(0)))) +
           "\n";
}

std::string plan_json(const SweepPlan& plan, const Shard& shard, std::int64_t points) {
    Json json{{"points", plan.space.size()},
              {"combinations", plan.space.combinations()},
              {"shard", fmt::format("{}/{}", shard.index, shard.count)},
              {"points_of_shard", points},
              {"axes", Json::array()}};
    for (const Axis& axis : plan.space.axes()) {
        json["axes"].push_back({{"keys", axis.keys}, {"values", axis.values.size()}});
    }
    return json_text(json);
}

} // namespace

int dry_run_sweep(const SweepPlan& plan, const Shard& shard, int workers, const ParsedOptions& options,
                  const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json});
    static_cast<void>(sweep_header(plan)); // refuses what a sweep would refuse
    std::int64_t points = 0;
    for (std::int64_t point = 0; point < plan.space.size(); ++point) {
        points += shard.holds(point) ? 1 : 0;
    }
    write_result(format == OutputFormat::json ? plan_json(plan, shard, points) : plan_text(plan, shard, points),
                 options, session);
    const std::string estimate = options.has("--quiet") ? "" : estimate_text(plan, points, workers) + "\n";
    if (InterruptGuard::signal() != 0) {
        return exit_interrupted;
    }
    session.err << estimate;
    return exit_good;
}

} // namespace systole
