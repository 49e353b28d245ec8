#include "sim/base/units.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace systole {

namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
    std::string_view name;
    std::int64_t factor; // base units in one of it
};

// One kind of quantity: what it is called and its units, smallest first.
struct Kind {
    std::string_view what;
    std::span<const Unit> units;
    bool may_be_unlimited = false;
    std::size_t shown = 0; // units used for output: the first `shown` (0: all)
};

constexpr std::int64_t kilo = 1'000;
constexpr std::int64_t mega = 1'000'000;
constexpr std::int64_t giga = 1'000'000'000;
constexpr std::int64_t tera = 1'000'000'000'000;
constexpr std::int64_t peta = 1'000'000'000'000'000;
constexpr std::int64_t kibi = std::int64_t{1} << 10;
constexpr std::int64_t mebi = std::int64_t{1} << 20;
constexpr std::int64_t gibi = std::int64_t{1} << 30;
constexpr std::int64_t tebi = std::int64_t{1} << 40;

constexpr Unit frequency_table[] = {{"Hz", 1}, {"kHz", kilo}, {"MHz", mega}, {"GHz", giga}};
constexpr Unit bytes_table[] = {{"B", 1}, {"KiB", kibi}, {"MiB", mebi}, {"GiB", gibi}, {"TiB", tebi}};
constexpr Unit bandwidth_table[] = {{"B/s", 1},      {"kB/s", kilo},  {"MB/s", mega},  {"GB/s", giga}, {"TB/s", tera},
                                    {"KiB/s", kibi}, {"MiB/s", mebi}, {"GiB/s", gibi}, {"TiB/s", tebi}};
constexpr Unit per_cycle_table[] = {{"B/cycle", 1}, {"KiB/cycle", kibi}};
constexpr Unit time_table[] = {{"ps", 1}, {"ns", kilo}, {"us", mega}, {"ms", giga}, {"s", tera}};
constexpr Unit flops_table[] = {{"FLOP/s", 1},     {"MFLOP/s", mega}, {"GFLOP/s", giga}, {"TFLOP/s", tera},
                                {"PFLOP/s", peta}, {"OP/s", 1},       {"MOP/s", mega},   {"GOP/s", giga},
                                {"TOP/s", tera},   {"POP/s", peta}};

constexpr Kind frequency_kind{"a frequency", frequency_table};
constexpr Kind bytes_kind{"a number of bytes", bytes_table, true};
constexpr Kind bandwidth_kind{"a bandwidth", bandwidth_table, true, 5};
constexpr Kind per_cycle_kind{"a number of bytes per cycle", per_cycle_table, true, 1};
constexpr Kind time_kind{"a time", time_table};
constexpr Kind flops_kind{"a rate of operations", flops_table, false, 5};

