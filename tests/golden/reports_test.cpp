// The reports of results made by hand, byte for byte, against tests/golden/expected/. After a wanted change:
// SYSTOLE_UPDATE_GOLDEN=1 build/dev/tests/test_golden, then read the difference.
#include <clocale>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "sim/report/compare.h"
#include "sim/report/csv.h"
#include "sim/report/json.h"
#include "sim/report/scalesim.h"
#include "sim/report/text.h"
#include "tests/golden/sample_result.h"

using namespace systole;

namespace {

std::string read(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

void check_golden(const std::string& name, const std::string& text) {
    const std::string path = std::string(SYSTOLE_TESTS_DIR) + "/golden/expected/" + name;
    if (std::getenv("SYSTOLE_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path, std::ios::binary) << text;
    }
    INFO("expected: " << path);
    CHECK(text == read(path));
}

} // namespace

TEST_CASE("reports of one operator are what they were") {
    const Machine machine = sample_machine();
    const RunResult run = sample_run();
    check_golden("one.txt", text_report(machine, run));
    check_golden("one.json", json_report(run));
    check_golden("one.csv", csv_report(run));
    check_golden("one.scalesim.csv", scalesim_report(machine, run));
}

TEST_CASE("reports of two operators are what they were") {
    const Machine machine = sample_machine();
    const RunResult run = sample_network();
    check_golden("two.txt", text_report(machine, run));
    check_golden("two.json", json_report(run));
    check_golden("two.csv", csv_report(run));
    check_golden("two.scalesim.csv", scalesim_report(machine, run));
}

TEST_CASE("comparisons of one and of two operators are what they were") {
    const Comparison one{sample_machine(), sample_run(), true, {}};
    check_golden("compare_one.txt", compare_text(one));
    check_golden("compare_one.json", compare_json(one));
    check_golden("compare_one.csv", compare_csv(one));
    const std::vector<SensitivityRow> rows{{"hbm.bandwidth", "4 GB/s", "8 GB/s", 30, 30e-9, 10, ""},
                                           {"clock", "1 GHz", "2 GHz", 84, 42e-9, -2, ""},
                                           {"cores", "64", "128", 0, 0, 0, "'cores' is 128, and 64 is the most"}};
    check_golden("compare_two.txt", compare_text({sample_machine(), sample_network(), false, rows}));
    check_golden("compare_two.json", compare_json({sample_machine(), sample_network(), false, rows}));
}

TEST_CASE("reports do not depend on the locale") {
    const RunResult run = sample_run();
    const std::string before = text_report(sample_machine(), run) + json_report(run) + csv_report(run);
    const std::string old = std::setlocale(LC_ALL, nullptr);
    // Where no other locale is installed the environment's is taken, which then is the same.
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
        std::setlocale(LC_ALL, "");
    }
    const std::string after = text_report(sample_machine(), run) + json_report(run) + csv_report(run);
    std::setlocale(LC_ALL, old.c_str());
    CHECK(after == before);
}
