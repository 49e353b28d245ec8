// A network: tensors, and operators in the order in which they run. What all front ends (workload files, ONNX) make and
// all who run or analyse one take. Made by a NetworkBuilder, which checks it: names are unique, what an operator reads
// was written before, shapes fit.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dataflow/problem.h"
#include "sim/workload/operator_attributes.h"
#include "sim/workload/tensor.h"

namespace systole {

struct Operator {
    std::string name;
    Attributes attributes;
    std::vector<TensorId> inputs;  // in the order of shape_inference.h
    std::vector<TensorId> weights; // its own: "NAME.weight", "NAME.bias", ... in the order of shape_inference.h
    TensorId output = no_tensor;
    std::int64_t count = 1;  // run so often, each time with tensors of its own of these shapes (`standalone` alone)
    bool standalone = false; // a GEMM given by m, n and k: no other operator shares its tensors
    Place place;
};

struct Network {
    std::string name;
    std::string description;
    std::string source; // where the architecture is published
    std::vector<Tensor> tensors;
    std::vector<Operator> operators;
    std::vector<std::string> skipped; // operators that were left out on request: "node 'x' (LSTM)"
};

std::int64_t parameters(const Network& network);        // elements of all weights
Bytes parameter_bytes(const Network& network);          // as they are stored
Bytes cache_bytes(const Network& network);              // of KV caches
bool is_gemm_list(const Network& network);              // GEMMs given by m, n and k alone, as `simulate` takes them
std::vector<GemmProblem> gemms(const Network& network); // of such a list, each `count` times: "qk[0]", "qk[1]", ...

// An operator by names, before it is checked.
struct OperatorDraft {
    std::string name;
    Attributes attributes;
    std::vector<std::string> inputs;
    std::string output;                    // "": the operator's name
    std::optional<OperandFormats> formats; // stored formats of its weights (b) and result (c); else the network's
    Place place;
    bool is_result = false; // its output is a result of the network, besides those that finish() is told
};

// Collects tensors and operators and all that is wrong with them.
class NetworkBuilder {
  public:
    // `formats`: inputs, activations and caches in a, weights in b, results in c. Problems go to `found`.
    NetworkBuilder(OperandFormats formats, Diagnostics& found);

    void add_tensor(Tensor tensor);
    // A draft may read what was added before it. `true` if nothing was wrong with it.
    bool add_operator(OperatorDraft draft);
    // Shapes alone: C[m,n] = A[m,k] B[k,n] with tensors of its own ("NAME.a", "NAME.b", "NAME.c"). Names may repeat.
    void add_gemm(const GemmProblem& problem, std::int64_t count, const Place& place);

    // A tensor, or an operator, with an error that was told already: who reads it has none because of that.
    void add_broken_tensor(const std::string& name) { broken_.insert(name); }
    void add_broken_operator(const OperatorDraft& draft);

    const OperandFormats& formats() const { return formats_; }
    const Tensor* find(const std::string& tensor) const;
    std::string last_output() const; // of the operator added last; "" before the first
    // `outputs`: tensors that are results; none: the last operator's. Reports what is never written, never read, or
    // read before it is written, and cycles. Names and texts are left to the caller.
    // `unread_is_wrong`: false for graphs that a program wrote.
    Network finish(const std::vector<std::string>& outputs, const Place& outputs_place, bool unread_is_wrong = true);

  private:
    struct Unresolved {
        std::size_t draft; // index into drafts_
        std::string tensor;
    };

    TensorId make(Tensor tensor);
    std::string free_prefix(const std::string& name);
    void check_name(const std::string& name, const Place& place);
    void make_outcome(const OperatorDraft& draft, Operator made, const Shape& output,
                      const std::vector<std::pair<std::string, Shape>>& weights);
    void report(const Unresolved& missing);
    std::string cycle_through(std::size_t reader, std::size_t writer) const;
    void mark_outputs(const std::vector<std::string>& outputs, const Place& place);
    void report_unread();

    struct Wiring { // of every draft, good or not, to tell cycles from what is missing
        std::string name;
        std::vector<std::string> inputs;
        std::string output;
        Place place;
    };

    OperandFormats formats_;
    Diagnostics& found_;
    Network network_;
    std::unordered_map<std::string, TensorId> ids_;
    std::unordered_map<std::string, std::size_t> operators_; // by name
    std::unordered_map<std::string, int> prefixes_;        // of GEMMs: the last number behind a name, see free_prefix()
    std::unordered_map<std::string, std::size_t> writers_; // tensor -> its operator, also of operators with errors
    std::vector<Wiring> drafts_;
    std::vector<Unresolved> unresolved_;
    std::vector<bool> read_;                 // by tensor
    std::unordered_set<std::string> broken_; // tensors that were declared with an error; who reads them has none
};

} // namespace systole
