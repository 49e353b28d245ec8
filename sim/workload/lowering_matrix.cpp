// GEMMs, convolutions, feed-forward networks and mixtures of experts.
#include <algorithm>
#include <map>

#include "sim/workload/operator_lowering.h"
#include "sim/workload/vector_functions.h"

namespace systole {

namespace {

std::int64_t rows_of(const Tensor& tensor) { return elements(tensor) / tensor.shape.back(); }

// What y = x W (+ bias) reads and writes when x is an input and W a weight.
MatrixTask dense(OperatorLowering& to, const std::string& name, std::int64_t rows, TensorUse x, TensorUse w,
                 std::int64_t k, std::int64_t n, TensorUse y) {
    MatrixTask task;
    task.name = name;
    task.m = rows;
    task.n = n;
    task.k = k;
    task.a = x;
    task.b = w;
    task.c = y;
    to.reads(w);
    return task;
}

void add_bias(OperatorLowering& to, MatrixTask& task, TensorId bias) {
    task.bias = to.all_of(bias);
    to.reads(*task.bias);
}

void lower_window(OperatorLowering& to, const ConvolutionAttributes& convolution) {
    const Shape& in = to.input(0).shape;
    const Shape& out = to.output().shape;
    ConvolutionWindow window;
    window.batch = in[0];
    window.channels = in[1] / convolution.groups;
    window.height = in[2];
    window.width = in[3];
    window.outputs = {out[2], out[3]};
    window.kernel = convolution.kernel;
    window.stride = convolution.stride;
    window.dilation = convolution.dilation;
    window.padding = convolution.padding;
    const std::int64_t rows = touched_pixels(rows_of(window));
    const std::int64_t columns = touched_pixels(columns_of(window));
    MatrixTask task;
    task.name = to.source().name;
    task.m = in[0] * out[2] * out[3];
    task.n = convolution.filters / convolution.groups;
    task.k = window.channels * window.kernel[0] * window.kernel[1];
    task.count = convolution.groups;
    task.a = to.part_of(to.source().inputs[0], in[0] * in[1] * rows * columns);
    task.b = to.all_of(to.source().weights[0]);
    task.c = to.all_of(to.source().output);
    task.b_transposed = true; // filters lie as [f, c, kh, kw]
    task.window = window;
    to.reads(task.a);
    to.reads(task.b);
    to.writes(task.c);
    if (convolution.bias) {
        add_bias(to, task, to.source().weights[1]);
    }
    to.add(std::move(task));
}

// As PyTorch's slow_conv_transpose2d: a product with one column for each tap, then the columns that fall on the same
// output pixel are added up. So no MAC is spent on zeros between the input pixels.
void lower_transposed(OperatorLowering& to, const ConvolutionAttributes& convolution) {
    const Shape in = to.input(0).shape;
    const std::int64_t taps = convolution.kernel[0] * convolution.kernel[1];
    const std::int64_t pixels = in[0] * in[2] * in[3];
    const TensorId columns =
        to.scratch("columns", {in[0], convolution.filters, taps, in[2] * in[3]}, to.output().format);
    MatrixTask task;
    task.name = to.task_name("product");
    task.m = pixels;
    task.n = convolution.filters / convolution.groups * taps;
    task.k = in[1] / convolution.groups;
    task.count = convolution.groups;
    task.a = to.all_of(to.source().inputs[0]);
    task.b = to.all_of(to.source().weights[0]);
    task.c = to.all_of(columns);
    task.a_transposed = true; // a feature map lies as [c, pixels]
    to.reads(task.a);
    to.reads(task.b);
    to.add(std::move(task));

    VectorTask sums;
    sums.name = to.task_name("col2im");
    sums.function = "col2im";
    sums.elements = pixels * convolution.filters * taps;
    sums.operations_per_element = 1;
    sums.reads = {to.all_of(columns)};
    if (convolution.bias) {
        sums.reads.push_back(to.all_of(to.source().weights[1]));
        to.reads(sums.reads.back());
    }
    sums.writes = {to.all_of(to.source().output)};
    to.writes(sums.writes[0]);
    to.add(std::move(sums));
}

// Weights of an FFN, or of experts.
struct FfnWeights {
    TensorId up = no_tensor;
    TensorId gate = no_tensor;
    TensorId down = no_tensor;
    TensorId up_bias = no_tensor;
    TensorId gate_bias = no_tensor;
    TensorId down_bias = no_tensor;
};

// `count` networks with weights of their own, each of `rows` tokens. `label`: "" or "8x4." for a group of experts.
struct FfnGroup {
    std::string label;
    std::int64_t count = 1;
    std::int64_t rows = 1;
    std::int64_t d = 1;
    std::int64_t hidden = 1;
    std::string activation;
    TensorUse x;
    TensorUse y;
    FfnWeights weights;
};

void add_ffn(OperatorLowering& to, const FfnGroup& group) {
    const std::int64_t inner = group.count * group.rows * group.hidden;
    const std::int64_t weights = group.count * group.d * group.hidden;
    const Format format = to.output().format;
    const auto up = [&](const char* name, TensorId weight, TensorId bias) {
        const TensorId result = to.scratch(group.label + name, {group.count, group.rows, group.hidden}, format);
        MatrixTask task = dense(to, to.task_name(group.label + name), group.rows, group.x, to.part_of(weight, weights),
                                group.d, group.hidden, to.all_of(result));
        task.count = group.count;
        if (bias != no_tensor) {
            add_bias(to, task, bias);
        }
        to.add(std::move(task));
        return result;
    };
    const bool gated = group.weights.gate != no_tensor;
    const TensorId raised = up("up", group.weights.up, group.weights.up_bias);
    VectorTask activation;
    if (gated) {
        activation.reads.push_back(to.all_of(up("gate", group.weights.gate, group.weights.gate_bias)));
    }
    activation.reads.push_back(to.all_of(raised));
    const TensorId active = to.scratch(group.label + "active", {group.count, group.rows, group.hidden}, format);
    activation.name = to.task_name(group.label + "activation");
    activation.function = group.activation;
    activation.elements = inner;
    activation.operations_per_element = find_vector_function(group.activation)->operations + (gated ? 1 : 0);
    activation.writes = {to.all_of(active)};
    activation.elementwise = true;
    to.add(std::move(activation));
    MatrixTask down = dense(to, to.task_name(group.label + "down"), group.rows, to.all_of(active),
                            to.part_of(group.weights.down, weights), group.hidden, group.d, group.y);
    down.count = group.count;
    if (group.weights.down_bias != no_tensor) {
        add_bias(to, down, group.weights.down_bias);
    }
    to.add(std::move(down));
}

// Tokens of an expert -> how many experts have so many.
std::map<std::int64_t, std::int64_t> expert_loads(const MoeAttributes& moe, std::int64_t routed) {
    std::map<std::int64_t, std::int64_t> loads;
    if (moe.tokens_per_expert.empty()) {
        loads[routed / moe.experts + 1] += routed % moe.experts;
        loads[routed / moe.experts] += moe.experts - routed % moe.experts;
    }
    for (const std::int64_t tokens : moe.tokens_per_expert) {
        ++loads[tokens];
    }
    loads.erase(0);
    std::erase_if(loads, [](const auto& load) { return load.second == 0; });
    return loads;
}

} // namespace

void lower_operator(OperatorLowering& to, const GemmAttributes& gemm) {
    const Operator& from = to.source();
    const TensorId b = gemm.features > 0 ? from.weights[0] : from.inputs[1];
    const Shape& a_shape = to.input(0).shape;
    const std::int64_t n = to.output().shape.back();
    const std::int64_t k = gemm.transpose_a ? a_shape[0] : a_shape.back();
    MatrixTask task = dense(to, from.name, elements(to.output()) / n, to.all_of(from.inputs[0]), to.all_of(b), k, n,
                            to.all_of(from.output));
    task.a_transposed = gemm.transpose_a;
    task.b_transposed = gemm.transpose_b;
    if (gemm.bias) {
        add_bias(to, task, from.weights.back());
    }
    to.reads(task.a);
    to.writes(task.c);
    to.add(std::move(task));
}

void lower_operator(OperatorLowering& to, const BatchedGemmAttributes& gemm) {
    const Operator& from = to.source();
    const Shape& out = to.output().shape;
    const Shape& a = to.input(0).shape;
    MatrixTask task;
    task.name = from.name;
    task.m = out[out.size() - 2];
    task.n = out.back();
    task.k = gemm.transpose_a ? a[a.size() - 2] : a.back();
    task.count = elements(out) / (task.m * task.n);
    task.a = to.all_of(from.inputs[0]);
    task.b = to.all_of(from.inputs[1]);
    task.c = to.all_of(from.output);
    task.a_transposed = gemm.transpose_a;
    task.b_transposed = gemm.transpose_b;
    to.reads(task.a);
    to.reads(task.b);
    to.writes(task.c);
    to.add(std::move(task));
}

void lower_operator(OperatorLowering& to, const ConvolutionAttributes& convolution) {
    if (convolution.transposed) {
        lower_transposed(to, convolution);
    } else {
        lower_window(to, convolution);
    }
}

void lower_operator(OperatorLowering& to, const FfnAttributes& ffn) {
    const Operator& from = to.source();
    const std::size_t matrices = ffn.gated ? 3 : 2;
    FfnGroup group{"",
                   1,
                   rows_of(to.input(0)),
                   to.input(0).shape.back(),
                   ffn.hidden,
                   ffn.activation,
                   to.all_of(from.inputs[0]),
                   to.all_of(from.output),
                   {from.weights[0], ffn.gated ? from.weights[1] : no_tensor, from.weights[matrices - 1]}};
    if (ffn.bias) {
        group.weights.up_bias = from.weights[matrices];
        group.weights.gate_bias = ffn.gated ? from.weights[matrices + 1] : no_tensor;
        group.weights.down_bias = from.weights.back();
    }
    to.reads(group.x);
    to.writes(group.y);
    add_ffn(to, group);
}

void lower_operator(OperatorLowering& to, const MoeAttributes& moe) {
    const Operator& from = to.source();
    const std::int64_t d = to.input(0).shape.back();
    const std::int64_t tokens = rows_of(to.input(0));
    const TensorUse x = to.all_of(from.inputs[0]);
    const Format format = to.output().format;
    to.reads(x);
    const TensorUse logits = to.all_of(to.scratch("logits", {tokens, moe.experts}, format));
    to.add(dense(to, to.task_name("router"), tokens, x, to.all_of(from.weights[0]), d, moe.experts, logits));
    const TensorUse gates = to.all_of(to.scratch("gates", {tokens, moe.top_k}, format));
    to.add(VectorTask{to.task_name("choice"),
                      "softmax_top_k",
                      tokens * moe.experts,
                      softmax_operations + moe.top_k,
                      format,
                      {logits},
                      {gates}});

    const auto loads = expert_loads(moe, tokens * moe.top_k);
    std::int64_t active = 0;
    const TensorId parts = to.scratch("parts", {tokens * moe.top_k, d}, format);
    for (const auto& [rows, experts] : loads) {
        active += experts;
        add_ffn(to, {std::to_string(experts) + "x" + std::to_string(rows) + ".",
                     experts,
                     rows,
                     d,
                     moe.hidden,
                     moe.activation,
                     to.part_of(from.inputs[0], std::min(experts * rows, tokens) * d),
                     to.part_of(parts, experts * rows * d),
                     {from.weights[1], moe.gated ? from.weights[2] : no_tensor, from.weights.back()}});
    }
    for (std::size_t i = 1; i < from.weights.size(); ++i) {
        to.reads(to.part_of(from.weights[i], active * d * moe.hidden));
    }
    to.writes(to.all_of(from.output));
    to.add(VectorTask{to.task_name("sum"),
                      "weighted_sum",
                      tokens * d,
                      2 * moe.top_k - 1,
                      format,
                      {to.all_of(parts), gates},
                      {to.all_of(from.output)}});
}

} // namespace systole
