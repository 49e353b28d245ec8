#include <algorithm>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/config/hbm_file.h"
#include "sim/config/load.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;

namespace {

const std::string smallest_chip = "clock = \"1 GHz\"\narray.rows = 8\narray.cols = 4\n";

// What `action` refuses, with "D" for the folder.
template <class Action>
std::string refusal(const test::TempFolder& folder, Action&& action) {
    try {
        action();
    } catch (const InputError& error) {
        std::string message = error.what();
        const std::string path = folder.path().string() + "/";
        for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path)) {
            message.replace(at, path.size(), "D/");
        }
        return message;
    }
    return "no error";
}

std::string refusal_of(const std::string& text) {
    const test::TempFolder folder;
    const std::string file = folder.write("x.toml", text);
    return refusal(folder, [&] { load_hbm(file); });
}

std::string chip_refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const test::TempFolder folder;
    const std::string file = folder.write("chip.toml", smallest_chip + text);
    return refusal(folder, [&] { load_machine(file, overrides); });
}

Machine chip(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const test::TempFolder folder;
    return load_machine(folder.write("chip.toml", smallest_chip + text), overrides);
}

} // namespace

TEST_CASE("every HBM configuration loads, names its source, and comes back from its own values", "[config][hbm]") {
    const test::TempFolder folder;
    const std::vector<std::string> names = hbm_names();
    CHECK(std::is_sorted(names.begin(), names.end()));
    CHECK(names.size() >= 12);
    for (const std::string& name : names) {
        CAPTURE(name);
        const auto config = load_hbm(name);
        CHECK(config->name == name);
        CHECK_FALSE(config->description.empty());
        CHECK_FALSE(config->source.empty());
        CHECK(hbm_reference(*config) == name);
        std::string text;
        for (const auto& [key, value] : hbm_values(*config)) {
            const bool bare =
                value.find_first_not_of("0123456789") == std::string::npos || value == "true" || value == "false";
            text += key + " = " + (bare ? value : "\"" + value + "\"") + "\n";
        }
        const auto again = load_hbm(folder.write("copy.toml", text));
        CHECK(hbm_values(*again) == hbm_values(*config));
        CHECK(hbm_reference(*again) == again->file);
    }
}

TEST_CASE("peaks are those of the standards", "[config][hbm]") {
    const std::pair<const char*, double> peaks[] = {
        {"hbm2_1pc", 16e9},      {"hbm2_legacy_128bit", 32e9}, {"hbm3_2pc", 51.2e9},    {"hbm2_2000", 256e9},
        {"hbm2_2400", 307.2e9},  {"hbm2e_3200", 409.6e9},      {"hbm2e_3600", 460.8e9}, {"hbm3_6400", 819.2e9},
        {"hbm3e_7200", 921.6e9}, {"hbm2_legacy_2000", 256e9}};
    for (const auto& [name, peak] : peaks) {
        CAPTURE(name);
        CHECK(static_cast<double>(load_hbm(name)->peak()) == peak);
    }
}

TEST_CASE("a derived configuration keeps what it does not change", "[config][hbm]") {
    const auto base = load_hbm("hbm3_2pc");
    const auto derived = load_hbm("hbm3_2pc_perbank_refresh");
    CHECK(derived->refresh == RefreshMode::per_bank);
    CHECK(derived->timing.rfc_per_bank == base->timing.rfc_per_bank);
    CHECK(derived->timing.ccd_r == 3);
    CHECK(derived->mapping == base->mapping);
    CHECK(derived->source == base->source);
    CHECK(derived->description != base->description);
    CHECK(load_hbm("hbm2_1pc")->timing.ccd_r == 2); // not given: that of ccd_s
    CHECK(load_hbm("hbm2_1pc", {"timing.rfc=700", "queues.prepare_both=false"})->timing.rfc == 700);
}

