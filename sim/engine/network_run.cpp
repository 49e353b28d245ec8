#include "sim/engine/network_run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/engine/laws.h"
#include "sim/engine/network_key.h"
#include "sim/engine/network_repeats.h"
#include "sim/engine/network_tasks.h"
#include "sim/engine/operator_run.h"
#include "sim/engine/surroundings.h"
#include "sim/engine/vector_run.h"
#include "sim/roofline/roofline.h"
#include "sim/stats/total.h"

namespace systole {

namespace {

// What a task of the arrays is planned to do; the same for all that are alike.
struct PlannedTask {
    const NetworkTask* task = nullptr;
    const Plan* plan = nullptr; // null: the vector unit's
    Bytes room = 0;             // of VMEM, for what is fetched ahead meanwhile
};

class NetworkRun {
  public:
    NetworkRun(const Machine& machine, const Network& network, const LoweredNetwork& lowered, const RunOptions& options,
               const NetworkWays& ways)
        : machine_(machine), network_(network), lowered_(lowered), options_(options), ways_(ways),
          engine_(resolve_engine(options)),
          tasks_(place_tasks(lowered, machine, options.from, options.weights, options.fuse)) {
        require_sparse_weights();
        if (options.fixed)
            match_mappings();
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            keys_.push_back(key_of(tasks_[i]));
        const std::set<std::string> different(keys_.begin(), keys_.end());
        settle_events_ = options.settle_events / static_cast<double>(std::max<std::size_t>(1, different.size()));
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            keys_[i] += ways.alike_once ? "" : fmt::format(" of task {}", i);
            planned_.push_back(plan(i));
        }
    }

    RunResult run() {
        RunResult result;
        result.chip = machine_.name;
        result.engine = name(engine_);
        result.clock = machine_.clock;
        result.network = true;
        result.skipped = network_.skipped;
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            run_task(i);
        Cycles on_chip = 0;
        for (const auto& one : results_)
            on_chip += one->result.cycles;
        hiding_ = {on_chip, on_chip};
        std::size_t task = 0;
        for (std::size_t i = 0; i < lowered_.operators.size(); ++i) {
            const auto begin = task;
            while (task < tasks_.size() && tasks_[task].operator_index == i)
                ++task;
            add_operator(result, i, begin, task);
        }
        finish(result);
        return result;
    }

  private:
    // Of all tasks that are alike.
    struct Done {
        std::shared_ptr<const OperatorRun> run;
        SharedAhead ahead; // what of a later task's B has come then
    };

    const Operator& source(const NetworkTask& task) const {
        return network_.operators[lowered_.operators[task.operator_index].index];
    }

    // VMEM as the task finds it: less what stays there for others.
    Machine with_vmem(Bytes capacity) const {
        Machine machine = machine_;
        machine.vmem.capacity = capacity;
        return machine;
    }

    Bytes capacity_for(const NetworkTask& task) const {
        return machine_.vmem.capacity == unlimited ? unlimited : machine_.vmem.capacity - task.others_resident;
    }

    PlannedTask plan(std::size_t i) {
        const auto& task = tasks_[i];
        const Bytes capacity = capacity_for(task);
        if (std::holds_alternative<VectorTask>(task.task)) { // its blocks take what is there: leave half
            return {&task, nullptr, capacity == unlimited ? unlimited : (capacity - task.own_resident) / 2};
        }
        const auto [known, is_new] = plans_.try_emplace(keys_[i]);
        if (is_new) {
            try {
                auto options = options_;
                options.settle_events = settle_events_;
                known->second = make_plan(with_vmem(capacity), problem_of(task), options, fixed_mapping(task));
                refuse_if_too_long(known->second, machine_, engine_, options_);
            } catch (const InputError& error) {
                throw InputError(source(task).place, error.what());
            }
        }
        Bytes need = 0;
        for (const auto& share : known->second.shares)
            need = std::max(need, vmem_need(share.mapping, known->second.limits));
        return {&task, &known->second, capacity == unlimited ? unlimited : capacity - need};
    }

    // The next task behind `i` whose B can be fetched ahead, and the room that all have until then.
    struct Later {
        std::size_t index = 0;
        Bytes room = 0;
    };
    std::optional<Later> later_of(std::size_t i) const {
        Later later{i + 1, planned_[i].room};
        for (; later.index < tasks_.size(); ++later.index) {
            const auto& next = planned_[later.index];
            if (next.plan && has_weights(*next.task))
                return later;
            later.room = std::min(later.room, next.room);
        }
        return std::nullopt;
    }

