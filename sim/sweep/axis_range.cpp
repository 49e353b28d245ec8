#include "sim/sweep/axis_range.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "sim/sweep/axis.h"

namespace systole {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 53; // beyond it nothing is counted here, and nothing overflows

[[noreturn]] void refuse(const std::string& item, const Place& place, const std::string& why) {
    throw InputError(place, fmt::format("range '{}' {}", item.substr(0, 60), why));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

// The whole number at the beginning of `text`, which is shortened by it; nothing if there is none.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !is_digit(text.front()) || number > largest) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

struct Step {
    char sign = '*'; // or ':', which adds
    std::int64_t by = 2;
};

// ":STEP" or "*FACTOR" at the end of `text`, which is shortened by it.
Step take_step(std::string_view& text, const std::string& item, const Place& place) {
    const std::size_t at = text.find_first_of(":*");
    if (at == std::string_view::npos) {
        return {};
    }
    std::string_view rest = trimmed(text.substr(at + 1));
    const std::optional<std::int64_t> by = take_number(rest);
    const Step step{text[at], by.value_or(0)};
    if (!rest.empty() || step.by < (step.sign == '*' ? 2 : 1)) {
        refuse(item, place, "has no step behind '" + std::string(1, step.sign) + "' (like 1..9:2 or 8..512*4)");
    }
    text = text.substr(0, at);
    return step;
}

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t last, Step step, const std::string& item,
                                  const Place& place) {
    std::vector<std::int64_t> all;
    for (std::int64_t value = first; value <= last;) {
        all.push_back(value);
        if (all.size() > most_axis_values) {
            refuse(item, place, fmt::format("has more than {} values (take larger steps)", most_axis_values));
        }
        if (step.sign == '*' && value > largest / step.by) {
            break;
        }
        value = step.sign == '*' ? value * step.by : value + step.by;
    }
    if (step.sign == '*' && all.back() != last) {
        refuse(item, place,
               fmt::format("multiplies by {} and does not arrive at {} (end at {}, or give a step: {}..{}:STEP)",
                           step.by, last, all.back(), first, last));
    }
    return all;
}

} // namespace

std::optional<std::vector<std::string>> expand_range(const std::string& item, const Place& place) {
    const std::size_t dots = item.find("..");
    if (dots == std::string::npos || !is_digit(item.front())) {
        return std::nullopt;
    }
    std::string_view begin = trimmed(std::string_view(item).substr(0, dots));
    std::string_view end = trimmed(std::string_view(item).substr(dots + 2));
    const Step step = take_step(end, item, place);
    const std::optional<std::int64_t> first = take_number(begin);
    const std::optional<std::int64_t> last = end.empty() ? std::nullopt : take_number(end);
    begin = trimmed(begin);
    end = trimmed(end);
    if (!first || !last) {
        refuse(item, place, "is not FIRST..LAST with whole numbers (like 8..256, 1..9:2 or 400..3200 GB/s)");
    }
    if (!begin.empty() && begin != end) {
        refuse(item, place, "has different units at its ends (write 400..3200 GB/s)");
    }
    if (*first < 1 && step.sign == '*') {
        refuse(item, place, "cannot multiply 0 (begin at 1, or give a step: 0..8:2)");
    }
    if (*first > *last) {
        refuse(item, place, fmt::format("goes down (write {}..{})", *last, *first));
    }
    std::vector<std::string> texts;
    for (const std::int64_t number : numbers(*first, *last, step, item, place)) {
        texts.push_back(end.empty() ? fmt::format("{}", number) : fmt::format("{} {}", number, end));
    }
    return texts;
}

namespace {

std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
    std::vector<std::int64_t> shape;
    for (text = trimmed(text); !text.empty();) {
        const std::optional<std::int64_t> number = take_number(text);
        if (!number || *number < 1) {
            return std::nullopt;
        }
        shape.push_back(*number);
        if (text.empty()) {
            return shape;
        }
        if (text.front() != 'x') {
            return std::nullopt;
        }
        text.remove_prefix(1);
    }
    return std::nullopt;
}

// How often `from` doubles (or halves, negative) until it is `to`; nothing if it never is.
std::optional<int> doublings(std::int64_t from, std::int64_t to) {
    int count = 0;
    for (; from < to; from *= 2) {
        ++count;
    }
    for (; from > to && from % 2 == 0; from /= 2) {
        --count;
    }
    return from == to ? std::optional(count) : std::nullopt;
}

} // namespace

std::optional<std::vector<std::vector<std::string>>> expand_shape_range(const std::string& item, std::size_t keys,
                                                                        const Place& place) {
    const std::size_t dots = item.find("..");
    const auto first = shape_of(item.substr(0, dots));
    if (dots == std::string::npos || !first || first->size() < 2) {
        return std::nullopt;
    }
    const auto last = shape_of(item.substr(dots + 2));
    if (!last || last->size() != first->size() || first->size() != keys) {
        refuse(item, place, fmt::format("needs {} numbers at both ends, one for each key (like 8x512..512x8)", keys));
    }
    std::vector<int> steps;
    int most = 0;
    for (std::size_t i = 0; i < keys; ++i) {
        const std::optional<int> count = doublings((*first)[i], (*last)[i]);
        if (!count) {
            refuse(item, place,
                   fmt::format("does not get from {} to {} by doubling or halving (list the shapes)", (*first)[i],
                               (*last)[i]));
        }
        steps.push_back(*count);
        most = std::max(most, std::abs(*count));
    }
    std::vector<std::vector<std::string>> shapes;
    for (int step = 0; step <= most; ++step) {
        std::vector<std::string> shape;
        for (std::size_t i = 0; i < keys; ++i) {
            if (steps[i] != 0 && std::abs(steps[i]) != most) {
                refuse(item, place, "needs different numbers of steps for its parts (list the shapes)");
            }
            const std::int64_t value = (*first)[i];
            shape.push_back(fmt::format("{}", steps[i] == 0 ? value : steps[i] > 0 ? value << step : value >> step));
        }
        shapes.push_back(std::move(shape));
    }
    return shapes;
}

} // namespace systole
