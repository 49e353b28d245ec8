#include "sim/engine/network_fusion.h"

#include <algorithm>
#include <map>

#include "sim/engine/tensor_places.h"

namespace systole {

namespace {

constexpr int byte = 8; // bits

std::int64_t outputs_of(const MatrixTask& task) { return task.count * task.m * task.n; }

class Fusion {
  public:
    Fusion(std::vector<NetworkTask> tasks, const LoweredNetwork& network, const Unfused& unfused)
        : tasks_(std::move(tasks)), places_(network), unfused_(unfused), gone_(tasks_.size()) {
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            for (const auto& use : reads_of(tasks_[i]))
                readers_[root(use)].push_back(i);
            for (const auto& use : writes_of(tasks_[i].task))
                writers_[root(use)].push_back(i);
        }
    }

    std::vector<NetworkTask> run() {
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            while (std::holds_alternative<MatrixTask>(tasks_[i].task) && fuse_next(i)) {
            }
        }
        std::vector<NetworkTask> left;
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            if (!gone_[i])
                left.push_back(std::move(tasks_[i]));
        }
        return left;
    }

  private:
    TensorId root(const TensorUse& use) const { return places_.root(use); }

    bool fuse_next(std::size_t i) {
        auto& matrix = std::get<MatrixTask>(tasks_[i].task);
        const auto product = root(matrix.c);
        const auto& readers = readers_[product];
        if (!places_.may_stay_in_vmem(product) || readers.size() != 1 || writers_[product].size() != 1 ||
            readers.front() <= i)
            return false;
        const auto next = readers.front();
        const auto* vector = std::get_if<VectorTask>(&tasks_[next].task);
        if (!vector || !fits(*vector, i) || unfused_.contains(tasks_[next].operator_index))
            return false;
        for (std::size_t k = 1; k < vector->reads.size(); ++k) {
            auto& others = readers_[root(vector->reads[k])];
            std::replace(others.begin(), others.end(), next, i);
        }
        auto& makers = writers_[root(vector->writes[0])];
        std::replace(makers.begin(), makers.end(), next, i);
        matrix.c = vector->writes[0];
        tasks_[i].fused.push_back({tasks_[next].operator_index, *vector});
        gone_[next] = true;
        return true;
    }

    bool fits(const VectorTask& vector, std::size_t i) const {
        const auto& matrix = std::get<MatrixTask>(tasks_[i].task);
        const auto outputs = outputs_of(matrix);
        if (!vector.elementwise || vector.writes.size() != 1 || vector.resident_bytes > 0 ||
            vector.elements != outputs || root(vector.reads[0]) != root(matrix.c) ||
            vector.reads[0].bytes != matrix.c.bytes || vector.writes[0].bytes != matrix.c.bytes)
            return false;
        auto task = tasks_[i];
        task.fused.push_back({0, vector});
        const auto epilogue = epilogue_of(task);
        return epilogue.operations_per_output <= max_epilogue && epilogue.read_bits_per_output <= max_epilogue &&
               std::all_of(vector.reads.begin() + 1, vector.reads.end(),
                           [&](const TensorUse& use) { return is_there(use, outputs, i); });
    }

    // As large as the product, and made before it.
    bool is_there(const TensorUse& use, std::int64_t outputs, std::size_t i) const {
        const auto makers = writers_.find(root(use));
        const bool before = makers == writers_.end() || std::all_of(makers->second.begin(), makers->second.end(),
                                                                    [&](std::size_t maker) { return maker < i; });
        return before && use.bytes * byte % outputs == 0;
    }

    std::vector<NetworkTask> tasks_;
    const TensorPlaces places_;
    const Unfused& unfused_;
    std::vector<bool> gone_;
    std::map<TensorId, std::vector<std::size_t>> readers_;
    std::map<TensorId, std::vector<std::size_t>> writers_;
};

} // namespace

std::vector<NetworkTask> fuse(std::vector<NetworkTask> tasks, const LoweredNetwork& network, const Unfused& unfused) {
    return Fusion(std::move(tasks), network, unfused).run();
}

Unfused unfusable(const std::vector<NetworkTask>& placed, DataOrigin from) {
    constexpr std::size_t further = 2; // behind A and B
    Unfused outside;
    for (const auto& task : placed) {
        std::size_t read = further;
        for (const auto& [operator_index, vector] : task.fused) {
            for (std::size_t k = 1; k < vector.reads.size(); ++k, ++read) {
                if (!lies_in_vmem(task.read_homes[read], from))
                    outside.insert(operator_index);
            }
        }
    }
    return outside;
}

Epilogue epilogue_of(const NetworkTask& task) {
    Epilogue epilogue;
    for (const auto& [operator_index, vector] : task.fused) {
        epilogue.operations_per_output += vector.operations_per_element;
        for (std::size_t k = 1; k < vector.reads.size(); ++k)
            epilogue.read_bits_per_output += vector.reads[k].bytes * byte / vector.elements;
    }
    return epilogue;
}

} // namespace systole
