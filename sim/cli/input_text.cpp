#include "sim/cli/input_text.h"

#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/hash.h"
#include "sim/config/load.h"

namespace systole {

namespace {

// Values of many bytes by their hash.
std::string matrix_text(const char* name, const std::optional<GivenMatrix>& matrix) {
    if (!matrix) {
        return "";
    }
    Fnv1a hash;
    for (const double value : matrix->values) {
        hash.add({reinterpret_cast<const char*>(&value), sizeof value});
    }
    return fmt::format("{} {}x{} {}\n", name, matrix->rows, matrix->cols, hash.text());
}

std::string given_text(const GivenOperands& given) {
    return matrix_text("A", given.a) + matrix_text("B", given.b) +
           (given.pruning == Pruning::magnitude ? "pruned\n" : "");
}

std::string run_text(const RunOptions& run) {
    const Tile tile = run.tile.value_or(Tile{0, 0, 0});
    return fmt::format(
        "engine {} dataflow {} from {} verify {} tile {}x{}x{} mapping {} weights {} fuse {} seed {} max {}\n{}{}",
        name(run.engine), run.dataflow ? short_name(*run.dataflow) : "auto", name(run.from),
        run.verify ? (*run.verify ? "yes" : "no") : "auto", tile.m, tile.n, tile.k,
        run.mapping == MappingMode::naive ? "naive" : "auto", name(run.weights), run.fuse, run.seed,
        run.max_cycles.value_or(0), given_text(run.given), run.fixed ? mapping_file_text(run.fixed->operators) : "");
}

std::string formats_text(const OperandFormats& formats) {
    return fmt::format("{} {} {}", name(formats.a), name(formats.b), name(formats.c));
}

std::string window_text(const ConvolutionWindow& window) {
    return fmt::format(" window {}x{}x{}x{} outputs {} kernel {} stride {} dilation {} padding {} {} {} {}",
                       window.batch, window.channels, window.height, window.width, window.outputs, window.kernel,
                       window.stride, window.dilation, window.padding.top, window.padding.left, window.padding.bottom,
                       window.padding.right);
}

std::string text_of(const TensorUse& use) { return fmt::format(" {}:{}", use.tensor, use.bytes); }

struct TaskText {
    std::string operator()(const MatrixTask& task) const {
        return fmt::format("matrix {} {}x {}x{}x{} {}{}{}{}{}{}{}{}", task.name, task.count, task.m, task.n, task.k,
                           formats_text(task.formats), text_of(task.a), text_of(task.b), text_of(task.c),
                           task.bias ? text_of(*task.bias) : "", task.a_transposed ? " A^T" : "",
                           task.b_transposed ? " B^T" : "", task.window ? window_text(*task.window) : "");
    }
    std::string operator()(const VectorTask& task) const {
        std::string text =
            fmt::format("vector {} {} {} {} {} {} {}", task.name, task.function, task.elements,
                        task.operations_per_element, name(task.format), task.resident_bytes, task.elementwise);
        for (const TensorUse& use : task.reads) {
            text += text_of(use);
        }
        text += " ->";
        for (const TensorUse& use : task.writes) {
            text += text_of(use);
        }
        return text;
    }
    std::string operator()(const HostTask& task) const { return fmt::format("host {} {}", task.name, task.time); }
    std::string operator()(const TransferTask& task) const {
        return fmt::format("transfer {}{} {} {}", task.name, text_of(task.data), task.to_device, task.overlapped);
    }
};

std::string network_text(const LoweredNetwork& network) {
    std::string text;
    for (const Tensor& tensor : network.tensors) {
        text += fmt::format("tensor {} {} {} {}\n", tensor.name, name(tensor.kind), to_text(tensor.shape),
                            name(tensor.format));
    }
    text += fmt::format("lie in {}\n", fmt::join(network.storage, " "));
    for (const LoweredOperator& one : network.operators) {
        text += fmt::format("operator {} x{}\n", one.index, one.count);
        for (const Task& task : one.tasks) {
            text += std::visit(TaskText{}, task) + "\n";
        }
    }
    return text;
}

} // namespace

std::string input_text(const SimulateInput& input) {
    std::string text;
    for (const auto& [key, value] : chip_values(input.machine)) {
        text += key + "=" + value + "\n";
    }
    text += run_text(input.run);
    for (const GemmProblem& problem : input.problems) {
        text += fmt::format("{} {}x {}x{}x{} {} {}{}\n", problem.name, problem.count, problem.m, problem.n, problem.k,
                            formats_text(problem.formats), name(problem.sparsity),
                            problem.window ? window_text(*problem.window) : "");
    }
    return input.network ? text + network_text(input.network->lowered) : text;
}

} // namespace systole
