#include "sim/engine/plan_search.h"

#include <algorithm>
#include <cmath>

#include "dataflow/mapping_candidates.h"
#include "dataflow/mapping_choice.h"

namespace systole {

namespace {

// Runs cost about a microsecond for each pass and request; on simulated DRAM, for each of these bytes besides.
constexpr double dram_bytes_per_event = 512;
constexpr double events_of_a_run = 192; // what it costs to set one up

// Runs on the real memory that cost less than this are made at once.
constexpr double cheap_events = 2048;
// All runs that settle the closed form's choices together: a few of the whole problem in one tile, and a part of what
// may be run at all, which many short ones are. The same whatever VMEM holds, so that more of it never settles fewer.
constexpr double quick_events = 131'072;
constexpr double quick_runs = 4;
constexpr double short_runs_share = 1.0 / 192;
// How many of the closed form's choices are settled for VMEM, half of it, a quarter, ...
constexpr double fewest_settled = 4;
constexpr double most_settled = 24;
// The part of all runs on the real memory that those are which only look for what suits it better.
constexpr double dram_share = 1.0 / 32;

// Of runs that are not short, a closed form that is this close to them has seen what decides: what it sees no better
// mapping for has none.
constexpr double well_described = 0.02;
// A gain that is worth the runs that prove it.
constexpr double worthwhile = 1.01;
// Real memory that takes so much longer than the ideal one has trouble with this order of requests.
constexpr double dram_trouble = 1.05;
constexpr Bytes troublesome_bytes = 16 << 20; // less has no time to run into it

// From VMEM the three operands lie in banks of their own, as long as there are three.
bool operands_meet(const VmemConfig& vmem) { return ceil_div(3, vmem.banks) > vmem.ports; }

// Nothing but the array decides: operands are there and nobody has to wait for room or bandwidth.
bool closed_form_is_exact(const Machine& machine, const GemmProblem& problem, DataOrigin from) {
    return problem.epilogue == Epilogue{} && from == DataOrigin::vmem && machine.vmem.bandwidth == unlimited &&
           !operands_meet(machine.vmem) && machine.accumulator_capacity == unlimited;
}

Bytes bytes_moved(const Plan& plan) {
    Bytes moved = 0;
    for (const auto& share : plan.shares) {
        const auto bytes = mapped_bytes(share.mapping, plan.limits);
        moved += bytes.x_fetched + bytes.y_fetched + bytes.out_stored;
    }
    return moved;
}

// Runs that differ by less are as fast as each other.
constexpr double as_fast = 1.001;

struct Settled {
    Plan plan;
    double cycles = 0; // on an ideal memory with what a real one's stalls are estimated to cost
    Bytes moved = 0;
};

// The fastest; of those that are as fast but for a thousandth, and no slower than the first, the one that moves least.
const Settled& best_of(const std::vector<Settled>& all) {
    const auto faster = [](const Settled& a, const Settled& b) { return a.cycles < b.cycles; };
    const auto fewest = std::min_element(all.begin(), all.end(), faster)->cycles;
    const auto most = std::min(fewest * as_fast, all.front().cycles);
    const Settled* best = nullptr;
    for (const auto& one : all) {
        if (one.cycles <= most && (!best || one.moved < best->moved))
            best = &one;
    }
    return *best;
}

bool known(const Mapping& mapping, const std::vector<Settled>& all) {
    const auto choice = choice_of(mapping);
    return std::any_of(all.begin(), all.end(), [&](const Settled& one) { return one.plan.choice == choice; });
}

// Of one problem in one dataflow.
class Search {
  public:
    Search(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, const RunOptions& options)
        : machine_(machine), ideal_(with_ideal_hbm(machine)), problem_(problem), dataflow_(dataflow), options_(options),
          limits_(core_limits(machine, problem.formats)), rate_(memory_rate(machine, options.from)),
          budget_(options.settle_events), short_events_(short_runs_share * options.settle_events) {}

    Plan naive();
    Plan best(const Plan& naive);