std::string unit_list(const Kind& kind) {
    std::string text;
    for (std::size_t i = 0; i < kind.units.size(); ++i) {
        text += i == 0 ? "" : (i + 1 == kind.units.size() ? " or " : ", ");
        text += kind.units[i].name;
    }
    return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// "12.50 GHz" taken apart; digits "1250", decimals 2.
struct Parts {
    std::string digits;
    std::size_t decimals = 0;
    std::string_view unit;
};

std::optional<Parts> split(std::string_view text) {
    Parts parts;
    std::size_t i = 0;
    for (; i < text.size() && is_digit(text[i]); ++i) {
        parts.digits += text[i];
    }
    if (i == 0) {
        return std::nullopt;
    }
    if (i < text.size() && text[i] == '.') {
        const std::size_t point = i++;
        for (; i < text.size() && is_digit(text[i]); ++i) {
            parts.digits += text[i];
        }
        parts.decimals = i - point - 1;
        if (parts.decimals == 0) {
            return std::nullopt;
        }
    }
    while (parts.decimals > 0 && parts.digits.back() == '0') {
        parts.digits.pop_back();
        --parts.decimals;
    }
    parts.unit = trim(text.substr(i));
    return parts;
}

// digits * factor / 10^decimals, if that is a whole number that fits.
enum class Outcome { exact, fraction, too_large };

Outcome scale(const Parts& parts, std::int64_t factor, std::int64_t& result) {
    const std::size_t first = std::min(parts.digits.find_first_not_of('0'), parts.digits.size());
    const std::string_view digits = std::string_view(parts.digits).substr(first);
    if (digits.empty()) {
        result = 0;
        return Outcome::exact;
    }
    if (parts.decimals > 18) { // finer than any unit resolves: the factors are at most 1e15
        return Outcome::fraction;
    }
    if (digits.size() > 19 + parts.decimals) {
        return Outcome::too_large;
    }
    if (digits.size() > 22) {
        return Outcome::fraction;
    }
    Wide value = 0; // 22 digits times 1e15 is below 2^127
    for (const char digit : digits) {
        value = value * 10 + static_cast<unsigned>(digit - '0');
    }
    value *= static_cast<Wide>(factor);
    Wide divisor = 1;
    for (std::size_t i = 0; i < parts.decimals; ++i) {
        divisor *= 10;
    }
    if (value / divisor >= static_cast<Wide>(unlimited)) {
        return Outcome::too_large;
    }
    result = static_cast<std::int64_t>(value / divisor);
    return value % divisor == 0 ? Outcome::exact : Outcome::fraction;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 60; // of a message; the rest tells nobody anything
    std::string shown(text.substr(0, longest));
    return "'" + shown + (text.size() > longest ? "...'" : "'");
}

Parsed<std::int64_t> parse(std::string_view raw, const Kind& kind) {
    const std::string_view text = trim(raw);
    if (kind.may_be_unlimited && text == "unlimited") {
        return {unlimited, ""};
    }
    const std::optional<Parts> parts = split(text);
    if (!parts) {
        const bool negative = text.size() > 1 && text[0] == '-' && is_digit(text[1]);
        const std::string why = negative ? " must not be negative" : " is not " + std::string(kind.what);
        return {{}, quoted(text) + why + " (write a number and " + unit_list(kind) + ")"};
    }
    if (parts->unit.empty()) {
        return {{}, quoted(text) + " has no unit (use " + unit_list(kind) + ")"};
    }
    const auto unit = std::find_if(kind.units.begin(), kind.units.end(),
                                   [&](const Unit& candidate) { return candidate.name == parts->unit; });
    if (unit == kind.units.end()) {
        return {{},
                quoted(text) + " is not " + std::string(kind.what) + ": unknown unit " + quoted(parts->unit) +
                    " (use " + unit_list(kind) + ")"};
    }
    std::int64_t value = 0;
    switch (scale(*parts, unit->factor, value)) {
    case Outcome::exact:
        return {value, ""};
    case Outcome::fraction:
        return {{}, quoted(text) + " is not a whole number of " + std::string(kind.units[0].name)};
    case Outcome::too_large:
        break;
    }
    return {{}, quoted(text) + " is too large for 64 bits of " + std::string(kind.units[0].name)};
}

// Exact decimal text of value / factor, or "" if it needs more digits than the value has in base units.
std::string decimal(std::int64_t value, std::int64_t factor) {
    std::string text = std::to_string(value / factor);
    std::int64_t rest = value % factor;
    if (rest == 0) {
        return text;
    }
    text += '.';
    for (int digits = 0; rest != 0; ++digits) {
        if (digits == 3 && factor % 10 != 0) { // binary units: "1.5 KiB" yes, ten digits no
            return "";
        }
        rest *= 10; // below 10 * 1e15
        text += static_cast<char>('0' + static_cast<int>(rest / factor));
        rest %= factor;
    }
    return text;
}

std::string format(std::int64_t value, const Kind& kind) {
    if (value == unlimited) {
        return "unlimited";
    }
    const std::size_t count = kind.shown == 0 ? kind.units.size() : kind.shown;
    for (std::size_t i = count; i-- > 1;) {
        const Unit& unit = kind.units[i];
        const std::string number = value >= unit.factor ? decimal(value, unit.factor) : "";
        if (!number.empty()) {
            return number + " " + std::string(unit.name);
        }
    }
    return std::to_string(value) + " " + std::string(kind.units[0].name);
}

} // namespace

Parsed<Hertz> parse_frequency(std::string_view text) { return parse(text, frequency_kind); }

Parsed<Bytes> parse_bytes(std::string_view text) { return parse(text, bytes_kind); }

Parsed<BytesPerSecond> parse_bandwidth(std::string_view text) { return parse(text, bandwidth_kind); }

Parsed<BytesPerCycle> parse_bytes_per_cycle(std::string_view text) { return parse(text, per_cycle_kind); }

Parsed<Picoseconds> parse_time(std::string_view text) { return parse(text, time_kind); }

Parsed<FlopPerSecond> parse_flops(std::string_view text) {
    const Parsed<std::int64_t> exact = parse(text, flops_kind);
    if (!exact.value) {
        return {{}, exact.error};
    }
    return {static_cast<FlopPerSecond>(*exact.value), ""};
}

std::string format_frequency(Hertz value) { return format(value, frequency_kind); }

std::string format_bytes(Bytes value) { return format(value, bytes_kind); }

std::string format_bandwidth(BytesPerSecond value) { return format(value, bandwidth_kind); }

std::string format_bytes_per_cycle(BytesPerCycle value) { return format(value, per_cycle_kind); }

std::string format_time(Picoseconds value) { return format(value, time_kind); }

std::string format_flops(FlopPerSecond value) { return format(std::llround(value), flops_kind); }

std::string frequency_units() { return unit_list(frequency_kind); }

std::string bytes_units() { return unit_list(bytes_kind); }

std::string bandwidth_units() { return unit_list(bandwidth_kind); }

std::string bytes_per_cycle_units() { return unit_list(per_cycle_kind); }

std::string time_units() { return unit_list(time_kind); }

std::string flops_units() { return unit_list(flops_kind); }

} // namespace systole
