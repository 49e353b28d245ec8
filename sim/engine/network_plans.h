// How the tasks of a network are done: where their tensors lie, what each product's mapping is, what has room beside
// it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/engine/network_run.h"
#include "sim/engine/network_tasks.h"
#include "sim/engine/plan.h"
#include "sim/engine/tensor_places.h"

namespace systole {

struct PlannedTask {
    const NetworkTask* task = nullptr;
    const Plan* plan = nullptr; // the same for all that are alike; null: the vector unit's
    Bytes room = 0;             // of VMEM, for what is fetched ahead meanwhile
};

class NetworkPlans {
  public:
    // `options` says how products are mapped; machine and networks have to outlive it. Throws InputError: something
    // does not fit, or the whole would take too long.
    NetworkPlans(const Machine& machine, const Network& network, const LoweredNetwork& lowered,
                 const RunOptions& options, const NetworkWays& ways);
    NetworkPlans(const NetworkPlans&) = delete;
    NetworkPlans& operator=(const NetworkPlans&) = delete;
    NetworkPlans(NetworkPlans&&) noexcept = default; // what PlannedTask points at stays where it is
    NetworkPlans& operator=(NetworkPlans&&) = delete;
    ~NetworkPlans() = default;

    const Machine& machine() const { return machine_; }
    const Network& network() const { return network_; }
    const LoweredNetwork& lowered() const { return lowered_; }

    std::size_t size() const { return tasks_.size(); }
    std::span<const NetworkTask> tasks() const { return tasks_; }
    const PlannedTask& operator[](std::size_t i) const { return planned_[i]; }
    const std::string& key(std::size_t i) const {
        return keys_[i];
    }                                           // of tasks that are alike, and mapped alike: the same
    std::vector<MappingChoice> choices() const; // of the products, in the order of their tasks

    // VMEM as the task finds it: less what stays there for others.
    Bytes capacity_for(const NetworkTask& task) const;
    Machine with_vmem(Bytes capacity) const;

    bool comes_ahead(const NetworkTask& task) const; // its B, a weight that lies in HBM from the start
    Cycles surroundings() const;                     // of host stages, and of transfers that nothing hides

  private:
    PlannedTask plan(std::size_t i);
    Bytes room_beside(const NetworkTask& task, Bytes capacity) const;
    std::string key_of(const NetworkTask& task) const;
    void require_sparse_weights() const;
    void match_mappings();
    const SavedMapping* fixed_mapping(const NetworkTask& task) const;
    void refuse_at_least() const;
    void refuse_planned() const;
    template <typename Do>
    auto at_its_place(const NetworkTask& task, Do&& make) const;

    const Machine& machine_;
    const Network& network_;
    const LoweredNetwork& lowered_;
    const RunOptions options_;
    const NetworkWays ways_;
    const EngineKind engine_;
    const TensorPlaces places_;
    std::vector<NetworkTask> tasks_;
    std::map<std::string, SavedMapping> fixed_; // empty: none are given
    std::vector<std::string> keys_;             // by task
    double settle_events_ = 0;                  // of one: all that differ may cost together what one operator alone may
    std::map<std::string, Plan> plans_;
    std::vector<PlannedTask> planned_;
};

} // namespace systole
