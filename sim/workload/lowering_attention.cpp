// Attention: softmax(Q K^T / sqrt(d)) V, standard or flash.
//
// The queries of the heads that share keys (grouped-query attention) are rows of one product, so K and V are read once
// for all of them: count = batch * kv_heads, m = heads / kv_heads * queries.
#include <algorithm>

#include "sim/workload/operator_lowering.h"
#include "sim/workload/shape_inference.h"
#include "sim/workload/vector_functions.h"

namespace systole {

namespace {

struct Parts {
    AttentionSizes sizes;
    std::int64_t count = 1; // products side by side
    std::int64_t group = 1; // query heads that share keys
    TensorUse queries;
    TensorUse keys; // all that can be seen, where they lie
    TensorUse values;
};

Parts parts_of(OperatorLowering& to, const AttentionAttributes& attention) {
    const std::vector<TensorId>& inputs = to.source().inputs;
    std::vector<Shape> shapes;
    for (const TensorId id : inputs) {
        shapes.push_back(to.tensor(id).shape);
        to.reads(to.all_of(id));
    }
    Parts parts;
    parts.sizes = attention_sizes(attention, shapes);
    const AttentionSizes& sizes = parts.sizes;
    parts.count = sizes.batch * attention.kv_heads;
    parts.group = attention.heads / attention.kv_heads;
    const bool packed = inputs.size() == 1;
    const bool cached = inputs.size() == 5;
    parts.queries = to.part_of(inputs[0], parts.count * parts.group * sizes.queries * sizes.dim);
    const std::int64_t seen = parts.count * sizes.keys * sizes.dim;
    parts.keys = to.part_of(packed ? inputs[0] : inputs[cached ? 3 : 1], seen);
    parts.values = to.part_of(packed ? inputs[0] : inputs[cached ? 4 : 2], seen);
    if (cached) { // new keys and values are written behind the old ones
        for (const std::size_t i : {1U, 2U}) {
            to.is_written_in(inputs[i], inputs[i + 2]);
        }
    }
    return parts;
}

MatrixTask scores_task(OperatorLowering& to, const Parts& parts, std::int64_t queries, std::int64_t keys,
                       TensorId scores, const std::string& label) {
    MatrixTask task;
    task.name = to.task_name("scores" + label);
    task.m = parts.group * queries;
    task.n = keys;
    task.k = parts.sizes.dim;
    task.count = parts.count;
    task.a = to.part_of(parts.queries.tensor, parts.count * task.m * task.k);
    task.b = to.part_of(parts.keys.tensor, parts.count * task.n * task.k);
    task.c = to.all_of(scores);
    task.b_transposed = true;
    return task;
}

MatrixTask values_task(OperatorLowering& to, const Parts& parts, std::int64_t queries, std::int64_t keys,
                       TensorId probabilities, const std::string& label) {
    MatrixTask task;
    task.name = to.task_name("values" + label);
    task.m = parts.group * queries;
    task.n = parts.sizes.dim;
    task.k = keys;
    task.count = parts.count;
    task.a = to.all_of(probabilities);
    task.b = to.part_of(parts.values.tensor, parts.count * task.n * task.k);
    task.c = to.part_of(to.source().output, parts.count * task.m * task.n);
    return task;
}

// `queries` rows of each sequence against the first `keys` keys.
void add_block(OperatorLowering& to, const AttentionAttributes& attention, const Parts& parts, std::int64_t queries,
               std::int64_t keys, const std::string& label) {
    const bool standard = attention.method == AttentionKind::standard;
    const Shape shape{parts.count, parts.group * queries, keys};
    const Format format = to.output().format;
    const TensorId scores = to.scratch("scores" + label, shape, format);
    const TensorId probabilities = to.scratch("probabilities" + label, shape, format);
    to.add(scores_task(to, parts, queries, keys, scores, label));
    VectorTask softmax;
    softmax.name = to.task_name("softmax" + label);
    softmax.function = standard ? "softmax" : "online_softmax";
    softmax.elements = elements(shape);
    // Standard: scaling is an operation of its own, as is the mask.
    softmax.operations_per_element =
        standard ? softmax_operations + 1 + (attention.causal ? 1 : 0) : online_softmax_operations;
    softmax.reads = {to.all_of(scores)};
    softmax.writes = {to.all_of(probabilities)};
    if (standard) {
        for (const TensorId id : {scores, probabilities}) {
            to.writes(to.all_of(id));
            to.reads(to.all_of(id));
        }
    }
    to.add(std::move(softmax));
    to.add(values_task(to, parts, queries, keys, probabilities, label));
}

// As large as they could be; pieces use a part.
FlashTensors flash_tensors(OperatorLowering& to, const Parts& parts) {
    const auto formats = OperandFormats{to.output().format, to.format(parts.values.tensor), to.output().format};
    const Format sums = formats.accumulation() == Accumulation::int32 ? Format::int32 : Format::fp32;
    const auto& sizes = parts.sizes;
    const Shape rows{parts.count, parts.group * sizes.queries, sizes.dim};
    const Shape pairs{parts.count, sizes.keys, sizes.dim};
    return {to.scratch("queries", rows, to.format(parts.queries.tensor)),
            to.scratch("kept_keys", pairs, to.format(parts.keys.tensor)),
            to.scratch("kept_values", pairs, to.format(parts.values.tensor)), to.scratch("sums", rows, sums),
            to.scratch("part", rows, sums)};
}

} // namespace

void lower_operator(OperatorLowering& to, const AttentionAttributes& attention) {
    const Parts parts = parts_of(to, attention);
    const AttentionSizes& sizes = parts.sizes;
    const bool blocked = attention.method == AttentionKind::flash && attention.causal && sizes.queries > 1;
    if (!blocked) {
        add_block(to, attention, parts, sizes.queries, sizes.keys, "");
    } else {
        // Keys behind the last query of a block are skipped (Dao 2023, arXiv:2307.08691, section 3.1, "Causal
        // masking").
        for (std::int64_t first = 0; first < sizes.queries; first += attention.query_block) {
            const std::int64_t queries = std::min(attention.query_block, sizes.queries - first);
            add_block(to, attention, parts, queries, sizes.keys - sizes.queries + first + queries,
                      "[" + std::to_string(first / attention.query_block) + "]");
        }
    }
    const TensorUse output = to.all_of(to.source().output);
    if (attention.method == AttentionKind::flash) { // the sums of a row are known at its end alone
        to.set_flash(flash_tensors(to, parts));
        to.add(VectorTask{to.task_name("normalize"),
                          "divide",
                          elements(to.output()),
                          1,
                          to.output().format,
                          {output},
                          {output},
                          0,
                          true});
    }
    to.writes(output);
}

} // namespace systole
