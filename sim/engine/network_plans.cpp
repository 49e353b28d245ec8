#include "sim/engine/network_plans.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/engine/network_key.h"
#include "sim/engine/run_budget.h"
#include "sim/engine/surroundings.h"
#include "sim/engine/vector_run.h"

namespace systole {

namespace {

// Turns of one operator have one name and one shape, and one mapping.
std::string mapping_key(const MatrixTask& task) {
    return fmt::format("{}/{}x{}x{}x{}", task.name, task.count, task.m, task.n, task.k);
}

std::string text_of(const MappingChoice& choice) {
    return fmt::format("/{} {}x{}x{} {} {} {}", short_name(choice.dataflow), choice.tile.m, choice.tile.n,
                       choice.tile.k, name(choice.order), name(choice.sharing), choice.products);
}

} // namespace

NetworkPlans::NetworkPlans(const Machine& machine, const Network& network, const LoweredNetwork& lowered,
                           const RunOptions& options, const NetworkWays& ways)
    : machine_(machine), network_(network), lowered_(lowered), options_(options), ways_(ways),
      engine_(resolve_engine(options)), places_(lowered),
      tasks_(place_tasks(lowered, machine, options.from, options.weights, options.fuse)) {
    require_sparse_weights();
    if (options.fixed)
        match_mappings();
    for (const auto& task : tasks_)
        keys_.push_back(key_of(task));
    const std::set<std::string> different(keys_.begin(), keys_.end());
    settle_events_ = options.settle_events / static_cast<double>(std::max<std::size_t>(1, different.size()));
    refuse_at_least();
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
        keys_[i] += ways.alike_once ? "" : fmt::format(" of task {}", i);
        planned_.push_back(plan(i));
        if (planned_.back().plan)
            keys_[i] += text_of(planned_.back().plan->choice);
    }
    refuse_planned();
}

// What is wrong with a task is told with where it stands.
template <typename Do>
auto NetworkPlans::at_its_place(const NetworkTask& task, Do&& make) const {
    try {
        return make();
    } catch (const InputError& error) {
        throw InputError(network_.operators[lowered_.operators[task.operator_index].index].place, error.what());
    }
}

std::vector<MappingChoice> NetworkPlans::choices() const {
    std::vector<MappingChoice> all;
    for (const auto& planned : planned_) {
        if (planned.plan)
            all.push_back(planned.plan->choice);
    }
    return all;
}

Machine NetworkPlans::with_vmem(Bytes capacity) const {
    Machine machine = machine_;
    machine.vmem.capacity = capacity;
    return machine;
}

Bytes NetworkPlans::capacity_for(const NetworkTask& task) const {
    return machine_.vmem.capacity == unlimited ? unlimited : machine_.vmem.capacity - task.others_resident;
}

bool NetworkPlans::comes_ahead(const NetworkTask& task) const {
    const auto* matrix = std::get_if<MatrixTask>(&task.task);
    if (!matrix || !ways_.weights_ahead || options_.from != DataOrigin::hbm)
        return false;
    const auto root = places_.root(matrix->b);
    return places_.kind(root) == TensorKind::weight && !places_.is_moved(root);
}

PlannedTask NetworkPlans::plan(std::size_t i) {
    const auto& task = tasks_[i];
    const Bytes capacity = capacity_for(task);
    if (std::holds_alternative<VectorTask>(task.task))
        return {&task, nullptr, capacity == unlimited ? unlimited : room_beside(task, capacity)};
    const auto [known, is_new] = plans_.try_emplace(keys_[i]);
    if (is_new) {
        known->second = at_its_place(task, [&] {
            auto options = options_;
            options.settle_events = settle_events_;
            auto made = make_plan(with_vmem(capacity), problem_of(task), options, fixed_mapping(task));
            refuse_if_too_long(made, machine_, engine_, options_);
            return made;
        });
    }
    Bytes need = 0;
    for (const auto& share : known->second.shares)
        need = std::max(need, vmem_need(share.mapping, known->second.limits));
    return {&task, &known->second, capacity == unlimited ? unlimited : capacity - need};
}

