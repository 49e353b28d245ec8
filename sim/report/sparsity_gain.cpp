#include "sim/report/sparsity_gain.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/report/numbers.h"

namespace systole {

namespace {

__extension__ using Wide = __int128;

using PerCause = std::array<Cycles, all_causes.size()>;

// floor(slots so far * cycles * share / all slots) up to each cause; differences of it sum to floor(cycles * share).
PerCause cycles_by_cause(const OperatorResult& result, std::int64_t numerator, std::int64_t denominator) {
    PerCause cycles{};
    Wide slots = 0;
    Cycles before = 0;
    for (const Cause cause : all_causes) {
        slots += result.stack[cause];
        const Wide whole = static_cast<Wide>(result.pe_slots) * denominator;
        const auto up_to = whole == 0 ? 0 : static_cast<Cycles>(slots * result.cycles * numerator / whole);
        cycles[static_cast<std::size_t>(cause)] = up_to - before;
        before = up_to;
    }
    return cycles;
}

const LevelTraffic& where_data_starts(const OperatorResult& result) {
    switch (result.from) {
    case DataOrigin::vmem:
        return result.traffic.vmem;
    case DataOrigin::host:
        return result.traffic.pcie;
    case DataOrigin::hbm:
        break;
    }
    return result.traffic.hbm;
}

void require_a_pair(const OperatorResult& dense, const OperatorResult& sparse) {
    const bool same = dense.m == sparse.m && dense.n == sparse.n && dense.k == sparse.k &&
                      dense.formats == sparse.formats && dense.from == sparse.from;
    if (!same || !dense.sparsity.dense() || sparse.sparsity.dense() || dense.cycles < 1 || sparse.cycles < 1) {
        throw InternalError(dense.name + ": these are not a dense and a sparse run of one problem");
    }
}

void add_bytes(SparsityGain& gain, const OperatorResult& dense, const OperatorResult& sparse) {
    const LevelTraffic& of_dense = where_data_starts(dense);
    const LevelTraffic& of_sparse = where_data_starts(sparse);
    // Towards the array: PCIe writes to the device, the other levels are read.
    const bool host = dense.from == DataOrigin::host;
    gain.dense_b = host ? of_dense.write.b : of_dense.read.b;
    gain.sparse_b = host ? of_sparse.write.b : of_sparse.read.b;
    gain.meta = host ? of_sparse.write.meta : of_sparse.read.meta;
    gain.dense_bytes = of_dense.total();
    gain.sparse_bytes = of_sparse.total();
}

Cycles lost(const SparsityGain& gain, Cause cause) {
    for (const SparsityCause& one : gain.causes) {
        if (one.cause == cause) {
            return one.lost;
        }
    }
    return 0;
}

double times(Bytes dense, Bytes sparse) {
    return sparse > 0 ? static_cast<double>(dense) / static_cast<double>(sparse) : 0.0;
}

const char* level_name(DataOrigin from) {
    return from == DataOrigin::vmem ? "VMEM" : from == DataOrigin::host ? "PCIe" : "HBM";
}

// Of rows that hold K, so that a pass with sparsity does no more of it than one without.
bool same_passes(const OperatorResult& dense, const OperatorResult& sparse) {
    return dense.dataflow == sparse.dataflow && dense.passes == sparse.passes &&
           dense.dataflow != Dataflow::output_stationary;
}

// Why a run may gain more than its MACs: the cause that has shrunk most, and the bytes behind it.
std::string more_than_macs(const SparsityGain& gain, DataOrigin from) {
    const auto most = std::min_element(gain.causes.begin(), gain.causes.end(),
                                       [](const auto& a, const auto& b) { return a.lost < b.lost; });
    auto text = fmt::format("eta is above 1, as {} has shrunk by {} cycles more than the MACs have.", name(most->cause),
                            -most->lost);
    if (times(gain.dense_bytes, gain.sparse_bytes) > gain.best) {
        text += fmt::format(" {} moves {:.3f} times fewer bytes: what is stored sparse fits where it did not, and is "
                            "fetched fewer times.",
                            level_name(from), times(gain.dense_bytes, gain.sparse_bytes));
    }
    return text;
}

// One sentence for each cause that kept the run from its best, where it has a cycle.
void add_sentences(SparsityGain& gain, const OperatorResult& dense, const OperatorResult& sparse) {
    const auto say = [&](std::string text) { gain.sentences.push_back(std::move(text)); };
    if (same_passes(dense, sparse)) {
        const std::string depth = sparse.k > 0 ? fmt::format("K = {}", sparse.k) : "K"; // a total has none
        say(fmt::format("The array takes as many passes ({}) as without sparsity: {} gives its rows no more to hold, "
                        "so the rows that sparsity frees are padding.",
                        sparse.passes, depth));
    } else if (lost(gain, Cause::padding) > 0) {
        say(fmt::format("Padding: {} cycles of PEs without a stored value, more than dense has for each MAC.",
                        lost(gain, Cause::padding)));
    }
    if (lost(gain, Cause::fill_drain) > 0) {
        say(fmt::format("Fill and drain take as long as without sparsity: {} cycles lost.",
                        lost(gain, Cause::fill_drain)));
    }
    if (lost(gain, Cause::stationary_load) > 0) {
        say(fmt::format("Loading stationary tiles takes as long for each pass: {} cycles lost.",
                        lost(gain, Cause::stationary_load)));
    }
    if (lost(gain, Cause::vmem) > 0 && same_passes(dense, sparse)) {
        say(fmt::format("VMEM: {} cycles lost. The passes read as many activations and leave as many results as "
                        "without sparsity.",
                        lost(gain, Cause::vmem)));
    } else if (lost(gain, Cause::vmem) > 0) {
        say(fmt::format("VMEM: {} cycles lost. {} activations enter for every {} values, so those of a pass take "
                        "{:.3g} times the bandwidth.",
                        lost(gain, Cause::vmem), gain.sparsity.group, gain.sparsity.keep, gain.best));
    }
    const Cycles memory = lost(gain, Cause::hbm_bandwidth) + lost(gain, Cause::pcie) + lost(gain, Cause::hbm_latency);
    if (memory > 0) {
        say(fmt::format(
            "{}: {} cycles lost. Its bytes shrink {:.3f} times, not {:.3g}; B's {:.3f} times, with {} bytes of "
            "indices and as often as each run fetches it.",
            level_name(dense.from), memory, times(gain.dense_bytes, gain.sparse_bytes), gain.best,
            times(gain.dense_b, gain.sparse_b + gain.meta), gain.meta));
    }
    const Cycles rest = lost(gain, Cause::vmem_capacity) + lost(gain, Cause::control) + lost(gain, Cause::vector);
    if (rest > 0) {
        say(fmt::format("Waiting for buffers, control and the vector unit: {} cycles lost.", rest));
    }
    if (gain.speed_up > gain.best) {
        say(more_than_macs(gain, dense.from));
    } else if (gain.lost_cycles <= 0) {
        say(fmt::format("Nothing is lost: the run is {:.3g} times as fast.", gain.speed_up));
    }
}

} // namespace

SparsityGain sparsity_gain(const OperatorResult& dense, const OperatorResult& sparse) {
    require_a_pair(dense, sparse);
    SparsityGain gain;
    gain.sparsity = sparse.sparsity;
    gain.dense_cycles = dense.cycles;
    gain.sparse_cycles = sparse.cycles;
    gain.lost_cycles = sparse.cycles - dense.cycles * sparse.sparsity.keep / sparse.sparsity.group;
    gain.best = static_cast<double>(sparse.sparsity.group) / sparse.sparsity.keep;
    gain.speed_up = static_cast<double>(dense.cycles) / static_cast<double>(sparse.cycles);
    gain.eta = gain.speed_up / gain.best;
    const PerCause of_dense = cycles_by_cause(dense, 1, 1);
    const PerCause of_sparse = cycles_by_cause(sparse, 1, 1);
    const PerCause best = cycles_by_cause(dense, sparse.sparsity.keep, sparse.sparsity.group);
    for (const Cause cause : all_causes) {
        const auto i = static_cast<std::size_t>(cause);
        if (of_dense[i] != 0 || of_sparse[i] != 0) {
            gain.causes.push_back({cause, of_dense[i], of_sparse[i], of_sparse[i] - best[i]});
        }
    }
    add_bytes(gain, dense, sparse);
    add_sentences(gain, dense, sparse);
    return gain;
}

} // namespace systole