    // What lies in HBM from the start.
    bool has_weights(const NetworkTask& task) const {
        if (!ways_.weights_ahead)
            return false;
        const auto& b = std::get<MatrixTask>(task.task).b;
        const auto root = lowered_.storage[static_cast<std::size_t>(b.tensor)];
        const auto kind = lowered_.tensors[static_cast<std::size_t>(root)].kind;
        return options_.from == DataOrigin::hbm && kind == TensorKind::weight;
    }

    void run_task(std::size_t i) {
        const auto here = target_ == i ? std::exchange(state_, {}) : SharedAhead{};
        const auto later = later_of(i);
        if (later && target_ != later->index) {
            state_ = lists_of(*later);
            target_ = later->index;
        }
        const auto ahead = later ? state_ : SharedAhead{};
        auto& known = done_[keys_[i] + "/" + systole::key_of(here) + "/" + systole::key_of(ahead)];
        if (!known.run) {
            known.run = std::make_shared<OperatorRun>(run_named(planned_[i], here, ahead));
            known.ahead = ahead ? share(after(known.run->ahead, ahead->cores), ahead->target) : SharedAhead{};
        }
        results_.push_back(known.run);
        if (later)
            state_ = known.ahead;
    }

    // Tasks of one key are alike. Mappings that are given are given by name.
    std::string key_of(const NetworkTask& task) const {
        if (const auto* vector = std::get_if<VectorTask>(&task.task))
            return systole::key_of(*vector, task, capacity_for(task));
        const auto key = systole::key_of(problem_of(task), capacity_for(task));
        return fixed_.empty() ? key : key + "/" + std::get<MatrixTask>(task.task).name;
    }

    void require_sparse_weights() const {
        const auto sparse = [](const NetworkTask& task) { return !task.sparsity.dense(); };
        if (!options_.weights.dense() && std::none_of(tasks_.begin(), tasks_.end(), sparse)) {
            throw InputError("--sparsity: no product of the network has stored weights that could be sparse (leave it "
                             "out; convolutions and grouped products stay dense)");
        }
    }

