#include "sim/engine/network_run.h"

#include <algorithm>
#include <optional>

#include "sim/base/error.h"
#include "sim/engine/network_once.h"
#include "sim/engine/network_tasks.h"
#include "sim/engine/operator_run.h"

namespace systole {

namespace {

// The ways of mapping all products that are asked for. What is best for each product alone need not be best for all of
// them, one behind the other with their weights coming ahead; so what `auto` stands for is compared as a whole as well.
std::vector<RunOptions> ways_of(const RunOptions& options, const NetworkWays& ways) {
    if (options.fixed || !ways.compared)
        return {options};
    std::vector<std::optional<Dataflow>> dataflows{options.dataflow};
    if (!options.dataflow)
        dataflows.insert(dataflows.end(),
                         {Dataflow::weight_stationary, Dataflow::output_stationary, Dataflow::input_stationary});
    std::vector<MappingMode> modes{options.mapping};
    if (options.mapping == MappingMode::automatic && !options.tile)
        modes.push_back(MappingMode::naive);
    std::vector<RunOptions> all;
    for (const auto mode : modes) {
        for (const auto dataflow : dataflows) {
            all.push_back(options);
            all.back().dataflow = dataflow;
            all.back().mapping = mode;
        }
    }
    return all;
}

// To compare: no values, nobody watches, the built-in memory.
RunOptions trial_of(const RunOptions& options) {
    RunOptions trial;
    trial.engine = EngineKind::tile;
    trial.dataflow = options.dataflow;
    trial.from = options.from;
    trial.weights = options.weights;
    trial.fuse = options.fuse;
    trial.max_cycles = options.max_cycles;
    trial.progress = options.progress;
    return trial;
}

// What mappings decide: not what overlapped transfers wait for, which is what the chip leaves of their time.
Cycles on_chip(const RunResult& result) {
    Cycles sum = 0;
    for (const auto& one : result.operators)
        sum += one.kind == "transfer" ? 0 : one.cycles;
    return sum;
}

class Contest {
  public:
    Contest(const Machine& machine, const Network& network, const LoweredNetwork& lowered, const RunOptions& options,
            const NetworkWays& ways)
        : options_(options) {
        for (const auto& way : ways_of(options, ways))
            attempt([&] { add(NetworkPlans(machine, network, lowered, way, ways)); });
        if (planned_.empty())
            throw InputError(*refused_);
    }

    RunResult run() {
        if (planned_.size() == 1)
            return run_alone(planned_.front());
        const bool is_trial = resolve_engine(options_) == EngineKind::tile && !options_.timeline &&
                              !options_.external_memory && !needs_values(options_);
        TaskResults known; // plans differ in some products alone
        const NetworkPlans* best = nullptr;
        std::optional<RunResult> fastest;
        for (const auto& one : planned_) {
            attempt([&] {
                auto result = run_planned(one, trial_of(options_), known);
                if (fastest && on_chip(*fastest) <= on_chip(result))
                    return;
                fastest = std::move(result);
                best = &one;
            });
        }
        if (!best)
            throw InputError(*refused_);
        return is_trial ? *std::move(fastest) : run_alone(*best);
    }

  private:
    RunResult run_alone(const NetworkPlans& plans) const {
        TaskResults known;
        return run_planned(plans, options_, known);
    }

    // One of several ways may be refused.
    template <typename Do>
    void attempt(Do&& something) {
        try {
            something();
        } catch (const InputError& error) {
            if (!refused_)
                refused_ = error;
        }
    }

    void add(NetworkPlans planned) {
        auto choices = planned.choices();
        if (std::find(choices_.begin(), choices_.end(), choices) != choices_.end())
            return;
        choices_.push_back(std::move(choices));
        planned_.push_back(std::move(planned));
    }

    const RunOptions& options_;
    std::vector<NetworkPlans> planned_; // different ones
    std::vector<std::vector<MappingChoice>> choices_;
    std::optional<InputError> refused_; // of the first way that was
};

} // namespace

RunResult simulate_network(const Machine& machine, const Network& network, const LoweredNetwork& lowered,
                           const RunOptions& options, const NetworkWays& ways) {
    require_simulable(machine);
    if (options.from == DataOrigin::vmem)
        require_fits_vmem(network, lowered, machine);
    return Contest(machine, network, lowered, options, ways).run();
}

} // namespace systole
