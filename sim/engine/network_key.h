// When two tasks of a network are alike: what they do, what VMEM holds for them, and what is fetched beside them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/engine/ahead.h"
#include "sim/engine/network_tasks.h"

namespace systole {

// What of a later task's B has come, and what is still to be fetched; of each core.
struct AheadState {
    std::vector<AheadUnits> cores;
    std::string target; // the later task, by its key
    std::string key;    // equal, but for a chance of 2^-128, if and only if target and lists are
};
using SharedAhead = std::shared_ptr<const AheadState>; // null: nothing

SharedAhead share(std::vector<AheadUnits> cores, const std::string& target);

std::string key_of(const GemmProblem& problem, Bytes vmem_capacity);
std::string key_of(const VectorTask& task, const NetworkTask& placed, Bytes vmem_capacity);
std::string key_of(const SharedAhead& state);

} // namespace systole