    // Turns of one operator have one name and one shape, and one mapping.
    static std::string mapping_key(const MatrixTask& task) {
        return fmt::format("{}/{}x{}x{}x{}", task.name, task.count, task.m, task.n, task.k);
    }
    void match_mappings() {
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
    const SavedMapping* fixed_mapping(const NetworkTask& task) const {
        const auto found = fixed_.find(mapping_key(std::get<MatrixTask>(task.task)));
        return found == fixed_.end() ? nullptr : &found->second;
    }

    // The same for all later tasks that are alike.
    SharedAhead lists_of(const Later& later) {
        const auto target = fmt::format("{} in {}", keys_[later.index], later.room);
        auto& lists = fresh_[target];
        if (!lists) {
            const auto run = machine_run(*planned_[later.index].plan, engine_, options_);
            lists = share(ahead_units(machine_, run, later.room), target);
        }
        return lists;
    }

    // Cores without a share have fetched nothing ahead.
    static std::vector<AheadUnits> after(const std::vector<AheadUnits>& came, std::vector<AheadUnits> before) {
        for (std::size_t core = 0; core < std::min(came.size(), before.size()); ++core)
            before[core] = came[core];
        return before;
    }

    // A bug that stops a run is told with the task that it met.
    OperatorRun run_named(const PlannedTask& planned, const SharedAhead& here, const SharedAhead& ahead) const {
        try {
            return run_alone(planned, here, ahead);
        } catch (const InternalError& error) {
            const auto name = std::visit([](const auto& task) { return task.name; }, planned.task->task);
            throw InternalError(fmt::format("{}: {}", name, error.what()));
        }
    }

    OperatorRun run_alone(const PlannedTask& planned, const SharedAhead& here, const SharedAhead& ahead) const {
        Neighbours neighbours{here ? here->cores : std::vector<AheadUnits>{},
                              ahead ? ahead->cores : std::vector<AheadUnits>{}};
        if (planned.plan) {
            for (auto* lists : {&neighbours.here, &neighbours.ahead}) {
                if (!lists->empty()) // as many as shares
                    lists->resize(planned.plan->shares.size());
            }
            return run_operator(machine_, *planned.plan, engine_, options_, neighbours);
        }
        const auto capacity = capacity_for(*planned.task);
        const auto machine = with_vmem(capacity == unlimited ? unlimited : capacity - planned.room);
        auto result = run_vector(machine, vector_problem_of(*planned.task), options_, &neighbours.ahead);
        return {std::move(result), std::move(neighbours.ahead)};
    }

    // Of the tasks [begin, end) and what of the operator is not done on the chip.
    void add_operator(RunResult& result, std::size_t index, std::size_t begin, std::size_t end) {
        std::vector<OperatorResult> parts;
        std::vector<TaskMapping> mappings;
        for (auto i = begin; i < end; ++i) {
            parts.push_back(results_[i]->result);
            if (const auto* matrix = std::get_if<MatrixTask>(&tasks_[i].task))
                mappings.push_back(
                    {matrix->name, matrix->m, matrix->n, matrix->k, matrix->count, planned_[i].plan->choice});
        }
        for (const auto& task : lowered_.operators[index].tasks) {
            if (const auto* host = std::get_if<HostTask>(&task))
                parts.push_back(host_stage(machine_, *host));
            if (const auto* moved = std::get_if<TransferTask>(&task))
                parts.push_back(transfer(machine_, *moved, hidden(*moved)));
        }
        if (parts.empty())
            return;
        const auto& from = network_.operators[lowered_.operators[index].index];
        auto whole = total_of(parts);
        whole.name = from.name;
        whole.kind = kind_name(from.attributes);
        whole.tasks = static_cast<std::int64_t>(parts.size());
        whole.roofline = sum_of(parts);
        const auto repeated = repeated_bytes(std::span(tasks_).subspan(begin, end - begin), lowered_,
                                             lowered_.operators[index], options_.from);
        remove_compulsory(whole.roofline, "hbm", repeated.hbm, whole.flops());
        remove_compulsory(whole.roofline, "pcie", repeated.pcie, whole.flops());
        whole.task_mappings = std::move(mappings);
        if (parts.size() == 1)
            whole.mapping = parts.front().mapping;
        for (const auto& part : parts) {
            if (!part.sparsity.dense())
                whole.sparsity = part.sparsity;
        }
        result.operators.push_back(std::move(whole));
    }

    // Transfers of one direction run beside the chip's work, one behind the other, until that is over.
    Cycles hidden(const TransferTask& task) {
        if (!task.overlapped)
            return 0;
        auto& left = hiding_[task.to_device ? 0 : 1];
        const Cycles all = transfer_cycles(machine_, task);
        const Cycles beside = std::min(left, all);
        left -= beside;
        return beside;
    }

    static Roofline sum_of(const std::vector<OperatorResult>& parts) {
        std::vector<Roofline> rooflines;
        std::vector<std::int64_t> flops;
        for (const auto& part : parts) {
            rooflines.push_back(part.roofline);
            flops.push_back(part.flops());
        }
        return sum(rooflines, flops);
    }

    // Of the whole network: what was fetched ahead has crossed HBM all the same.
    void finish(RunResult& result) const {
        result.total = total_of(result.operators);
        result.total.roofline = sum_of(result.operators);
        result.total.prefetched = 0;
        result.total.from = options_.from;
        Bytes ahead = 0;
        for (const auto& one : results_)
            ahead += one->result.prefetched;
        add_compulsory(result.total.roofline, "hbm", ahead, result.total.flops());
        check_time_and_causes(result.total, static_cast<bool>(options_.external_memory));
    }

    const Machine& machine_;
    const Network& network_;
    const LoweredNetwork& lowered_;
    const RunOptions& options_;
    const NetworkWays ways_;
    EngineKind engine_;
    std::vector<NetworkTask> tasks_;
    std::map<std::string, SavedMapping> fixed_; // empty: none are given
    std::vector<std::string> keys_;             // by task
    double settle_events_ = 0;                  // of one: all that differ may cost together what one operator alone may
    std::map<std::string, Plan> plans_;
    std::vector<PlannedTask> planned_;
    std::map<std::string, SharedAhead> fresh_; // lists of which nothing has come
    std::map<std::string, Done> done_;
    std::vector<std::shared_ptr<const OperatorRun>> results_; // by task
    std::array<Cycles, 2> hiding_{}; // of the chip's work: what no transfer down or up has run beside yet
    SharedAhead state_;              // of the task `target_`: what of its B has come
    std::size_t target_ = 0;         // 0: none, as nothing comes before the first
};

} // namespace

RunResult simulate_network(const Machine& machine, const Network& network, const LoweredNetwork& lowered,
                           const RunOptions& options, const NetworkWays& ways) {
    require_simulable(machine);
    if (options.from == DataOrigin::vmem)
        require_fits_vmem(lowered, machine);
    return NetworkRun(machine, network, lowered, options, ways).run();
}

} // namespace systole