  private:
    std::vector<RankedMapping> ranked(CandidateList list) const;
    const std::vector<RankedMapping>& rich();
    std::vector<const RankedMapping*> first_choices();
    std::size_t settled_each() const;
    Plan plan_of(const Mapping& mapping) const;
    double cost_of(const Plan& plan, const Machine& machine) const;
    double least_cost() const;
    Settled run(const Plan& plan, const Machine& machine, double stalls = 0, double fewest = 0);
    std::vector<Settled> settle(const Plan& naive, const Machine& machine);
    double stalls(const EstimatedCycles& estimate, const Machine& machine) const;
    Plan settle_on_dram(const Plan& naive, const std::vector<Settled>& quick);

    const Machine& machine_;
    const Machine ideal_;
    const GemmProblem& problem_;
    const Dataflow dataflow_;
    const RunOptions& options_;
    const CoreLimits limits_;
    const MemoryRate rate_;
    double budget_;
    const double short_events_;
    std::vector<RankedMapping> plain_;
    std::vector<RankedMapping> rich_; // empty: not asked for yet
};

std::vector<RankedMapping> Search::ranked(CandidateList list) const {
    std::vector<RankedMapping> mappings;
    share_among_cores(machine_, problem_, dataflow_, [&](const OrientedGemm& part) {
        mappings = ranked_mappings(part, options_.from, limits_, rate_, list);
        return mappings.front().mapping;
    });
    return mappings;
}

const std::vector<RankedMapping>& Search::rich() {
    if (rich_.empty())
        rich_ = ranked(CandidateList::rich);
    return rich_;
}

// What a run costs that moves each operand once: no mapping's costs less, whatever VMEM holds.
double Search::least_cost() const {
    const auto whole = [&](const OrientedGemm& part) { return whole_mapping(part, options_.from, limits_); };
    return plan_with(machine_, problem_, dataflow_, options_, whole).events + events_of_a_run;
}

std::size_t Search::settled_each() const {
    return static_cast<std::size_t>(std::clamp(short_events_ / least_cost(), fewest_settled, most_settled));
}

// The naive mapping and the fastest by the closed form, of what VMEM holds, of what half of it does, a quarter, ...:
// what less VMEM would be found to do best is not overlooked with more.
std::vector<const RankedMapping*> Search::first_choices() {
    std::vector<const RankedMapping*> choices;
    const auto add_fitting = [&](const std::vector<RankedMapping>& list, Bytes capacity, std::size_t most) {
        std::size_t fitting = 0;
        for (auto candidate = list.begin(); candidate != list.end() && fitting < most; ++candidate) {
            if (candidate->need > capacity)
                continue;
            ++fitting;
            choices.push_back(&*candidate);
        }
        return fitting;
    };
    Bytes largest = 0;
    for (const auto& candidate : rich())
        largest = std::max(largest, candidate.need);
    const auto each = settled_each();
    auto capacity = limits_.vmem_capacity;
    while (capacity / 2 >= largest) // nothing changes until then
        capacity /= 2;
    while (capacity > 0 && add_fitting(plain_, capacity, 1) > 0) {
        add_fitting(rich(), capacity, each);
        capacity /= 2;
    }
    return choices;
}

Plan Search::plan_of(const Mapping& mapping) const {
    return plan_with(machine_, problem_, dataflow_, options_, [&](const OrientedGemm&) { return mapping; });
}

Plan Search::naive() {
    plain_ = ranked(CandidateList::plain);
    return plan_of(plain_.front().mapping);
}

double Search::cost_of(const Plan& plan, const Machine& machine) const {
    const double dram = machine.hbm.dram && options_.from != DataOrigin::vmem
                            ? static_cast<double>(bytes_moved(plan)) / dram_bytes_per_event
                            : 0;
    return plan.events + dram + events_of_a_run;
}

// A run that is beaten by more than best_of() minds is not gone on with: `fewest` of the runs before, 0: of none.
Settled Search::run(const Plan& plan, const Machine& machine, double stalls, double fewest) {
    budget_ -= cost_of(plan, machine);
    const auto enough = fewest > 0 ? static_cast<Cycles>(std::max(1.0, fewest * as_fast - stalls)) + 2 : unlimited;
    const auto cycles = cycles_of(machine, machine_run(plan, EngineKind::tile, options_), enough);
    return {plan, static_cast<double>(cycles) + stalls, bytes_moved(plan)};
}

// A run on the real memory has them in its cycles.
double Search::stalls(const EstimatedCycles& estimate, const Machine& machine) const {
    return &machine == &machine_ ? 0 : estimate.stalls;
}

// The naive plan first, then what the closed form prefers, as long as that may matter.
std::vector<Settled> Search::settle(const Plan& naive, const Machine& machine) {
    const auto& estimate = plain_.front().estimate;
    std::vector<Settled> all{run(naive, machine, stalls(estimate, machine))};
    double fewest = all.front().cycles;
    const double most = std::min({budget_, quick_events, quick_runs * least_cost() + short_events_});
    const bool described = std::abs(fewest / estimate.cycles - 1) <= well_described;
    if (described && cost_of(naive, machine) > short_events_ / fewest_settled &&
        estimate.cycles <= worthwhile * rich().front().estimate.cycles)
        return all;
    double left = most - cost_of(naive, machine);
    for (const auto* candidate : first_choices()) {
        const auto waits = stalls(candidate->estimate, machine);
        if (candidate->estimate.least + waits > fewest * as_fast || known(candidate->mapping, all))
            continue;
        const Plan plan = plan_of(candidate->mapping);
        left -= cost_of(plan, machine);
        if (left < 0)
            break;
        all.push_back(run(plan, machine, waits, fewest));
        fewest = std::min(fewest, all.back().cycles);
    }
    return all;
}

// What is fast on an ideal memory is run on the real one, beside the naive mapping: the fastest of those, and as far as
// that costs little, others.
Plan Search::settle_on_dram(const Plan& naive, const std::vector<Settled>& quick) {
    const auto quick_naive = quick.front().cycles;
    const bool gains = quick_naive > worthwhile * best_of(quick).cycles;
    const bool large = quick.front().moved >= troublesome_bytes;
    if ((!gains && !large && cost_of(naive, machine_) > dram_share * budget_) || 2 * cost_of(naive, machine_) > budget_)
        return naive;
    std::vector<Settled> all{run(naive, machine_)};
    double others = dram_share * budget_;
    const auto try_one = [&](const Plan& plan) {
        const auto cost = cost_of(plan, machine_);
        if (known(plan.shares.front().mapping, all))
            return true;
        if (cost > budget_ || (others -= cost) < 0)
            return false;
        all.push_back(run(plan, machine_, 0, best_of(all).cycles));
        return true;
    };
    if (gains) {
        others += cost_of(best_of(quick).plan, machine_); // in any case
        try_one(best_of(quick).plan);
    }
    auto order = quick;
    std::stable_sort(order.begin(), order.end(),
                     [](const Settled& a, const Settled& b) { return a.cycles < b.cycles; });
    for (const auto& one : order) {
        if (one.cycles > dram_trouble * order.front().cycles || !try_one(one.plan))
            break;
    }
    const auto trouble = [&] { return best_of(all).cycles > dram_trouble * quick_naive; };
    others = trouble() ? budget_ : others;
    for (const auto& candidate : rich()) {
        if (!trouble() || !try_one(plan_of(candidate.mapping)))
            break;
    }
    return best_of(all).plan;
}

Plan Search::best(const Plan& naive) {
    if (closed_form_is_exact(machine_, naive.problem, options_.from))
        return plan_of(rich().front().mapping);
    if (2 * cost_of(naive, ideal_) > std::min(budget_, quick_events))
        return naive;
    refuse_beyond_time_base(naive, machine_);
    if (!machine_.hbm.dram || options_.from == DataOrigin::vmem || cost_of(naive, machine_) <= cheap_events)
        return best_of(settle(naive, machine_)).plan;
    return settle_on_dram(naive, settle(naive, ideal_));
}

} // namespace

SearchedPlan search_mapping(const Machine& machine, const GemmProblem& problem, Dataflow dataflow,
                            const RunOptions& options, bool search) {
    Search mappings(machine, problem, dataflow, options);
    const Plan naive = mappings.naive();
    return {naive, search ? mappings.best(naive) : naive};
}

} // namespace systole
