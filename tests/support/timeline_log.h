// A timeline kept in memory, and what must hold of every one beside the counts of its run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/base/timeline.h"
#include "sim/stats/result.h"

namespace systole::test {

struct LoggedSlice {
    std::string track; // "core 0/array"
    std::string name;
    std::int64_t from = 0, to = 0; // ticks of its operator
    std::map<std::string, std::int64_t> numbers;

    std::int64_t number(const std::string& key) const {
        const auto at = numbers.find(key);
        return at == numbers.end() ? 0 : at->second;
    }
    bool operator==(const LoggedSlice&) const = default;
};

struct LoggedLevel {
    std::string track;
    std::int64_t at = 0, value = 0;
    bool operator==(const LoggedLevel&) const = default;
};

struct LoggedOperator {
    std::string name;
    TimelineClock clock;
    std::vector<LoggedSlice> slices; // in the order in which they were told
    std::vector<LoggedLevel> levels;
    std::int64_t end = -1;

    std::vector<LoggedSlice> on(const std::string& track) const;
    // Of all slices on tracks that begin with `track` whose name begins with `name`.
    std::int64_t sum(const std::string& track, const std::string& name, const std::string& key) const;
};

class TimelineLog : public Timeline {
  public:
    void begin_operator(std::string_view name, const TimelineClock& clock) override;
    void end_operator(std::int64_t at, TimelineFacts facts) override;
    int track(std::string_view group, std::string_view name, TrackKind kind) override;
    void slice(int track, std::string_view name, std::int64_t from, std::int64_t to, TimelineFacts facts) override;
    void level(int track, std::int64_t at, std::int64_t value) override;

    const std::vector<LoggedOperator>& operators() const { return operators_; }
    TrackKind kind(const std::string& track) const;

  private:
    struct Track {
        std::string name;
        TrackKind kind;
    };

    std::vector<Track> tracks_;
    std::vector<LoggedOperator> operators_;
};

// Empty, or the first thing that differs between a timeline and what its run has counted: every cycle of each array is
// a pass or a wait, waits by cause, passes, bytes of each operand at each level, the end.
std::string disagreement(const TimelineLog& log, const LoggedOperator& timeline, const OperatorResult& result,
                         std::int64_t slots_per_cycle);

} // namespace systole::test
