#include "sim/report/trace_file.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace systole {

namespace {

constexpr std::size_t block = 1 << 16; // handed to the file at a time
constexpr Bytes frame = 1024;          // more than the beginning, the end and the mark take
constexpr Bytes operator_frame = 640;  // more than the slice of an operator takes beside its name
constexpr int operators_process = 1;
constexpr int operators_thread = 1000;
constexpr int first_thread = operators_thread + 1; // viewers want different numbers for all threads, and none 0

// Quoted, valid in JSON whatever the name holds.
std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Nanoseconds in the format's unit.
std::string microseconds(std::int64_t nanoseconds) {
    return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

} // namespace

TraceFile::TraceFile(const TraceFileOptions& options, const std::vector<std::string>& operators)
    : options_(options), partial_(options.partial()) {
    Bytes reserved = frame;
    for (const std::string& name : operators)
        reserved += operator_frame + static_cast<Bytes>(json_string(name).size());
    if (options.limit < reserved) {
        throw InputError(fmt::format("the trace of {} operators takes {} B alone, more than the limit of {} B (raise "
                                     "--trace-limit)",
                                     operators.size(), reserved, options.limit));
    }
    room_ = options.limit - reserved;
    out_.open(partial_, std::ios::binary);
    if (!out_)
        throw EnvironmentError(fmt::format("{}: cannot be written (is the folder there?)", options.file));
    fmt::format_to(std::back_inserter(text_), R"({{"displayTimeUnit":"ns","traceEvents":[)");
    append_name("process_name", operators_process, operators_thread, "operators", 0);
    append_name("thread_name", operators_process, operators_thread, "operators", operators_thread);
    text_.append(event_.data() + 1, event_.data() + event_.size()); // without the comma; within the frame
    event_.clear();
}

TraceFile::~TraceFile() {
    if (finished_)
        return;
    out_.close();
    std::remove(partial_.c_str());
}

// Rounded down. 128 bits: ticks are about a picosecond and a run may last for days.
std::int64_t TraceFile::nanoseconds(std::int64_t ticks) const {
    __extension__ using Wide = __int128;
    constexpr std::int64_t per_second = 1'000'000'000;
    return static_cast<std::int64_t>(static_cast<Wide>(ticks) * per_second / clock_.ticks_per_second);
}

void TraceFile::flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    if (!out_)
        throw EnvironmentError(fmt::format("{}: could not be written (is the disk full?)", options_.file));
}

// Takes the event in, or leaves it out if there is no room; after the first that is left out all are, so that what is
// there is whole up to some moment.
void TraceFile::keep(std::int64_t at) {
    const auto size = static_cast<Bytes>(event_.size());
    if (left_out_ == 0 && size <= room_) {
        room_ -= size;
        text_.append(event_.data(), event_.data() + event_.size());
        if (text_.size() >= block)
            flush();
    } else {
        left_out_ticks_ = left_out_ == 0 ? at : std::min(left_out_ticks_, at);
        left_out_from_ = left_out_ticks_ / clock_.ticks_per_cycle;
        ++left_out_;
    }
    event_.clear();
}

// `place`: by which viewers sort.
void TraceFile::append_name(const char* what, int process, int thread, std::string_view name, int place) {
    const std::string_view kind = std::string_view(what).substr(0, std::string_view(what).find('_'));
    fmt::format_to(
        std::back_inserter(event_),
        ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"{2}\",\"args\":{{\"name\":{3}}}}}"
        ",\n{{\"ph\":\"M\",\"pid\":{0},\"tid\":{1},\"name\":\"{4}_sort_index\",\"args\":{{\"sort_index\":{5}}}}}",
        process, thread, what, json_string(name), kind, place);
}

int TraceFile::process(std::string_view group) {
    const auto known = processes_.find(group);
    if (known != processes_.end())
        return known->second;
    const int number = operators_process + 1 + static_cast<int>(processes_.size());
    processes_.emplace(group, number);
    append_name("process_name", number, first_thread + static_cast<int>(tracks_.size()), group, number);
    return number;
}

int TraceFile::track(std::string_view group, std::string_view name, TrackKind kind) {
    const int in = process(group);
    const auto [at, added] = by_name_.try_emplace({in, std::string(name)}, static_cast<int>(tracks_.size()));
    if (added) {
        const int thread = first_thread + at->second;
        tracks_.push_back({in, thread, kind, std::string(name), 0});
        if (kind != TrackKind::level)
            append_name("thread_name", in, thread, name, thread);
    }
    if (event_.size() > 0)
        keep(start_);
    return at->second;
}

