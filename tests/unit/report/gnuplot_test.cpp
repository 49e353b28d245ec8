#include <cstdlib>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/report/gnuplot.h"
#include "sim/report/plot.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

// $PATH for as long as this lives.
class PathOf {
  public:
    explicit PathOf(const std::string& value) : before_(std::getenv("PATH")) { ::setenv("PATH", value.c_str(), 1); }
    ~PathOf() { ::setenv("PATH", before_.c_str(), 1); }

  private:
    std::string before_;
};

std::string message_of(const std::string& script) {
    try {
        run_gnuplot(script);
    } catch (const EnvironmentError& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("a missing gnuplot is named with its package") {
    const PathOf path("/nonexistent::/also/not");
    CHECK_THROWS_AS(gnuplot_program(), EnvironmentError);
    CHECK_THAT(message_of("plot x"), Catch::Contains("gnuplot-nox"));
}

TEST_CASE("the picture of a run is an SVG or a PNG, the same bytes every time") {
    const std::string svg = plot_picture(sample_machine(), sample_network(), PictureFormat::svg);
    CHECK(svg.rfind("<?xml", 0) == 0);
    CHECK_THAT(svg, Catch::EndsWith("</svg>\n\n") || Catch::EndsWith("</svg>\n"));
    CHECK(svg == plot_picture(sample_machine(), sample_network(), PictureFormat::svg));
    const std::string png = plot_picture(sample_machine(), sample_network(), PictureFormat::png);
    CHECK(png.rfind("\x89PNG", 0) == 0);
    CHECK(png == plot_picture(sample_machine(), sample_network(), PictureFormat::png));
}

TEST_CASE("markup in a name is escaped by the time it is in an SVG") {
    RunResult run = sample_run();
    run.operators.front().name = "<script>&`date`";
    const std::string svg = plot_picture(sample_machine(), run, PictureFormat::svg);
    CHECK(svg.find("<script>") == std::string::npos);
    CHECK_THAT(svg, Catch::Contains("&lt;script>&amp;`date`"));
}

TEST_CASE("what gnuplot complains about is passed on") {
    CHECK_THAT(message_of("set terminal nonsense\n"), Catch::Contains("gnuplot could not draw"));
    CHECK_THAT(message_of("set terminal nonsense\n"), Catch::Contains("nonsense") || Catch::Contains("terminal"));
    CHECK_THAT(message_of("exit\n"), Catch::Contains("no reason given"));
    // It gives up in the first line, while the rest is still being sent.
    CHECK_THAT(message_of("exit status 3\n" + std::string(4 << 20, '#')), Catch::Contains("could not draw"));
}
