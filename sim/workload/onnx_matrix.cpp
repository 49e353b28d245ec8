// ONNX: matrix products, and what a product takes in of what follows it.
#include <fmt/format.h>

#include "sim/workload/onnx_lowering.h"

namespace systole {

namespace {

// C of a Gemm is repeated to [m, n], never the other way round.
void require_addend(const Shape& c, std::int64_t m, std::int64_t n) {
    const std::int64_t columns = c.empty() ? 1 : c.back();
    const std::int64_t rows = c.size() < 2 ? 1 : c[0];
    if (c.size() > 2 || (columns != 1 && columns != n) || (rows != 1 && rows != m)) {
        throw InputError(
            fmt::format("its C {} does not fit the result [{}, {}] (correct the model)", to_text(c), m, n));
    }
}

void read_gemm(OnnxLowering& to, const OnnxNode& node) {
    GemmAttributes gemm;
    gemm.transpose_a = int_attribute(node, "transA", 0) != 0;
    gemm.transpose_b = int_attribute(node, "transB", 0) != 0;
    const Shape a = to.shape(node.input(0));
    const Shape b = to.shape(node.input(1));
    if (a.size() != 2 || b.size() != 2 || a[gemm.transpose_a ? 0 : 1] != b[gemm.transpose_b ? 1 : 0]) {
        throw InputError("A " + to_text(a) + " and B " + to_text(b) + " do not fit");
    }
    const std::int64_t n = b[gemm.transpose_b ? 0 : 1];
    if (has_input(node, 2)) {
        require_addend(to.shape(node.input(2)), a[gemm.transpose_a ? 1 : 0], n);
    }
    std::vector<std::string> inputs{to.tensor(node.input(0))};
    if (to.model().is_fixed(node.input(1))) {
        gemm.features = n;
    } else {
        inputs.push_back(to.tensor(node.input(1)));
    }
    gemm.bias = has_input(node, 2) && to.model().is_fixed(node.input(2));
    if (has_input(node, 2) && !gemm.bias) { // C is computed: an addition of its own
        const std::string product = to.emit_part(node, gemm, inputs);
        to.emit(node, ElementwiseAttributes{"add"}, {product, to.tensor(node.input(2))}, node.output(0));
        return;
    }
    to.emit(node, gemm, inputs, absorb_followers(to, node, n, 0, gemm.bias));
}

// A vector in front is a row, one behind a column; that dimension is not in the result.
void read_vector_product(OnnxLowering& to, const OnnxNode& node, const Shape& a, const Shape& b) {
    const bool row = a.size() == 1;
    const bool column = b.size() == 1;
    std::string output = node.output(0);
    Attributes attributes = BatchedGemmAttributes{};
    std::vector<std::string> inputs{to.tensor(node.input(0))};
    if (row) {
        inputs[0] = to.view(node, {1, a[0]}, inputs[0]);
    }
    if (b.size() <= 2 && to.model().is_fixed(node.input(1))) {
        GemmAttributes gemm;
        gemm.features = column ? 1 : b[1];
        output = column ? output : absorb_followers(to, node, b[1], 0, gemm.bias);
        attributes = gemm;
    } else {
        inputs.push_back(to.tensor(node.input(1)));
        if (column) {
            inputs[1] = to.view(node, {b[0], 1}, inputs[1]);
        }
        if (b.size() <= 2) {
            attributes = GemmAttributes{};
        }
    }
    Shape result(a.begin(), a.end() - 1);
    if (!column) {
        result.assign(b.begin(), b.end() - 2);
        result.push_back(b.back());
    }
    to.emit_view(node, result, to.emit_part(node, attributes, inputs), output);
}

void read_matmul(OnnxLowering& to, const OnnxNode& node) {
    const Shape a = to.shape(node.input(0));
    const Shape b = to.shape(node.input(1));
    if (a.empty() || b.empty() || a.back() != b[b.size() < 2 ? 0 : b.size() - 2]) {
        throw InputError("A " + to_text(a) + " and B " + to_text(b) + " do not fit");
    }
    if (a.size() == 1 || b.size() == 1) {
        read_vector_product(to, node, a, b);
        return;
    }
    if (b.size() == 2 && to.model().is_fixed(node.input(1))) {
        GemmAttributes gemm;
        gemm.features = b[1];
        const std::string output = absorb_followers(to, node, b[1], 0, gemm.bias);
        to.emit(node, gemm, {to.tensor(node.input(0))}, output);
        return;
    }
    Attributes attributes = BatchedGemmAttributes{};
    if (b.size() == 2) {
        attributes = GemmAttributes{};
    }
    to.emit(node, attributes, {to.tensor(node.input(0)), to.tensor(node.input(1))}, node.output(0));
}

// Whether the result of an addition has more dimensions than the product: then it stays an addition.
bool grows(const OnnxModel& model, const std::string& product, const std::string& sum) {
    const auto before = model.shapes.find(product);
    const auto after = model.shapes.find(sum);
    return before != model.shapes.end() && after != model.shapes.end() && before->second.size() != after->second.size();
}

} // namespace

std::string absorb_followers(OnnxLowering& to, const OnnxNode& node, std::int64_t columns, std::size_t axis,
                             bool& bias) {
    std::string output = node.output(0);
    for (;;) {
        const OnnxNode* next = to.model().only_consumer(output);
        if (next == nullptr) {
            return output;
        }
        if (next->op_type() == "BatchNormalization" && next->input(0) == output && axis != 0 &&
            problem_of_batch_norm(to, *next, columns).empty()) { // one that does not fit speaks for itself
            bias = true;
        } else if (next->op_type() == "Add" && next->input_size() == 2) {
            const std::string& other = next->input(next->input(0) == output ? 1 : 0);
            const auto shape = to.model().shapes.find(other);
            if (!to.model().is_fixed(other) || shape == to.model().shapes.end() || shape->second.size() <= axis ||
                grows(to.model(), output, next->output(0)) || elements(shape->second) != columns ||
                shape->second[shape->second.size() - 1 - axis] != columns) {
                return output;
            }
            bias = true;
        } else {
            return output;
        }
        to.is_done(*next);
        output = next->output(0);
    }
}

void add_matrix_readers(OnnxReaders& readers) {
    readers["Gemm"] = read_gemm;
    readers["MatMul"] = read_matmul;
}

} // namespace systole
