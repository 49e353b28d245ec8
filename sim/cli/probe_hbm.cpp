// `systole probe hbm`: a pattern or a trace of requests on the channels of one HBM stack alone.
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "memory/dram_player.h"
#include "memory/dram_trace.h"
#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/values.h"
#include "sim/config/hbm_file.h"
#include "sim/report/flat_csv.h"
#include "sim/report/json.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

constexpr std::array modes{std::pair{MemoryMode::fast, "fast"}, std::pair{MemoryMode::burst, "burst"}};

std::optional<MemoryMode> parse_mode(std::string_view text) {
    for (const auto& [mode, word] : modes) {
        if (text == word) {
            return mode;
        }
    }
    return std::nullopt;
}

struct TimePart {
    const char* name;
    Clocks DramTime::*clocks;
    const char* meaning;
};

constexpr TimePart time_parts[] = {{"data", &DramTime::data, "accesses on the data bus"},
                                   {"row", &DramTime::row, "rows to open or close, or a bank group"},
                                   {"turnaround", &DramTime::turnaround, "from reads to writes and back"},
                                   {"refresh", &DramTime::refresh, "banks in refresh"},
                                   {"idle", &DramTime::idle, "no access waited"}};

struct Asked {
    std::shared_ptr<const DramConfig> hbm;
    std::string pattern;
    MemoryMode mode = MemoryMode::fast;
};

struct Answer {
    DramPlay play;
    double seconds = 0;
    double bytes_per_s = 0;
    double ns_per_clock = 0;
};

Answer measure(const Asked& asked, DramRequests& requests) {
    Answer answer;
    answer.play = play(*asked.hbm, asked.mode, requests);
    const auto clock = static_cast<double>(asked.hbm->clock);
    answer.seconds = static_cast<double>(answer.play.cycles) / clock;
    answer.bytes_per_s = answer.seconds > 0 ? static_cast<double>(answer.play.bytes) / answer.seconds : 0;
    answer.ns_per_clock = 1e9 / clock;
    return answer;
}

std::string text_of(const Asked& asked, const Answer& answer) {
    const DramPlay& play = answer.play;
    const auto row = [](const std::string& name, const std::string& text) {
        return wrap(fmt::format("  {:<12}", name), text) + "\n";
    };
    const auto ns = [&](double clocks) { return scaled(clocks * answer.ns_per_clock * 1e-9, "s"); };
    std::string text = wrap("", fmt::format("{}, {}: {} bytes in {} requests", asked.hbm->name,
                                            printable(asked.pattern), play.bytes, play.requests)) +
                       "\n";
    text += row("bandwidth", fmt::format("{}, {} of the pins' {}", bandwidth_text(answer.bytes_per_s),
                                         percent_text(play.efficiency(*asked.hbm)),
                                         bandwidth_text(static_cast<double>(asked.hbm->peak()))));
    text += row("time", fmt::format("{}, {} clocks of {}", scaled(answer.seconds, "s"), play.cycles,
                                    format_frequency(asked.hbm->clock)));
    text += row("latency", fmt::format("{} mean, {} median, {} at the 99th percentile", ns(play.latency.mean()),
                                       ns(static_cast<double>(play.latency.percentile(50))),
                                       ns(static_cast<double>(play.latency.percentile(99)))));
    text += row("accesses", fmt::format("{} reads, {} writes of {} bytes; {} of them hit an open row",
                                        play.counts.reads, play.counts.writes, asked.hbm->organization.access_bytes,
                                        percent_text(play.row_hit_rate())));
    text += row("rows", fmt::format("{} activated, {} precharged; {} refreshes", play.counts.activates,
                                    play.counts.precharges, play.counts.refreshes));
    text += fmt::format("\n{:<12}{:>16}{:>10}  {}\n", "Time", "clocks", "", "mean of the pseudo-channels' data buses");
    for (const TimePart& part : time_parts) {
        const Clocks clocks = play.time.*part.clocks;
        const double share = play.cycles > 0 ? static_cast<double>(clocks) / static_cast<double>(play.cycles) : 0;
        text += fmt::format("  {:<10}{:>16}{:>10}  {}\n", part.name, clocks, percent_text(share), part.meaning);
    }
    return text;
}

