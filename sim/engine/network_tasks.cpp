#include "sim/engine/network_tasks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/engine/attention_plan.h"
#include "sim/engine/network_fusion.h"
#include "sim/engine/plan.h"
#include "sim/engine/tensor_places.h"

namespace systole {

std::vector<TensorUse> reads_of(const Task& task) {
    if (const auto* matrix = std::get_if<MatrixTask>(&task))
        return {matrix->a, matrix->b};
    const auto* vector = std::get_if<VectorTask>(&task);
    return vector ? vector->reads : std::vector<TensorUse>{};
}

std::vector<TensorUse> reads_of(const NetworkTask& task) {
    auto uses = reads_of(task.task);
    for (const auto& one : task.fused)
        uses.insert(uses.end(), one.task.reads.begin() + 1, one.task.reads.end());
    return uses;
}

std::vector<TensorUse> writes_of(const Task& task) {
    if (const auto* matrix = std::get_if<MatrixTask>(&task))
        return {matrix->c};
    const auto* vector = std::get_if<VectorTask>(&task);
    return vector ? vector->writes : std::vector<TensorUse>{};
}

namespace {

bool runs_on_chip(const Task& task) {
    return std::holds_alternative<MatrixTask>(task) || std::holds_alternative<VectorTask>(task);
}

// A tensor that tasks make for others, by its storage; tasks by their number.
struct Life {
    TensorId tensor = no_tensor;
    Bytes bytes = 0;
    std::size_t made = std::numeric_limits<std::size_t>::max();
    std::size_t last_use = 0;
    bool between_pieces = false;    // of a flash attention
    TensorId kept_from = no_tensor; // a part of that tensor, which is read again

    // False for what a transfer or the host makes.
    bool is_made() const { return made != std::numeric_limits<std::size_t>::max(); }
    std::size_t length() const { return last_use - made; }
};

class Placement {
  public:
    Placement(const LoweredNetwork& network, std::vector<NetworkTask>& tasks)
        : network_(network), places_(network), tasks_(tasks) {
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            for (const auto& use : writes_of(tasks[i].task))
                note(use, i, true);
            for (const auto& use : reads_of(tasks[i]))
                note(use, i, false);
            note_kept(tasks[i], i);
        }
    }

    // The most that is alive at a time.
    Bytes most_alive() const {
        std::vector<Bytes> alive(tasks_.size());
        for (const auto& [tensor, life] : lives_)
            add(alive, life);
        return alive.empty() ? 0 : *std::max_element(alive.begin(), alive.end());
    }

    void choose_residents(Bytes room) {
        std::vector<Life> order;
        for (const auto& [tensor, life] : lives_) {
            if (life.is_made() && places_.may_stay_in_vmem(tensor))
                order.push_back(life);
        }
        std::stable_sort(order.begin(), order.end(), [](const Life& a, const Life& b) {
            return std::tuple(!a.between_pieces, a.length(), a.bytes) <
                   std::tuple(!b.between_pieces, b.length(), b.bytes);
        });
        resident_bytes_.assign(tasks_.size(), 0);
        for (const auto& life : order) {
            if (!choose(life.kept_from, room) && !residents_.contains(life.kept_from))
                choose(life.tensor, room);
        }
    }

    void set_homes(DataOrigin from) {
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            auto& task = tasks_[i];
            const auto home = [&](const TensorUse& use) {
                if (residents_.contains(root(use))) {
                    task.own_resident += use.bytes;
                    return Home::vmem;
                }
                // HBM is where data starts in any case but from the host.
                return from == DataOrigin::host ? places_.home(root(use), task.operator_index) : Home::origin;
            };
            for (const auto& use : reads_of(task)) {
                const auto operand = task.read_homes.size();
                const bool kept = operand < task.kept.size() && task.kept[operand].stays() &&
                                  !task.kept[operand].first && residents_.contains(task.kept[operand].as.tensor);
                task.read_homes.push_back(home(kept ? TensorUse{task.kept[operand].as.tensor, use.bytes} : use));
            }
            for (const auto& use : writes_of(task.task))
                task.write_homes.push_back(home(use));
            if (!resident_bytes_.empty()) // a tensor may be used twice
                task.others_resident = std::max<Bytes>(0, resident_bytes_[i] - task.own_resident);
        }
    }

  private:
    TensorId root(const TensorUse& use) const { return places_.root(use); }

