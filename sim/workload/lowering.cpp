#include "sim/workload/lowering.h"

#include <algorithm>
#include <numeric>

#include "sim/workload/operator_lowering.h"

namespace systole {

namespace {

constexpr std::int64_t most_in_all = std::int64_t{1} << 60;

Bytes sum(const std::vector<TensorUse>& uses) {
    return std::accumulate(uses.begin(), uses.end(), Bytes{0},
                           [](Bytes total, const TensorUse& use) { return total + use.bytes; });
}

bool product_is_within(std::int64_t most, std::initializer_list<std::int64_t> factors) {
    std::int64_t product = 1;
    for (const std::int64_t factor : factors) {
        if (factor > 0 && product > most / factor) {
            return false;
        }
        product *= factor;
    }
    return true;
}

void add_to_total(std::int64_t& total, std::int64_t each, std::int64_t count, const Operator& from) {
    if (!product_is_within(most_in_all, {each, count}) || total > most_in_all - each * count) {
        throw InputError(from.place, "the network has more than 2^60 operations up to operator '" + from.name +
                                         "' (make it smaller)");
    }
    total += each * count;
}

// Where a chain of views ends. A tensor is made to lie in a later one or in a cache alone, so there is no circle.
TensorId root(const std::vector<TensorId>& storage, TensorId at) {
    while (storage[static_cast<std::size_t>(at)] != at) {
        at = storage[static_cast<std::size_t>(at)];
    }
    return at;
}

} // namespace

Bytes LoweredOperator::read_bytes() const { return sum(reads); }

Bytes LoweredOperator::written_bytes() const { return sum(writes); }

OperatorLowering::OperatorLowering(LoweredNetwork& network, const Operator& from, std::size_t index)
    : network_(network), from_(from) {
    result_.index = index;
    result_.count = from.count;
}

TensorId OperatorLowering::scratch(const std::string& part, Shape shape, Format format) {
    const auto id = static_cast<TensorId>(network_.tensors.size());
    network_.tensors.push_back({task_name(part), TensorKind::scratch, std::move(shape), format, from_.place});
    network_.storage.push_back(id);
    return id;
}

void OperatorLowering::add(MatrixTask task) {
    if (!product_is_within(max_macs, {task.m, task.n, task.k, task.count})) {
        throw InputError(from_.place, "operator '" + from_.name + "' has more than 2^50 MACs (make it smaller)");
    }
    task.formats = {format(task.a.tensor), format(task.b.tensor), format(task.c.tensor)};
    result_.macs += task.macs();
    result_.tasks.emplace_back(std::move(task));
}

void OperatorLowering::add(VectorTask task) {
    if (!task.reads.empty()) {
        task.format = format(task.reads.front().tensor);
    }
    if (!product_is_within(most_in_all / 2, {task.elements, task.operations_per_element})) {
        throw InputError(from_.place, "operator '" + from_.name + "' has more than 2^59 operations (make it smaller)");
    }
    add_to_total(result_.vector_operations, task.operations(), 1, from_);
    result_.tasks.emplace_back(std::move(task));
}

void OperatorLowering::note(std::vector<TensorUse>& uses, TensorUse use) {
    const auto known =
        std::find_if(uses.begin(), uses.end(), [use](const TensorUse& one) { return one.tensor == use.tensor; });
    if (known == uses.end()) {
        uses.push_back(use);
    } else {
        known->bytes = std::max(known->bytes, use.bytes);
    }
}

void OperatorLowering::is_view_of(TensorId view, TensorId of) {
    network_.storage[static_cast<std::size_t>(view)] = root(network_.storage, of);
}

void OperatorLowering::is_written_in(TensorId part, TensorId whole) {
    const TensorId lies_at = root(network_.storage, part);
    const Tensor& there = tensor(lies_at);
    if (there.kind == TensorKind::activation && elements(there) == elements(tensor(part))) {
        network_.storage[static_cast<std::size_t>(lies_at)] = root(network_.storage, whole);
    }
}

NetworkBytes compulsory_bytes(const LoweredNetwork& lowered) {
    NetworkBytes sum;
    std::vector<Bytes> read(lowered.tensors.size(), 0); // of what comes from outside
    for (const LoweredOperator& one : lowered.operators) {
        for (const TensorUse& use : one.reads) {
            const auto at = static_cast<std::size_t>(lowered.storage[static_cast<std::size_t>(use.tensor)]);
            const TensorKind kind = lowered.tensors[at].kind;
            if (kind == TensorKind::input || kind == TensorKind::weight || kind == TensorKind::cache) {
                const bool is_new =
                    lowered.tensors[static_cast<std::size_t>(use.tensor)].kind == TensorKind::activation &&
                    kind == TensorKind::cache; // a new key is on the chip already
                sum.read += is_new ? 0 : one.count * std::max<Bytes>(0, use.bytes - read[at]);
                read[at] = is_new ? read[at] : std::max(read[at], use.bytes);
            }
        }
        for (const TensorUse& use : one.writes) {
            const auto at = static_cast<std::size_t>(lowered.storage[static_cast<std::size_t>(use.tensor)]);
            const TensorKind kind = lowered.tensors[at].kind;
            sum.written += kind == TensorKind::output || kind == TensorKind::cache ? one.count * use.bytes : 0;
        }
    }
    return sum;
}

LoweredNetwork lower(const Network& network) {
    LoweredNetwork lowered;
    lowered.tensors = network.tensors;
    lowered.storage.resize(network.tensors.size());
    std::iota(lowered.storage.begin(), lowered.storage.end(), 0);
    for (std::size_t i = 0; i < network.operators.size(); ++i) {
        const Operator& from = network.operators[i];
        OperatorLowering one(lowered, from, i);
        std::visit([&one](const auto& attributes) { lower_operator(one, attributes); }, from.attributes);
        lowered.operators.push_back(one.take());
        const LoweredOperator& made = lowered.operators.back();
        add_to_total(lowered.macs, made.macs, made.count, from);
        add_to_total(lowered.vector_operations, made.vector_operations, made.count, from);
    }
    for (TensorId& at : lowered.storage) {
        at = root(lowered.storage, at);
    }
    return lowered;
}

} // namespace systole
