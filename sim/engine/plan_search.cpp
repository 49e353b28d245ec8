#include "sim/engine/plan_search.h"

#include <algorithm>

#include "dataflow/mapping_candidates.h"
#include "dataflow/mapping_choice.h"

namespace systole {

namespace {

// Runs cost about a microsecond for each pass and request; on simulated DRAM, for each of these bytes besides.
constexpr double dram_bytes_per_event = 512;
constexpr double events_of_a_run = 192; // what it costs to set one up

// Runs on the real memory that cost less than this are made at once.
constexpr double cheap_events = 2048;
// All runs that settle the closed form's choices together: a few times the naive mapping's, and what short ones take.
constexpr double quick_events = 131'072;
constexpr double quick_runs = 4;
constexpr double short_runs_events = 4096;
// How many are settled at most; at first so many, then some of half of VMEM, a quarter, an eighth, ..., then the
// others.
constexpr std::size_t most_settled = 24;
constexpr std::size_t settled_first = 6;
constexpr std::size_t settled_in_half = 4;

// A closed form that is this close to a run has seen what decides; what it sees no better mapping for has none.
constexpr double well_described = 1.02;
// A gain that is worth the runs on the real memory that prove it.
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

bool same(const Mapping& mapping, const Plan& plan) { return choice_of(mapping) == plan.choice; }

// Of one problem in one dataflow.
class Search {
  public:
    Search(const Machine& machine, const GemmProblem& problem, Dataflow dataflow, const RunOptions& options)
        : machine_(machine), ideal_(with_ideal_hbm(machine)), problem_(problem), dataflow_(dataflow), options_(options),
          limits_(core_limits(machine, problem.formats)), rate_(memory_rate(machine, options.from)),
          budget_(options.settle_events) {}

    Plan naive();
    Plan best(const Plan& naive);

  private:
    std::vector<RankedMapping> ranked(CandidateList list) const;
    const std::vector<RankedMapping>& rich();
    std::vector<const RankedMapping*> first_choices();
    Plan plan_of(const Mapping& mapping) const;
    double cost_of(const Plan& plan, const Machine& machine) const;
    Settled run(const Plan& plan, const Machine& machine, double stalls = 0, double fewest = 0);
    bool may_run(const Plan& plan, const Machine& machine) const { return cost_of(plan, machine) <= budget_; }
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
    EstimatedCycles naive_estimate_;
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

// The fastest by the closed form, among them the fastest of what half of VMEM, a quarter and so on hold: what these
// would be found to do best is not overlooked with more.
std::vector<const RankedMapping*> Search::first_choices() {
    std::vector<const RankedMapping*> choices;
    const auto add_fitting = [&](Bytes capacity, std::size_t most) {
        std::size_t fitting = 0;
        for (auto candidate = rich().begin(); candidate != rich().end() && fitting < most; ++candidate) {
            if (candidate->need > capacity)
                continue;
            ++fitting;
            if (std::find(choices.begin(), choices.end(), &*candidate) == choices.end())
                choices.push_back(&*candidate);
        }
        return fitting;
    };
    Bytes largest = 0;
    for (const auto& candidate : rich())
        largest = std::max(largest, candidate.need);
    auto capacity = limits_.vmem_capacity;
    add_fitting(capacity, settled_first);
    while (capacity / 2 >= largest) // nothing changes until then
        capacity /= 2;
    for (capacity /= 2; capacity > 0 && add_fitting(capacity, settled_in_half) > 0;)
        capacity /= 2;
    add_fitting(limits_.vmem_capacity, most_settled);
    return choices;
}

Plan Search::plan_of(const Mapping& mapping) const {
    return plan_with(machine_, problem_, dataflow_, options_, [&](const OrientedGemm&) { return mapping; });
}

Plan Search::naive() {
    const auto first = ranked(CandidateList::plain).front();
    naive_estimate_ = first.estimate;
    return plan_of(first.mapping);
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
    std::vector<Settled> all{run(naive, machine, stalls(naive_estimate_, machine))};
    const bool described = all.front().cycles <= well_described * naive_estimate_.cycles;
    if (described && naive_estimate_.cycles <= well_described * rich().front().estimate.cycles)
        return all;
    const double one = cost_of(naive, machine);
    double left = std::min({budget_, quick_events, quick_runs * one + short_runs_events}) - one;
    double fewest = all.front().cycles;
    for (const auto* candidate : first_choices()) {
        if (same(candidate->mapping, naive))
            continue;
        const Plan plan = plan_of(candidate->mapping);
        left -= cost_of(plan, machine);
        if (left < 0)
            break;
        all.push_back(run(plan, machine, stalls(candidate->estimate, machine), fewest));
        fewest = std::min(fewest, all.back().cycles);
    }
    return all;
}

// What is fast on an ideal memory is run on the real one, beside the naive mapping.
Plan Search::settle_on_dram(const Plan& naive, const std::vector<Settled>& quick) {
    const auto& winner = best_of(quick);
    const auto quick_naive = quick.front().cycles;
    const bool gains = quick_naive > worthwhile * winner.cycles;
    const bool large = quick.front().moved >= troublesome_bytes;
    if ((!gains && !large) || 2 * cost_of(naive, machine_) > budget_)
        return naive;
    std::vector<Settled> all{run(naive, machine_)};
    if (gains && may_run(winner.plan, machine_))
        all.push_back(run(winner.plan, machine_));
    const auto trouble = [&] { return best_of(all).cycles > dram_trouble * quick_naive; };
    if (!trouble())
        return best_of(all).plan;
    for (const auto& candidate : rich()) {
        if (same(candidate.mapping, naive) || same(candidate.mapping, winner.plan))
            continue;
        const Plan plan = plan_of(candidate.mapping);
        if (!trouble() || !may_run(plan, machine_))
            break;
        all.push_back(run(plan, machine_));
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
