#include "sim/config/expression.h"

#include <limits>
#include <utility>

namespace systole {

namespace {

using Variables = std::map<std::string, std::int64_t>;

constexpr int deepest_nesting = 100; // of parentheses and signs; the parser recurses

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool is_in_name(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

// sum = product {(+|-) product}; product = factor {(*|/) factor}; factor = number | name | -factor | ( sum )
class Parser {
  public:
    Parser(std::string_view text, const Variables& variables) : text_(text), variables_(variables) {}

    std::int64_t parse() {
        const std::int64_t value = sum();
        if (peek() != '\0') {
            fail(position_, std::string("unexpected '") + peek() + "'");
        }
        return value;
    }

  private:
    [[noreturn]] static void fail(std::size_t offset, std::string message) {
        throw ExpressionError{offset, std::move(message)};
    }

    char peek() {
        while (position_ < text_.size() && text_[position_] == ' ') {
            ++position_;
        }
        return position_ < text_.size() ? text_[position_] : '\0';
    }

    std::int64_t sum() {
        std::int64_t value = product();
        while (peek() == '+' || peek() == '-') {
            const std::size_t where = position_;
            const char sign = text_[position_++];
            const std::int64_t right = product();
            const bool overflow = sign == '+' ? __builtin_add_overflow(value, right, &value)
                                              : __builtin_sub_overflow(value, right, &value);
            if (overflow) {
                fail(where, "the result leaves 64 bits");
            }
        }
        return value;
    }

    std::int64_t product() {
        std::int64_t value = factor();
        while (peek() == '*' || peek() == '/') {
            const std::size_t where = position_;
            const char sign = text_[position_++];
            const std::int64_t right = factor();
            if (sign == '*') {
                if (__builtin_mul_overflow(value, right, &value)) {
                    fail(where, "the result leaves 64 bits");
                }
                continue;
            }
            if (right == 0) {
                fail(where, "division by zero");
            }
            if (right == -1 && value == std::numeric_limits<std::int64_t>::min()) {
                fail(where, "the result leaves 64 bits");
            }
            value /= right;
        }
        return value;
    }

    std::int64_t factor() {
        const char c = peek();
        const std::size_t where = position_;
        if (is_digit(c)) {
            return number();
        }
        if (is_letter(c)) {
            return variable();
        }
        if (c != '(' && c != '-') {
            fail(where, c == '\0' ? "it ends where a number is expected"
                                  : std::string("expected a number or a name, found '") + c + "'");
        }
        if (++depth_ > deepest_nesting) {
            fail(where, "nested too deeply");
        }
        ++position_;
        std::int64_t value = 0;
        if (c == '-') {
            if (__builtin_sub_overflow(std::int64_t{0}, factor(), &value)) {
                fail(where, "the result leaves 64 bits");
            }
        } else {
            value = sum();
            if (peek() != ')') {
                fail(position_, "expected ')'");
            }
            ++position_;
        }
        --depth_;
        return value;
    }

    std::int64_t number() {
        const std::size_t where = position_;
        std::int64_t value = 0;
        for (; position_ < text_.size() && is_digit(text_[position_]); ++position_) {
            if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
                __builtin_add_overflow(value, std::int64_t{text_[position_] - '0'}, &value)) {
                fail(where, "a number that leaves 64 bits");
            }
        }
        return value;
    }

    std::int64_t variable() {
        const std::size_t where = position_;
        while (position_ < text_.size() && is_in_name(text_[position_])) {
            ++position_;
        }
        const std::string name(text_.substr(where, position_ - where));
        const auto found = variables_.find(name);
        if (found == variables_.end()) {
            std::string known;
            for (const auto& [variable_name, value] : variables_) {
                known += (known.empty() ? "" : ", ") + variable_name;
            }
            fail(where, "unknown name '" + name + "' (" + (known.empty() ? "there are none" : "known: " + known) + ")");
        }
        return found->second;
    }

    std::string_view text_;
    const Variables& variables_;
    std::size_t position_ = 0;
    int depth_ = 0;
};

} // namespace

std::variant<std::int64_t, ExpressionError> evaluate(std::string_view text, const Variables& variables) {
    try {
        return Parser(text, variables).parse();
    } catch (const ExpressionError& error) {
        return error;
    }
}

} // namespace systole
