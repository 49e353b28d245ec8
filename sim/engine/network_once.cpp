#include "sim/engine/network_once.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/engine/laws.h"
#include "sim/engine/network_repeats.h"
#include "sim/engine/surroundings.h"
#include "sim/engine/vector_run.h"
#include "sim/roofline/roofline.h"
#include "sim/stats/total.h"

namespace systole {

namespace {

class NetworkRun {
  public:
    NetworkRun(const NetworkPlans& plans, const RunOptions& options, TaskResults& known)
        : plans_(plans), machine_(plans.machine()), network_(plans.network()), lowered_(plans.lowered()),
          options_(options), engine_(resolve_engine(options)), done_(known) {
        options_.cycles_before = plans.surroundings();
    }

    RunResult run() {
        auto* const timeline = std::exchange(options_.timeline, nullptr);
        auto result = run_untold();
        if (timeline)
            tell(*timeline);
        return result;
    }

  private:
    RunResult run_untold() {
        RunResult result;
        result.chip = machine_.name;
        result.engine = name(engine_);
        result.clock = machine_.clock;
        result.network = true;
        result.skipped = network_.skipped;
        for (std::size_t i = 0; i < plans_.size(); ++i)
            run_task(i);
        Cycles on_chip = 0;
        for (const auto& one : results_)
            on_chip += one->result.cycles;
        hiding_ = {on_chip, on_chip};
        std::size_t task = 0;
        for (std::size_t i = 0; i < lowered_.operators.size(); ++i) {
            const auto begin = task;
            while (task < plans_.size() && plans_[task].task->operator_index == i)
                ++task;
            add_operator(result, i, begin, task);
        }
        finish(result);
        return result;
    }

    // Each task again, under its own name and not once for all that are alike, and what is done outside the chip, in
    // the order of the operators. How long a transfer beside the chip is waited for is known when all have run.
    void tell(Timeline& timeline) {
        options_.timeline = &timeline;
        options_.progress = {};
        options_.take_result = {};
        options_.max_cycles.reset(); // has been kept to
        options_.cycles_before = 0;
        auto outside = outside_.begin();
        std::size_t task = 0;
        for (std::size_t i = 0; i < lowered_.operators.size(); ++i) {
            for (; task < plans_.size() && plans_[task].task->operator_index == i; ++task)
                tell_task(task);
            for (; outside != outside_.end() && outside->first == i; ++outside)
                tell_outside(timeline, machine_, outside->second);
        }
    }

    void tell_task(std::size_t i) const {
        auto planned = plans_[i];
        std::optional<Plan> named;
        if (const auto* matrix = std::get_if<MatrixTask>(&planned.task->task)) {
            named = *planned.plan;
            named->problem.name = matrix->name;
            planned.plan = &*named;
        }
        run_named(planned, met_[i][0], met_[i][1]);
    }

    // The next task behind `i` whose B can be fetched ahead, and the room that all have until then.
    struct Later {
        std::size_t index = 0;
        Bytes room = 0;
    };
    std::optional<Later> later_of(std::size_t i) const {
        Later later{i + 1, plans_[i].room};
        for (; later.index < plans_.size(); ++later.index) {
            const auto& next = plans_[later.index];
            if (plans_.comes_ahead(*next.task))
                return later;
            later.room = std::min(later.room, next.room);
        }
        return std::nullopt;
    }

    void run_task(std::size_t i) {
        const auto here = target_ == i ? std::exchange(state_, {}) : SharedAhead{};
        const auto later = later_of(i);
        if (later && target_ != later->index) {
            state_ = lists_of(*later);
            target_ = later->index;
        }
        const auto ahead = later ? state_ : SharedAhead{};
        auto& known = done_[plans_.key(i) + "/" + systole::key_of(here) + "/" + systole::key_of(ahead)];
        if (!known.run) {
            known.run = std::make_shared<OperatorRun>(run_named(plans_[i], here, ahead));
            known.ahead = ahead ? share(after(known.run->ahead, ahead->cores), ahead->target) : SharedAhead{};
        }
        results_.push_back(known.run);
        met_.push_back({here, ahead});
        options_.cycles_before += known.run->result.cycles;
        refuse_beyond(options_.cycles_before);
        if (later)
            state_ = known.ahead;
    }

