#include <catch2/catch.hpp>

#include "sim/sweep/sweep_file.h"

using namespace systole;

namespace {

std::vector<std::string> errors_of(const std::string& text) {
    std::vector<std::string> errors;
    try {
        read_sweep_file(text, "s.toml");
    } catch (const InputError& error) {
        for (const Diagnostic& one : error.diagnostics()) {
            errors.push_back(to_string(one.place) + ": " + one.message);
        }
    }
    return errors;
}

struct Bad {
    const char* text;
    const char* message;
};

} // namespace

TEST_CASE("a sweep file states the run, the axes and the filters", "[sweep][sweep_file]") {
    const SweepFile sweep = read_sweep_file("description = \"shapes\"\n"
                                            "filters = [\"array.rows <= 16\"]\n"
                                            "[run]\n"
                                            "chip = \"edge_16x16\"\n"
                                            "gemm = \"8x8x8\"\n"
                                            "seed = 3\n"
                                            "no-verify = true\n"
                                            "verify = false\n"
                                            "set = [\"clock=2 GHz\", \"cores=2\"]\n"
                                            "[[axis]]\n"
                                            "key = \"dataflow\"\n"
                                            "values = [\"ws\", \"os\"]\n"
                                            "[[axis]]\n"
                                            "link = [\"array.rows\", \"array.cols\"]\n"
                                            "values = [4, \"8..16\", \"8x32\", [16, 64]]\n",
                                            "s.toml");
    CHECK(sweep.description == "shapes");
    REQUIRE(sweep.filters.size() == 1);
    CHECK(sweep.filters[0].text == "array.rows <= 16");
    CHECK(to_string(sweep.filters[0].place) == "s.toml:2:12");
    REQUIRE(sweep.run.size() == 5); // a switch that is false is as good as not given
    CHECK(sweep.run[0].name == "chip");
    CHECK(sweep.run[0].values == std::vector<std::string>{"edge_16x16"});
    CHECK(sweep.run[2].values == std::vector<std::string>{"3"});
    CHECK(sweep.run[3].is_switch);
    CHECK(sweep.run[4].values == std::vector<std::string>{"clock=2 GHz", "cores=2"});
    REQUIRE(sweep.axes.size() == 2);
    CHECK(sweep.axes[0].keys == std::vector<std::string>{"dataflow"});
    using Texts = std::vector<std::string>;
    REQUIRE(sweep.axes[1].values.size() == 5);
    CHECK(sweep.axes[1].values[0].texts == Texts{"4", "4"});
    CHECK(sweep.axes[1].values[2].texts == Texts{"16", "16"});
    CHECK(sweep.axes[1].values[3].texts == Texts{"8", "32"});
    CHECK(sweep.axes[1].values[4].texts == Texts{"16", "64"});
}

TEST_CASE("problems of a sweep file are reported with line and column", "[sweep][sweep_file]") {
    const auto c = GENERATE(
        Bad{"axes = 3\n", "s.toml:1:1: unknown key 'axes' (did you mean 'axis'?)"},
        Bad{"[[axis]]\nkey = \"a\"\nvalue = [1]\n",
            "s.toml:3:1: unknown key 'axis.value' (did you mean 'axis.values'?)"},
        Bad{"[[axis]]\nkey = \"a\"\nlink = [\"b\"]\nvalues = [1]\n", "s.toml:1:1: an axis needs 'values' and either"},
        Bad{"[[axis]]\nkey = \"a\"\nvalues = 3\n", "s.toml:3:10: 'values' must be a list"},
        Bad{"[[axis]]\nkey = \"a\"\nvalues = []\n", "s.toml:1:1: axis a has no values"},
        Bad{"[[axis]]\nkey = \"a\"\nvalues = [1,\n\"3..8\"]\n", "s.toml:4:1: range '3..8' multiplies by 2"},
        Bad{"[[axis]]\nlink = [\"a\", \"b\"]\nvalues = [[1]]\n", "s.toml:3:11: a list of 1 values for 2 keys"},
        Bad{"[[axis]]\nkey = \"a\"\nvalues = [1979-05-27]\n", "s.toml:3:11: a value must be a text, a number"},
        Bad{"axis = 3\n", "s.toml:1:8: 'axis' must be a list of tables"},
        Bad{"run = 3\n", "s.toml:1:7: 'run' must be a table"},
        Bad{"[run]\nchip = {}\n", "s.toml:2:8: 'run.chip' must be a text, a number or a list"},
        Bad{"filters = \"a\"\n", "s.toml:1:11: 'filters' must be a list of texts"},
        Bad{"description = 3\n", "s.toml:1:15: 'description' must be a text in quotes"}, Bad{"a = \n", "s.toml:1:"});
    CAPTURE(c.text);
    const std::vector<std::string> errors = errors_of(c.text);
    const auto says = [&](const std::string& error) { return error.find(c.message) != std::string::npos; };
    CAPTURE(errors);
    CHECK(std::any_of(errors.begin(), errors.end(), says));
}

TEST_CASE("all problems of a sweep file are reported at once", "[sweep][sweep_file]") {
    CHECK(errors_of("description = 3\nfilters = 4\n[[axis]]\nkey = \"a\"\nvalues = [2, 2]\n").size() == 3);
}

TEST_CASE("every sweep that comes with Systole can be read", "[sweep][sweep_file]") {
    for (const std::string& name : sweep_names()) {
        CAPTURE(name);
        const SweepFile sweep = load_sweep_file(name);
        CHECK(!sweep.description.empty());
        CHECK(Space(sweep.axes, sweep.filters).size() > 1);
    }
}
