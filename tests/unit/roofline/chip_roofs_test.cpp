// The roofs of chip files.
#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/config/load.h"
#include "sim/roofline/chip_roofs.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;
using namespace systole::analytic;

namespace {

constexpr OperandFormats of(Format format) { return {format, format, format}; }

std::vector<std::string> names(const Roofs& roofs) {
    std::vector<std::string> result;
    for (const Level& level : roofs.levels) {
        result.push_back(level.name);
    }
    return result;
}

} // namespace

TEST_CASE("the data sheet counts, or the machine if asked for") {
    const Machine v5e = load_machine("tpu_v5e");
    const Roofs sheet = chip_roofs(v5e, of(Format::bf16));
    CHECK(sheet.peak == 197e12);
    CHECK(level_of(sheet, "hbm").bandwidth == 819e9);
    CHECK(level_of(sheet, "pcie").bandwidth == 15e9);
    CHECK(level_of(sheet, "link").bandwidth == 45e9);
    CHECK(level_of(sheet, "vmem").bandwidth == 12012.0 * 1.5e9); // not stated: the machine's
    const Roofs machine = chip_roofs(v5e, of(Format::bf16), Rates::machine);
    CHECK(machine.peak == 196.608e12);
    CHECK(level_of(machine, "pcie").bandwidth == static_cast<double>(v5e.pcie.bandwidth));
}

TEST_CASE("levels come nearest to the math first, and only as far as the data comes from") {
    const Roofs all = chip_roofs(load_machine("tpu_v5e"), of(Format::bf16));
    CHECK(names(all) == std::vector<std::string>{"vmem", "hbm", "pcie", "link"});
    CHECK(names(seen_from(all, DataOrigin::hbm)) == std::vector<std::string>{"vmem", "hbm", "link"});
    CHECK(names(seen_from(all, DataOrigin::vmem)) == std::vector<std::string>{"vmem", "link"});
    CHECK(names(chip_roofs(load_machine("cpu_2t"), of(Format::fp32))) == std::vector<std::string>{"l1", "l2", "hbm"});
}

TEST_CASE("of two formats the slower one is computed in, as far as its rate is known") {
    const Machine v5e = load_machine("tpu_v5e");
    CHECK(peak_of(v5e, Format::bf16, Format::int8, Rates::nominal) == 197e12);
    CHECK(peak_of(v5e, Format::int8, Format::int8, Rates::nominal) == 394e12);
    CHECK(peak_of(v5e, Format::bf16, Format::int4, Rates::nominal) == 197e12);
    CHECK_THROWS_AS(peak_of(v5e, Format::int4, Format::int8, Rates::nominal), InputError);
    CHECK_THROWS_AS(peak_of(load_machine("h100"), Format::bf16, Format::bf16, Rates::machine), InputError);
}

TEST_CASE("peaks and bandwidths of the data sheets are those of their sources") {
    struct Sheet {
        const char* chip;
        Format format;
        double peak;
        double hbm;
    };
    for (const Sheet& sheet : {Sheet{"a100", Format::bf16, 312e12, 2039e9},
                               {"h100", Format::bf16, 989e12, 3350e9},
                               {"h200", Format::bf16, 989e12, 4800e9},
                               {"b200", Format::bf16, 2250e12, 8000e9},
                               {"tpu_v6e", Format::int8, 1836e12, 1638e9},
                               {"tpu_v7", Format::fp8_e4m3, 4614e12, 7370e9},
                               {"gpu_312t", Format::fp16, 312e12, 2e12},
                               {"gpu_1000t", Format::bf16, 1e15, 2e12},
                               {"cpu_4t", Format::fp32, 4e12, 2e11},
                               {"npu_200t", Format::int8, 2e14, 2.56e11}}) {
        CAPTURE(sheet.chip);
        const Roofs roofs = chip_roofs(load_machine(sheet.chip), of(sheet.format));
        CHECK(roofs.peak == sheet.peak);
        CHECK(level_of(roofs, "hbm").bandwidth == sheet.hbm);
    }
}

TEST_CASE("simulated peaks of v6e and v7 are within a part in a thousand of their data sheets") {
    for (const char* chip : {"tpu_v6e", "tpu_v7"}) {
        const Machine machine = load_machine(chip);
        for (const Format format : formats_of(machine, Rates::machine)) {
            CHECK(chip_roofs(machine, of(format), Rates::machine).peak ==
                  Approx(chip_roofs(machine, of(format)).peak).epsilon(1e-3));
        }
    }
}

TEST_CASE("a chip that is a data sheet alone cannot be simulated, and says nothing about an array") {
    const Machine h100 = load_machine("h100");
    CHECK_THROWS_AS(require_simulable(h100), InputError);
    CHECK_NOTHROW(require_simulable(load_machine("tpu_v5e")));
    CHECK(h100.default_format == Format::bf16);
    CHECK(load_machine("cpu_4t").default_format == Format::fp32);
    CHECK_FALSE(chip_roofs(h100, of(Format::bf16)).pe_registers);
    CHECK_THROWS_AS(load_machine("h100", {"array.rows=8"}), InputError);
    CHECK_THROWS_AS(load_machine("h100", {"hbm.bandwidth=1 GB/s"}), InputError);
    for (const auto& [key, value] : chip_values(h100)) {
        CAPTURE(key);
        CHECK((key == "description" || key == "source" || key == "roofline_only" || key.starts_with("nominal.") ||
               key.starts_with("link.")));
    }
    const test::TempFolder folder;
    CHECK_THROWS_AS(load_machine(folder.write("bare.toml", "roofline_only = true\n")), InputError);
}

TEST_CASE("further levels have names of their own") {
    CHECK(level_of(chip_roofs(load_machine("h100", {"nominal.level.l2=5 TB/s"}), of(Format::bf16)), "l2").bandwidth ==
          5e12);
    CHECK_THROWS_AS(load_machine("h100", {"nominal.level.hbm=5 TB/s"}), InputError);
    CHECK_THROWS_AS(load_machine("h100", {"nominal.level.L2=5 TB/s"}), InputError);
    CHECK_THROWS_AS(load_machine("h100", {"nominal.level.l2.x=5 TB/s"}), InputError);
    CHECK_THROWS_AS(load_machine("h100", {"nominal.level.l2=0 B/s"}), InputError);
}

TEST_CASE("vector work has the vector unit's roof in any format") {
    CHECK(vector_roofs(load_machine("h100"), Format::fp32).peak == 67e12);
    CHECK(vector_roofs(load_machine("gpu_1000t"), Format::bf16).peak == 1e15);
    CHECK_THROWS_AS(vector_roofs(load_machine("gpu_1000t"), Format::fp32), InputError);
}
