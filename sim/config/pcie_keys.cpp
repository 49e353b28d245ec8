// The keys of the PCIe link: a stated bandwidth, or what generation, lanes and payload size give.
#include <optional>
#include <utility>

#include "sim/config/key_types.h"
#include "sim/config/special_keys.h"

namespace systole {

namespace {

constexpr Range generation_range{1, 6};
constexpr Range lanes_range{1, 16};
constexpr Range payload_range{128, 4096};
constexpr Range bandwidth_range{1, unlimited};
constexpr Range round_trip_range{0, 1'000'000'000'000}; // a second

// A link setting of --set outweighs a bandwidth that the file states; of both in --set the later one counts.
void link_changed(Draft& draft, const Setting& setting) {
    if (setting.from_command_line) {
        draft.pcie_bandwidth_given = false;
    }
}

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

// Lanes and payload size mean something with a generation alone.
void print_with_generation(Key& key) {
    key.print = [print = key.print](const Machine& machine, KeyValues& values) {
        if (machine.pcie_link.generation > 0) {
            print(machine, values);
        }
    };
}

} // namespace

Key pcie_generation_key() {
    const auto read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        if (const auto value = read_integer(setting, generation_range, found)) {
            draft.machine.pcie_link.generation = static_cast<int>(*value);
            link_changed(draft, setting);
        }
    };
    const auto print = [](const Machine& machine, KeyValues& values) {
        if (machine.pcie_link.generation > 0) {
            values.emplace_back("pcie.generation", std::to_string(machine.pcie_link.generation));
        }
    };
    return {
        {"pcie.generation", "", "none", range_text(generation_range), "PCI Express generation of the link to the host"},
        read,
        print};
}

Key pcie_lanes_key() {
    Key key = integer_key(
        "pcie.lanes", "lanes", lanes_range, "lanes of the link",
        +[](Machine& machine) -> int& { return machine.pcie_link.lanes; });
    key.info.range = "1 | 2 | 4 | 8 | 16";
    print_with_generation(key);
    key.read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto value = read_integer(setting, lanes_range, found);
        if (value && !is_power_of_two(*value)) {
            complain(setting, std::to_string(*value) + " is not a link width (1, 2, 4, 8 or 16)", found);
        } else if (value) {
            draft.machine.pcie_link.lanes = static_cast<int>(*value);
            link_changed(draft, setting);
        }
    };
    return key;
}

Key pcie_max_payload_key() {
    Key key = quantity_key(
        "pcie.max_payload_bytes", bytes_quantity, payload_range, "largest payload of one packet",
        +[](Machine& machine) -> Bytes& { return machine.pcie_link.max_payload_bytes; });
    key.info.range += ", a power of two";
    print_with_generation(key);
    key.read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto value = read_quantity(setting, bytes_quantity, payload_range, found);
        if (value && !is_power_of_two(*value)) {
            complain(setting, std::to_string(*value) + " is not a power of two (128, 256, ... 4096)", found);
        } else if (value) {
            draft.machine.pcie_link.max_payload_bytes = *value;
            link_changed(draft, setting);
        }
    };
    return key;
}

Key pcie_bandwidth_key() {
    Key key = quantity_key(
        "pcie.bandwidth", bandwidth_quantity, bandwidth_range,
        "payload per direction; without it, what generation, lanes and payload size give",
        +[](Machine& machine) -> BytesPerSecond& { return machine.pcie.bandwidth; });
    const auto read_field = key.read;
    key.read = [read_field](Draft& draft, const Setting& setting, Diagnostics& found) {
        read_field(draft, setting, found);
        draft.pcie_bandwidth_given = true;
    };
    return key;
}

Key pcie_round_trip_key() {
    Key key = quantity_key(
        "pcie.round_trip", time_quantity, round_trip_range, "from a request to its answer; one way is half of it",
        +[](Machine& machine) -> Picoseconds& { return machine.pcie.latency; });
    key.read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto value = read_quantity(setting, time_quantity, round_trip_range, found);
        if (value && *value % 2 != 0) {
            complain(setting, describe(setting.value) + " has no half in whole ps", found);
        } else if (value) {
            draft.machine.pcie.latency = *value / 2;
        }
    };
    key.print = [](const Machine& machine, KeyValues& values) {
        values.emplace_back("pcie.round_trip", format_time(2 * machine.pcie.latency));
    };
    return key;
}

} // namespace systole
