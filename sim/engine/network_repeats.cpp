#include "sim/engine/network_repeats.h"

#include <algorithm>
#include <map>

namespace systole {

namespace {

using Crossing = std::map<TensorId, Bytes>; // by storage

class Repeats {
  public:
    Repeats(std::span<const NetworkTask> tasks, const LoweredNetwork& network, const LoweredOperator& of)
        : tasks_(tasks), network_(network), of_(of) {}

    // `crosses`: homes beyond the level.
    template <typename Crosses>
    Bytes beyond(Crosses&& crosses) const {
        Crossing read;
        Crossing written;
        for (const auto& task : tasks_) {
            const auto reads = reads_of(task);
            const auto writes = writes_of(task.task);
            for (std::size_t i = 0; i < reads.size(); ++i)
                read[root(reads[i])] += crosses(task.read_homes[i]) ? reads[i].bytes : 0;
            for (std::size_t i = 0; i < writes.size(); ++i)
                written[root(writes[i])] += crosses(task.write_homes[i]) ? writes[i].bytes : 0;
        }
        return above(read, of_.reads, written) + above(written, of_.writes, written);
    }

  private:
    TensorId root(const TensorUse& use) const { return network_.storage[static_cast<std::size_t>(use.tensor)]; }

    // `moved`: what is read, or `made` itself.
    Bytes above(const Crossing& moved, const std::vector<TensorUse>& compulsory, const Crossing& made) const {
        Crossing once;
        for (const auto& use : compulsory)
            once[root(use)] += use.bytes * of_.count;
        const bool reads = &moved != &made;
        Bytes sum = 0;
        for (const auto& [tensor, bytes] : moved) {
            const bool inside = reads && made.contains(tensor);
            if (once.contains(tensor) || inside || is_scratch(tensor)) // else what an operator that is fused makes
                sum += std::max<Bytes>(0, bytes - once[tensor]);
        }
        for (const auto& [tensor, bytes] : once) { // new keys that are read behind those of the cache
            if (reads && !moved.contains(tensor) && kind(tensor) != TensorKind::weight)
                sum -= bytes;
        }
        return std::max<Bytes>(0, sum);
    }

    TensorKind kind(TensorId tensor) const { return network_.tensors[static_cast<std::size_t>(tensor)].kind; }
    bool is_scratch(TensorId tensor) const { return kind(tensor) == TensorKind::scratch; }

    std::span<const NetworkTask> tasks_;
    const LoweredNetwork& network_;
    const LoweredOperator& of_;
};

} // namespace

RepeatedBytes repeated_bytes(std::span<const NetworkTask> tasks, const LoweredNetwork& network,
                             const LoweredOperator& of, DataOrigin from) {
    const Repeats repeats(tasks, network, of);
    return {repeats.beyond([&](Home home) { return !lies_in_vmem(home, from); }),
            repeats.beyond([&](Home home) { return lies_in_host(home, from); })};
}

} // namespace systole
