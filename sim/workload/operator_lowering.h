// One operator while it is lowered: shortcuts to its tensors, and where its tasks are gathered.
#pragma once

#include <string>
#include <utility>

#include "sim/workload/lowering.h"

namespace systole {

class OperatorLowering {
  public:
    OperatorLowering(LoweredNetwork& network, const Operator& from, std::size_t index);

    const Operator& source() const { return from_; }
    const Tensor& input(std::size_t i) const { return tensor(from_.inputs[i]); }
    const Tensor& weight(std::size_t i) const { return tensor(from_.weights[i]); }
    const Tensor& output() const { return tensor(from_.output); }
    const Tensor& tensor(TensorId id) const { return network_.tensors[static_cast<std::size_t>(id)]; }

    TensorUse all_of(TensorId id) const { return {id, bytes(tensor(id))}; }
    TensorUse part_of(TensorId id, std::int64_t elements) const { return {id, stored_bytes(elements, format(id))}; }
    Format format(TensorId id) const { return tensor(id).format; }
    std::string task_name(const std::string& part) const { return from_.name + "." + part; }

    TensorId scratch(const std::string& part, Shape shape, Format format);
    // Fills in the formats of a matrix task from its operands.
    void add(MatrixTask task);
    void add(VectorTask task);
    void add(HostTask task) { result_.tasks.emplace_back(std::move(task)); }
    void add(TransferTask task) { result_.tasks.emplace_back(std::move(task)); }
    void set_flash(const FlashTensors& tensors) { result_.flash = tensors; }
    // Compulsory uses; the largest of several of one tensor counts.
    void reads(TensorUse use) { note(result_.reads, use); }
    void writes(TensorUse use) { note(result_.writes, use); }
    void is_view_of(TensorId view, TensorId of);       // of a part of it, or of all in another shape
    void is_written_in(TensorId part, TensorId whole); // in place, if nothing else decides where `part` lies

    LoweredOperator take() { return std::move(result_); }

  private:
    static void note(std::vector<TensorUse>& uses, TensorUse use);

    LoweredNetwork& network_;
    const Operator& from_;
    LoweredOperator result_;
};

// One for each kind.
void lower_operator(OperatorLowering& to, const GemmAttributes& gemm);
void lower_operator(OperatorLowering& to, const BatchedGemmAttributes& gemm);
void lower_operator(OperatorLowering& to, const ConvolutionAttributes& convolution);
void lower_operator(OperatorLowering& to, const AttentionAttributes& attention);
void lower_operator(OperatorLowering& to, const FfnAttributes& ffn);
void lower_operator(OperatorLowering& to, const MoeAttributes& moe);
void lower_operator(OperatorLowering& to, const EmbeddingAttributes& embedding);
void lower_operator(OperatorLowering& to, const ElementwiseAttributes& elementwise);
void lower_operator(OperatorLowering& to, const SoftmaxAttributes& softmax);
void lower_operator(OperatorLowering& to, const NormAttributes& norm);
void lower_operator(OperatorLowering& to, const PoolAttributes& pool);
void lower_operator(OperatorLowering& to, const ReduceAttributes& reduce);
void lower_operator(OperatorLowering& to, const ConcatAttributes& concat);
void lower_operator(OperatorLowering& to, const ReshapeAttributes& reshape);
void lower_operator(OperatorLowering& to, const SliceAttributes& slice);
void lower_operator(OperatorLowering& to, const HostStageAttributes& host);
void lower_operator(OperatorLowering& to, const TransferAttributes& transfer);

} // namespace systole
