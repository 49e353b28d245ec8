// What the parts of a machine tell of themselves: what was done when. Whoever draws or checks it is a Timeline
// (sim/report/trace_file.h). A part holds a pointer or a TimelineTrack, null if nobody listens, so that a run that is
// not watched pays one branch an event.
//
// Times are in ticks from the start of the present operator; a tick is what TimelineClock says it is.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace systole {

enum class TrackKind {
    sequence, // slices in order, none begins before the one before it has ended
    overlap,  // slices in any order, several at a time
    level     // a number of bytes that changes
};

// Something that belongs to a slice: a number, or a word if `word` is not empty. Keys of the same slice differ.
struct TimelineFact {
    std::string_view key;
    std::int64_t number = 0;
    std::string_view word = {};
};

using TimelineFacts = std::span<const TimelineFact>;

struct TimelineClock {
    std::int64_t ticks_per_cycle = 1; // of the core clock
    std::int64_t ticks_per_second = 1;
};

class Timeline {
  public:
    virtual ~Timeline() = default;

    // Operators run one after the other: each starts where the one before it has ended. No track is used outside.
    virtual void begin_operator(std::string_view name, const TimelineClock& clock) = 0;
    virtual void end_operator(std::int64_t at, TimelineFacts facts) = 0;

    // The track `name` of the part `group` ("core 0"); the same one for the same names, in a later operator too.
    virtual int track(std::string_view group, std::string_view name, TrackKind kind) = 0;

    // [from, to) on a sequence or an overlap.
    virtual void slice(int track, std::string_view name, std::int64_t from, std::int64_t to, TimelineFacts facts) = 0;

    // Of a level, from `at` on.
    virtual void level(int track, std::int64_t at, std::int64_t value) = 0;
};

// One track of a timeline, or nothing at all.
class TimelineTrack {
  public:
    TimelineTrack() = default;
    TimelineTrack(Timeline* timeline, std::string_view group, std::string_view name, TrackKind kind)
        : timeline_(timeline), id_(timeline ? timeline->track(group, name, kind) : 0) {}

    explicit operator bool() const { return timeline_ != nullptr; } // ask before the facts are gathered
    void slice(std::string_view name, std::int64_t from, std::int64_t to, TimelineFacts facts) const {
        timeline_->slice(id_, name, from, to, facts);
    }
    void slice(std::string_view name, std::int64_t from, std::int64_t to,
               std::initializer_list<TimelineFact> facts) const {
        timeline_->slice(id_, name, from, to, TimelineFacts(facts.begin(), facts.size()));
    }
    void level(std::int64_t at, std::int64_t value) const { timeline_->level(id_, at, value); }

  private:
    Timeline* timeline_ = nullptr;
    int id_ = 0;
};

// Pieces of work of a sequence, joined while they are of one kind and touch: a memory channel serves millions of
// bursts. What is still held goes out with flush(), which ends an operator.
class JoinedTrack {
  public:
    JoinedTrack() = default;
    explicit JoinedTrack(TimelineTrack track) : track_(track) {}

    explicit operator bool() const { return static_cast<bool>(track_); }
    // `name` lives as long as the program. Pieces come in order.
    void add(std::string_view name, std::int64_t from, std::int64_t to, std::int64_t bytes) {
        if (pieces_ == 0 || name != name_ || from > to_) {
            flush();
            name_ = name;
            from_ = from;
        }
        to_ = std::max(to_, to);
        bytes_ += bytes;
        ++pieces_;
    }
    void flush() {
        if (pieces_ > 0)
            track_.slice(name_, from_, to_, {{"bytes", bytes_}, {"pieces", pieces_}});
        bytes_ = pieces_ = 0;
    }

  private:
    TimelineTrack track_;
    std::string_view name_;
    std::int64_t from_ = 0, to_ = 0;
    std::int64_t bytes_ = 0, pieces_ = 0;
};

} // namespace systole
