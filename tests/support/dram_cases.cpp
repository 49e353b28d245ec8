#include "tests/support/dram_cases.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace systole::test {

namespace {

void draw_organization(DramDraw& draw, DramOrganization& o) {
    o.channels = o.pseudo_channels = 1;
    o.stack_ids = 1 << draw.between(0, 1);
    o.bank_groups = 1 << draw.between(0, 2);
    o.banks = 1 << draw.between(0, 2);
    o.burst = draw.between(1, 4);
    o.access_bytes = 32;
    o.row_bytes = 32 << draw.between(0, 5);
}

void draw_timing(DramDraw& draw, Clocks burst, DramTiming& t) {
    t.cl = draw.between(2, 20);
    t.cwl = draw.between(1, 12);
    t.rcd_read = draw.between(1, 30);
    t.rcd_write = draw.between(1, 30);
    t.rp = draw.between(1, 26);
    t.ras = draw.between(2, 45);
    t.rc = t.ras + t.rp + draw.between(0, 5);
    t.ccd_s = draw.between(1, 4);
    t.ccd_l = t.ccd_s + draw.between(0, 3);
    t.ccd_r = draw.between(t.ccd_s, t.ccd_l);
    t.rrd_s = draw.between(1, 5);
    t.rrd_l = t.rrd_s + draw.between(0, 3);
    t.faw = draw.between(t.rrd_s, 40);
    t.wtr_s = draw.between(1, 8);
    t.wtr_l = t.wtr_s + draw.between(0, 4);
    t.rtw = std::max(burst, t.cl + burst - t.cwl) + draw.between(0, 8); // data do not meet on the bus
    t.wr = draw.between(1, 33);
    t.rtp = draw.between(1, 9);
    t.rfc = draw.between(10, 300);
    t.refi = t.rfc + draw.between(130, 2000); // a row's use takes less than 130
    t.rfc_per_bank = draw.between(10, 100);
    t.refi_per_bank = t.rfc_per_bank + draw.between(130, 330); // even where there is one bank
}

void draw_queues(DramDraw& draw, DramQueues& q) {
    q.read = draw.between(1, 64);
    q.write = draw.between(1, 64);
    q.write_high = draw.between(0, q.write - 1);
    q.write_low = draw.between(0, q.write_high);
    q.bank_window = draw.between(1, 12);
    q.prepare_both = draw.one_in(2);
    q.latency = draw.between(0, 3);
}

void add_parts(DramDraw& draw, const char* field, std::int64_t values, std::vector<std::string>& parts) {
    const int bits = std::countr_zero(static_cast<std::uint64_t>(values));
    if (bits > 1 && draw.one_in(2)) {
        const int low = draw.between(1, bits - 1);
        parts.push_back(fmt::format("{}{}", field, low));
        parts.push_back(fmt::format("{}{}", field, bits - low));
    } else if (bits > 0) {
        parts.push_back(fmt::format("{}{}", field, bits));
    }
}

bool within_block(const std::string& part) { return part.starts_with("co") || part.starts_with("bg"); }

// Any order of the fields, or, often enough, one in which neighbours differ in column and bank group.
std::string draw_mapping(DramDraw& draw, const DramOrganization& o) {
    std::vector<std::string> parts;
    add_parts(draw, "co", o.row_bytes / o.access_bytes, parts);
    add_parts(draw, "bg", o.bank_groups, parts);
    add_parts(draw, "ba", o.banks, parts);
    add_parts(draw, "si", o.stack_ids, parts);
    if (!draw.one_in(3)) {
        for (std::size_t i = parts.size(); i > 1; --i) {
            std::swap(parts[i - 1], parts[static_cast<std::size_t>(draw.between(0, static_cast<int>(i) - 1))]);
        }
    } else {
        std::stable_partition(parts.begin(), parts.end(), within_block);
        if (draw.one_in(2) && parts.size() > 1) {
            std::swap(parts[0], parts[1]);
        }
    }
    std::string mapping;
    for (const auto& part : parts) {
        mapping += part + " ";
    }
    return mapping + "ro";
}

template <typename T>
std::string differs(const char* what, const T& a, const T& b) {
    return a == b ? "" : fmt::format("{}: {} and {}", what, a, b);
}

std::string first_of(std::initializer_list<std::string> texts) {
    for (const auto& text : texts) {
        if (!text.empty()) {
            return text;
        }
    }
    return "";
}

} // namespace

DramConfig any_dram(DramDraw& draw) {
    DramConfig config;
    draw_organization(draw, config.organization);
    draw_timing(draw, config.organization.burst, config.timing);
    config.refresh = static_cast<RefreshMode>(draw.between(0, 2));
    draw_queues(draw, config.queues);
    config.mapping = draw_mapping(draw, config.organization);
    const auto lowest = parse_mapping(config, 1).front();
    const auto neighbours = lowest.field == AddressField::column ? lowest.radix : 1;
    const auto most =
        std::min({neighbours, std::int64_t{16}, std::int64_t{config.queues.read}, std::int64_t{config.queues.write}});
    config.queues.entry = 1 << draw.between(0, std::bit_width(static_cast<std::uint64_t>(most)) - 1);
    return config;
}

