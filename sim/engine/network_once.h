// A run of a network whose products are mapped already.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/engine/network_key.h"
#include "sim/engine/network_plans.h"
#include "sim/engine/operator_run.h"

namespace systole {

// Of all tasks that are alike, in an alike state.
struct TaskResult {
    std::shared_ptr<const OperatorRun> run;
    SharedAhead ahead; // what of a later task's B has come then
};
using TaskResults = std::map<std::string, TaskResult>;

// With the engine, and with everything else but the mappings, that `options` says. Throws as simulate() does.
// `known`: what runs of other plans of the same network with the same options have simulated; this one's are added.
RunResult run_planned(const NetworkPlans& plans, const RunOptions& options, TaskResults& known);

} // namespace systole
