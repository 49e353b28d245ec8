#include <catch2/catch.hpp>

#include "sim/config/expression.h"

using namespace systole;

namespace {

const std::map<std::string, std::int64_t> variables{{"rows", 16}, {"cols", 8}};

struct Good {
    const char* text;
    std::int64_t value;
};

struct Bad {
    std::string text;
    std::size_t offset;
    std::string message;
};

} // namespace

TEST_CASE("expressions follow the usual precedence", "[config][expression]") {
    const auto c = GENERATE(Good{"2*rows+3", 35}, Good{"7", 7}, Good{" rows - cols - 1 ", 7}, Good{"2*(rows+3)", 38},
                            Good{"rows/3*3", 15}, Good{"-(rows)+20", 4}, Good{"3 - -2", 5}, Good{"((cols))", 8});
    CAPTURE(c.text);
    const auto result = evaluate(c.text, variables);
    REQUIRE(std::holds_alternative<std::int64_t>(result));
    CHECK(std::get<std::int64_t>(result) == c.value);
}

TEST_CASE("a wrong expression points at the character", "[config][expression]") {
    const auto c =
        GENERATE(Bad{"", 0, "it ends where a number is expected"}, Bad{"2*", 2, "it ends where a number is expected"},
                 Bad{"2*row", 2, "unknown name 'row' (known: cols, rows)"}, Bad{"2 rows", 2, "unexpected 'r'"},
                 Bad{"(2+3", 4, "expected ')'"}, Bad{"2+)", 2, "expected a number or a name, found ')'"},
                 Bad{"5/(cols-8)", 1, "division by zero"}, Bad{"2^3", 1, "unexpected '^'"},
                 Bad{"99999999999*99999999999", 11, "the result leaves 64 bits"},
                 Bad{"9223372036854775807+1", 19, "the result leaves 64 bits"},
                 Bad{"99999999999999999999", 0, "a number that leaves 64 bits"},
                 Bad{std::string(100'000, '('), 100, "nested too deeply"},
                 Bad{std::string(100'000, '-'), 100, "nested too deeply"});
    CAPTURE(c.text.substr(0, 40));
    const auto result = evaluate(c.text, variables);
    REQUIRE(std::holds_alternative<ExpressionError>(result));
    CHECK(std::get<ExpressionError>(result).offset == c.offset);
    CHECK(std::get<ExpressionError>(result).message == c.message);
}
