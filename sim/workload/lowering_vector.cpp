// What the vector unit does, what costs nothing, and what surrounds the accelerator.
#include <algorithm>
#include <cmath>

#include "sim/workload/operator_lowering.h"
#include "sim/workload/vector_functions.h"

namespace systole {

namespace {

// A task that reads inputs and weights and writes the output, all of them.
void add_whole(OperatorLowering& to, const std::string& function, std::int64_t elements, std::int64_t operations,
               bool elementwise) {
    VectorTask task;
    task.name = to.source().name;
    task.function = function;
    task.elements = elements;
    task.operations_per_element = operations;
    task.elementwise = elementwise;
    for (const auto* ids : {&to.source().inputs, &to.source().weights}) {
        for (const TensorId id : *ids) {
            task.reads.push_back(to.all_of(id));
            to.reads(task.reads.back());
        }
    }
    task.writes = {to.all_of(to.source().output)};
    to.writes(task.writes[0]);
    to.add(std::move(task));
}

// The sum of i^-s for i from 1 to n.
double harmonic(std::int64_t n, double s) {
    constexpr std::int64_t exact = 1000;
    double sum = 0;
    for (std::int64_t i = 1; i <= std::min(n, exact); ++i) {
        sum += std::pow(static_cast<double>(i), -s);
    }
    if (n <= exact) {
        return sum;
    }
    const double from = exact;
    const auto end = static_cast<double>(n);
    const double integral = s == 1 ? std::log(end / from) : (std::pow(end, 1 - s) - std::pow(from, 1 - s)) / (1 - s);
    return sum + integral + (std::pow(end, -s) - std::pow(from, -s)) / 2;
}

} // namespace

double hot_fraction(std::int64_t hot, std::int64_t rows, double skew) {
    return hot >= rows ? 1.0 : harmonic(hot, skew) / harmonic(rows, skew);
}

void lower_operator(OperatorLowering& to, const EmbeddingAttributes& embedding) {
    const Operator& from = to.source();
    const TensorId table = embedding.rows > 0 ? from.weights[0] : from.inputs[1];
    const std::int64_t rows = to.tensor(table).shape[0];
    const std::int64_t lookups = elements(to.input(0));
    const auto hot = static_cast<std::int64_t>(
        std::floor(static_cast<double>(lookups) * hot_fraction(embedding.hot_rows, rows, embedding.skew)));
    const TensorUse cold = to.part_of(table, (lookups - hot) * embedding.width);
    VectorTask task;
    task.name = from.name;
    task.function = embedding.pooled ? "lookup_sum" : "lookup";
    // Pooled: the rows of an output are added up, which takes one addition less than rows for each element.
    task.elements = embedding.pooled ? lookups * embedding.width - elements(to.output()) : elements(to.output());
    task.operations_per_element = embedding.pooled ? 1 : 0;
    task.reads = {to.all_of(from.inputs[0]), cold};
    task.writes = {to.all_of(from.output)};
    task.resident_bytes = to.part_of(table, hot * embedding.width).bytes;
    to.reads(task.reads[0]);
    // No row has to cross twice.
    to.reads({table, std::min(cold.bytes, to.part_of(table, (rows - embedding.hot_rows) * embedding.width).bytes)});
    to.writes(task.writes[0]);
    to.add(std::move(task));
}

void lower_operator(OperatorLowering& to, const ElementwiseAttributes& elementwise) {
    const VectorFunction* function = find_vector_function(elementwise.function);
    const bool aligned = to.input(0).shape == to.output().shape;
    add_whole(to, elementwise.function, elements(to.output()), function->operations, aligned);
}

void lower_operator(OperatorLowering& to, const SoftmaxAttributes&) {
    add_whole(to, "softmax", elements(to.output()), softmax_operations, false);
}

void lower_operator(OperatorLowering& to, const NormAttributes& norm) {
    const bool layer = norm.kind == NormKind::layer;
    const int own = layer ? layer_norm_operations : rms_norm_operations;
    add_whole(to, layer ? "layer_norm" : "rms_norm", elements(to.output()),
              own + (norm.scale ? 1 : 0) + (norm.bias ? 1 : 0), false);
}

void lower_operator(OperatorLowering& to, const PoolAttributes& pool) {
    const Shape& in = to.input(0).shape;
    const Shape& out = to.output().shape;
    const std::int64_t area = pool.kernel[0] * pool.kernel[1];
    VectorTask task;
    task.name = to.source().name;
    task.function = pool.kind == PoolKind::max ? "max_pool" : "average_pool";
    task.elements = elements(out);
    // One less than the window's pixels, and a multiplication for the average.
    task.operations_per_element = pool.kind == PoolKind::max ? area - 1 : area;
    const std::int64_t rows =
        touched_pixels(WindowSide{in[2], out[2], pool.kernel[0], pool.stride[0], pool.dilation[0], pool.padding.top});
    const std::int64_t columns =
        touched_pixels(WindowSide{in[3], out[3], pool.kernel[1], pool.stride[1], pool.dilation[1], pool.padding.left});
    task.reads = {to.part_of(to.source().inputs[0], in[0] * in[1] * rows * columns)};
    task.writes = {to.all_of(to.source().output)};
    to.reads(task.reads[0]);
    to.writes(task.writes[0]);
    to.add(std::move(task));
}

void lower_operator(OperatorLowering& to, const ReduceAttributes&) {
    add_whole(to, "reduce", elements(to.input(0)), 1, false);
}

void lower_operator(OperatorLowering& to, const ConcatAttributes&) {
    for (const TensorId id : to.source().inputs) {
        to.is_written_in(id, to.source().output);
    }
}

void lower_operator(OperatorLowering& to, const ReshapeAttributes&) {
    to.is_view_of(to.source().output, to.source().inputs[0]);
}

void lower_operator(OperatorLowering& to, const SliceAttributes&) {
    to.is_view_of(to.source().output, to.source().inputs[0]);
}

void lower_operator(OperatorLowering& to, const HostStageAttributes& host) {
    const Shape& shape = to.input(0).shape;
    const auto batch = static_cast<double>(shape.empty() ? 1 : shape[0]);
    const double time = static_cast<double>(host.time) + static_cast<double>(host.time_per_sample) * batch;
    const double grown = time * (1 + host.growth * std::log2(batch));
    if (!(grown < 9e18)) {
        throw InputError(to.source().place, "host stage '" + to.source().name + "' takes longer than 100 days");
    }
    to.add(HostTask{to.source().name, static_cast<Picoseconds>(std::llround(grown))});
    to.is_view_of(to.source().output, to.source().inputs[0]);
}

void lower_operator(OperatorLowering& to, const TransferAttributes& transfer) {
    to.add(TransferTask{to.source().name, to.all_of(to.source().inputs[0]), transfer.to_device, transfer.overlapped});
    to.is_view_of(to.source().output, to.source().inputs[0]);
}

} // namespace systole
