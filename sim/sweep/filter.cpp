#include "sim/sweep/filter.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "sim/base/table.h"
#include "sim/config/expression.h"

namespace systole {

namespace {

constexpr const char* between = " and ";

// Longer signs first, so that "<=" is not taken for "<".
constexpr std::array<const char*, 6> signs{"==", "!=", "<=", ">=", "<", ">"};

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// 'word' or "word" without its quotes.
std::string unquoted(const std::string& text) {
    const bool quoted =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return quoted ? text.substr(1, text.size() - 2) : text;
}

struct SplitAt {
    std::size_t position = std::string::npos;
    std::string sign;
};

SplitAt first_sign(const std::string& text) {
    SplitAt found;
    for (const char* const sign : signs) {
        const std::size_t at = text.find(sign);
        if (at < found.position) {
            found = {at, sign};
        }
    }
    return found;
}

const Axis* axis_of(const std::string& key, const std::vector<Axis>& axes, std::size_t& index) {
    for (const Axis& axis : axes) {
        const auto found = std::find(axis.keys.begin(), axis.keys.end(), key);
        if (found != axis.keys.end()) {
            index = static_cast<std::size_t>(found - axis.keys.begin());
            return &axis;
        }
    }
    return nullptr;
}

bool has_value(const Axis& axis, std::size_t index, const std::string& word) {
    return std::any_of(axis.values.begin(), axis.values.end(),
                       [&](const AxisValue& value) { return value.texts[index] == word; });
}

std::vector<std::string> keys_of(const std::vector<Axis>& axes) {
    std::vector<std::string> keys;
    for (const Axis& axis : axes) {
        keys.insert(keys.end(), axis.keys.begin(), axis.keys.end());
    }
    return keys;
}

bool compare(std::int64_t left, const std::string& sign, std::int64_t right) {
    if (sign == "==")
        return left == right;
    if (sign == "!=")
        return left != right;
    if (sign == "<=")
        return left <= right;
    if (sign == ">=")
        return left >= right;
    return sign == "<" ? left < right : left > right;
}

} // namespace

void Filter::refuse(const std::string& why) const {
    throw InputError(place_, fmt::format("filter '{}': {}", text_.substr(0, 80), why));
}

Filter::Filter(const std::string& text, const Place& place, const std::vector<Axis>& axes)
    : text_(trimmed(text)), place_(place) {
    for (std::size_t begin = 0; begin != std::string::npos;) {
        const std::size_t end = text_.find(between, begin);
        comparisons_.push_back(read(trimmed(text_.substr(begin, end == std::string::npos ? end : end - begin)), axes));
        begin = end == std::string::npos ? end : end + std::string(between).size();
    }
}

Filter::Comparison Filter::read(const std::string& text, const std::vector<Axis>& axes) const {
    const SplitAt split = first_sign(text);
    if (split.position == std::string::npos) {
        refuse("compares nothing (write ==, !=, <, <=, > or >= between two sides, like array.rows <= 64)");
    }
    Comparison result{trimmed(text.substr(0, split.position)), split.sign,
                      trimmed(text.substr(split.position + split.sign.size())), false};
    std::size_t index = 0;
    if (axis_of(result.right, axes, index) != nullptr && axis_of(result.left, axes, index) == nullptr &&
        (result.sign == "==" || result.sign == "!=")) {
        std::swap(result.left, result.right); // "ws == dataflow"
    }
    const Axis* axis = axis_of(result.left, axes, index);
    std::size_t other = 0;
    const bool symmetric = result.sign == "==" || result.sign == "!=";
    if (axis != nullptr && symmetric && axis_of(result.right, axes, other) == nullptr) {
        const std::string word = unquoted(result.right);
        const auto as_number = evaluate(result.right, {});
        result.as_words = !std::holds_alternative<std::int64_t>(as_number);
        if (result.as_words && has_value(*axis, index, word)) {
            result.right = word;
            return result;
        }
        if (result.as_words && word.find_first_of("+-*/()") == std::string::npos) {
            refuse(fmt::format("{} has no value '{}' (write one of its values)", result.left, word.substr(0, 60)));
        }
        result.as_words = false;
    }
    check_side(result.left, axes);
    check_side(result.right, axes);
    return result;
}

void Filter::check_side(const std::string& side, const std::vector<Axis>& axes) const {
    std::map<std::string, std::int64_t> ones;
    for (const std::string& key : keys_of(axes)) {
        ones[key] = 1;
    }
    const auto value = evaluate(side, ones);
    const auto* error = std::get_if<ExpressionError>(&value);
    if (error != nullptr && error->message != "division by zero") { // which other values may not meet
        refuse(error->message);
    }
}

std::int64_t Filter::number(const std::string& side, const std::map<std::string, std::int64_t>& numbers) const {
    const auto value = evaluate(side, numbers);
    if (const auto* error = std::get_if<ExpressionError>(&value)) {
        const bool unknown = error->message.starts_with("unknown name");
        refuse(error->message + (unknown ? " (keys whose values are no whole numbers can only be compared with == and "
                                           "!= to one of these)"
                                         : " (leave such points out with a filter before it, or change it)"));
    }
    return std::get<std::int64_t>(value);
}

bool Filter::accepts(const std::map<std::string, std::string>& values,
                     const std::map<std::string, std::int64_t>& numbers) const {
    return std::all_of(comparisons_.begin(), comparisons_.end(), [&](const Comparison& one) {
        if (one.as_words) {
            return (values.at(one.left) == one.right) == (one.sign == "==");
        }
        return compare(number(one.left, numbers), one.sign, number(one.right, numbers));
    });
}

} // namespace systole
