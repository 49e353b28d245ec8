// What decides the result of a point, as one hash.
#include <fmt/format.h>

#include "sim/base/hash.h"
#include "sim/cli/sweep_point.h"
#include "sim/config/load.h"

namespace systole {

namespace {

std::string text_of(const OperandFormats& formats) {
    return fmt::format("{},{},{}", name(formats.a), name(formats.b), name(formats.c));
}

std::string text_of(const std::optional<ConvolutionWindow>& window) {
    if (!window) {
        return "";
    }
    const ConvolutionWindow& w = *window;
    const Padding& p = w.padding;
    return fmt::format("{}x{}x{}x{} out {}x{} kernel {}x{} stride {}x{} dilation {}x{} padding {},{},{},{}", w.batch,
                       w.channels, w.height, w.width, w.outputs[0], w.outputs[1], w.kernel[0], w.kernel[1], w.stride[0],
                       w.stride[1], w.dilation[0], w.dilation[1], p.top, p.left, p.bottom, p.right);
}

std::string text_of(const std::vector<TensorUse>& uses) {
    std::string text;
    for (const TensorUse& use : uses) {
        text += fmt::format(" {}:{}", use.tensor, use.bytes);
    }
    return text;
}

struct TaskText {
    std::string operator()(const MatrixTask& t) const {
        return fmt::format("matrix {} {}x{}x{} {} {}{} {}{}{} {}", t.name, t.m, t.n, t.k, t.count, text_of(t.formats),
                           text_of({t.a, t.b, t.c}), t.bias.has_value(), t.a_transposed, t.b_transposed,
                           text_of(t.window));
    }
    std::string operator()(const VectorTask& t) const {
        return fmt::format("vector {} {} {} {} {}{} to{} {} {}", t.name, t.function, t.elements,
                           t.operations_per_element, name(t.format), text_of(t.reads), text_of(t.writes),
                           t.resident_bytes, t.elementwise);
    }
    std::string operator()(const HostTask& t) const { return fmt::format("host {} {}", t.name, t.time); }
    std::string operator()(const TransferTask& t) const {
        return fmt::format("transfer {}{} {} {}", t.name, text_of(std::vector{t.data}), t.to_device, t.overlapped);
    }
};

void add_run(Fnv1a& hash, const RunOptions& run) {
    const Tile tile = run.tile.value_or(Tile{0, 0, 0});
    hash.add(fmt::format("engine {} dataflow {} from {} verify {} tile {}x{}x{} seed {} max {}\n", name(run.engine),
                         run.dataflow ? short_name(*run.dataflow) : "auto", name(run.from),
                         run.verify ? (*run.verify ? "yes" : "no") : "auto", tile.m, tile.n, tile.k, run.seed,
                         run.max_cycles.value_or(0)));
    hash.add(fmt::format("mapping {} {} {}\n", static_cast<int>(run.mapping), run.settle_events,
                         run.fixed ? mapping_file_text(run.fixed->operators) : ""));
}

void add_network(Fnv1a& hash, const LoweredNetwork& network) {
    for (std::size_t i = 0; i < network.tensors.size(); ++i) {
        const Tensor& tensor = network.tensors[i];
        hash.add(fmt::format("tensor {} {} {} {}\n", name(tensor.kind), to_text(tensor.shape), name(tensor.format),
                             network.storage[i]));
    }
    for (const LoweredOperator& one : network.operators) {
        hash.add(fmt::format("operator {} times{} to{}\n", one.count, text_of(one.reads), text_of(one.writes)));
        for (const Task& task : one.tasks) {
            hash.add(std::visit(TaskText{}, task) + "\n");
        }
    }
}

} // namespace

std::string point_hash(const SimulateInput& input) {
    Fnv1a hash;
    hash.add(fmt::format("systole {}\n", SYSTOLE_VERSION));
    for (const auto& [key, value] : chip_values(input.machine)) {
        hash.add(key + "=" + value + "\n");
    }
    add_run(hash, input.run);
    for (const GemmProblem& problem : input.problems) {
        hash.add(fmt::format("{} {}x{}x{} {} {} {} {}\n", problem.name, problem.m, problem.n, problem.k, problem.count,
                             text_of(problem.formats), name(problem.sparsity), text_of(problem.window)));
    }
    if (input.network) {
        add_network(hash, input.network->lowered);
    }
    return hash.text();
}

} // namespace systole
