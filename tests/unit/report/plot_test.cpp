#include <algorithm>
#include <sstream>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/report/palette.h"
#include "sim/report/plot.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string sample_script(PictureFormat format = PictureFormat::svg) {
    return plot_script(sample_machine(), sample_network(), format);
}

} // namespace

TEST_CASE("the ending of the name says what is drawn") {
    CHECK(picture_format("a/b.svg") == PictureFormat::svg);
    CHECK(picture_format("b.png") == PictureFormat::png);
    for (const char* const wrong : {"b.pdf", "svg", "b.", "b.svg.gz", "b.SVG"}) {
        CHECK_THROWS_AS(picture_format(wrong), InputError);
    }
}

TEST_CASE("a script is the same for the same run and names its terminal") {
    CHECK(sample_script() == sample_script());
    CHECK(has(sample_script(), "set terminal svg size 1000,"));
    CHECK(has(sample_script(PictureFormat::png), "set terminal pngcairo size 2000,"));
}

TEST_CASE("the picture has every roof, ridge and point with its number") {
    const std::string script = sample_script();
    for (const char* const part : {"'VMEM 16 GB/s'", "'HBM 4 GB/s'", "'VMEM ridge 1'", "'HBM ridge 4'",
                                   "'16 GFLOP/s int8'", "'10 GFLOP/s'", "FLOP per byte"}) {
        INFO(part);
        CHECK(has(script, part));
    }
    // 128 FLOP over 48 bytes; 12 ns at the least, 20 ns simulated
    CHECK(has(script, "\n2.66667 1.06667e+10\n"));
    CHECK(has(script, "\n2.66667 6.4e+09\n"));
    CHECK(has(script, "'qk, av, \"second\"'")); // both in one place
}

TEST_CASE("the cycle stack has a bar for every cause of every operator, up to 100 percent") {
    const std::string script = sample_script();
    // 64, 16, 36 and 44 of 160 slots: 0 - 40 - 50 - 72.5 - 100 %, rows 0 and 1
    CHECK(has(script, "\n0 0 0 40 -0.36 0.36 0x" + color_of(Cause::useful).substr(1) + "\n"));
    CHECK(has(script, "\n40 0 40 50 -0.36 0.36 0x" + color_of(Cause::stationary_load).substr(1) + "\n"));
    CHECK(has(script, "\n72.5 1 72.5 100 0.64 1.36 0x" + color_of(Cause::hbm_bandwidth).substr(1) + "\n"));
    CHECK_FALSE(has(script, title_of(Cause::vmem_capacity))); // took nothing
    CHECK(has(script, "'0 %%' 0 0"));                         // a tic's label is a format to gnuplot
}

TEST_CASE("the waterfall begins with the math and ends at the simulated cycles") {
    const std::string script = plot_script(sample_machine(), sample_run(), PictureFormat::svg);
    // 64 of 160 slots of 20 cycles are 8; then 2, 4.5 and 5.5, as differences of whole cycles 8 - 10 - 14 - 20
    for (const char* const row : {"\n0 0 0 8 ", "\n8 1 8 10 ", "\n10 2 10 14 ", "\n14 3 14 20 ", "\n0 4 0 20 "}) {
        INFO(row);
        CHECK(has(script, row));
    }
}

TEST_CASE("names out of files cannot leave their quotes") {
    RunResult run = sample_run();
    run.operators.front().name = "it's\n`date`; set output 'x' \x01 \xff {/Bold a}_b";
    const std::string script = plot_script(sample_machine(), run, PictureFormat::svg);
    CHECK(has(script, "'it''s?`date`; set output ''x"));
    CHECK(has(script, "noenhanced")); // so braces and underscores are letters
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
        CHECK(std::count(line.begin(), line.end(), '\'') % 2 == 0);
        CHECK(line.find("`date`; set output") == line.rfind("`date`; set output"));
        CHECK(line.rfind("`", 0) != 0);
    }
}

TEST_CASE("texts are cut by characters, and what is not UTF-8 is replaced") {
    CHECK(clipped("abcdef", 6) == "abcdef");
    CHECK(clipped("abcdefg", 6) == "abcde\u2026");
    CHECK(clipped("\u00e4\u00f6\u00fc", 2) == "\u00e4\u2026");
    CHECK(clipped("a\xc3z", 9) == "a?z");            // a first byte without its second
    CHECK(clipped("\xe0\x80\x80", 9) == "???");      // longer than it needs to be
    CHECK(clipped("\xed\xa0\x80", 9) == "???");      // half a surrogate
    CHECK(clipped("\xf4\x90\x80\x80", 9) == "????"); // beyond Unicode
    CHECK(clipped("a\tb\x7f", 9) == "a?b?");
    CHECK(gnuplot_quoted("a'b") == "'a''b'");
}

TEST_CASE("a series of M gets a panel of its own") {
    RunResult run = sample_run();
    for (const int m : {8, 16, 32}) {
        run.operators.push_back(run.operators.front());
        run.operators.back().m = m;
    }
    CHECK(has(plot_script(sample_machine(), run, PictureFormat::svg), "'The knee: int8 [M,4] x [4,4]"));
    CHECK_FALSE(has(sample_script(), "The knee"));
}

TEST_CASE("more operators than a picture can show are refused") {
    RunResult run = sample_run();
    run.operators.resize(most_plotted + 1, run.operators.front());
    CHECK_THROWS_AS(plot_script(sample_machine(), run, PictureFormat::svg), InputError);
    run.operators.resize(most_plotted);
    CHECK_NOTHROW(plot_script(sample_machine(), run, PictureFormat::svg));
}

TEST_CASE("causes have colours and titles of their own") {
    for (const Cause one : all_causes) {
        CHECK(color_of(one).size() == 7);
        for (const Cause other : all_causes) {
            CHECK((one == other || (color_of(one) != color_of(other) && title_of(one) != title_of(other))));
        }
    }
}

TEST_CASE("the name of a roof close below another stands below it, not across the other") {
    Machine machine = sample_machine();
    machine.hbm.bandwidth = 14'000'000'000; // VMEM: 16 GB/s
    RunResult run = sample_network();
    for (OperatorResult& one : run.operators) {
        one.roofline.levels["hbm"].bytes_per_second = 14e9;
    }
    const std::string script = plot_script(machine, run, PictureFormat::svg);
    const auto height_of = [&](const std::string& label) { // gnuplot's screen counts from the bottom
        const std::size_t at = script.find("set label '" + label + "'");
        REQUIRE(at != std::string::npos);
        return std::stod(script.substr(script.find(", screen ", at) + 9));
    };
    CHECK(height_of("HBM 14 GB/s") < height_of("VMEM 16 GB/s"));
}

TEST_CASE("the names of many operators in one place stay short enough for a label") {
    RunResult run = sample_network();
    for (OperatorResult& one : run.operators) {
        one.name = "attention_projection_of_layer"; // clipped to 18 characters each
    }
    const std::string script = plot_script(sample_machine(), run, PictureFormat::svg);
    CHECK(has(script, " and 1 more'"));
    run.operators.back().name = "a"; // 18 and ", a" fit
    CHECK_FALSE(has(plot_script(sample_machine(), run, PictureFormat::svg), " and 1 more'"));
}
