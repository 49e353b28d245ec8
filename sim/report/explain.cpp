#include "sim/report/explain.h"

#include <algorithm>

#include "dataflow/array_timing.h"
#include "sim/report/explain_facts.h"
#include "sim/stats/waterfall.h"

namespace systole {

namespace {

Sentence sentence_of(Cause cause, const RunFacts& facts) {
    switch (cause) {
    case Cause::padding:
        return padding_sentence(facts);
    case Cause::stationary_load:
        return load_sentence(facts);
    case Cause::fill_drain:
        return fill_drain_sentence(facts);
    case Cause::vmem:
        return vmem_sentence(facts);
    case Cause::vmem_capacity:
        return capacity_sentence(facts);
    case Cause::hbm_bandwidth:
        return hbm_bandwidth_sentence(facts);
    case Cause::hbm_latency:
        return hbm_latency_sentence(facts);
    case Cause::pcie:
        return pcie_sentence(facts);
    case Cause::vector:
        return vector_sentence(facts);
    case Cause::control:
        return control_sentence(facts);
    case Cause::useful:
        break;
    }
    return {};
}

} // namespace

RunFacts::RunFacts(const Machine& of, const OperatorResult& run) : machine(of), result(run) {
    output_stationary = run.dataflow == Dataflow::output_stationary;
    one_shape = run.m > 0 && run.passes > 0 && run.tile.m > 0;
    if (one_shape) {
        streamed = output_stationary                            ? run.tile.k
                   : run.dataflow == Dataflow::input_stationary ? run.tile.n
                                                                : run.tile.m;
        interval = pass_interval(of.array, run.dataflow, streamed);
        steps = static_cast<double>(run.passes) / (static_cast<double>(of.array.count) * of.cores);
    }
    if (of.hbm.bandwidth != unlimited) {
        core_bytes_per_cycle = static_cast<double>(of.hbm.bandwidth) / static_cast<double>(of.clock);
    }
}

Cycles RunFacts::bar(Cause cause) const { return waterfall(result)[static_cast<std::size_t>(cause)].cycles; }

std::vector<Explanation> explain(const Machine& machine, const OperatorResult& result) {
    const RunFacts facts(machine, result);
    std::vector<Explanation> all;
    for (const Cause cause : all_causes) {
        const Cycles cycles = facts.bar(cause);
        if (cause == Cause::useful || cycles == 0) {
            continue;
        }
        Sentence sentence = sentence_of(cause, facts);
        all.push_back({cause, cycles, std::move(sentence.what), std::move(sentence.cure)});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Explanation& a, const Explanation& b) { return a.cycles > b.cycles; });
    return all;
}

} // namespace systole