std::vector<DramStep> any_dram_traffic(DramDraw& draw) {
    enum Style { long_pieces, short_pieces, reads, with_room, mixed };
    const auto style = static_cast<Style>(draw.between(0, 4));
    const int most = style == long_pieces ? 300 : style == short_pieces ? 4 : 80;
    std::vector<DramStep> steps(static_cast<std::size_t>(draw.between(1, 40)));
    std::int64_t position = draw.between(0, 1000);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        auto& step = steps[i];
        auto& piece = step.piece;
        piece.tag = static_cast<std::int64_t>(i);
        piece.count = draw.between(1, most);
        piece.write = style != reads && draw.one_in(3);
        piece.first = draw.one_in(3) ? draw.between(0, 1 << draw.between(1, 18)) : position;
        position = piece.first + piece.count;
        step.gap = draw.one_in(4) ? draw.between(0, 1 << draw.between(0, 11)) : 0;
        if (style == with_room && draw.one_in(2)) {
            step.room = draw.between(0, 64);
        }
        step.advance = draw.one_in(3);
    }
    return steps;
}

DramRecord play_steps(DramPort& port, const std::vector<DramStep>& steps) {
    DramRecord record;
    Clocks now = 0;
    for (const auto& step : steps) {
        now += step.gap;
        if (step.room) {
            record.room_at.push_back(port.advance_until_waiting(*step.room));
            now = std::max(now, record.room_at.back());
        }
        if (step.advance) {
            port.advance(now);
        }
        auto piece = step.piece;
        piece.arrival = now;
        port.push(piece);
    }
    port.finish();
    record.completions = port.completions();
    sort_completions(record.completions);
    const Clocks last = port.counts().last_data;
    record.time = port.time(last);
    port.advance(last + 1000);
    record.counts = port.counts();
    record.later = port.time(last + 1000);
    return record;
}

void sort_completions(std::vector<DramCompletion>& completions) {
    std::sort(completions.begin(), completions.end(), [](const DramCompletion& a, const DramCompletion& b) {
        return std::tie(a.clock, a.tag) < std::tie(b.clock, b.tag);
    });
}

std::string difference(const std::vector<DramCompletion>& a, const std::vector<DramCompletion>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i].tag != b[i].tag || a[i].clock != b[i].clock || a[i].count != b[i].count) {
            return fmt::format("completion {}: {} accesses of {} at {} and {} of {} at {}", i, a[i].count, a[i].tag,
                               a[i].clock, b[i].count, b[i].tag, b[i].clock);
        }
    }
    return differs("completions", a.size(), b.size());
}

std::string difference(const DramCounts& a, const DramCounts& b) {
    return first_of({differs("reads", a.reads, b.reads), differs("writes", a.writes, b.writes),
                     differs("last data", a.last_data, b.last_data), differs("row hits", a.row_hits, b.row_hits),
                     differs("ACTs", a.activates, b.activates), differs("PREs", a.precharges, b.precharges),
                     differs("refreshes", a.refreshes, b.refreshes)});
}

std::string difference(const DramTime& a, const DramTime& b) {
    return first_of({differs("data", a.data, b.data), differs("row", a.row, b.row),
                     differs("turnaround", a.turnaround, b.turnaround), differs("refresh", a.refresh, b.refresh),
                     differs("idle", a.idle, b.idle)});
}

std::string difference(const DramRecord& a, const DramRecord& b) {
    if (a.room_at != b.room_at) {
        return "when there is room";
    }
    return first_of({difference(a.completions, b.completions), difference(a.counts, b.counts),
                     difference(a.time, b.time), difference(a.later, b.later)});
}

std::string describe(const DramConfig& config) {
    const auto& o = config.organization;
    const auto& t = config.timing;
    const auto& q = config.queues;
    return fmt::format(
        "mapping '{}' refresh {} burst {}; cl {} cwl {} rcd {}/{} rp {} ras {} rc {} ccd {}/{}/{} rrd {}/{} faw {} "
        "wtr {}/{} rtw {} wr {} rtp {} refi {} rfc {} per bank {} {}; queues {} {} high {} low {} window {} both {} "
        "latency {} entry {}",
        config.mapping, static_cast<int>(config.refresh), o.burst, t.cl, t.cwl, t.rcd_read, t.rcd_write, t.rp, t.ras,
        t.rc, t.ccd_s, t.ccd_l, t.ccd_r, t.rrd_s, t.rrd_l, t.faw, t.wtr_s, t.wtr_l, t.rtw, t.wr, t.rtp, t.refi, t.rfc,
        t.refi_per_bank, t.rfc_per_bank, q.read, q.write, q.write_high, q.write_low, q.bank_window, q.prepare_both,
        q.latency, q.entry);
}

std::string describe(const std::vector<DramStep>& steps) {
    std::string text;
    for (const auto& step : steps) {
        text += fmt::format(
            "+{}{}{} {} {} from {}\n", step.gap, step.room ? fmt::format(" room {}", *step.room) : std::string(),
            step.advance ? " advance" : "", step.piece.write ? "write" : "read", step.piece.count, step.piece.first);
    }
    return text;
}

} // namespace systole::test
