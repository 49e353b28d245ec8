#include "sim/workload/network_parts.h"

#include <fmt/format.h>

#include "sim/base/table.h"
#include "sim/workload/network_kinds.h"
#include "sim/workload/operand_formats.h"
#include "sim/workload/sparsity_pattern.h"
#include "sim/workload/vector_functions.h"

namespace systole {

namespace {

constexpr std::int64_t most_repeats = 100'000;

std::vector<std::string> keys_of_operator(const std::string& kind) {
    std::vector<std::string> keys{"name", "kind", "inputs", "output", "dtype", "result"};
    if (const OperatorKind* known = find_operator_kind(kind)) {
        keys.insert(keys.end(), known->keys.begin(), known->keys.end());
        return keys;
    }
    if (find_vector_function(kind) != nullptr) {
        keys.emplace_back("activation");
        return keys;
    }
    for (const OperatorKind& any : operator_kinds()) { // an unknown kind: its keys may be those of any
        keys.insert(keys.end(), any.keys.begin(), any.keys.end());
    }
    return keys;
}

} // namespace

OperandFormats NetworkParts::read_formats(const TomlTable& table, const OperandFormats& otherwise) const {
    if (!table.has("dtype")) {
        return otherwise;
    }
    const std::string text = table.word("dtype");
    if (text.empty()) {
        return otherwise;
    }
    const Parsed<OperandFormats> parsed = parse_operand_formats(text);
    if (!parsed.value) {
        table.report("dtype", parsed.error);
    }
    return asked.value_or(parsed.value.value_or(otherwise));
}

SparsePattern NetworkParts::read_sparsity(const TomlTable& table, SparsePattern otherwise) const {
    if (!table.has("sparsity")) {
        return otherwise;
    }
    const std::string text = table.word("sparsity");
    const Parsed<SparsePattern> parsed = parse_sparsity_pattern(text);
    if (!text.empty() && !parsed.value) {
        table.report("sparsity", "'sparsity' " + parsed.error);
    }
    return parsed.value.value_or(otherwise);
}

std::optional<Tensor> NetworkParts::read_tensor(const TomlTable& table) const {
    const std::size_t before = found.size();
    table.check_keys({"name", "kind", "shape", "dtype"}, "tensor.");
    Tensor tensor;
    tensor.place = table.place();
    tensor.name = table.word("name");
    if (tensor.name.empty()) {
        table.report("name", "a tensor needs a 'name'");
    }
    const std::string kind = table.word("kind", "input");
    tensor.kind = kind == "weight" ? TensorKind::weight : kind == "cache" ? TensorKind::cache : TensorKind::input;
    if (name(tensor.kind) != kind) {
        table.report("kind", fmt::format("unknown kind '{}' of a tensor (there are input, weight and cache)", kind));
    }
    tensor.shape = table.numbers("shape", 1, most_elements);
    if (!table.has("shape")) {
        table.report("shape", fmt::format("tensor '{}' has no 'shape'", tensor.name));
    }
    tensor.format = tensor.kind == TensorKind::weight ? formats.b : formats.a;
    if (const std::string text = table.word("dtype"); !text.empty()) { // its own, whatever the caller asks for
        const std::optional<Format> format = parse_format(text);
        if (!format) {
            table.report("dtype", parse_operand_formats(text).error);
        }
        tensor.format = format.value_or(tensor.format);
    }
    return found.size() == before ? std::optional(tensor) : std::nullopt;
}

void NetworkParts::read_sizes(const TomlTable& table, WrittenOperator& written, bool good) const {
    GemmProblem problem;
    problem.name = written.draft.name;
    problem.formats = written.draft.formats.value_or(formats);
    problem.sparsity = read_sparsity(table, sparsity);
    bool all = good;
    for (const auto& [key, target] :
         {std::pair{"m", &problem.m}, std::pair{"n", &problem.n}, std::pair{"k", &problem.k}}) {
        const std::optional<std::int64_t> size = table.number(key, 1, unlimited);
        all = all && size;
        *target = size.value_or(1);
        if (!table.has(key) && good) { // a key with another error may have been to say it
            found.add(table.place(), "operator '" + problem.name + "' has no '" + key +
                                         "' (a GEMM needs m, n and k; between tensors it needs features or inputs)");
        }
    }
    written.count = table.number_or("count", 1, 1, most_repeats);
    if (all) {
        try {
            validate(problem);
        } catch (const InputError& error) {
            for (const Diagnostic& one : error.diagnostics()) {
                found.add(table.place(), one.message);
            }
        }
    }
    written.gemm = problem;
}

void NetworkParts::read_activation(const TomlTable& table, const std::string& kind, WrittenOperator& written) const {
    for (const char* const key : {"m", "n", "k", "count", "sparsity"}) {
        if (kind == "gemm" && table.has(key)) {
            table.report(key, fmt::format("'{}' is for a GEMM without tensors, given by m, n and k", key));
        }
    }
    written.activation = table.word("activation");
    const VectorFunction* function = find_vector_function(written.activation);
    if (!written.activation.empty() && (function == nullptr || function->inputs != 1)) {
        table.report("activation", fmt::format("unknown activation '{}' (there are {})",
                                               written.activation.substr(0, 60), vector_function_names()));
    }
}

std::optional<WrittenOperator> NetworkParts::read_operator(const TomlTable& table, std::int64_t number) const {
    const std::size_t before = found.size();
    WrittenOperator written;
    OperatorDraft& draft = written.draft;
    draft.place = table.place();
    draft.name = table.word("name", "op" + std::to_string(number));
    const std::string kind = table.word("kind", "gemm");
    table.check_keys(keys_of_operator(kind), "operator.");
    const bool unknown_keys = found.size() > before;
    draft.inputs = table.words("inputs");
    draft.output = table.word("output");
    draft.is_result = table.flag("result");
    if (table.has("dtype")) {
        draft.formats = read_formats(table, formats);
    }
    bool good = true;
    if (const OperatorKind* known = find_operator_kind(kind)) {
        draft.attributes = known->read(table);
    } else if (find_vector_function(kind) != nullptr) {
        draft.attributes = ElementwiseAttributes{kind};
    } else {
        const std::string near = nearest(kind, all_operator_kinds());
        table.report("kind",
                     fmt::format("unknown kind '{}' ({})", kind.substr(0, 60),
                                 near.empty() ? "`systole info workloads` lists all" : "did you mean '" + near + "'?"));
        good = false;
    }
    if (kind == "gemm" && !table.has("features") && !table.has("inputs")) {
        read_sizes(table, written, good && !unknown_keys);
    } else if (kind != "ffn" && kind != "moe") {
        read_activation(table, kind, written);
    }
    return found.size() == before ? std::optional(written) : std::nullopt;
}

} // namespace systole
