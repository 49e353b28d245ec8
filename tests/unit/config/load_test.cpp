#include <algorithm>

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "sim/config/load.h"
#include "tests/unit/base/temp_folder.h"

using namespace systole;

namespace {

// The smallest chip file; what a test is about comes behind it, from line 4 on.
const std::string smallest = "clock = \"1 GHz\"\narray.rows = 8\narray.cols = 4\n";

std::string error_of(const std::string& name, const std::vector<std::string>& overrides = {}) {
    try {
        load_machine(name, overrides);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

// The message for a file with this text, "F" standing for the name of the file.
std::string error_of_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const test::TempFolder folder;
    const std::string file = folder.write("chip.toml", text);
    std::string message = error_of(file, overrides);
    for (std::size_t at = message.find(file); at != std::string::npos; at = message.find(file)) {
        message.replace(at, file.size(), "F");
    }
    return message;
}

Machine machine_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const test::TempFolder folder;
    return load_machine(folder.write("chip.toml", text), overrides);
}

struct BadChip {
    const char* text;
    const char* error;
};

} // namespace

TEST_CASE("the smallest chip file has ideal memories and the documented defaults", "[config][load]") {
    const Machine machine = machine_of(smallest);
    CHECK(machine.name == "chip");
    CHECK(machine.clock == 1'000'000'000);
    CHECK(machine.array.rows == 8);
    CHECK(machine.array.cols == 4);
    CHECK(machine.default_format == Format::int8);
    CHECK(machine.macs_per_pe_cycle == std::map<Format, int>{{Format::int8, 1}});
    CHECK(machine.vmem.capacity == unlimited);
    CHECK(machine.hbm.bandwidth == unlimited);
    CHECK(machine.pcie.bandwidth == unlimited);
    CHECK(machine.pcie.latency == 0);
    CHECK(machine.dma.burst_bytes == 4096);
}

TEST_CASE("every key of a file reaches its place in the machine", "[config][load]") {
    const Machine machine = machine_of(R"(
description = "all of it"
source = "a test"
clock = "1.5 GHz"
cores = 2
[array]
rows = 12
cols = 6
count = 3
formats = ["bf16", "int8"]
macs_per_pe_cycle = { int8 = 4, bf16 = 2 }
edge_latency = 5
mac_latency = 2
weight_buffers = 1
swap = "drained"
swap_period = "rows + cols"
accumulator_buffers = 1
drain_axis = "rows"
propagation = "broadcast_rows"
min_rows = 7
transposer = true
[accumulator]
capacity = "2 KiB"
[vmem]
capacity = 65536
bandwidth = "64 B/cycle"
banks = 4
buffers = 3
read_latency = 2
[dma]
burst = "512 B"
outstanding = 9
[hbm]
bandwidth = "819 GB/s"
latency = "100 ns"
[pcie]
generation = 4
lanes = 8
max_payload_bytes = 512
round_trip = "1 us"
[nominal]
flops = { bf16 = "197 TFLOP/s" }
hbm_bandwidth = "820 GB/s"
pcie_bandwidth = "16 GB/s"
)");
    CHECK(machine.description == "all of it");
    CHECK(machine.source == "a test");
    CHECK(machine.clock == 1'500'000'000);
    CHECK(machine.cores == 2);
    const ArrayConfig expected{.rows = 12,
                               .cols = 6,
                               .count = 3,
                               .edge_latency = 5,
                               .mac_latency = 2,
                               .weight_buffers = 1,
                               .swap = Swap::drained,
                               .swap_period = 18,
                               .accumulator_buffers = 1,
                               .drain_axis = DrainAxis::rows,
                               .propagation = Propagation::broadcast_rows,
                               .min_rows = 7,
                               .transposer = true};
    CHECK(machine.array == expected);
    CHECK(machine.default_format == Format::bf16);
    CHECK(machine.macs_per_pe_cycle == std::map<Format, int>{{Format::int8, 4}, {Format::bf16, 2}});
    CHECK(machine.accumulator_capacity == 2048);
    CHECK(machine.vmem.capacity == 65'536);
    CHECK(machine.vmem.bandwidth == 64);
    CHECK(machine.vmem.banks == 4);
    CHECK(machine.vmem.buffers == 3);
    CHECK(machine.vmem.read_latency == 2);
    CHECK(machine.dma.burst_bytes == 512);
    CHECK(machine.dma.outstanding == 9);
    CHECK(machine.hbm.bandwidth == 819'000'000'000);
    CHECK(machine.hbm.latency == 100'000);
    CHECK(machine.pcie.packets);
    CHECK(machine.pcie.generation == 4);
    CHECK(machine.pcie.lanes == 8);
    CHECK(machine.pcie.max_payload_bytes == 512);
    // 16 GT/s * 8 * 128/130 / 8 = 15.754 GB/s less 16/182 + 4/1538, of which 512 / 532 are payload of reads, rounded up
    CHECK(machine.pcie.bandwidth == 13'789'276'732);
    CHECK(machine.pcie.latency == 500'000); // half of the round trip
    CHECK(machine.nominal.flops == std::map<Format, FlopPerSecond>{{Format::bf16, 1.97e14}});
    CHECK(machine.nominal.hbm_bandwidth == 820'000'000'000);
    CHECK(machine.nominal.pcie_bandwidth == 16'000'000'000);
}

TEST_CASE("a wrong line says where, what and what instead", "[config][load]") {
    const auto c = GENERATE(
        BadChip{"array.clos = 3", "F:4:7: unknown key 'array.clos' (did you mean 'array.cols'?)"},
        BadChip{"[array2]\nclos = 3", "F:5:1: unknown key 'array2.clos' (did you mean 'array.cols'?)"},
        BadChip{"rows = 3", "F:4:1: unknown key 'rows' (did you mean 'array.rows'?)"},
        BadChip{"[quux]", "F:4:2: unknown key 'quux' (see `systole info keys`)"},
        BadChip{"hbm = 3", "F:4:1: 'hbm' is a table, not a value (it holds keys such as hbm.config, see `systole info "
                           "keys`)"},
        BadChip{"cores = 0", "F:4:9: cores: 0 is out of range (1..64)"},
        BadChip{"cores = 65", "F:4:9: cores: 65 is out of range (1..64)"},
        BadChip{"cores = -9223372036854775808", "F:4:9: cores: -9223372036854775808 is out of range (1..64)"},
        BadChip{"cores = \"2\"", "F:4:9: cores: expected a whole number (1..64), found '2'"},
        BadChip{"cores = 1.5", "F:4:9: cores: expected a whole number (1..64), found 1.5"},
        BadChip{"cores = true", "F:4:9: cores: expected a whole number (1..64), found true"},
        BadChip{"cores = [1]", "F:4:9: cores: expected a whole number (1..64), found a list with other things than "
                               "strings"},
        BadChip{"cores = 2024-01-01", "F:4:9: cores: expected a whole number (1..64), found a date or time"},
        BadChip{"hbm.bandwidth = 819",
                "F:4:17: hbm.bandwidth: 819 has no unit (use B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, "
                "MiB/s, GiB/s or TiB/s, for example \"819 GB/s\")"},
        BadChip{"hbm.bandwidth = 1.5",
                "F:4:17: hbm.bandwidth: 1.5 has no unit (use B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, "
                "MiB/s, GiB/s or TiB/s, for example \"1.5 GB/s\")"},
        BadChip{"hbm.bandwidth = \"0 GB/s\"", "F:4:17: hbm.bandwidth: '0 GB/s' is out of range (1 B/s..unlimited)"},
        BadChip{"hbm.latency = \"5 MHz\"",
                "F:4:15: hbm.latency: '5 MHz' is not a time: unknown unit 'MHz' (use ps, ns, us, ms or s)"},
        BadChip{"vmem.capacity = -5", "F:4:17: vmem.capacity: -5 is out of range (1 B..unlimited)"},
        BadChip{"vmem.capacity = false",
                "F:4:17: vmem.capacity: expected a quantity in B, KiB, MiB, GiB or TiB, found false"},
        BadChip{"vmem.bandwidth = \"64 B\"",
                "F:4:18: vmem.bandwidth: '64 B' is not a number of bytes per cycle: unknown "
                "unit 'B' (use B/cycle or KiB/cycle)"},
        BadChip{"array.swap = \"wavefrnt\"",
                "F:4:14: array.swap: 'wavefrnt' is not one of wavefront, drained (did you mean 'wavefront'?)"},
        BadChip{"array.swap = 1", "F:4:14: array.swap: 1 is not one of wavefront, drained"},
        BadChip{"array.transposer = 1", "F:4:20: array.transposer: expected true or false, found 1"},
        BadChip{"array.formats = []",
                "F:4:17: array.formats: expected a list of number formats such as [\"int8\"], found an empty one"},
        BadChip{"array.formats = [\"bf61\"]",
                "F:4:17: array.formats: 'bf61' is not a number format (did you mean 'bf16'?)"},
        BadChip{"array.formats = [\"int8\", \"int8\"]", "F:4:17: array.formats: 'int8' is listed twice"},
        BadChip{"array.formats = [8]",
                "F:4:17: array.formats: expected a list of number formats such as [\"int8\"], found "
                "a list with other things than strings"},
        BadChip{"array.macs_per_pe_cycle = 5", "F:4:27: array.macs_per_pe_cycle: 5 is out of range (1..4)"},
        BadChip{"array.formats = [\"int8\"]\narray.macs_per_pe_cycle = { bf16 = 2 }",
                "F:5:36: array.macs_per_pe_cycle.bf16: 'bf16' is not in array.formats"},
        BadChip{"array.macs_per_pe_cycle = {}",
                "F:4:27: array.macs_per_pe_cycle: expected a number or { FORMAT = number }, found an empty table"},
        BadChip{"array.swap_period = \"2*row+3\"",
                "F:4:24: array.swap_period: unknown name 'row' (known: cols, rows) at "
                "character 3 of '2*row+3'"},
        BadChip{"array.swap_period = -1", "F:4:21: array.swap_period: -1 is out of range (0..1000000)"},
        BadChip{"array.swap_period = 1.5",
                "F:4:21: array.swap_period: expected a whole number or an expression such as \"2*rows+3\", found 1.5"},
        BadChip{"array.swap = \"drained\"", "F:4:14: array.swap = \"drained\" needs an array.swap_period of at least "
                                            "array.rows (8), it is 0"},
        BadChip{"array.swap = \"drained\"\narray.swap_period = \"rows-1\"",
                "F:5:21: array.swap = \"drained\" needs an array.swap_period of at least array.rows (8), it is 7"},
        BadChip{"pcie.lanes = 4", "F:4:14: pcie.lanes says nothing without pcie.generation (1..6)"},
        BadChip{"pcie.generation = 3\npcie.lanes = 3",
                "F:5:14: pcie.lanes: 3 is not a link width (1, 2, 4, 8, 12, 16, 32)"},
        BadChip{"pcie.generation = 3\npcie.max_payload_bytes = 300",
                "F:5:26: pcie.max_payload_bytes: 300 is not a power of two (64, 128, ... 4096)"},
        BadChip{"pcie.round_trip = \"1 ps\"", "F:4:19: pcie.round_trip: '1 ps' has no half in whole ps"},
        BadChip{"nominal.flops.bf16 = 3",
                "F:4:22: nominal.flops.bf16: expected a rate such as \"197 TFLOP/s\", found 3"},
        BadChip{"nominal.flops.bf16 = \"0 FLOP/s\"", "F:4:22: nominal.flops.bf16: '0 FLOP/s' must be above 0"},
        BadChip{"nominal.hbm_bandwidth = \"unlimited\"",
                "F:4:25: nominal.hbm_bandwidth: 'unlimited' is out of range (1 B/s..9223372.036854775806 TB/s)"},
        BadChip{"description = 3", "F:4:15: description: expected text in quotes, found 3"},
        BadChip{"\"array.rows\" = 4", "F:4:1: duplicate key 'array.rows', first given in line 2"});
    CAPTURE(c.text);
    CHECK(error_of_text(smallest + c.text + "\n") == c.error);
}

TEST_CASE("banks are counted or unlimited, ports are counted", "[config][load]") {
    CHECK(load_machine("tiny_4x4", {"vmem.banks=unlimited"}).vmem.banks == unlimited);
    CHECK(load_machine("tiny_4x4", {"vmem.banks=6", "vmem.ports=2"}).vmem.banks == 6);
    CHECK(load_machine("tiny_4x4", {"vmem.ports=2"}).vmem.ports == 2);
    CHECK(error_of_text(smallest + std::string("[vmem]\nbanks = 0\n")) ==
          "F:5:9: vmem.banks: 0 is out of range (1..1024)");
    CHECK(error_of_text(smallest + std::string("[vmem]\nports = 9\n")) ==
          "F:5:9: vmem.ports: 9 is out of range (1..8)");
}

TEST_CASE("a clock out of its range is refused", "[config][load]") {
    CHECK(error_of_text("clock = \"999 Hz\"\narray.rows = 1\narray.cols = 1") ==
          "F:1:9: clock: '999 Hz' is out of range (1 kHz..100 GHz)");
    CHECK(error_of_text("clock = 1500\narray.rows = 1\narray.cols = 1") ==
          "F:1:9: clock: 1500 has no unit (use Hz, kHz, MHz or GHz, for example \"1500 MHz\")");
}

TEST_CASE("all problems of a file and of the overrides come at once, in order", "[config][load]") {
    CHECK(error_of_text("array.cols = 0\ncolck = 3\n[vmem]\nbanks = \"two\"\n", {"array.clos=3", "array.rows"}) ==
          "F: missing key 'clock' (core clock, in Hz)\n"
          "F: missing key 'array.rows' (rows R of one array, in PEs)\n"
          "F:1:14: array.cols: 0 is out of range (1..4096)\n"
          "F:2:1: unknown key 'colck' (did you mean 'clock'?)\n"
          "F:4:9: vmem.banks: expected a whole number (1..1024, or \"unlimited\"), found 'two'\n"
          "--set array.rows: is not KEY=VALUE (for example --set array.rows=32)\n"
          "--set array.clos=3: unknown key 'array.clos' (did you mean 'array.cols'?)");
}

TEST_CASE("an empty file lacks the keys that have no default", "[config][load]") {
    const std::string missing = "F: missing key 'clock' (core clock, in Hz)\n"
                                "F: missing key 'array.rows' (rows R of one array, in PEs)\n"
                                "F: missing key 'array.cols' (columns C of one array, in PEs)";
    CHECK(error_of_text("") == missing);
    CHECK(error_of_text("# nothing but a comment\n[array]\n[hbm]\n") == missing);
}

TEST_CASE("what is not TOML is an error with its position", "[config][load]") {
    CHECK_THAT(error_of_text("clock = \"1 GHz\"\nclock = \"2 GHz\"\n"),
               Catch::StartsWith("F:2:") && Catch::Contains("'clock'") &&
                   Catch::EndsWith("(a key may be given only once)"));
    CHECK_THAT(error_of_text("clock = 1 GHz\n"), Catch::StartsWith("F:1:"));
    CHECK_THAT(error_of_text("[array\n"), Catch::StartsWith("F:1:"));
    CHECK_THAT(error_of_text("clock = \"1 \xff\xfe GHz\"\n"), Catch::StartsWith("F:1:") && Catch::Contains("utf-8"));
    CHECK_THAT(error_of_text("a = " + std::string(100'000, '[')), Catch::StartsWith("F:1:"));
    CHECK(error_of_text("a" + std::string(500'000, '.') + " = 1\n") ==
          "F:1:1: too many dots in one line; no key nests that deeply");
}

TEST_CASE("a file with thousands of unknown keys ends after fifty", "[config][load]") {
    std::string text;
    for (int i = 0; i < 50'000; ++i) {
        text += "k" + std::to_string(i) + " = 1\n";
    }
    const std::string message = error_of_text(text);
    CHECK(std::count(message.begin(), message.end(), '\n') == 50);
    CHECK_THAT(message, Catch::EndsWith("F:51:1: and more from here on (is this a chip file?)"));
}

TEST_CASE("a file that is no readable text is refused by name", "[config][load]") {
    const test::TempFolder folder;
    const std::string top = folder.path().string();
    CHECK(error_of(top) == top + ": is a folder (name a chip file in it)");
    CHECK(error_of(top + "/none.toml") ==
          top + "/none.toml: no such file (`systole info chips` lists the chips that come with Systole)");
    const std::string binary = folder.write("binary.toml", std::string_view("\x7f"
                                                                            "ELF\0\0",
                                                                            6));
    CHECK(error_of(binary) == binary + ":1:5: is not text: it has a NUL byte (is this a chip file?)");
}

TEST_CASE("a byte order mark and DOS line ends do no harm", "[config][load]") {
    CHECK(machine_of("\xEF\xBB\xBF"
                     "clock = \"1 GHz\"\r\narray.rows = 8\r\narray.cols = 4\r\n")
              .array.rows == 8);
}

TEST_CASE("an unknown chip is answered with the nearest and where to look", "[config][load]") {
    CHECK(error_of("tiny_4x5") ==
          "unknown chip 'tiny_4x5' (did you mean 'tiny_4x4'? `systole info chips` lists all; a file ends in .toml)");
    CHECK(error_of("tpu_v5") ==
          "unknown chip 'tpu_v5' (did you mean 'tpu_v5e'? `systole info chips` lists all; a file ends in .toml)");
    CHECK(error_of("qqqq") == "unknown chip 'qqqq' (`systole info chips` lists all; a file ends in .toml)");
    CHECK(error_of("edge_16x16.toml") ==
          "edge_16x16.toml: no such file (did you mean 'edge_16x16'? `systole info chips` lists the chips that come "
          "with Systole)");
    CHECK(error_of("") == "no chip is named (`systole info chips` lists all)");
}

TEST_CASE("overrides are read as in a file, strings with or without quotes", "[config][load]") {
    const Machine machine = machine_of(
        smallest, {"hbm.bandwidth=100 GB/s", "vmem.bandwidth=64", "vmem.capacity=\"1 MiB\"", "array.drain_axis=rows",
                   "array.transposer=true", "array.formats=bf16,int8", "array.macs_per_pe_cycle={ int8 = 2 }",
                   " array.rows = 32 ", "clock=1.5GHz", "array.swap=drained", "array.swap_period=2*rows+3"});
    CHECK(machine.hbm.bandwidth == 100'000'000'000);
    CHECK(machine.vmem.bandwidth == 64);
    CHECK(machine.vmem.capacity == 1 << 20);
    CHECK(machine.array.drain_axis == DrainAxis::rows);
    CHECK(machine.array.transposer);
    CHECK(machine.default_format == Format::bf16);
    CHECK(machine.macs_per_pe_cycle == std::map<Format, int>{{Format::bf16, 1}, {Format::int8, 2}});
    CHECK(machine.array.rows == 32);
    CHECK(machine.clock == 1'500'000'000);
    CHECK(machine.array.swap_period == 67);
}

TEST_CASE("of several overrides of a key the last one counts", "[config][load]") {
    CHECK(machine_of(smallest, {"array.rows=2", "array.rows=3"}).array.rows == 3);
}

TEST_CASE("an override can give a key that the file lacks", "[config][load]") {
    CHECK(machine_of("clock = \"1 GHz\"\narray.cols = 4\n", {"array.rows=2"}).array.rows == 2);
}

TEST_CASE("a wrong override is quoted as it was given", "[config][load]") {
    CHECK(error_of("tiny_4x4", {"array.rows=x"}) ==
          "--set array.rows=x: array.rows: expected a whole number (1..4096), found 'x'");
    CHECK(error_of("tiny_4x4", {"hbm.bandwidth=100"}) ==
          "--set hbm.bandwidth=100: hbm.bandwidth: 100 has no unit (use B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, "
          "GiB/s or TiB/s, for example \"100 GB/s\")");
    CHECK(error_of("tiny_4x4", {"=3"}) == "--set =3: is not KEY=VALUE (for example --set array.rows=32)");
    CHECK(error_of("tiny_4x4", {"array.rows="}) ==
          "--set array.rows=: array.rows: expected a whole number (1..4096), found ''");
    CHECK(error_of("tiny_4x4", {"cores=1\narray.rows=2"}) ==
          "--set cores=1\narray.rows=2: cores: expected a whole number (1..64), found '1\narray.rows=2'");
    CHECK(error_of("tiny_4x4", {"array.swap_period=(2+"}) ==
          "--set array.swap_period=(2+: array.swap_period: it ends where a number is expected at character 4 of '(2+'");
}

TEST_CASE("rates by format name the formats where array.formats is left out", "[config][load]") {
    const Machine machine = machine_of(smallest + "array.macs_per_pe_cycle = { int8 = 2, bf16 = 1 }\n");
    CHECK(machine.default_format == Format::int8);
    CHECK(machine.macs_per_pe_cycle == std::map<Format, int>{{Format::int8, 2}, {Format::bf16, 1}});
}

TEST_CASE("overriding the formats or the rate drops what the file said of others", "[config][load]") {
    const std::string text =
        smallest + "array.formats = [\"bf16\", \"int8\"]\narray.macs_per_pe_cycle = { bf16 = 1, int8 = 2 }\n";
    CHECK(machine_of(text, {"array.formats=bf16"}).macs_per_pe_cycle == std::map<Format, int>{{Format::bf16, 1}});
    CHECK(machine_of(text, {"array.macs_per_pe_cycle=4"}).macs_per_pe_cycle ==
          std::map<Format, int>{{Format::bf16, 4}, {Format::int8, 4}});
    CHECK(machine_of(text, {"array.macs_per_pe_cycle.int8=4"}).macs_per_pe_cycle ==
          std::map<Format, int>{{Format::bf16, 1}, {Format::int8, 4}});
    CHECK(error_of_text(text, {"array.macs_per_pe_cycle.fp16=2"}) ==
          "--set array.macs_per_pe_cycle.fp16=2: array.macs_per_pe_cycle.fp16: 'fp16' is not in array.formats");
}

TEST_CASE("a PCIe bandwidth that is stated outweighs the link, until the link is overridden", "[config][load]") {
    const std::string text = smallest + "pcie.bandwidth = \"10 GB/s\"\npcie.generation = 3\npcie.lanes = 16\n";
    CHECK(machine_of(text).pcie.bandwidth == 10'000'000'000);
    CHECK(machine_of(text, {"pcie.generation=4"}).pcie.bandwidth == 26'365'231'419);
    CHECK(machine_of(text, {"pcie.generation=4", "pcie.bandwidth=1 GB/s"}).pcie.bandwidth == 1'000'000'000);
}

TEST_CASE("SYSTOLE_CONFIG_DIR comes first and a name in two folders is not guessed", "[config][load]") {
    const test::TempFolder folder;
    const std::string mine = folder.write("chips/tiny_4x4.toml", smallest);
    folder.write("chips/a/twice.toml", smallest);
    folder.write("chips/b/twice.toml", smallest);
    setenv("SYSTOLE_CONFIG_DIR", folder.path().c_str(), 1);
    const std::string found = load_machine("tiny_4x4").file;
    const std::string first_root = config_roots().front().string();
    const std::string twice = error_of("twice");
    const std::string with_folder = load_machine("b/twice").name;
    setenv("SYSTOLE_CONFIG_DIR", (folder.path() / "none").c_str(), 1);
    const std::string without = load_machine("tiny_4x4").file;
    unsetenv("SYSTOLE_CONFIG_DIR");
    CHECK(found == mine);
    CHECK(first_root == folder.path().string());
    CHECK(twice == "'twice' is the name of several chips (write one of a/twice, b/twice)");
    CHECK(with_folder == "twice");
    CHECK(without != mine); // a folder that does not exist is passed over
}

TEST_CASE("every key explains itself", "[config][keys]") {
    for (const KeyInfo& info : chip_keys()) {
        CAPTURE(info.key);
        CHECK_FALSE(info.help.empty());
        CHECK_FALSE(info.range.empty());
    }
    const auto& keys = chip_keys();
    const auto rows =
        std::find_if(keys.begin(), keys.end(), [](const KeyInfo& key) { return key.key == "array.rows"; });
    REQUIRE(rows != keys.end());
    CHECK(rows->default_value == "required");
    CHECK(rows->range == "1..4096");
    CHECK(rows->unit == "PEs");
    const auto burst =
        std::find_if(keys.begin(), keys.end(), [](const KeyInfo& key) { return key.key == "dma.burst"; });
    REQUIRE(burst != keys.end());
    CHECK(burst->default_value == "4 KiB");
}