    void note(const TensorUse& use, std::size_t task, bool made) {
        const auto id = root(use);
        const auto& tensor = network_.tensors[static_cast<std::size_t>(id)];
        if (tensor.kind != TensorKind::activation && tensor.kind != TensorKind::scratch)
            return;
        auto& life = lives_[id];
        life.tensor = id;
        // Of pieces that are done one by one each has the place of the one before.
        life.bytes = tensor.kind == TensorKind::scratch ? std::max(life.bytes, use.bytes) : bytes(tensor);
        if (made)
            life.made = std::min(life.made, task);
        life.last_use = places_.is_inner(id) ? std::max(life.last_use, task) : tasks_.size() - 1;
        life.between_pieces |= tasks_[task].part && tensor.kind == TensorKind::scratch;
    }

    void note_kept(const NetworkTask& task, std::size_t i) {
        for (std::size_t operand = 0; operand < task.kept.size(); ++operand) {
            const auto& kept = task.kept[operand];
            if (!kept.stays())
                continue;
            note(kept.as, i, true);
            auto& life = lives_[kept.as.tensor];
            life.between_pieces = false;
            life.kept_from = root(reads_of(task.task)[operand]);
        }
    }

    // False if it does not fit, or stays already.
    bool choose(TensorId tensor, Bytes room) {
        const auto found = lives_.find(tensor);
        if (found == lives_.end() || !found->second.is_made() || residents_.contains(tensor) ||
            !fits(found->second, room))
            return false;
        add(resident_bytes_, found->second);
        residents_.insert(tensor);
        return true;
    }

    static void add(std::vector<Bytes>& alive, const Life& life) {
        for (auto i = life.is_made() ? life.made : 0; i <= life.last_use; ++i)
            alive[i] += life.bytes;
    }

    bool fits(const Life& life, Bytes room) const {
        for (auto i = life.made; i <= life.last_use; ++i) {
            if (life.bytes > room - resident_bytes_[i])
                return false;
        }
        return true;
    }

    const LoweredNetwork& network_;
    const TensorPlaces places_;
    std::vector<NetworkTask>& tasks_;
    std::map<TensorId, Life> lives_;
    std::set<TensorId> residents_;
    std::vector<Bytes> resident_bytes_; // by task
};

NetworkTask task_of(std::size_t operator_index, Task task) {
    NetworkTask one;
    one.operator_index = operator_index;
    one.task = std::move(task);
    return one;
}

// Those of one turn.
std::vector<NetworkTask> operator_tasks(const LoweredOperator& lowered, std::size_t index) {
    std::vector<NetworkTask> tasks;
    for (const auto& task : lowered.tasks) {
        if (runs_on_chip(task))
            tasks.push_back(task_of(index, task));
    }
    return tasks;
}

std::vector<NetworkTask> flash_tasks(const LoweredOperator& lowered, std::size_t index, const Machine& machine,
                                     Bytes room) {
    std::vector<NetworkTask> tasks;
    for (auto& piece : attention_pieces(lowered, plan_attention(flash_sizes(lowered), with_ideal_hbm(machine), room))) {
        tasks.push_back(task_of(index, std::move(piece.task)));
        tasks.back().kept = piece.kept;
        tasks.back().part = piece.part;
    }
    return tasks;
}

// `machine`: null if no flash attention is cut into pieces; `room`: for what stays in VMEM between tasks.
std::vector<NetworkTask> chip_tasks(const LoweredNetwork& lowered, const Machine* machine, Bytes room) {
    std::vector<NetworkTask> tasks;
    for (std::size_t i = 0; i < lowered.operators.size(); ++i) {
        const auto& one = lowered.operators[i];
        const auto chosen = machine && one.flash ? flash_tasks(one, i, *machine, room) : operator_tasks(one, i);
        for (std::int64_t turn = 0; turn < one.count; ++turn)
            tasks.insert(tasks.end(), chosen.begin(), chosen.end());
    }
    return tasks;
}

// Half of VMEM. Tensors stay on chips of one core alone.
Bytes resident_room(const Machine& machine, DataOrigin from) {
    if (from == DataOrigin::vmem || machine.cores > 1 || machine.vmem.capacity == unlimited)
        return unlimited;
    return machine.vmem.capacity / 2;
}

