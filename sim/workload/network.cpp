#include "sim/workload/network.h"

#include <algorithm>

namespace systole {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

template <class Counts>
std::int64_t sum_over(const Network& network, TensorKind kind, Counts counts) {
    std::int64_t sum = 0;
    for (const Tensor& tensor : network.tensors) {
        sum += tensor.kind == kind ? counts(tensor) : 0;
    }
    return sum;
}

} // namespace

std::string_view kind_name(const Attributes& attributes) {
    return std::visit(Overloaded{
                          [](const GemmAttributes&) { return "gemm"; },
                          [](const BatchedGemmAttributes&) { return "batched_gemm"; },
                          [](const ConvolutionAttributes&) { return "conv"; },
                          [](const AttentionAttributes&) { return "attention"; },
                          [](const FfnAttributes&) { return "ffn"; },
                          [](const MoeAttributes&) { return "moe"; },
                          [](const EmbeddingAttributes&) { return "embedding"; },
                          [](const ElementwiseAttributes&) { return "elementwise"; },
                          [](const SoftmaxAttributes&) { return "softmax"; },
                          [](const NormAttributes&) { return "norm"; },
                          [](const PoolAttributes&) { return "pool"; },
                          [](const ReduceAttributes&) { return "reduce"; },
                          [](const ConcatAttributes&) { return "concat"; },
                          [](const ReshapeAttributes&) { return "reshape"; },
                          [](const SliceAttributes&) { return "slice"; },
                          [](const HostStageAttributes&) { return "host"; },
                          [](const TransferAttributes&) { return "transfer"; },
                      },
                      attributes);
}

std::int64_t parameters(const Network& network) {
    return sum_over(network, TensorKind::weight, [](const Tensor& one) { return elements(one); });
}

Bytes parameter_bytes(const Network& network) {
    return sum_over(network, TensorKind::weight, [](const Tensor& one) { return bytes(one); });
}

Bytes cache_bytes(const Network& network) {
    return sum_over(network, TensorKind::cache, [](const Tensor& one) { return bytes(one); });
}

bool is_gemm_list(const Network& network) {
    return std::all_of(network.operators.begin(), network.operators.end(),
                       [](const Operator& one) { return one.standalone; });
}

std::vector<GemmProblem> gemms(const Network& network) {
    std::vector<GemmProblem> problems;
    for (const Operator& one : network.operators) {
        const Tensor& a = network.tensors[static_cast<std::size_t>(one.inputs[0])];
        const Tensor& b = network.tensors[static_cast<std::size_t>(one.weights[0])];
        const Tensor& c = network.tensors[static_cast<std::size_t>(one.output)];
        GemmProblem problem{one.name, a.shape[0], b.shape[1], a.shape[1], {a.format, b.format, c.format}};
        problem.sparsity = std::get<GemmAttributes>(one.attributes).sparsity;
        for (std::int64_t i = 0; i < one.count; ++i) {
            problems.push_back(problem);
            problems.back().name += one.count > 1 ? "[" + std::to_string(i) + "]" : "";
        }
    }
    return problems;
}

} // namespace systole
