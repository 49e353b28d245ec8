// A timeline as a file of trace events, the JSON that Perfetto and chrome://tracing open: Trace Event Format,
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (X: a slice; b and e: the ends of one
// that may overlap others; C: a level; i: a mark; M: names).
//
// Written as it comes, never held; beside the file, and renamed when it is complete. Times are in microseconds with
// three decimals: viewers count whole nanoseconds. A moment is rounded down to one from the start of the run, and a
// duration is the difference of two such, so that nothing adds up and slices that touch still do. What begins or ends
// in the middle of a nanosecond keeps its exact place in "cycle" (counted from the start of the run) and "cycles".
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/base/quantities.h"
#include "sim/base/timeline.h"

namespace systole {

struct TraceFileOptions {
    std::string file;
    Bytes limit = 100 * 1024 * 1024; // of the file; `unlimited`: none

    std::string partial() const { return file + ".partial"; } // written first
};

class TraceFile : public Timeline {
  public:
    // operators: all that will be run; there will be room for their slices, whatever the rest takes. Throws InputError
    // if the limit is too small for these, EnvironmentError if the file cannot be written.
    TraceFile(const TraceFileOptions& options, const std::vector<std::string>& operators);
    ~TraceFile() override; // an unfinished file is removed
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    void begin_operator(std::string_view name, const TimelineClock& clock) override;
    void end_operator(std::int64_t at, TimelineFacts facts) override;
    int track(std::string_view group, std::string_view name, TrackKind kind) override;
    void slice(int track, std::string_view name, std::int64_t from, std::int64_t to, TimelineFacts facts) override;
    void level(int track, std::int64_t at, std::int64_t value) override;

    // Throws EnvironmentError if not all could be written.
    void finish();

    // Events that the limit left out, and the cycle of the run in which the earliest of them begins.
    std::int64_t left_out() const { return left_out_; }
    Cycles left_out_from() const { return left_out_from_; }

  private:
    struct Track {
        int process = 0;
        int thread = 0;
        TrackKind kind = TrackKind::sequence;
        std::string name;
        std::int64_t end = 0; // of the last slice of a sequence, in ticks of the run
    };

    std::int64_t nanoseconds(std::int64_t ticks) const; // of the run
    void append_facts(std::int64_t from, std::int64_t to, TimelineFacts facts);
    void append_slice(const Track& track, std::string_view name, std::int64_t from, std::int64_t to,
                      TimelineFacts facts);
    void append_request(const Track& track, std::string_view name, std::int64_t from, std::int64_t to,
                        TimelineFacts facts);
    int process(std::string_view group);
    void append_name(const char* what, int process, int thread, std::string_view name, int place);
    void append_mark();
    void keep(std::int64_t at);
    void flush();

    TraceFileOptions options_;
    std::string partial_;
    std::ofstream out_;
    Bytes room_ = 0;          // left for what is not an operator
    fmt::memory_buffer text_; // not yet handed to the file
    fmt::memory_buffer event_;
    std::vector<Track> tracks_;
    std::map<std::string, int, std::less<>> processes_;
    std::map<std::pair<int, std::string>, int> by_name_; // of a process

    TimelineClock clock_;
    std::int64_t start_ = 0; // of the present operator, in ticks of the run
    std::string operator_;
    std::int64_t requests_ = 0; // the number of the next overlapping slice
    std::int64_t left_out_ = 0;
    std::int64_t left_out_ticks_ = 0;
    Cycles left_out_from_ = 0;
    bool finished_ = false;
};

} // namespace systole