void TraceFile::append_facts(std::int64_t from, std::int64_t to, TimelineFacts facts) {
    auto out = std::back_inserter(event_);
    const char* separator = "";
    fmt::format_to(out, ",\"args\":{{");
    if (from % clock_.ticks_per_cycle == 0 && to % clock_.ticks_per_cycle == 0) {
        fmt::format_to(out, "\"cycle\":{},\"cycles\":{}", from / clock_.ticks_per_cycle,
                       (to - from) / clock_.ticks_per_cycle);
        separator = ",";
    }
    for (const TimelineFact& fact : facts) {
        fmt::format_to(out, "{}\"{}\":", separator, fact.key);
        if (fact.word.empty())
            fmt::format_to(out, "{}", fact.number);
        else
            fmt::format_to(out, "{}", json_string(fact.word));
        separator = ",";
    }
    event_.push_back('}');
}

void TraceFile::append_slice(const Track& track, std::string_view name, std::int64_t from, std::int64_t to,
                             TimelineFacts facts) {
    const std::int64_t begin = nanoseconds(from);
    fmt::format_to(std::back_inserter(event_),
                   ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"name\":{},\"ts\":{},\"dur\":{}", track.process,
                   track.thread, json_string(name), microseconds(begin), microseconds(nanoseconds(to) - begin));
    append_facts(from, to, facts);
    event_.push_back('}');
}

// Begin and end in one piece, so that none is left without the other. Perfetto shows those of one name as one track.
void TraceFile::append_request(const Track& track, std::string_view name, std::int64_t from, std::int64_t to,
                               TimelineFacts facts) {
    const std::string label = json_string(track.name + " " + std::string(name));
    const auto end = [&](char phase, std::int64_t ticks) {
        fmt::format_to(std::back_inserter(event_),
                       ",\n{{\"ph\":\"{}\",\"cat\":\"transfer\",\"id\":\"0x{:x}\",\"pid\":{},\"tid\":{},\"name\":{},"
                       "\"ts\":{}",
                       phase, requests_, track.process, track.thread, label, microseconds(nanoseconds(ticks)));
    };
    end('b', from);
    append_facts(from, to, facts);
    event_.push_back('}');
    end('e', to);
    event_.push_back('}');
    ++requests_;
}

void TraceFile::slice(int track, std::string_view name, std::int64_t from, std::int64_t to, TimelineFacts facts) {
    Track& on = tracks_[static_cast<std::size_t>(track)];
    from += start_;
    to += start_;
    const bool sequence = on.kind == TrackKind::sequence;
    if (to < from || (sequence && from < on.end)) {
        throw InternalError(fmt::format("timeline: '{}' on '{}' from {} to {} begins before what is there ends, at {}",
                                        name, on.name, from, to, on.end));
    }
    on.end = to;
    if (sequence)
        append_slice(on, name, from, to, facts);
    else
        append_request(on, name, from, to, facts);
    keep(from);
}

void TraceFile::level(int track, std::int64_t at, std::int64_t value) {
    const Track& on = tracks_[static_cast<std::size_t>(track)];
    fmt::format_to(std::back_inserter(event_),
                   ",\n{{\"ph\":\"C\",\"pid\":{},\"tid\":{},\"name\":{},\"ts\":{},\"args\":{{\"bytes\":{}}}}}",
                   on.process, on.thread, json_string(on.name), microseconds(nanoseconds(start_ + at)), value);
    keep(start_ + at);
}

void TraceFile::begin_operator(std::string_view name, const TimelineClock& clock) {
    clock_ = clock;
    operator_ = name;
}

// What is reserved for it is always enough, so it is written past all others.
void TraceFile::end_operator(std::int64_t at, TimelineFacts facts) {
    const Track operators{operators_process, operators_thread, TrackKind::sequence, {}, 0};
    append_slice(operators, operator_, start_, start_ + at, facts);
    text_.append(event_.data(), event_.data() + event_.size());
    event_.clear();
    start_ += at;
}

void TraceFile::append_mark() {
    fmt::format_to(std::back_inserter(text_),
                   ",\n{{\"ph\":\"i\",\"s\":\"g\",\"pid\":{},\"tid\":{},\"name\":\"the trace limit is reached\","
                   "\"ts\":{},\"args\":{{\"events_left_out\":{},\"from_cycle\":{},\"limit_bytes\":{}}}}}",
                   operators_process, operators_thread, microseconds(nanoseconds(left_out_ticks_)), left_out_,
                   left_out_from_, options_.limit);
}

void TraceFile::finish() {
    if (left_out_ > 0)
        append_mark();
    fmt::format_to(std::back_inserter(text_),
                   "\n],\"otherData\":{{\"simulator\":\"systole {}\",\"events_left_out\":{}}}}}\n", SYSTOLE_VERSION,
                   left_out_);
    flush();
    out_.close();
    if (!out_ || std::rename(partial_.c_str(), options_.file.c_str()) != 0)
        throw EnvironmentError(fmt::format("{}: could not be written (is the disk full?)", options_.file));
    finished_ = true;
}

} // namespace systole
