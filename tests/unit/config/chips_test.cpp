// The chip files that are shipped.
#include <algorithm>

#include <catch2/catch.hpp>

#include "sim/config/load.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;

namespace {

// The text of a value as a chip file would have it: numbers, truths and tables bare, everything else in quotes.
std::string as_toml(const std::string& key, const std::string& value) {
    const bool bare = value.find_first_not_of("0123456789") == std::string::npos || value == "true" ||
                      value == "false" || value.front() == '{';
    return key + " = " + (bare ? value : "\"" + value + "\"") + "\n";
}

} // namespace

TEST_CASE("the chips that are promised are there", "[config][chips]") {
    const std::vector<std::string> names = chip_names();
    CHECK(std::is_sorted(names.begin(), names.end()));
    for (const char* name : {"tiny_4x4",
                             "edge_16x16",
                             "npu_200t",
                             "tpu_v1",
                             "tpu_v4",
                             "tpu_v5e",
                             "tpu_v5p",
                             "tpu_v6e",
                             "tpu_v7",
                             "a100",
                             "h100",
                             "h200",
                             "b200",
                             "gpu_312t",
                             "gpu_1000t",
                             "cpu_2t",
                             "cpu_4t",
                             "cpu_128t",
                             "scalesim_like",
                             "rtl/gemmini_mesh",
                             "rtl/gemmini_controller",
                             "rtl/opentpu",
                             "rtl/tinytpu",
                             "rtl/axis_sa"}) {
        CAPTURE(name);
        CHECK(std::count(names.begin(), names.end(), name) == 1);
    }
}

TEST_CASE("every chip loads, names its source, and comes back from its own values", "[config][chips]") {
    const test::TempFolder folder;
    for (const std::string& name : chip_names()) {
        CAPTURE(name);
        const Machine machine = load_machine(name);
        CHECK_FALSE(machine.description.empty());
        CHECK_FALSE(machine.source.empty());
        const auto values = chip_values(machine);

        std::string text;
        std::vector<std::string> overrides;
        for (const auto& [key, value] : values) {
            text += as_toml(key, value);
            overrides.push_back(key + "=" + value);
        }
        CHECK(chip_values(load_machine(folder.write("copy.toml", text))) == values);
        CHECK(chip_values(load_machine(name, overrides)) == values);
    }
}

TEST_CASE("values of one chip given with --set turn a bare machine into it", "[config][chips]") {
    const test::TempFolder folder;
    const std::string bare = folder.write("bare.toml", "clock = \"1 MHz\"\narray.rows = 1\narray.cols = 1\n");
    for (const std::string& name : chip_names()) {
        CAPTURE(name);
        if (load_machine(name).roofline_only) {
            continue; // a data sheet has no array, and a bare machine has one
        }
        const auto values = chip_values(load_machine(name));
        std::vector<std::string> overrides;
        for (const auto& [key, value] : values) {
            overrides.push_back(key + "=" + value);
        }
        CHECK(chip_values(load_machine(bare, overrides)) == values);
    }
}

TEST_CASE("a chip in a subfolder is found with and without its folder", "[config][chips]") {
    CHECK(load_machine("gemmini_mesh").file == load_machine("rtl/gemmini_mesh").file);
    CHECK(load_machine("rtl/gemmini_mesh").name == "gemmini_mesh");
}

TEST_CASE("peaks of the chips are those of their sources", "[config][chips]") {
    CHECK(peak_flops(load_machine("npu_200t"), 1) == 2e14); // exactly 200 TOP/s
    CHECK(peak_flops(load_machine("tpu_v1"), 1) == 2.0 * 256 * 256 * 700e6);
    const Machine v5e = load_machine("tpu_v5e");
    CHECK(peak_flops(v5e, 1) == 1.96608e14); // 4 * 128 * 128 * 2 * 1.5e9
    CHECK(macs_per_pe_cycle(v5e, {Format::int8, Format::int8, Format::int8}) == 2);
    CHECK(v5e.default_format == Format::bf16);
    CHECK(v5e.vmem.capacity == Bytes{128} << 20);
    CHECK(v5e.hbm.bandwidth == 819'000'000'000);
    CHECK(v5e.nominal.flops.at(Format::bf16) == 1.97e14);
    CHECK(load_machine("npu_200t").nominal.pcie_bandwidth == 32'000'000'000);
}

TEST_CASE("SCALE-Sim's machine overlaps nothing and never waits for memory", "[config][chips]") {
    const Machine machine = load_machine("scalesim_like");
    CHECK(machine.array.weight_buffers == 1);
    CHECK(machine.array.accumulator_buffers == 1);
    CHECK(machine.array.drain_axis == DrainAxis::none);
    CHECK(machine.array.edge_latency == 0);
    CHECK(machine.vmem.bandwidth == unlimited);
    CHECK(machine.vmem.capacity == unlimited);
    CHECK(machine.hbm.bandwidth == unlimited);
    CHECK(machine.hbm.latency == 0);
    CHECK(machine.pcie.bandwidth == unlimited);
}

TEST_CASE("OpenTPU's swap period follows its rows", "[config][chips]") {
    CHECK(load_machine("rtl/opentpu").array.swap_period == 35);                   // 2 * 16 + 3
    CHECK(load_machine("rtl/opentpu", {"array.rows=4"}).array.swap_period == 11); // 2 * 4 + 3
    CHECK(load_machine("rtl/opentpu", {"array.swap_period=16"}).array.swap_period == 16);
}
