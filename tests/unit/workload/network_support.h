// A network from a few lines of TOML, and its errors as lines.
#pragma once

#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/workload/lowering.h"
#include "sim/workload/network_reader.h"

namespace systole::test {

inline Network network_of(const std::string& text, const std::map<std::string, std::int64_t>& bindings = {}) {
    return read_network(text, "net.toml", {{Format::int8, Format::int8, Format::int8}, std::nullopt, bindings});
}

inline std::vector<std::string> network_errors(const std::string& text,
                                               const std::map<std::string, std::int64_t>& bindings = {}) {
    std::vector<std::string> lines;
    try {
        network_of(text, bindings);
    } catch (const InputError& error) {
        for (const Diagnostic& one : error.diagnostics()) {
            lines.push_back(to_string(one.place) + ": " + one.message);
        }
    }
    return lines;
}

inline const Tensor& output_of(const Network& network, std::size_t index) {
    return network.tensors[static_cast<std::size_t>(network.operators[index].output)];
}

// "[[tensor]]" of an input.
inline std::string input_of(const std::string& name, const std::string& shape) {
    return "[[tensor]]\nname = \"" + name + "\"\nshape = " + shape + "\n";
}

inline const MatrixTask& matrix(const LoweredOperator& made, std::size_t task) {
    return std::get<MatrixTask>(made.tasks.at(task));
}

inline const VectorTask& vector(const LoweredOperator& made, std::size_t task) {
    return std::get<VectorTask>(made.tasks.at(task));
}

} // namespace systole::test