// The vector unit's blocks take what is there: what comes ahead gets half of it, as far as the smallest leave that.
Bytes NetworkPlans::room_beside(const NetworkTask& task, Bytes capacity) const {
    if (options_.from != DataOrigin::hbm)
        return 0; // nothing comes ahead
    const auto [stays, least] = vector_room(machine_, vector_problem_of(task), options_.from);
    return std::max<Bytes>(0, std::min((capacity - stays) / 2, capacity - least));
}

// Of host stages, and of transfers that nothing hides.
Cycles NetworkPlans::surroundings() const {
    Cycles sum = 0;
    for (const auto& one : lowered_.operators) {
        for (const auto& task : one.tasks) {
            if (const auto* host = std::get_if<HostTask>(&task))
                sum += host_cycles(machine_, *host);
            if (const auto* moved = std::get_if<TransferTask>(&task))
                sum += moved->overlapped ? 0 : transfer_cycles(machine_, *moved);
        }
    }
    return sum;
}

// Before any mapping is looked for: of the arrays, the vector unit and what stands around the chip.
void NetworkPlans::refuse_at_least() const {
    RunBudget budget(machine_, engine_, options_);
    budget.add_others(static_cast<double>(surroundings()));
    for (const auto& task : tasks_) {
        if (std::holds_alternative<VectorTask>(task.task))
            budget.add_others(fewest_cycles(machine_, vector_problem_of(task)));
        else
            budget.add_products(at_its_place(task, [&] { return fewest_cycles(machine_, problem_of(task)); }), 0);
    }
    budget.check();
}

// Not for --max-cycles: what is fetched ahead takes no time of its own task, so plans may say more than the run takes.
// Tasks that are alike are simulated once.
void NetworkPlans::refuse_planned() const {
    if (options_.max_cycles)
        return;
    RunBudget budget(machine_, engine_, options_);
    std::set<const Plan*> known;
    for (const auto& [task, plan, room] : planned_) {
        if (plan)
            budget.add_products(plan->estimate, known.insert(plan).second ? plan->events : 0);
    }
    budget.check();
}

// Tasks of one key are alike. Mappings that are given are given by name.
std::string NetworkPlans::key_of(const NetworkTask& task) const {
    if (const auto* vector = std::get_if<VectorTask>(&task.task))
        return systole::key_of(*vector, task, capacity_for(task));
    const auto key = systole::key_of(problem_of(task), capacity_for(task));
    return fixed_.empty() ? key : key + "/" + std::get<MatrixTask>(task.task).name;
}

void NetworkPlans::require_sparse_weights() const {
    const auto sparse = [](const NetworkTask& task) { return !task.sparsity.dense(); };
    if (!options_.weights.dense() && std::none_of(tasks_.begin(), tasks_.end(), sparse)) {
        throw InputError("--sparsity: no product of the network has stored weights that could be sparse (leave it "
                         "out; convolutions and grouped products stay dense)");
    }
}

void NetworkPlans::match_mappings() {
    std::vector<std::string> keys;
    std::vector<GemmProblem> problems;
    std::set<std::string> known;
    for (const auto& task : tasks_) {
        const auto* matrix = std::get_if<MatrixTask>(&task.task);
        if (!matrix || !known.insert(mapping_key(*matrix)).second)
            continue;
        keys.push_back(mapping_key(*matrix));
        problems.push_back(problem_of(task));
    }
    const auto matched = match(*options_.fixed, problems, options_.dataflow);
    for (std::size_t i = 0; i < keys.size(); ++i)
        fixed_.emplace(keys[i], matched[i]);
}

const SavedMapping* NetworkPlans::fixed_mapping(const NetworkTask& task) const {
    const auto found = fixed_.find(mapping_key(std::get<MatrixTask>(task.task)));
    return found == fixed_.end() ? nullptr : &found->second;
}

} // namespace systole
