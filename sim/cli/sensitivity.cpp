#include "sim/cli/sensitivity.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/config/load.h"

namespace systole {

namespace {

struct Knob {
    std::string key, from, to;
};

class Knobs {
  public:
    // value: what it is; `format`: as the chip file takes it. One that is unlimited cannot be raised.
    template <typename Value, typename Format>
    void twice(const std::string& key, Value value, Format format) {
        if (value < unlimited / 2 && value > 0) {
            add(key, format(value), format(2 * value));
        }
    }
    void twice(const std::string& key, std::int64_t value) {
        twice(key, value, [](std::int64_t v) { return fmt::format("{}", v); });
    }
    void half(const std::string& key, std::int64_t value, std::int64_t least = 1) {
        if (value / 2 >= least) {
            add(key, fmt::format("{}", value), fmt::format("{}", value / 2));
        }
    }
    void add(std::string key, std::string from, std::string to) {
        all_.push_back({std::move(key), std::move(from), std::move(to)});
    }
    const std::vector<Knob>& all() const { return all_; }

  private:
    std::vector<Knob> all_;
};

void add_array(const Machine& machine, bool output_stationary, Knobs& knobs) {
    const ArrayConfig& array = machine.array;
    knobs.twice("clock", machine.clock, format_frequency);
    knobs.twice("array.count", array.count);
    if (!output_stationary && array.weight_buffers == 1) {
        knobs.add("array.weight_buffers", "1", "2");
    }
    if (!output_stationary && array.weight_buffers == 2 && array.swap == Swap::drained) {
        knobs.add("array.swap", "drained", "wavefront");
    }
    if (output_stationary && array.accumulator_buffers == 1) {
        knobs.add("array.accumulator_buffers", "1", "2");
    }
    knobs.half("array.min_rows", array.min_rows);
    knobs.twice("accumulator.capacity", machine.accumulator_capacity, format_bytes);
}

void add_vmem(const Machine& machine, DataOrigin from, Knobs& knobs) {
    knobs.twice("vmem.bandwidth", machine.vmem.bandwidth, format_bytes_per_cycle);
    knobs.twice("vmem.banks", machine.vmem.banks);
    if (machine.vmem.banks != unlimited) {
        knobs.twice("vmem.ports", machine.vmem.ports);
    }
    knobs.half("vmem.read_latency", machine.vmem.read_latency);
    if (from == DataOrigin::vmem) {
        return;
    }
    knobs.twice("vmem.capacity", machine.vmem.capacity, format_bytes);
    knobs.twice("vmem.buffers", machine.vmem.buffers);
    knobs.twice("dma.outstanding", machine.dma.outstanding);
    knobs.twice("dma.engines", machine.dma.engines);
    knobs.half("dma.issue_interval", machine.dma.issue_interval, 0);
}

void half_time(const std::string& key, Picoseconds value, Knobs& knobs) {
    if (value >= 4) { // a round trip is an even number of ps
        knobs.add(key, format_time(value), format_time(value / 4 * 2));
    }
}

void add_hbm(const Machine& machine, Knobs& knobs) {
    knobs.twice("hbm.bandwidth", machine.hbm.bandwidth, format_bandwidth);
    half_time("hbm.latency", machine.hbm.latency, knobs);
    if (machine.hbm.dram) { // more banks and, where the chip file states no hbm.bandwidth, as much more of that
        knobs.twice("hbm.stacks", machine.hbm.stacks);
    }
}

void add_pcie(const Machine& machine, Knobs& knobs) {
    const PcieConfig& pcie = machine.pcie;
    if (!pcie.packets) {
        knobs.twice("pcie.bandwidth", pcie.bandwidth, format_bandwidth);
    } else {
        constexpr std::int64_t most_lanes = 32;
        if (2 * pcie.lanes <= most_lanes && pcie.lanes != 12) {
            knobs.twice("pcie.lanes", pcie.lanes);
        }
        if (pcie.generation < 6) {
            knobs.add("pcie.generation", fmt::format("{}", pcie.generation), fmt::format("{}", pcie.generation + 1));
        }
        knobs.twice("pcie.tags", pcie.tags);
    }
    half_time("pcie.round_trip", 2 * pcie.latency, knobs);
}

std::vector<Knob> knobs_of(const SimulateInput& input, const RunResult& base) {
    const auto is_os = [](const OperatorResult& one) { return one.dataflow == Dataflow::output_stationary; };
    const bool output_stationary = std::all_of(base.operators.begin(), base.operators.end(), is_os);
    const DataOrigin from = input.run.from;
    Knobs knobs;
    add_array(input.machine, output_stationary, knobs);
    add_vmem(input.machine, from, knobs);
    if (from != DataOrigin::vmem) {
        add_hbm(input.machine, knobs);
    }
    if (from == DataOrigin::host) {
        add_pcie(input.machine, knobs);
    }
    return knobs.all();
}

SensitivityRow rerun(const SimulateInput& input, const RunResult& base, const Knob& knob) {
    SensitivityRow row{knob.key, knob.from, knob.to, 0, 0, 0, ""};
    std::vector<std::string> overrides = input.overrides;
    overrides.push_back(knob.key + "=" + knob.to);
    RunOptions options = input.run;
    options.engine = EngineKind::tile;
    options.verify = false;
    options.progress = {};
    try {
        const Machine machine = load_machine(input.chip, overrides);
        const RunResult result = simulate(machine, input, options);
        row.cycles = result.total.cycles;
        row.seconds = result.total.seconds;
        // In cycles of the old clock, rounded up: what is saved is never overstated.
        __extension__ using Wide = __int128;
        const Wide scaled = Wide{row.cycles} * base.clock;
        row.saved = base.total.cycles - static_cast<Cycles>((scaled + result.clock - 1) / result.clock);
    } catch (const InputError& error) { // beyond the range of the key, or refused for its length
        row.not_possible = error.diagnostics().front().message;
    }
    return row;
}

} // namespace

std::vector<SensitivityRow> sensitivity(const SimulateInput& input, const RunResult& base) {
    std::vector<SensitivityRow> rows;
    for (const Knob& knob : knobs_of(input, base)) {
        rows.push_back(rerun(input, base, knob));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const SensitivityRow& a, const SensitivityRow& b) {
        return a.not_possible.empty() != b.not_possible.empty() ? a.not_possible.empty() : a.saved > b.saved;
    });
    return rows;
}

} // namespace systole
