#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/report/explain.h"
#include "sim/report/html.h"
#include "sim/report/html_assets.h"
#include "sim/roofline/chip_roofs.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

HtmlReport sample_report() {
    HtmlReport report;
    report.chip = {sample_machine(), "sample.toml", {}};
    report.run = sample_network();
    report.command = "systole compare --gemm 4x4x4";
    return report;
}

// What stands in the page's data element.
Json data_of(const std::string& page) {
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const std::size_t from = page.find(begin) + begin.size();
    return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

} // namespace

TEST_CASE("the page is one file: every mark filled in, no address to follow") {
    const std::string page = html_report(sample_report());
    CHECK(page == html_report(sample_report()));
    for (const char* const mark : {"@DATA@", "@STYLE@", "@CHART_JS@", "@PAGE_JS@"}) {
        CHECK(count(page, mark) == 0);
    }
    CHECK(count(page, "src=") == 0);
    CHECK(count(page, "<link") == 0);
    CHECK(count(page, "@import") == 0);
    CHECK(count(page, "default-src 'none'") == 1);
    CHECK(count(page, "Chart.js v") == 1);
    CHECK(count(page, "Permission is hereby granted") == 1); // its licence
    CHECK(count(page, "<script") == count(page, "</script>"));
    CHECK(data_of(page) == html_data(sample_report()));
}

TEST_CASE("the report of a network has no sliders, and one row for the repetitions of a block if there are very many") {
    HtmlReport report = sample_report();
    report.run.network = true;
    CHECK(html_data(report)["what_if"].is_null());
    const OperatorResult one = report.run.operators.front();
    report.run.operators.clear();
    for (int i = 0; i < 201; ++i) {
        report.run.operators.push_back(one);
        report.run.operators.back().name = "block[" + std::to_string(i) + "].a";
    }
    CHECK(html_data(report)["operators"].size() == 1);
    CHECK(html_data(report)["operators"][0]["name"] == "block[0-200].a");
}

TEST_CASE("names out of files stay text in the page") {
    HtmlReport report = sample_report();
    const std::string name = "</script><img src=x onerror=alert(1)><!-- & \" @DATA@ \u2028";
    report.run.operators.front().name = name;
    report.chip.argument = "</script>";
    report.command = "--> <b>";
    const std::string page = html_report(report);
    CHECK(count(page, "<img") == 0);
    CHECK(count(page, "<b>") == 0);
    CHECK(count(page, "</script>") == count(html_report(sample_report()), "</script>"));
    CHECK(data_of(page)["operators"][0]["name"] == name);
    CHECK(count(page, "@DATA@") == count(html_data(report).dump(), "@DATA@")); // text, not filled in a second time
}

TEST_CASE("bytes that are no UTF-8 do not break the data") {
    HtmlReport report = sample_report();
    report.run.operators.front().name = "a\xff";
    CHECK(data_of(html_report(report))["operators"][0]["name"] == "a\ufffd");
}

TEST_CASE("the data hold what the page shows of an operator") {
    const Json data = html_data(sample_report());
    const Json& one = data["operators"][0];
    CHECK(one["cycles"] == 20);
    CHECK(one["stack"]["hbm_bandwidth"] == 44);
    CHECK(one["pe_slots"] == 160);
    REQUIRE(one["levels"].size() == 2);
    CHECK(one["levels"][1]["name"] == "hbm");
    CHECK(one["levels"][1]["compulsory_bytes"] == 48);
    CHECK(one["levels"][1]["tiled_bytes"] == 64);
    CHECK(one["levels"][1]["simulated_bytes"] == 64); // 48 read, 16 written
    std::int64_t cycles = 0;
    for (const Json& bar : one["waterfall"]) {
        cycles += bar["cycles"].get<std::int64_t>();
    }
    CHECK(cycles == 20);
    CHECK(one["explanations"].size() == explain(sample_machine(), sample_run().operators.front()).size());
    CHECK(one["explanations"].size() == 3); // stationary_load, fill_drain, hbm_bandwidth
    CHECK(data["operators"][1]["dtype"] == "int8,int8,int32");
    CHECK(data["total"]["dtype"] == "mixed");
    CHECK(data["total"]["dataflow"] == "mixed");
    CHECK(data["knee"].is_null());
}

TEST_CASE("the sliders begin at the first operator, on the chip of the run") {
    const Json start = html_data(sample_report())["what_if"];
    CHECK(start == Json{{"batch", 4},
                        {"d", 4},
                        {"f", 4},
                        {"chips", 1},
                        {"chip", 0},
                        {"from", "hbm"},
                        {"dtype", "int8"},
                        {"sparsity", "dense"}});
}

TEST_CASE("sparsities to choose from are dense, 2:4 and those of the run") {
    HtmlReport report = sample_report();
    report.run.operators.front().sparsity = {1, 4};
    const Json data = html_data(report);
    CHECK(data["what_if"]["sparsity"] == "1:4");
    CHECK(data["sparsities"] == Json{{{"name", "dense"}, {"keep", 1}, {"group", 1}, {"index_bits", 0}},
                                     {{"name", "2:4"}, {"keep", 2}, {"group", 4}, {"index_bits", 2}},
                                     {{"name", "1:4"}, {"keep", 1}, {"group", 4}, {"index_bits", 2}}});
}

TEST_CASE("chips come with peaks and bandwidths, of the data sheet and of the machine") {
    HtmlReport report = sample_report();
    report.chip.machine.nominal.flops[Format::bf16] = 5e9;
    report.chip.machine.nominal.hbm_bandwidth = 3'000'000'000;
    const Json chip = html_data(report)["chips"][0];
    CHECK(chip["argument"] == "sample.toml");
    CHECK(chip["rates"]["nominal"]["peaks"] == Json{{"int8", 16e9}, {"bf16", 5e9}});
    CHECK(chip["rates"]["machine"]["peaks"] == Json{{"int8", 16e9}});
    const auto hbm_of = [&](const char* rates) { return chip["rates"][rates]["levels"][1]["bandwidth"]; };
    CHECK(hbm_of("nominal") == 3e9);
    CHECK(hbm_of("machine") == 4e9);
    CHECK(chip["rates"]["machine"]["levels"][2] == Json{{"name", "pcie"}, {"bandwidth", nullptr}}); // unlimited

    Machine sheet = report.chip.machine;
    sheet.file = "sheet.toml";
    sheet.roofline_only = true;
    report.others = {{sheet, "sheet", {}}};
    const Json other = html_data(report)["chips"][1];
    CHECK(other["rates"]["machine"].is_null());
    CHECK(other["rates"]["nominal"]["peaks"] == Json{{"bf16", 5e9}});
}

TEST_CASE("the chip of the run is offered once, or beside what was set") {
    HtmlReport report = sample_report();
    report.others = {{sample_machine(), "sample_2x4", {}}};
    CHECK(html_data(report)["chips"].size() == 1);
    report.chip.overrides = {"array.rows=4"};
    const Json chips = html_data(report)["chips"];
    REQUIRE(chips.size() == 2);
    CHECK(chips[0]["title"] == "sample_2x4 as it was set");
    CHECK(chips[1]["title"] == "sample_2x4");
}

TEST_CASE("a part of the page that is not there is a bug, said by name") {
    CHECK_THROWS_AS(html_asset("nothing.js"), InternalError);
}
