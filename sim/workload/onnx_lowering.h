// ONNX nodes -> operators of a network: what the readers of single operators (onnx_matrix.cpp, onnx_vector.cpp,
// onnx_views.cpp) share.
#pragma once

#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/workload/network.h"
#include "sim/workload/onnx_model.h"

namespace systole {

// A node that is not understood, or not in this form; the text says why.
struct UnsupportedNode : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class OnnxLowering {
  public:
    OnnxLowering(const OnnxModel& model, NetworkBuilder& builder, bool skip_unsupported, Diagnostics& found);

    void run();
    const std::vector<std::string>& skipped() const { return skipped_; }
    std::vector<std::string> results() const; // names in the network of what the graph and left-out nodes need

    const OnnxModel& model() const { return model_; }
    // Of a value, or of a weight. Throws UnsupportedNode if it is not known.
    Shape shape(const std::string& value) const;
    // Its values, if it is a small constant. Throws UnsupportedNode if they are not known.
    const std::vector<std::int64_t>& integers(const std::string& value) const;
    // The tensor of a value in the network; a weight is declared on its first use.
    std::string tensor(const std::string& value);
    std::string declare_weight(const std::string& name, const Shape& shape);

    // Adds an operator that makes the value `output` of tensors of the network.
    void emit(const OnnxNode& node, Attributes attributes, const std::vector<std::string>& inputs,
              const std::string& output);
    // One that stands between others of the same node; returns its tensor.
    std::string emit_part(const OnnxNode& node, Attributes attributes, const std::vector<std::string>& inputs);
    // The same elements in another shape, before and behind what keeps the name of the node; `view` returns its tensor.
    std::string view(const OnnxNode& node, const Shape& shape, const std::string& tensor);
    void emit_view(const OnnxNode& node, const Shape& shape, const std::string& tensor, const std::string& output);
    void is_same(const std::string& value, const std::string& tensor) { tensors_[value] = tensor; }
    void is_done(const OnnxNode& node) { done_.insert(&node); } // read with another one

  private:
    void read(const OnnxNode& node);
    void leave_out(const OnnxNode& node, const std::string& why);
    std::string operator_name(const OnnxNode& node, const char* suffix = "");
    bool add(std::string name, Attributes attributes, const std::vector<std::string>& inputs,
             const std::string& tensor);
    void emit_as(std::string name, Attributes attributes, const std::vector<std::string>& inputs,
                 const std::string& output);
    std::string part_as(const OnnxNode& node, const std::string& name, Attributes attributes,
                        const std::vector<std::string>& inputs);
    bool any_missing(const OnnxNode& node) const;

    const OnnxModel& model_;
    NetworkBuilder& builder_;
    bool skip_unsupported_;
    Diagnostics& found_;
    std::unordered_map<std::string, std::string> tensors_; // value -> tensor
    std::unordered_map<std::string, int> names_;           // how often a name of an operator was wanted
    std::unordered_set<const OnnxNode*> done_;
    std::unordered_set<std::string> missing_; // values of nodes with errors
    std::vector<std::string> skipped_;
    std::vector<std::string> needed_; // inputs of left-out nodes
};

// How nodes of one type are read.
using OnnxReaderOfNode = void (*)(OnnxLowering& to, const OnnxNode& node);
using OnnxReaders = std::unordered_map<std::string, OnnxReaderOfNode>;

void add_matrix_readers(OnnxReaders& readers);  // Gemm, MatMul
void add_window_readers(OnnxReaders& readers);  // Conv, pools, ...
void add_vector_readers(OnnxReaders& readers);  // activations, norms, reductions, ...
void add_reshape_readers(OnnxReaders& readers); // Reshape, Transpose, ...
void add_view_readers(OnnxReaders& readers);    // Concat, Slice, ..., and Gather

// Batch norm or an added bias of `columns` elements behind a product becomes part of it. Returns the value that the
// product then makes. The bias has to lie along `axis` of the result, counted from its end.
std::string absorb_followers(OnnxLowering& to, const OnnxNode& node, std::int64_t columns, std::size_t axis,
                             bool& bias);

// What of a batch norm does not hold one number for each channel; "" if all is well.
std::string problem_of_batch_norm(const OnnxLowering& to, const OnnxNode& node, std::int64_t channels);

// Layer norm as it is exported to older opsets: nine nodes from ReduceMean to Add.
bool read_layer_norm_pattern(OnnxLowering& to, const OnnxNode& reduce_mean);

} // namespace systole
