#include "memory/dram_config.h"

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "memory/dram_banks.h"
#include "sim/base/error.h"

namespace systole {

namespace {

constexpr int most_bits = 24; // of one part of a field
constexpr std::size_t most_parts = 32;

struct FieldName {
    const char* word;
    const char* what;
};

constexpr std::array<FieldName, 7> field_names{{{"ch", "channel"},
                                                {"pc", "pseudo-channel"},
                                                {"si", "stack id"},
                                                {"bg", "bank group"},
                                                {"ba", "bank"},
                                                {"co", "column"},
                                                {"ro", "row"}}};

int log2_of(std::int64_t power) { return std::countr_zero(static_cast<std::uint64_t>(power)); }

struct Part {
    AddressField field = AddressField::column;
    int bits = 0;
};

// One word of the text: "co5" or "ro".
Part parse_part(const std::string& word) {
    for (std::size_t i = 0; i < field_names.size(); ++i) {
        if (!word.starts_with(field_names[i].word)) {
            continue;
        }
        const auto field = static_cast<AddressField>(i);
        const std::string digits = word.substr(2);
        if (field == AddressField::row && digits.empty()) {
            return {field, 0};
        }
        if (field == AddressField::row) {
            throw InputError(
                fmt::format("'{}' gives the row a width (write ro: it takes the bits that are left)", word));
        }
        const bool number =
            !digits.empty() && digits.size() <= 2 && digits.find_first_not_of("0123456789") == std::string::npos;
        if (!number || std::stoi(digits) > most_bits) {
            throw InputError(fmt::format("'{}' is not a field and its bits (write {}0 to {}{})", word,
                                         word.substr(0, 2), word.substr(0, 2), most_bits));
        }
        return {field, std::stoi(digits)};
    }
    throw InputError(
        fmt::format("'{}' is no field of an address (there are ch, pc, si, bg, ba, co with their number of "
                    "bits, and ro)",
                    word.substr(0, 40)));
}

std::vector<Part> parse_parts(const std::string& text) {
    std::vector<Part> parts;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        parts.push_back(parse_part(word));
    }
    if (parts.size() > most_parts) {
        throw InputError(fmt::format("{} fields are too many for an address ({} at most)", parts.size(), most_parts));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].field == AddressField::row && i + 1 < parts.size()) {
            throw InputError("'ro' is not the last field (the row takes all the bits that are left, so it comes last)");
        }
    }
    if (parts.empty() || parts.back().field != AddressField::row) {
        throw InputError("the row is missing (end with ro)");
    }
    return parts;
}

// Values of each field but the row.
std::array<std::int64_t, 6> sizes(const DramOrganization& o) {
    return {o.channels,    o.pseudo_channels, o.stack_ids,
            o.bank_groups, o.banks,           o.row_bytes / std::max<Bytes>(1, o.access_bytes)};
}

void check_bits(const std::vector<Part>& parts, const DramOrganization& organization) {
    std::array<int, 7> bits{};
    for (const Part& part : parts) {
        bits[static_cast<std::size_t>(part.field)] += part.bits;
    }
    Diagnostics wrong;
    const auto wanted = sizes(organization);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (is_power_of_two(wanted[i]) && bits[i] != log2_of(wanted[i])) {
            wrong.add({}, fmt::format("the bits of {} ({}) come to {}, but {} {}s take {} (make them as many)",
                                      field_names[i].word, field_names[i].what, bits[i], wanted[i], field_names[i].what,
                                      log2_of(wanted[i])));
        }
    }
    wrong.throw_if_any();
}

void check_organization(const DramOrganization& o, std::vector<std::string>& found) {
    const std::pair<const char*, std::int64_t> counts[] = {
        {"channels", o.channels},   {"pseudo_channels", o.pseudo_channels},
        {"stack_ids", o.stack_ids}, {"bank_groups", o.bank_groups},
        {"banks", o.banks},         {"access_bytes", o.access_bytes},
        {"row_bytes", o.row_bytes}};
    for (const auto& [name, count] : counts) {
        if (!is_power_of_two(count)) {
            found.push_back(
                fmt::format("organization.{}: {} is not a power of two (an address is split by bits)", name, count));
        }
    }
    if (o.row_bytes < o.access_bytes) {
        found.push_back(fmt::format("organization.row_bytes: {} are less than one access of organization.access_bytes "
                                    "({}; a row holds whole accesses)",
                                    o.row_bytes, o.access_bytes));
    }
    constexpr int most_banks = static_cast<int>(DramBanks::most_banks);
    if (o.banks_per_pseudo_channel() > most_banks) {
        found.push_back(
            fmt::format("organization.banks: {} of a pseudo-channel in all (stack_ids * bank_groups * banks "
                        "may be {})",
                        o.banks_per_pseudo_channel(), most_banks));
    }
}

// A pair that has an order: the first may not be below the second.
struct Order {
    const char* name;
    Clocks value;
    const char* least_name;
    Clocks least;
};

void check_order(const Order& order, std::vector<std::string>& found) {
    if (order.value < order.least) {
        found.push_back(fmt::format("{}: {} is below {} ({}; raise it, or lower that)", order.name, order.value,
                                    order.least_name, order.least));
    }
}

