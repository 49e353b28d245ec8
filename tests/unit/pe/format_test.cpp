#include <catch2/catch.hpp>

#include "pe/format.h"

using namespace systole;

TEST_CASE("every number format is found by its own name", "[pe][format]") {
    for (const Format format : all_formats) {
        CHECK(parse_format(name(format)) == format);
    }
    CHECK_FALSE(parse_format("INT8"));
    CHECK_FALSE(parse_format(""));
}

TEST_CASE("formats have the widths of their names", "[pe][format]") {
    CHECK(bits(Format::int4) == 4);
    CHECK(bits(Format::int8) == 8);
    CHECK(bits(Format::fp8_e4m3) == 8);
    CHECK(bits(Format::fp8_e5m2) == 8);
    CHECK(bits(Format::bf16) == 16);
    CHECK(bits(Format::fp16) == 16);
    CHECK(bits(Format::int32) == 32);
    CHECK(bits(Format::fp32) == 32);
}

TEST_CASE("packed values take whole bytes", "[pe][format]") {
    CHECK(stored_bytes(0, Format::int8) == 0);
    CHECK(stored_bytes(7, Format::int8) == 7);
    CHECK(stored_bytes(1, Format::int4) == 1);
    CHECK(stored_bytes(2, Format::int4) == 1);
    CHECK(stored_bytes(9, Format::int4) == 5);
    CHECK(stored_bytes(5, Format::bf16) == 10);
    // 2^61 - 1 elements: their bits alone would leave 64 bits, their bytes do not
    const std::int64_t many = (std::int64_t{1} << 61) - 1;
    CHECK(stored_bytes(many, Format::fp32) == 4 * many);
}