    // Results that are known, and what stands around the chip, pass --max-cycles as well.
    void refuse_beyond(Cycles cycles) const {
        if (cycles > options_.max_cycles.value_or(unlimited))
            throw InputError(fmt::format("the run would pass {} cycles (raise --max-cycles)", *options_.max_cycles));
    }

    // The same for all later tasks that are alike.
    SharedAhead lists_of(const Later& later) {
        const auto target = fmt::format("{} in {}", plans_.key(later.index), later.room);
        auto& lists = fresh_[target];
        if (!lists) {
            const auto run = machine_run(*plans_[later.index].plan, engine_, options_);
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
        const auto capacity = plans_.capacity_for(*planned.task);
        const auto machine = plans_.with_vmem(capacity == unlimited ? unlimited : capacity - planned.room);
        auto result = run_vector(machine, vector_problem_of(*planned.task), options_, &neighbours.ahead);
        return {std::move(result), std::move(neighbours.ahead)};
    }

    // Of the tasks [begin, end) and what of the operator is not done on the chip.
    void add_operator(RunResult& result, std::size_t index, std::size_t begin, std::size_t end) {
        std::vector<OperatorResult> parts;
        std::vector<TaskMapping> mappings;
        for (auto i = begin; i < end; ++i) {
            parts.push_back(results_[i]->result);
            if (const auto* matrix = std::get_if<MatrixTask>(&plans_[i].task->task))
                mappings.push_back(
                    {matrix->name, matrix->m, matrix->n, matrix->k, matrix->count, plans_[i].plan->choice});
        }
        for (const auto& task : lowered_.operators[index].tasks) {
            if (const auto* host = std::get_if<HostTask>(&task))
                parts.push_back(host_stage(machine_, *host));
            else if (const auto* moved = std::get_if<TransferTask>(&task))
                parts.push_back(transfer(machine_, *moved, hidden(*moved)));
            else
                continue;
            outside_.emplace_back(index, parts.back());
        }
        if (parts.empty())
            return;
        const auto& from = network_.operators[lowered_.operators[index].index];
        auto whole = total_of(parts);
        whole.name = from.name;
        whole.kind = kind_name(from.attributes);
        whole.tasks = static_cast<std::int64_t>(parts.size());
        whole.roofline = sum_of(parts);
        const auto repeated = repeated_bytes(plans_.tasks().subspan(begin, end - begin), lowered_,
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
        result.total.from = options_.from;
        if (result.total.roofline.peak_flops == 0) // nothing was run
            result.total.roofline.peak_flops = peak_flops(machine_, 1);
        add_compulsory(result.total.roofline, "hbm", result.total.prefetched, result.total.flops());
        refuse_beyond(result.total.cycles);
        check_time_and_causes(result.total, static_cast<bool>(options_.external_memory));
    }

    const NetworkPlans& plans_;
    const Machine& machine_;
    const Network& network_;
    const LoweredNetwork& lowered_;
    RunOptions options_;
    const EngineKind engine_;
    std::map<std::string, SharedAhead> fresh_; // lists of which nothing has come
    TaskResults& done_;
    std::vector<std::shared_ptr<const OperatorRun>> results_; // by task
    std::vector<std::array<SharedAhead, 2>>
        met_; // by task: what has come of its own B, and what is to come of a later's
    std::vector<std::pair<std::size_t, OperatorResult>> outside_; // the chip: by operator
    std::array<Cycles, 2> hiding_{}; // of the chip's work: what no transfer down or up has run beside yet
    SharedAhead state_;              // of the task `target_`: what of its B has come
    std::size_t target_ = 0;         // 0: none, as nothing comes before the first
};

} // namespace

RunResult run_planned(const NetworkPlans& plans, const RunOptions& options, TaskResults& known) {
    return NetworkRun(plans, options, known).run();
}

} // namespace systole
