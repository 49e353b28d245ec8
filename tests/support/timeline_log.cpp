#include "tests/support/timeline_log.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace systole::test {

namespace {

bool begins(const std::string& text, const std::string& with) { return text.compare(0, with.size(), with) == 0; }

std::string differs(const std::string& what, std::int64_t drawn, std::int64_t counted) {
    return drawn == counted ? ""
                            : what + ": " + std::to_string(drawn) + " drawn, " + std::to_string(counted) + " counted";
}

std::string unordered(const TimelineLog& log, const LoggedOperator& timeline) {
    std::map<std::string, std::int64_t> ends;
    for (const auto& slice : timeline.slices) {
        if (slice.from < 0 || slice.to < slice.from || slice.to > timeline.end)
            return slice.track + ": a slice outside the operator";
        if (log.kind(slice.track) != TrackKind::sequence)
            continue;
        if (slice.from < ends[slice.track])
            return slice.track + ": slices overlap";
        ends[slice.track] = slice.to;
    }
    return "";
}

// Every cycle of a core's array, and what it waited for.
std::string array_disagreement(const LoggedOperator& timeline, const OperatorResult& result, std::int64_t slots) {
    std::set<std::string> arrays;
    for (const auto& slice : timeline.slices) {
        if (slice.track.find("/array") != std::string::npos)
            arrays.insert(slice.track);
    }
    std::int64_t passes = 0;
    std::map<std::string, std::int64_t> waits;
    for (const auto& track : arrays) {
        std::int64_t at = 0;
        for (const auto& slice : timeline.on(track)) {
            if (slice.from != at)
                return track + ": a gap";
            at = slice.to;
            passes += slice.number("arrays");
            waits["vmem"] += slice.number("bubbles");
            std::int64_t sum = 0;
            for (const Cause cause : all_causes) {
                const std::int64_t cycles = slice.number(std::string(name(cause)));
                waits[std::string(name(cause))] += cycles;
                sum += cycles;
            }
            if (begins(slice.name, "waits") && sum * timeline.clock.ticks_per_cycle != slice.to - slice.from)
                return track + ": the causes of a wait are not its cycles";
        }
        if (at != timeline.end)
            return track + ": does not reach the end";
    }
    if (auto text = differs("passes", passes, result.passes); !text.empty())
        return text;
    for (const Cause cause : all_causes) {
        if (cause == Cause::useful || cause == Cause::padding)
            continue;
        auto text = differs(std::string(name(cause)), waits[std::string(name(cause))] * slots, result.stack[cause]);
        if (!text.empty())
            return text;
    }
    return "";
}

std::string bytes_disagreement(const LoggedOperator& timeline, const OperatorResult& result) {
    const auto& t = result.traffic;
    const auto loaded = result.dataflow == Dataflow::weight_stationary  ? t.vmem.read.b + t.vmem.read.meta
                        : result.dataflow == Dataflow::input_stationary ? t.vmem.read.a
                                                                        : 0;
    struct Sum {
        std::string track, name;
        std::int64_t counted;
        std::string key = "bytes";
    };
    // VMEM: what the DMA engines write and read there.
    const std::vector<Sum> sums{{"core", "load", loaded},
                                {"core", "results", t.vmem.write.c},
                                {"core", "reads A", t.vmem.write.a},
                                {"core", "reads B", t.vmem.write.b},
                                {"core", "reads metadata", t.vmem.write.meta},
                                {"core", "writes C", t.vmem.read.c},
                                {"PCIe/to device", "A", t.pcie.write.a},
                                {"PCIe/to device", "B", t.pcie.write.b},
                                {"PCIe/to device", "metadata", t.pcie.write.meta},
                                {"PCIe/to host", "C", t.pcie.read.c}};
    for (const auto& sum : sums) {
        auto text = differs(sum.track + " " + sum.name, timeline.sum(sum.track, sum.name, sum.key), sum.counted);
        if (!text.empty())
            return text;
    }
    return "";
}

// An ideal memory moves what it is asked for; channels of DRAM move whole accesses.
std::string hbm_disagreement(const LoggedOperator& timeline, const OperatorResult& result) {
    const auto& hbm = result.traffic.hbm;
    const auto read = timeline.sum("HBM", "read", "bytes"), written = timeline.sum("HBM", "write", "bytes");
    const auto pieces = timeline.sum("HBM", "", "pieces");
    if (timeline.on("HBM/data").empty()) {
        const bool enough = read >= hbm.read.total() && written >= hbm.write.total() && pieces >= hbm.accesses;
        return enough ? "" : "channels of HBM moved less than was asked for";
    }
    auto text = differs("HBM read", read, hbm.read.total());
    if (text.empty())
        text = differs("HBM write", written, hbm.write.total());
    return text.empty() ? differs("HBM requests", pieces, hbm.accesses) : text;
}

std::string end_disagreement(const LoggedOperator& timeline, const OperatorResult& result) {
    std::int64_t last = 0;
    for (const auto& slice : timeline.slices) {
        if (slice.track.find("/array") == std::string::npos) // these reach the end by the waits
            last = std::max(last, slice.to);
    }
    const auto ticks = result.cycles * timeline.clock.ticks_per_cycle;
    auto text = differs("the end", timeline.end, ticks);
    if (text.empty())
        text = differs("the last transfer", last, ticks);
    Bytes allocated = 0; // of the first core
    for (const auto& buffer : result.vmem_allocation)
        allocated += buffer.bytes;
    std::map<std::string, std::int64_t> held;
    for (const auto& level : timeline.levels) {
        held[level.track] = level.value;
        if (level.value < 0 || (level.track == "core 0/VMEM" && level.value > allocated))
            return level.track + ": holds " + std::to_string(level.value) + " of " + std::to_string(allocated);
    }
    for (const auto& [track, value] : held) {
        if (text.empty())
            text = differs(track + " at the end", value, 0);
    }
    return text;
}

} // namespace

