#include "sim/workload/shape_inference.h"

#include <algorithm>

#include "sim/workload/shape_window.h"
#include "sim/workload/vector_functions.h"

namespace systole {

namespace {

constexpr std::int64_t most_query_blocks = 4096;

void require(bool good, const std::string& problem) {
    if (!good) {
        throw InputError(problem);
    }
}

void require_inputs(const std::vector<Shape>& inputs, std::size_t least, std::size_t most) {
    const std::string wanted =
        least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
    require(inputs.size() >= least && inputs.size() <= most,
            "takes " + wanted + (most == 1 ? " input" : " inputs") + ", found " + std::to_string(inputs.size()));
}

void require_rank(const Shape& shape, std::size_t least, const char* what) {
    require(shape.size() >= least,
            std::string(what) + " " + to_text(shape) + " has fewer than " + std::to_string(least) + " dimensions");
}

std::size_t axis_of(std::int64_t axis, const Shape& shape) {
    const auto rank = static_cast<std::int64_t>(shape.size());
    require(axis >= -rank && axis < rank, "axis " + std::to_string(axis) + " is not one of shape " + to_text(shape));
    return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

Shape with_last(Shape shape, std::int64_t size) {
    shape.back() = size;
    return shape;
}

InferredShapes infer(GemmAttributes& gemm, const std::vector<Shape>& inputs) {
    const bool own_weights = gemm.features > 0;
    require_inputs(inputs, own_weights ? 1 : 2, own_weights ? 1 : 2);
    Shape a = inputs[0];
    require_rank(a, 2, "A");
    if (gemm.transpose_a) {
        require(a.size() == 2, "A " + to_text(a) + " is transposed and so must have two dimensions");
        std::swap(a[0], a[1]);
    }
    const std::int64_t k = a.back();
    InferredShapes shapes;
    std::int64_t n = gemm.features;
    if (own_weights) {
        shapes.weights.emplace_back("weight", gemm.transpose_b ? Shape{n, k} : Shape{k, n});
    } else {
        const Shape& b = inputs[1];
        require(b.size() == 2, "B " + to_text(b) + " must have two dimensions (batched_gemm takes more)");
        n = gemm.transpose_b ? b[0] : b[1];
        const std::int64_t rows = gemm.transpose_b ? b[1] : b[0];
        require(rows == k, "A " + to_text(inputs[0]) + " and B " + to_text(b) + " do not fit: k is " +
                               std::to_string(k) + " in A, " + std::to_string(rows) + " in B");
    }
    if (gemm.bias) {
        shapes.weights.emplace_back("bias", Shape{n});
    }
    shapes.output = with_last(a, n);
    return shapes;
}

InferredShapes infer(BatchedGemmAttributes& gemm, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 2, 2);
    Shape a = inputs[0];
    Shape b = inputs[1];
    require_rank(a, 2, "A");
    require_rank(b, 2, "B");
    const auto split = [](Shape& shape, bool transposed) {
        Shape matrix(shape.end() - 2, shape.end());
        shape.resize(shape.size() - 2);
        if (transposed) {
            std::swap(matrix[0], matrix[1]);
        }
        return matrix;
    };
    const Shape one_a = split(a, gemm.transpose_a);
    const Shape one_b = split(b, gemm.transpose_b);
    require(one_a[1] == one_b[0], "A " + to_text(inputs[0]) + " and B " + to_text(inputs[1]) + " do not fit: k is " +
                                      std::to_string(one_a[1]) + " in A, " + std::to_string(one_b[0]) + " in B");
    InferredShapes shapes{broadcast(a, b), {}};
    shapes.output.push_back(one_a[0]);
    shapes.output.push_back(one_b[1]);
    return shapes;
}

InferredShapes infer(AttentionAttributes& attention, const std::vector<Shape>& inputs) {
    attention.kv_heads = attention.kv_heads == 0 ? attention.heads : attention.kv_heads;
    const AttentionSizes sizes = attention_sizes(attention, inputs);
    return {{sizes.batch, sizes.queries, attention.heads * sizes.dim}, {}};
}

void require_activation(const std::string& name) {
    const VectorFunction* function = find_vector_function(name);
    require(function != nullptr && function->inputs == 1,
            "unknown activation '" + name.substr(0, 40) + "' (there are " + vector_function_names() + ")");
}

InferredShapes infer(FfnAttributes& ffn, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    require_rank(inputs[0], 2, "the input");
    require(ffn.hidden >= 1, "has no 'hidden' (the width of the hidden layer)");
    require_activation(ffn.activation);
    const std::int64_t d = inputs[0].back();
    InferredShapes shapes{inputs[0], {{"up", {d, ffn.hidden}}}};
    if (ffn.gated) {
        shapes.weights.emplace_back("gate", Shape{d, ffn.hidden});
    }
    shapes.weights.emplace_back("down", Shape{ffn.hidden, d});
    if (ffn.bias) {
        shapes.weights.emplace_back("up_bias", Shape{ffn.hidden});
        if (ffn.gated) {
            shapes.weights.emplace_back("gate_bias", Shape{ffn.hidden});
        }
        shapes.weights.emplace_back("down_bias", Shape{d});
    }
    return shapes;
}

InferredShapes infer(MoeAttributes& moe, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    require_rank(inputs[0], 2, "the input");
    require(moe.hidden >= 1 && moe.experts >= 1, "has no 'experts' or no 'hidden' (the width of an expert)");
    require(moe.top_k >= 1 && moe.top_k <= moe.experts,
            "'top_k' is " + std::to_string(moe.top_k) + ", but there are " + std::to_string(moe.experts) + " experts");
    require_activation(moe.activation);
    const std::int64_t d = inputs[0].back();
    const std::int64_t routed = elements(inputs[0]) / d * moe.top_k;
    if (!moe.tokens_per_expert.empty()) {
        std::int64_t given = 0;
        for (const std::int64_t tokens : moe.tokens_per_expert) {
            require(tokens >= 0 && tokens <= routed / moe.top_k,
                    "'tokens_per_expert' holds " + std::to_string(tokens) + ", more than there are tokens or below 0");
            given += tokens;
        }
        require(static_cast<std::int64_t>(moe.tokens_per_expert.size()) == moe.experts && given == routed,
                "'tokens_per_expert' must hold " + std::to_string(moe.experts) +
                    " numbers that sum to tokens * top_k = " + std::to_string(routed));
    }
    InferredShapes shapes{inputs[0], {{"router", {d, moe.experts}}, {"up", {moe.experts, d, moe.hidden}}}};
    if (moe.gated) {
        shapes.weights.emplace_back("gate", Shape{moe.experts, d, moe.hidden});
    }
    shapes.weights.emplace_back("down", Shape{moe.experts, moe.hidden, d});
    return shapes;
}

InferredShapes infer(EmbeddingAttributes& embedding, const std::vector<Shape>& inputs) {
    const bool own_table = embedding.rows > 0;
    require_inputs(inputs, own_table ? 1 : 2, own_table ? 1 : 2);
    InferredShapes shapes;
    if (own_table) {
        require(embedding.width >= 1, "has no 'width' (elements of a row)");
        shapes.weights.emplace_back("table", Shape{embedding.rows, embedding.width});
    } else {
        require(inputs[1].size() == 2, "the table " + to_text(inputs[1]) + " must have two dimensions");
        embedding.width = inputs[1][1];
    }
    const std::int64_t rows = own_table ? embedding.rows : inputs[1][0];
    require(embedding.hot_rows >= 0 && embedding.hot_rows <= rows,
            "'hot_rows' is " + std::to_string(embedding.hot_rows) + ", but the table has " + std::to_string(rows));
    shapes.output = inputs[0];
    if (embedding.pooled) {
        require_rank(inputs[0], 1, "the indices");
        shapes.output.pop_back();
    }
    shapes.output.push_back(embedding.width);
    return shapes;
}

InferredShapes infer(ElementwiseAttributes& elementwise, const std::vector<Shape>& inputs) {
    const VectorFunction* function = find_vector_function(elementwise.function);
    require(function != nullptr, "unknown function '" + elementwise.function.substr(0, 40) + "' (there are " +
                                     vector_function_names() + ")");
    require_inputs(inputs, static_cast<std::size_t>(function->inputs), static_cast<std::size_t>(function->inputs));
    Shape output = inputs[0];
    for (const Shape& shape : inputs) {
        output = broadcast(output, shape);
    }
    return {output, {}};
}

InferredShapes infer(SoftmaxAttributes&, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    return {inputs[0], {}};
}

InferredShapes infer(NormAttributes& norm, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    require_rank(inputs[0], 1, "the input");
    InferredShapes shapes{inputs[0], {}};
    norm.bias = norm.bias && norm.kind == NormKind::layer;
    if (norm.scale) {
        shapes.weights.emplace_back("scale", Shape{inputs[0].back()});
    }
    if (norm.bias) {
        shapes.weights.emplace_back("bias", Shape{inputs[0].back()});
    }
    return shapes;
}

InferredShapes infer(ReduceAttributes& reduce, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    std::vector<bool> gone(inputs[0].size(), reduce.axes.empty());
    for (const std::int64_t axis : reduce.axes) {
        gone[axis_of(axis, inputs[0])] = true;
    }
    Shape output;
    for (std::size_t i = 0; i < inputs[0].size(); ++i) {
        if (!gone[i] || reduce.keep_dimensions) {
            output.push_back(gone[i] ? 1 : inputs[0][i]);
        }
    }
    return {output, {}};
}

InferredShapes infer(ConcatAttributes& concat, const std::vector<Shape>& inputs) {
    require(!inputs.empty(), "takes one or more inputs, found none");
    const std::size_t axis = axis_of(concat.axis, inputs[0]);
    concat.axis = static_cast<std::int64_t>(axis);
    Shape output = inputs[0];
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        Shape other = inputs[i];
        require(other.size() == output.size(), to_text(inputs[0]) + " and " + to_text(other) + " do not fit");
        const std::int64_t sum = output[axis] + other[axis];
        output[axis] = other[axis] = 1;
        output = broadcast(output, other);
        output[axis] = sum;
    }
    return {output, {}};
}

InferredShapes infer(ReshapeAttributes& reshape, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    const std::int64_t all = elements(inputs[0]);
    std::int64_t known = 1;
    auto open = reshape.shape.end();
    for (auto size = reshape.shape.begin(); size != reshape.shape.end(); ++size) {
        require(*size >= 1 || (*size == -1 && open == reshape.shape.end()),
                "shape " + to_text(reshape.shape) + " may hold -1 once, and nothing else below 1");
        if (*size == -1) {
            open = size;
        } else {
            require(*size <= all,
                    "shape " + to_text(reshape.shape) + " does not hold the elements of " + to_text(inputs[0]));
            known = *size > most_elements / known ? most_elements + 1 : known * *size;
        }
    }
    if (open != reshape.shape.end() && known <= all) {
        *open = all / known;
        known *= *open;
    }
    require(known == all, "shape " + to_text(reshape.shape) + " does not hold the elements of " + to_text(inputs[0]));
    return {reshape.shape, {}};
}

InferredShapes infer(SliceAttributes& slice, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    const std::size_t axis = axis_of(slice.axis, inputs[0]);
    const std::int64_t length = inputs[0][axis];
    slice.axis = static_cast<std::int64_t>(axis);
    slice.start = slice.start < 0 ? slice.start + length : slice.start;
    require(slice.start >= 0 && slice.size >= 1 && slice.size <= length && slice.start <= length - slice.size,
            "a slice of " + std::to_string(slice.size) + " from " + std::to_string(slice.start) + " is not within " +
                to_text(inputs[0]));
    Shape output = inputs[0];
    output[axis] = slice.size;
    return {output, {}};
}

InferredShapes infer(HostStageAttributes& host, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    require(host.time >= 0 && host.time_per_sample >= 0 && host.growth >= 0, "times must not be negative");
    return {inputs[0], {}};
}

InferredShapes infer(TransferAttributes&, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    return {inputs[0], {}};
}

InferredShapes infer(ConvolutionAttributes& convolution, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    return infer_convolution(convolution, inputs[0]);
}

InferredShapes infer(PoolAttributes& pool, const std::vector<Shape>& inputs) {
    require_inputs(inputs, 1, 1);
    return {infer_pool(pool, inputs[0]), {}};
}

} // namespace

