#include "sim/config/keys.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <variant>

#include "sim/config/key_types.h"
#include "sim/config/load.h"
#include "sim/config/special_keys.h"

namespace systole {

namespace {

using M = Machine;

constexpr std::int64_t kibi = 1024;
constexpr std::int64_t gibi = kibi * kibi * kibi;
constexpr Picoseconds one_millisecond = 1'000'000'000;

std::vector<Key> top_keys() {
    return {
        text_key("description", "the chip in one line", [](M& m) -> std::string& { return m.description; }),
        text_key("source", "where the numbers come from", [](M& m) -> std::string& { return m.source; }),
        quantity_key("clock", frequency_quantity, {1'000, 100'000'000'000}, "core clock",
                     [](M& m) -> Hertz& { return m.clock; }),
        integer_key("cores", "", {1, 64}, "tensor cores; they share HBM and PCIe",
                    [](M& m) -> int& { return m.cores; }),
    };
}

std::vector<Key> array_keys() {
    return {
        integer_key("array.rows", "PEs", {1, 4096}, "rows R of one array", [](M& m) -> int& { return m.array.rows; }),
        integer_key("array.cols", "PEs", {1, 4096}, "columns C of one array",
                    [](M& m) -> int& { return m.array.cols; }),
        integer_key("array.count", "arrays", {1, 64}, "arrays (MXUs) of one core",
                    [](M& m) -> int& { return m.array.count; }),
        formats_key(),
        common_rate_key(),
        rate_of_format_key(),
        integer_key("array.edge_latency", "cycles", {0, 64}, "registers between the last PE and the result",
                    [](M& m) -> int& { return m.array.edge_latency; }),
        integer_key("array.mac_latency", "cycles", {1, 64}, "pipeline stages of a multiply-add",
                    [](M& m) -> int& { return m.array.mac_latency; }),
        integer_key("array.weight_buffers", "", {1, 2}, "2: the next stationary tile loads behind the current stream",
                    [](M& m) -> int& { return m.array.weight_buffers; }),
        choice_key<Swap>("array.swap", {{"wavefront", Swap::wavefront}, {"drained", Swap::drained}},
                         "the next load may start: with the wave, or when the switch has left the array",
                         [](M& m) -> Swap& { return m.array.swap; }),
        swap_period_key(),
        integer_key("array.accumulator_buffers", "", {1, 2}, "output-stationary, 2: results leave behind the next pass",
                    [](M& m) -> int& { return m.array.accumulator_buffers; }),
        choice_key<DrainAxis>(
            "array.drain_axis", {{"columns", DrainAxis::columns}, {"rows", DrainAxis::rows}, {"none", DrainAxis::none}},
            "output-stationary: results shift out down the columns (R cycles), along the rows (C), or it is left out",
            [](M& m) -> DrainAxis& { return m.array.drain_axis; }),
        choice_key<Propagation>("array.propagation",
                                {{"systolic", Propagation::systolic}, {"broadcast_rows", Propagation::broadcast_rows}},
                                "an input moves one column a cycle, or reaches its whole row at once",
                                [](M& m) -> Propagation& { return m.array.propagation; }),
        integer_key("array.min_rows", "cycles", {1, 4096}, "shortest interval between the starts of two passes",
                    [](M& m) -> int& { return m.array.min_rows; }),
        truth_key("array.transposer", "output-stationary: A passes a transposer one pass ahead (R cycles, once)",
                  [](M& m) -> bool& { return m.array.transposer; }),
    };
}

std::vector<Key> core_memory_keys() {
    return {
        quantity_key("accumulator.capacity", bytes_quantity, {1, unlimited}, "accumulator memory of one core",
                     [](M& m) -> Bytes& { return m.accumulator_capacity; }),
        quantity_key("vmem.capacity", bytes_quantity, {1, unlimited}, "on-chip memory of one core",
                     [](M& m) -> Bytes& { return m.vmem.capacity; }),
        quantity_key("vmem.bandwidth", bytes_per_cycle_quantity, {1, unlimited}, "of all its clients together",
                     [](M& m) -> BytesPerCycle& { return m.vmem.bandwidth; }),
        integer_key("vmem.banks", "", {1, 1024}, "1: one client per cycle; more: clients lie in different banks",
                    [](M& m) -> int& { return m.vmem.banks; }),
        integer_key("vmem.buffers", "tiles", {1, 8}, "tiles of an operand held at once; 2 = double buffering",
                    [](M& m) -> int& { return m.vmem.buffers; }),
        integer_key("vmem.read_latency", "cycles", {0, 1024}, "from a read to the arrival at the array",
                    [](M& m) -> Cycles& { return m.vmem.read_latency; }),
        quantity_key("dma.burst", bytes_quantity, {16, gibi}, "size of one memory request",
                     [](M& m) -> Bytes& { return m.dma.burst_bytes; }),
        integer_key("dma.outstanding", "requests", {1, 4096}, "requests in flight, of each direction",
                    [](M& m) -> int& { return m.dma.outstanding; }),
    };
}

std::vector<Key> chip_memory_keys() {
    return {
        quantity_key("hbm.bandwidth", bandwidth_quantity, {1, unlimited}, "of the memory of the chip",
                     [](M& m) -> BytesPerSecond& { return m.hbm.bandwidth; }),
        quantity_key("hbm.latency", time_quantity, {0, one_millisecond}, "from a request to its first byte",
                     [](M& m) -> Picoseconds& { return m.hbm.latency; }),
        pcie_generation_key(),
        pcie_lanes_key(),
        pcie_max_payload_key(),
        pcie_bandwidth_key(),
        pcie_round_trip_key(),
        nominal_flops_key(),
        nominal_hbm_bandwidth_key(),
        nominal_pcie_bandwidth_key(),
    };
}

std::vector<Key> make_keys() {
    std::vector<Key> all;
    for (std::vector<Key> group : {top_keys(), array_keys(), core_memory_keys(), chip_memory_keys()}) {
        std::move(group.begin(), group.end(), std::back_inserter(all));
    }
    for (Key& key : all) {
        const std::string& name = key.info.key;
        if (name == "clock" || name == "array.rows" || name == "array.cols") {
            key.info.default_value = required;
        }
    }
    return all;
}

constexpr std::string_view any_format = ".FORMAT";

// "nominal.flops.FORMAT" matches "nominal.flops.bf16".
bool matches(const std::string& pattern, const std::string& key) {
    if (!pattern.ends_with(any_format)) {
        return pattern == key;
    }
    const std::string prefix = pattern.substr(0, pattern.size() - any_format.size() + 1);
    return key.starts_with(prefix) && key.find('.', prefix.size()) == std::string::npos;
}

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

// The key that was probably meant: one that is spelled nearly so, or the same word in its table.
std::string suggestion(const std::string& key) {
    std::vector<std::string> names;
    for (const Key& candidate : keys()) {
        names.push_back(candidate.info.key);
    }
    std::string near = nearest(key, names);
    for (const std::string& name : names) {
        if (near.empty() && last_part(name) == last_part(key)) {
            near = name;
        }
    }
    return near;
}

void report_unknown(const Setting& setting, Diagnostics& found) {
    const std::string table = setting.key + ".";
    const auto* other = std::get_if<OtherValue>(&setting.value);
    for (const Key& key : keys()) {
        if (key.info.key.starts_with(table)) {
            if (other != nullptr && other->is_empty_table) {
                return; // an empty [table] that could have held keys
            }
            found.add(setting.key_place, "'" + setting.key + "' is a table, not a value (it holds keys such as " +
                                             key.info.key + ", see `systole info keys`)");
            return;
        }
    }
    constexpr std::size_t longest = 80;
    const std::string shown = setting.key.size() > longest ? setting.key.substr(0, longest) + "..." : setting.key;
    const std::string near = suggestion(setting.key);
    found.add(setting.key_place, "unknown key '" + shown + "'" +
                                     (near.empty() ? " (see `systole info keys`)" : " (did you mean '" + near + "'?)"));
}

} // namespace

const std::vector<Key>& keys() {
    static const std::vector<Key> all = make_keys();
    return all;
}

const std::vector<KeyInfo>& chip_keys() {
    static const std::vector<KeyInfo> infos = [] {
        std::vector<KeyInfo> list;
        for (const Key& key : keys()) {
            list.push_back(key.info);
        }
        return list;
    }();
    return infos;
}

void apply(Draft& draft, const Setting& setting, Diagnostics& found) {
    const auto key = std::find_if(keys().begin(), keys().end(),
                                  [&](const Key& candidate) { return matches(candidate.info.key, setting.key); });
    if (key == keys().end()) {
        report_unknown(setting, found);
        return;
    }
    draft.given[setting.key] = setting.value_place;
    key->read(draft, setting, found);
}

std::vector<std::pair<std::string, std::string>> chip_values(const Machine& machine) {
    KeyValues values;
    for (const Key& key : keys()) {
        key.print(machine, values);
    }
    return values;
}

} // namespace systole