Json whole_json(const Asked& asked, const Answer& answer) {
    const DramPlay& play = answer.play;
    Json root;
    root["schema_version"] = 1;
    root["hbm"] = asked.hbm->name;
    root["pattern"] = asked.pattern;
    root["mode"] = modes[static_cast<std::size_t>(asked.mode)].second;
    root["requests"] = play.requests;
    root["bytes"] = play.bytes;
    root["cycles"] = play.cycles;
    root["clock_hz"] = asked.hbm->clock;
    root["seconds"] = answer.seconds;
    root["bytes_per_s"] = answer.bytes_per_s;
    root["peak_bytes_per_s"] = asked.hbm->peak();
    root["efficiency"] = play.efficiency(*asked.hbm);
    root["row_hit_rate"] = play.row_hit_rate();
    root["latency_ns"] = {{"mean", play.latency.mean() * answer.ns_per_clock},
                          {"p50", static_cast<double>(play.latency.percentile(50)) * answer.ns_per_clock},
                          {"p99", static_cast<double>(play.latency.percentile(99)) * answer.ns_per_clock}};
    for (const TimePart& part : time_parts) {
        root["time"][part.name] = play.time.*part.clocks;
    }
    root["accesses"] = {{"reads", play.counts.reads}, {"writes", play.counts.writes}};
    root["commands"] = {{"activates", play.counts.activates},
                        {"precharges", play.counts.precharges},
                        {"refreshes", play.counts.refreshes}};
    return root;
}

std::string json_of(const Asked& asked, const Answer& answer) { return json_text(whole_json(asked, answer)); }

std::string csv_of(const Asked& asked, const Answer& answer) {
    Json whole = whole_json(asked, answer);
    whole.erase("schema_version");
    return flat_csv(whole);
}

Asked read_options(const ParsedOptions& options) {
    Asked asked;
    const std::optional<std::string> hbm = options.get("--hbm");
    if (!hbm) {
        throw InputError("no HBM configuration (give --hbm NAME; `systole info hbm` lists them)");
    }
    const std::optional<std::string> pattern = options.get("--pattern");
    if (!pattern) {
        throw InputError("no requests (give --pattern seq_read, another pattern or a trace file; --help lists them)");
    }
    asked.pattern = *pattern;
    asked.mode = word_option(options, "--mode", parse_mode, "fast or burst").value_or(MemoryMode::fast);
    asked.hbm = load_hbm(*hbm, options.all("--set"));
    return asked;
}

// A pattern by its name; everything else that exists, or looks like a path, is a trace.
std::unique_ptr<DramRequests> requests_of(const Asked& asked, const ParsedOptions& options) {
    const Bytes access_bytes = asked.hbm->organization.access_bytes;
    const auto bytes = integer_option(options, "--bytes", 1, 4096);
    std::error_code error;
    const bool is_file = !is_dram_pattern(asked.pattern) && (std::filesystem::exists(asked.pattern, error) ||
                                                             asked.pattern.find_first_of("/.") != std::string::npos);
    if (is_file) {
        return open_dram_trace(asked.pattern, bytes.value_or(access_bytes));
    }
    if (bytes) {
        throw InputError("--bytes is the size of each request of a trace file (a pattern has its own)");
    }
    return make_dram_pattern(asked.pattern, access_bytes);
}

int run_probe_hbm(const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json, OutputFormat::csv});
    const Asked asked = read_options(options);
    const auto requests = requests_of(asked, options);
    const auto write = format == OutputFormat::json ? json_of : format == OutputFormat::csv ? csv_of : text_of;
    write_result(write(asked, measure(asked, *requests)), options, session);
    return exit_good;
}

} // namespace

Command probe_hbm_command() {
    return {{"probe hbm",
             "Measures one HBM stack alone: requests in their order, each as soon as the queues take it. Patterns: "
             "seq_read[_SIZE], seq_write[_SIZE], mix2r1w_SIZE[_skew], stride_SIZE_SIZE, randSIZE_read, "
             "randSIZE_write, idle_seq, idle_rand, with SIZE as 4096, 16K, 8M. Trace files: lines ADDRESS R|W [CYCLE], "
             "ADDRESS READ|WRITE CYCLE (DRAMsim3) or LD|ST ADDRESS (Ramulator).",
             "",
             with_common_options(
                 {
                     {"--hbm", "NAME|FILE", "the configuration (`systole info hbm`)"},
                     {"--pattern", "P|FILE", "the requests: a pattern, or a trace file"},
                     {"--mode", "fast|burst", "from event to event, or clock by clock: the same result (fast)"},
                     {"--bytes", "N", "size of each request of a trace file (one access of the DRAM)"},
                     {"--set", "KEY=VALUE", "changes a value of the configuration (`systole info hbm`)", true},
                 },
                 "text|json|csv"),
             "  systole probe hbm --hbm hbm3_2pc --pattern seq_read\n"
             "  systole probe hbm --hbm hbm2e_3200 --pattern rand64_read --format json\n"
             "  systole probe hbm --hbm hbm2_2000 --pattern seq_write --set refresh=per_bank\n"
             "  systole probe hbm --hbm hbm3_6400 --pattern my_trace.txt --bytes 64\n"},
            run_probe_hbm};
}

} // namespace systole