Shape broadcast(const Shape& a, const Shape& b) {
    const Shape& longer = a.size() >= b.size() ? a : b;
    const Shape& shorter = a.size() >= b.size() ? b : a;
    Shape result = longer;
    const std::size_t offset = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& size = result[offset + i];
        require(size == shorter[i] || size == 1 || shorter[i] == 1,
                to_text(a) + " and " + to_text(b) + " do not fit (dimensions must be equal or 1)");
        size = std::max(size, shorter[i]);
    }
    return result;
}

AttentionSizes attention_sizes(const AttentionAttributes& attention, const std::vector<Shape>& inputs) {
    const std::int64_t kv_heads = attention.kv_heads == 0 ? attention.heads : attention.kv_heads;
    require(attention.heads >= 1 && kv_heads >= 1 && attention.heads % kv_heads == 0,
            "'heads' must be a multiple of 'kv_heads'");
    require(inputs.size() == 1 || inputs.size() == 3 || inputs.size() == 5,
            "takes 1 input (packed Q, K, V), 3 (Q, K, V) or 5 (the caches of K and V behind them), found " +
                std::to_string(inputs.size()));
    for (const Shape& shape : inputs) {
        require(shape.size() == 3 && shape[0] == inputs[0][0],
                to_text(shape) + " is not [batch, tokens, width] with the batch of the first input");
    }
    const bool packed = inputs.size() == 1;
    const std::int64_t widths = packed ? attention.heads + 2 * kv_heads : attention.heads;
    require(inputs[0][2] % widths == 0,
            "a width of " + std::to_string(inputs[0][2]) + " is no multiple of " + std::to_string(widths) + " heads");
    AttentionSizes sizes;
    sizes.batch = inputs[0][0];
    sizes.queries = sizes.keys = inputs[0][1];
    sizes.dim = inputs[0][2] / widths;
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        require(inputs[i][2] == kv_heads * sizes.dim, "keys and values " + to_text(inputs[i]) + " must be kv_heads * " +
                                                          std::to_string(sizes.dim) + " = " +
                                                          std::to_string(kv_heads * sizes.dim) + " wide");
        require(i % 2 == 1 || inputs[i][1] == inputs[i - 1][1],
                "keys " + to_text(inputs[i - 1]) + " and values " + to_text(inputs[i]) + " differ in tokens");
    }
    if (!packed) {
        sizes.cached = inputs.size() == 5 ? inputs[3][1] : 0;
        sizes.keys = sizes.cached + inputs[1][1];
    }
    require(attention.query_block >= 1 && ceil_div(sizes.queries, attention.query_block) <= most_query_blocks,
            "'query_block' must be at least 1, and at most 4096 blocks make up the queries");
    require(!attention.causal || sizes.queries <= sizes.keys,
            "causal attention needs at least as many keys as queries");
    return sizes;
}

InferredShapes infer_shapes(Attributes& attributes, const std::vector<Shape>& inputs) {
    InferredShapes shapes = std::visit([&inputs](auto& one) { return infer(one, inputs); }, attributes);
    validate(shapes.output);
    for (const auto& [name, shape] : shapes.weights) {
        validate(shape);
    }
    return shapes;
}

} // namespace systole
