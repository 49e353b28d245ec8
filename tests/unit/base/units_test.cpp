#include <catch2/catch.hpp>

#include "sim/base/units.h"

using namespace systole;

namespace {

struct Good {
    const char* text;
    std::int64_t value;
    const char* printed;
};

struct Bad {
    const char* text;
    const char* error;
};

} // namespace

TEST_CASE("frequencies are read exactly and printed as they are read", "[base][units]") {
    const auto c = GENERATE(Good{"1.5 GHz", 1'500'000'000, "1.5 GHz"}, Good{"700 MHz", 700'000'000, "700 MHz"},
                            Good{"1GHz", 1'000'000'000, "1 GHz"}, Good{"  32.768 kHz ", 32'768, "32.768 kHz"},
                            Good{"1220703125 Hz", 1'220'703'125, "1.220703125 GHz"},
                            Good{"1.500000000000000000000 GHz", 1'500'000'000, "1.5 GHz"}, Good{"0 Hz", 0, "0 Hz"});
    CAPTURE(c.text);
    const auto parsed = parse_frequency(c.text);
    REQUIRE(parsed.value);
    CHECK(*parsed.value == c.value);
    CHECK(format_frequency(*parsed.value) == c.printed);
    CHECK(parse_frequency(c.printed).value == c.value);
}

TEST_CASE("sizes are binary and printed in the largest unit that keeps them exact", "[base][units]") {
    const auto c =
        GENERATE(Good{"512 B", 512, "512 B"}, Good{"64 KiB", 65'536, "64 KiB"}, Good{"128 MiB", 134'217'728, "128 MiB"},
                 Good{"1.5 KiB", 1'536, "1.5 KiB"}, Good{"1537 B", 1'537, "1537 B"},
                 Good{"1 TiB", 1'099'511'627'776, "1 TiB"}, Good{"unlimited", unlimited, "unlimited"});
    CAPTURE(c.text);
    const auto parsed = parse_bytes(c.text);
    REQUIRE(parsed.value);
    CHECK(*parsed.value == c.value);
    CHECK(format_bytes(*parsed.value) == c.printed);
}

TEST_CASE("bandwidths are decimal and take binary units too", "[base][units]") {
    const auto c = GENERATE(
        Good{"819 GB/s", 819'000'000'000, "819 GB/s"}, Good{"100GB/s", 100'000'000'000, "100 GB/s"},
        Good{"256 GiB/s", 274'877'906'944, "274.877906944 GB/s"}, Good{"2.765 TB/s", 2'765'000'000'000, "2.765 TB/s"},
        Good{"28807032967 B/s", 28'807'032'967, "28.807032967 GB/s"}, Good{"unlimited", unlimited, "unlimited"});
    CAPTURE(c.text);
    const auto parsed = parse_bandwidth(c.text);
    REQUIRE(parsed.value);
    CHECK(*parsed.value == c.value);
    CHECK(format_bandwidth(*parsed.value) == c.printed);
    CHECK(parse_bandwidth(c.printed).value == c.value);
}

TEST_CASE("times, bytes per cycle and rates of operations keep their value", "[base][units]") {
    CHECK(parse_time("100 ns").value == 100'000);
    CHECK(parse_time("1 us").value == 1'000'000);
    CHECK(format_time(1'500'000) == "1.5 us");
    CHECK(parse_bytes_per_cycle("64 B/cycle").value == 64);
    CHECK(parse_bytes_per_cycle("2 KiB/cycle").value == 2048);
    CHECK(format_bytes_per_cycle(2048) == "2048 B/cycle");
    CHECK(parse_flops("197 TFLOP/s").value == 1.97e14);
    CHECK(parse_flops("92 TOP/s").value == 9.2e13);
    CHECK(format_flops(1.97e14) == "197 TFLOP/s");
}

TEST_CASE("text that is no frequency says what would be one", "[base][units]") {
    const auto c = GENERATE(
        Bad{"1 MB", "'1 MB' is not a frequency: unknown unit 'MB' (use Hz, kHz, MHz or GHz)"},
        Bad{"1 ghz", "'1 ghz' is not a frequency: unknown unit 'ghz' (use Hz, kHz, MHz or GHz)"},
        Bad{"5", "'5' has no unit (use Hz, kHz, MHz or GHz)"},
        Bad{"fast", "'fast' is not a frequency (write a number and Hz, kHz, MHz or GHz)"},
        Bad{"", "'' is not a frequency (write a number and Hz, kHz, MHz or GHz)"},
        Bad{"1. GHz", "'1. GHz' is not a frequency (write a number and Hz, kHz, MHz or GHz)"},
        Bad{"-1 GHz", "'-1 GHz' must not be negative (write a number and Hz, kHz, MHz or GHz)"},
        Bad{"unlimited", "'unlimited' is not a frequency (write a number and Hz, kHz, MHz or GHz)"},
        Bad{"0.5 Hz", "'0.5 Hz' is not a whole number of Hz"},
        Bad{"1.0000000001 GHz", "'1.0000000001 GHz' is not a whole number of Hz"},
        Bad{"0.0000000000000000000000001 GHz", "'0.0000000000000000000000001 GHz' is not a whole number of Hz"},
        Bad{"9223372036854775807 Hz", "'9223372036854775807 Hz' is too large for 64 bits of Hz"},
        Bad{"99999999999 GHz", "'99999999999 GHz' is too large for 64 bits of Hz"},
        Bad{"99999999999999999999999999999999999999 Hz",
            "'99999999999999999999999999999999999999 Hz' is too large for 64 bits of Hz"});
    CAPTURE(c.text);
    const auto parsed = parse_frequency(c.text);
    CHECK_FALSE(parsed.value);
    CHECK(parsed.error == c.error);
}

TEST_CASE("decimal megabytes are refused where binary ones are meant", "[base][units]") {
    CHECK(parse_bytes("24 MB").error ==
          "'24 MB' is not a number of bytes: unknown unit 'MB' (use B, KiB, MiB, GiB or TiB)");
    CHECK(parse_time("3 GHz").error == "'3 GHz' is not a time: unknown unit 'GHz' (use ps, ns, us, ms or s)");
}

TEST_CASE("the largest value below unlimited is the largest that is taken", "[base][units]") {
    CHECK(parse_bytes("9223372036854775806 B").value == unlimited - 1);
    CHECK_FALSE(parse_bytes("9223372036854775807 B").value);
    CHECK_FALSE(parse_bytes("8388608 TiB").value); // 2^63
}

TEST_CASE("a very long number is shortened in its message", "[base][units]") {
    const auto parsed = parse_bytes(std::string(100'000, '9') + " B");
    CHECK_FALSE(parsed.value);
    CHECK(parsed.error.size() < 200);
}
