#include <catch2/catch.hpp>

#include "sim/workload/integer.h"
#include "sim/workload/operand_formats.h"

using namespace systole;

TEST_CASE("whole numbers are understood whole or not at all") {
    CHECK(parse_integer("1", 1).value == 1);
    CHECK(parse_integer("007", 1).value == 7);
    CHECK(parse_integer("-3", -5).value == -3);
    CHECK(parse_integer("9223372036854775807", 1).value == unlimited);
    for (const char* const text : {"", "-", "+1", "1x", " 1", "1 ", "1.0", "1e3", "0x10", "--1"}) {
        INFO(text);
        CHECK_FALSE(parse_integer(text, -100).value);
        CHECK(parse_integer(text, -100).error.find("is not a whole number") != std::string::npos);
    }
}

TEST_CASE("numbers out of range say on which side, beyond 64 bits too") {
    CHECK(parse_integer("0", 1).error == "'0' is below 1");
    CHECK(parse_integer("-1", 0).error == "'-1' is below 0");
    CHECK(parse_integer("11", 1, 10).error == "'11' is above 10");
    CHECK(parse_integer("99999999999999999999", 1, 10).error == "'99999999999999999999' is above 10");
    CHECK(parse_integer("9223372036854775808", 1).error == "'9223372036854775808' is above 9223372036854775807");
    CHECK(parse_integer("-99999999999999999999", 0).error == "'-99999999999999999999' is below 0");
}

TEST_CASE("formats of B and C are those of A where they are left out") {
    CHECK(parse_operand_formats("bf16").value == OperandFormats{Format::bf16, Format::bf16, Format::bf16});
    CHECK(parse_operand_formats("bf16,int4").value == OperandFormats{Format::bf16, Format::int4, Format::bf16});
    CHECK(parse_operand_formats("int8, int4, int32").value ==
          OperandFormats{Format::int8, Format::int4, Format::int32});
}

TEST_CASE("unknown, empty and superfluous formats are refused") {
    CHECK(parse_operand_formats("bf61").error.find("did you mean 'bf16'?") != std::string::npos);
    CHECK_FALSE(parse_operand_formats("").value);
    CHECK_FALSE(parse_operand_formats("int8,").value);
    CHECK_FALSE(parse_operand_formats("int8,int8,int8,int8").value);
}
