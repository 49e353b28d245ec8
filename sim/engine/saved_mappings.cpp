#include "sim/engine/saved_mappings.h"

#include <set>
#include <string>
#include <tuple>

namespace systole {

namespace {

std::vector<SavedMapping> of_list(const RunResult& result) {
    std::vector<SavedMapping> all;
    for (const OperatorResult& one : result.operators) {
        all.push_back({{}, one.name, one.m, one.n, one.k, one.count, one.mapping.value_or(MappingChoice{})});
    }
    return all;
}

// Tasks of one name and shape are turns of one, and are mapped in one way.
std::vector<SavedMapping> of_network(const RunResult& result) {
    std::vector<SavedMapping> all;
    std::set<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>> known;
    for (const OperatorResult& one : result.operators) {
        for (const TaskMapping& task : one.task_mappings) {
            if (known.emplace(task.name, task.m, task.n, task.k, task.count).second) {
                all.push_back({{}, task.name, task.m, task.n, task.k, task.count, task.choice});
            }
        }
    }
    return all;
}

} // namespace

std::vector<SavedMapping> mappings_of(const RunResult& result) {
    return result.network ? of_network(result) : of_list(result);
}

} // namespace systole