std::vector<LoggedSlice> LoggedOperator::on(const std::string& track) const {
    std::vector<LoggedSlice> found;
    std::copy_if(slices.begin(), slices.end(), std::back_inserter(found),
                 [&](const auto& slice) { return slice.track == track; });
    return found;
}

std::int64_t LoggedOperator::sum(const std::string& track, const std::string& name, const std::string& key) const {
    std::int64_t total = 0;
    for (const auto& slice : slices) {
        if (begins(slice.track, track) && begins(slice.name, name))
            total += slice.number(key);
    }
    return total;
}

void TimelineLog::begin_operator(std::string_view name, const TimelineClock& clock) {
    operators_.push_back({std::string(name), clock, {}, {}, -1});
}

void TimelineLog::end_operator(std::int64_t at, TimelineFacts) { operators_.back().end = at; }

int TimelineLog::track(std::string_view group, std::string_view name, TrackKind kind) {
    const std::string whole = std::string(group) + "/" + std::string(name);
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
        if (tracks_[i].name == whole)
            return static_cast<int>(i);
    }
    tracks_.push_back({whole, kind});
    return static_cast<int>(tracks_.size()) - 1;
}

void TimelineLog::slice(int track, std::string_view name, std::int64_t from, std::int64_t to, TimelineFacts facts) {
    LoggedSlice slice{tracks_.at(static_cast<std::size_t>(track)).name, std::string(name), from, to, {}};
    for (const auto& fact : facts) {
        if (!slice.numbers.emplace(fact.key, fact.number).second)
            throw std::logic_error("a fact is told twice");
    }
    operators_.back().slices.push_back(std::move(slice));
}

void TimelineLog::level(int track, std::int64_t at, std::int64_t value) {
    operators_.back().levels.push_back({tracks_.at(static_cast<std::size_t>(track)).name, at, value});
}

TrackKind TimelineLog::kind(const std::string& track) const {
    return std::find_if(tracks_.begin(), tracks_.end(), [&](const auto& t) { return t.name == track; })->kind;
}

std::string disagreement(const TimelineLog& log, const LoggedOperator& timeline, const OperatorResult& result,
                         std::int64_t slots_per_cycle) {
    for (auto text : {unordered(log, timeline), array_disagreement(timeline, result, slots_per_cycle),
                      bytes_disagreement(timeline, result), hbm_disagreement(timeline, result),
                      end_disagreement(timeline, result)}) {
        if (!text.empty())
            return text;
    }
    return "";
}

} // namespace systole::test