bool can_be_sparse(const LoweredNetwork& network, const Task& task) {
    const auto* matrix = std::get_if<MatrixTask>(&task);
    if (!matrix || matrix->count > 1 || matrix->window)
        return false;
    const auto root = network.storage[static_cast<std::size_t>(matrix->b.tensor)];
    return network.tensors[static_cast<std::size_t>(root)].kind == TensorKind::weight;
}

void place(std::vector<NetworkTask>& tasks, const LoweredNetwork& lowered, const Machine& machine, DataOrigin from,
           Bytes room) {
    Placement placement(lowered, tasks);
    if (from != DataOrigin::vmem && machine.cores == 1)
        placement.choose_residents(room);
    placement.set_homes(from);
}

} // namespace

std::vector<NetworkTask> place_tasks(const LoweredNetwork& lowered, const Machine& machine, DataOrigin from,
                                     SparsePattern weights, bool fused) {
    const Bytes room = resident_room(machine, from);
    const bool stays = from != DataOrigin::vmem && machine.cores == 1;
    auto all = chip_tasks(lowered, stays ? &machine : nullptr, room);
    for (auto& task : all)
        task.sparsity = can_be_sparse(lowered, task.task) ? weights : dense_pattern;
    if (!fused) {
        place(all, lowered, machine, from, room);
        return all;
    }
    // What is fused decides what stays in VMEM, and that what can be fused: less of it each time.
    for (Unfused unfused;;) {
        auto tasks = fuse(all, lowered, unfused);
        place(tasks, lowered, machine, from, room);
        const auto outside = unfusable(tasks, from);
        if (outside.empty())
            return tasks;
        unfused.insert(outside.begin(), outside.end());
    }
}

void require_fits_vmem(const Network& source, const LoweredNetwork& network, const Machine& machine) {
    for (const auto& one : network.operators) {
        const auto moves = [](const Task& task) { return std::holds_alternative<TransferTask>(task); };
        if (std::any_of(one.tasks.begin(), one.tasks.end(), moves)) {
            const auto& from = source.operators[one.index];
            throw InputError(from.place, fmt::format("operator '{}' moves data between host memory and HBM, and with "
                                                     "--from vmem there is none (use --from hbm or host)",
                                                     from.name));
        }
    }
    if (machine.vmem.capacity == unlimited)
        return;
    auto tasks = chip_tasks(network, nullptr, unlimited);
    Bytes need = Placement(network, tasks).most_alive();
    for (std::size_t i = 0; i < network.tensors.size(); ++i) {
        const auto& tensor = network.tensors[i];
        const bool view = network.storage[i] != static_cast<TensorId>(i);
        const bool made = tensor.kind == TensorKind::activation || tensor.kind == TensorKind::scratch;
        need += view || made ? 0 : bytes(tensor);
    }
    const Bytes have = machine.vmem.capacity * machine.cores;
    if (need > have) {
        throw InputError(fmt::format("the network needs {} bytes of VMEM, the chip has {} (use --from hbm, or raise "
                                     "vmem.capacity)",
                                     need, have));
    }
}

GemmProblem problem_of(const NetworkTask& task) {
    const auto& matrix = std::get<MatrixTask>(task.task);
    GemmProblem problem;
    problem.name = matrix.name;
    problem.m = matrix.m;
    problem.n = matrix.n;
    problem.k = matrix.k;
    problem.count = matrix.count;
    problem.formats = matrix.formats;
    problem.sparsity = task.sparsity;
    problem.epilogue = epilogue_of(task);
    problem.window = matrix.window;
    problem.homes = {task.read_homes[0], task.read_homes[1], task.write_homes[0]};
    return problem;
}

VectorProblem vector_problem_of(const NetworkTask& task) {
    const auto& vector = std::get<VectorTask>(task.task);
    VectorProblem problem;
    problem.name = vector.name;
    problem.function = vector.function;
    problem.elements = vector.elements;
    problem.operations_per_element = vector.operations_per_element;
    problem.format = vector.format;
    problem.resident_bytes = vector.resident_bytes;
    for (std::size_t i = 0; i < vector.reads.size(); ++i)
        problem.reads.push_back({vector.reads[i].bytes, task.read_homes[i]});
    for (std::size_t i = 0; i < vector.writes.size(); ++i)
        problem.writes.push_back({vector.writes[i].bytes, task.write_homes[i]});
    return problem;
}

} // namespace systole