TEST_CASE("a base is looked for beside the file first, and not in a circle", "[config][hbm]") {
    const test::TempFolder folder;
    folder.write("hbm3_2pc.toml", "base = \"hbm2_1pc\"\nclock = \"2 GHz\"\n");
    const std::string file = folder.write("mine.toml", "base = \"hbm3_2pc\"\n");
    CHECK(load_hbm(file)->clock == 2'000'000'000);
    CHECK(load_hbm(file)->timing.cl == 14);
    const std::string circle = folder.write("circle.toml", "clock = \"1 GHz\"\nbase = \"other.toml\"\n");
    folder.write("other.toml", "base = \"circle\"\n");
    CHECK(refusal(folder, [&] { load_hbm(circle); }) ==
          "D/other.toml:1:8: base: 'circle' leads back to this file (name one that does not)");
    const std::string lost = folder.write("lost.toml", "base = \"hbm3_2pcs\"\n");
    CHECK(refusal(folder, [&] { load_hbm(lost); }) ==
          "D/lost.toml:1:8: base: unknown HBM configuration 'hbm3_2pcs' (did you mean 'hbm3_2pc'? `systole info hbm` "
          "lists all; a file ends in .toml)");
}

TEST_CASE("all that is wrong with an HBM file is said at its place, with the cure", "[config][hbm]") {
    CHECK(refusal_of("base = \"hbm2_1pc\"\nclock = 3\n[timing]\nrfc = \"x\"\nrpf = 3\n[queues]\nwrite = 2000\n"
                     "prepare_both = 1\n") ==
          "D/x.toml:2:9: clock: 3 has no unit (use Hz, kHz, MHz or GHz, for example \"3 MHz\")\n"
          "D/x.toml:4:7: timing.rfc: expected a whole number (1..1000000), found 'x'\n"
          "D/x.toml:5:1: unknown key 'timing.rpf' (did you mean 'timing.rp'?)\n"
          "D/x.toml:7:9: queues.write: 2000 is out of range (1..1024)\n"
          "D/x.toml:8:16: queues.prepare_both: expected true or false, found 1");
    CHECK(refusal_of("base = \"hbm2_1pc\"\nmapping = \"bg2 co4 ba2 ro\"\n[timing]\nras = 50\n") ==
          "D/x.toml:1:8: timing.rc: 48 is below timing.ras (50; raise it, or lower that)\n"
          "D/x.toml:2:11: mapping: the bits of co (column) come to 4, but 32 columns take 5 (make them as many)");
    CHECK(refusal_of("base = \"hbm2_1pc\"\nrefresh = \"perbank\"\n") ==
          "D/x.toml:2:11: refresh: 'perbank' is not one of none, all_bank, per_bank (did you mean 'per_bank'?)");
    CHECK(refusal_of("timing = 3\n")
              .find("'timing' is a table, not a value (it holds keys such as timing.cl, see "
                    "`systole info hbm`)") != std::string::npos);
}

TEST_CASE("a file without a base states what a data sheet does", "[config][hbm]") {
    const std::string message = refusal_of("clock = \"1 GHz\"\n");
    CHECK(message.find("D/x.toml: missing key 'mapping'") != std::string::npos);
    CHECK(message.find("D/x.toml: missing key 'timing.rfc' (all-bank refresh: how long it takes, in clocks)") !=
          std::string::npos);
    CHECK(message.find("queues") == std::string::npos);
    CHECK(message.find("pseudo_channels") == std::string::npos);
    CHECK(refusal_of("base = \"hbm2_legacy_128bit\"\nrefresh = \"per_bank\"\n") ==
          "D/x.toml: missing key 'timing.refi_per_bank' (per-bank refresh: interval between two banks, in clocks)\n"
          "D/x.toml: missing key 'timing.rfc_per_bank' (per-bank refresh: how long one takes, in clocks)");
}

TEST_CASE("HBM files are told from other files by their keys", "[config][hbm]") {
    CHECK(looks_like_hbm_file("# x\n  [timing]\ncl = 3\n"));
    CHECK(looks_like_hbm_file("base=\"hbm2_1pc\""));
    CHECK(looks_like_hbm_file("timing.cl = 3\n"));
    CHECK_FALSE(looks_like_hbm_file("# timing\nclock = \"1 GHz\"\n[array]\nrows = 4\n"));
    CHECK_FALSE(looks_like_hbm_file("baseline = 3\n"));
    CHECK_FALSE(looks_like_hbm_file(""));
}

TEST_CASE("a chip names its stacks, and their pins are its bandwidth", "[config][hbm]") {
    const Machine machine = chip("hbm.config = \"hbm2e_3200\"\nhbm.stacks = 2\n");
    REQUIRE(machine.hbm.dram != nullptr);
    CHECK(machine.hbm.dram->name == "hbm2e_3200");
    CHECK(machine.hbm.stacks == 2);
    CHECK(machine.hbm.bandwidth == 819'200'000'000);
    CHECK(machine.hbm.mode == MemoryMode::fast);
    CHECK(chip("hbm.config = \"hbm2e_3200\"\nhbm.bandwidth = \"300 GB/s\"\n").hbm.bandwidth == 300'000'000'000);
    CHECK(chip("", {"hbm.config=hbm2_2000", "memory.mode=burst"}).hbm.mode == MemoryMode::burst);
    CHECK(chip("").hbm.dram == nullptr);
    CHECK(chip("hbm.config = \"hbm2e_3200\"\nhbm.stacks = 2\n", {"hbm.config=none"}).hbm.dram == nullptr);
}

TEST_CASE("a chip file may name an HBM file beside it", "[config][hbm]") {
    const test::TempFolder folder;
    folder.write("mine.toml", "base = \"hbm2_2000\"\nclock = \"500 MHz\"\n");
    const std::string file = folder.write("chip.toml", smallest_chip + "hbm.config = \"mine.toml\"\n");
    const Machine machine = load_machine(file);
    CHECK(machine.hbm.bandwidth == 128'000'000'000);
    std::vector<std::string> overrides;
    for (const auto& [key, value] : chip_values(machine)) {
        overrides.push_back(key + "=" + value);
    }
    CHECK(chip_values(chip("", overrides)) == chip_values(machine));
}

TEST_CASE("keys of the stacks that do not fit are refused with the cure", "[config][hbm]") {
    CHECK(chip_refusal("hbm.config = \"hbm2e_3300\"\n") ==
          "D/chip.toml:4:14: hbm.config: unknown HBM configuration 'hbm2e_3300' (did you mean 'hbm2e_3200'? `systole "
          "info hbm` lists all; a file ends in .toml)");
    CHECK(chip_refusal("hbm.config = \"hbm2e_3200\"\nhbm.bandwidth = \"unlimited\"\n") ==
          "D/chip.toml:5:17: hbm.bandwidth: stacks are not unlimited (leave it out for the 409.6 GB/s of their pins, "
          "or set hbm.config = \"none\" for an ideal memory)");
    CHECK(chip_refusal("hbm.stacks = 2\n") ==
          "D/chip.toml:4:14: hbm.stacks says nothing without hbm.config (name one of `systole info hbm`)");
    CHECK(chip_refusal("hbm.config = 3\n") == "D/chip.toml:4:14: hbm.config: expected a name in quotes, found 3");
    CHECK(chip_refusal("hbm.config = \"hbm2_1pc\"\nhbm.stacks = 2\n") ==
          "D/chip.toml:5:14: hbm.stacks: hbm2_1pc: 2 stacks have no place in the address (write ch0 where they are to "
          "be told apart)");
    CHECK(chip_refusal("", {"hbm.config=no.toml"}) ==
          "--set hbm.config=no.toml: hbm.config: no.toml: no such file (`systole info hbm` lists the HBM "
          "configurations that come with Systole)");
}