// From ACT to the next ACT of a bank that serves one read or one write in between.
Clocks longest_row_use(const DramConfig& config) {
    const DramTiming& t = config.timing;
    const Clocks write = t.rcd_write + t.cwl + config.organization.burst + t.wr + t.rp;
    return std::max({t.rc, t.ras + t.rp, t.rcd_read + t.rtp + t.rp, write});
}

void check_timing(const DramConfig& config, std::vector<std::string>& found) {
    const DramTiming& t = config.timing;
    const Order orders[] = {
        {"timing.rc", t.rc, "timing.ras", t.ras},           {"timing.ccd_l", t.ccd_l, "timing.ccd_s", t.ccd_s},
        {"timing.ccd_r", t.ccd_r, "timing.ccd_s", t.ccd_s}, {"timing.rrd_l", t.rrd_l, "timing.rrd_s", t.rrd_s},
        {"timing.wtr_l", t.wtr_l, "timing.wtr_s", t.wtr_s}, {"timing.faw", t.faw, "timing.rrd_s", t.rrd_s}};
    for (const Order& order : orders) {
        check_order(order, found);
    }
    // A write's data come behind a read's, and its command at least a burst behind the read's.
    const Clocks burst = config.organization.burst;
    if (const Clocks least = std::max(burst, t.cl + burst - t.cwl); t.rtw < least) {
        found.push_back(
            fmt::format("timing.rtw: {} lets the data of a write meet those of the read before it (raise it "
                        "to timing.cl + organization.burst - timing.cwl, and a burst at least: {})",
                        t.rtw, least));
    }
    const Clocks needed = longest_row_use(config);
    if (config.refresh == RefreshMode::all_bank && t.refi <= t.rfc + needed) {
        found.push_back(
            fmt::format("timing.refi: {} leaves no time to open, use and close a row ({} clocks) between two "
                        "refreshes of timing.rfc ({}; raise it, or lower that)",
                        t.refi, needed, t.rfc));
    }
    const Clocks round = t.refi_per_bank * config.organization.banks_per_pseudo_channel();
    if (config.refresh == RefreshMode::per_bank && round <= t.rfc_per_bank + needed) {
        found.push_back(
            fmt::format("timing.refi_per_bank: a bank's turn comes every {} clocks, which leaves no time to "
                        "open, use and close a row ({}) besides timing.rfc_per_bank ({}; raise it, or lower "
                        "that)",
                        round, needed, t.rfc_per_bank));
    }
}

// An entry of a queue is one stretch of a row.
void check_entry(const DramConfig& config, std::vector<std::string>& found) {
    const DramQueues& q = config.queues;
    if (!is_power_of_two(q.entry) || q.entry > std::min(q.read, q.write)) {
        found.push_back(
            fmt::format("queues.entry: {} is no power of two up to queues.read and queues.write ({}, {}; an "
                        "entry has to fit into an empty queue)",
                        q.entry, q.read, q.write));
        return;
    }
    std::int64_t neighbours = 1;
    for (const AddressDigit& digit : parse_mapping(config, 1)) {
        if (digit.field != AddressField::column)
            break;
        neighbours *= digit.radix;
    }
    if (q.entry > neighbours) {
        found.push_back(
            fmt::format("queues.entry: the mapping has {} neighbouring accesses in one row, not {} (lower it, or "
                        "begin the mapping with more column bits)",
                        neighbours, q.entry));
    }
}

void check_queues(const DramQueues& q, std::vector<std::string>& found) {
    if (q.write_high > q.write) {
        found.push_back(fmt::format("queues.write_high: {} is above queues.write ({}; the queue would be full before)",
                                    q.write_high, q.write));
    }
    if (q.write_low > q.write_high) {
        found.push_back(fmt::format("queues.write_low: {} is above queues.write_high ({}; a drain would end before it "
                                    "began)",
                                    q.write_low, q.write_high));
    }
}

} // namespace

std::vector<AddressDigit> parse_mapping(const DramConfig& config, int stacks) {
    const std::vector<Part> parts = parse_parts(config.mapping);
    check_bits(parts, config.organization);
    std::vector<AddressDigit> digits;
    AddressDigit* highest_channel = nullptr;
    digits.reserve(parts.size());
    for (const Part& part : parts) {
        const bool row = part.field == AddressField::row;
        digits.push_back({part.field, row ? unlimited : std::int64_t{1} << part.bits});
        if (part.field == AddressField::channel) {
            highest_channel = &digits.back();
        }
    }
    if (highest_channel != nullptr) {
        highest_channel->radix *= stacks;
    } else if (stacks > 1) {
        throw InputError(
            fmt::format("{} stacks have no place in the address (write ch0 where they are to be told apart)", stacks));
    }
    return digits;
}

std::vector<std::string> problems(const DramConfig& config) {
    std::vector<std::string> found;
    check_organization(config.organization, found);
    check_timing(config, found);
    check_queues(config.queues, found);
    try {
        check_entry(config, found);
    } catch (const InputError& error) {
        for (const Diagnostic& diagnostic : error.diagnostics()) {
            found.push_back("mapping: " + diagnostic.message);
        }
    }
    return found;
}

} // namespace systole
