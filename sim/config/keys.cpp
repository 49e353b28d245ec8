#include "sim/config/keys.h"

#include <algorithm>
#include <iterator>

#include "sim/config/hbm_keys.h"
#include "sim/config/key_types.h"
#include "sim/config/load.h"
#include "sim/config/pcie_keys.h"
#include "sim/config/roofline_keys.h"
#include "sim/config/special_keys.h"
#include "sim/config/unknown_key.h"

namespace systole {

namespace {

using M = Machine;

constexpr std::int64_t kibi = 1024;
constexpr std::int64_t gibi = kibi * kibi * kibi;

std::vector<Key> top_keys() {
    return {
        text_key("description", "the chip in one line", [](M& m) -> std::string& { return m.description; }),
        text_key("source", "where the numbers come from", [](M& m) -> std::string& { return m.source; }),
        quantity_key("clock", frequency_quantity, {1'000, 100'000'000'000}, "core clock",
                     [](M& m) -> Hertz& { return m.clock; }),
        integer_key("cores", "", {1, 64}, "tensor cores; they share HBM and PCIe",
                    [](M& m) -> int& { return m.cores; }),
        roofline_only_key(),
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

std::vector<Key> vector_keys() {
    return {
        integer_key("vector.lanes", "", {1, 4096}, "elements side by side in a register of the vector unit",
                    [](M& m) -> int& { return m.vector.lanes; }),
        integer_key("vector.sublanes", "", {1, 64}, "rows of lanes in a register",
                    [](M& m) -> int& { return m.vector.sublanes; }),
        integer_key("vector.alus", "", {1, 64}, "operations of an element's place in a cycle",
                    [](M& m) -> int& { return m.vector.alus; }),
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
        count_key("vmem.banks", "", {1, 1024}, "tiles are dealt to them in turn; unlimited: clients never meet",
                  [](M& m) -> std::int64_t& { return m.vmem.banks; }),
        integer_key("vmem.ports", "", {1, 8}, "clients that a bank serves in a cycle",
                    [](M& m) -> int& { return m.vmem.ports; }),
        integer_key("vmem.buffers", "tiles", {1, 8}, "tiles of an operand held at once; 2 = double buffering",
                    [](M& m) -> int& { return m.vmem.buffers; }),
        integer_key("vmem.read_latency", "cycles", {0, 1024}, "from a read to the arrival at the array",
                    [](M& m) -> Cycles& { return m.vmem.read_latency; }),
        quantity_key("dma.burst", bytes_quantity, {16, gibi}, "size of one memory request",
                     [](M& m) -> Bytes& { return m.dma.burst_bytes; }),
        integer_key("dma.outstanding", "requests", {1, 4096}, "requests in flight, of each engine and direction",
                    [](M& m) -> int& { return m.dma.outstanding; }),
        integer_key("dma.engines", "engines", {1, 16}, "DMA engines of one core; tiles' parts go to them in turn",
                    [](M& m) -> int& { return m.dma.engines; }),
        integer_key("dma.issue_interval", "cycles", {0, 4096},
                    "between two requests of an engine, of each direction; 0: any number in a cycle",
                    [](M& m) -> Cycles& { return m.dma.issue_interval; }),
    };
}

std::vector<Key> data_sheet_keys() {
    return {
        link_bandwidth_key(),        link_count_key(),
        nominal_flops_key(),         nominal_vector_flops_key(),
        nominal_level_key(),         nominal_vmem_bandwidth_key(),
        nominal_hbm_bandwidth_key(), nominal_pcie_bandwidth_key(),
    };
}

std::vector<Key> make_keys() {
    std::vector<Key> all;
    for (std::vector<Key> group :
         {top_keys(), array_keys(), vector_keys(), core_memory_keys(), hbm_keys(), pcie_keys(), data_sheet_keys()}) {
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

// "nominal.flops.FORMAT" matches "nominal.flops.bf16": a last word in capitals stands for any one word.
bool matches(const std::string& pattern, const std::string& key) {
    const std::size_t last = pattern.rfind('.') + 1;
    if (pattern[last] < 'A' || pattern[last] > 'Z') {
        return pattern == key;
    }
    return key.size() > last && key.starts_with(pattern.substr(0, last)) && key.find('.', last) == std::string::npos;
}

void report_unknown(const Setting& setting, Diagnostics& found) {
    std::vector<std::string> names;
    for (const Key& candidate : keys()) {
        names.push_back(candidate.info.key);
    }
    report_unknown_key(setting, names, "systole info keys", found);
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
        if (!machine.roofline_only || holds_for_roofline_only(key.info.key)) {
            key.print(machine, values);
        }
    }
    return values;
}

} // namespace systole
