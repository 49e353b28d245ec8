// Reading ONNX models in tests.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/workload/onnx_reader.h"
#include "tests/unit/base/temp_folder.h"
#include "tests/unit/workload/onnx_models.h"

namespace systole::test {

inline const OperandFormats int8_formats{Format::int8, Format::int8, Format::int8};

inline Network read(const OnnxGraph& graph, const std::map<std::string, std::int64_t>& bindings = {},
                    bool skip = false) {
    const TempFolder folder;
    const std::string file = (folder.path() / "model.onnx").string();
    graph.write(file);
    return load_onnx(file, {{int8_formats, std::nullopt, bindings}, skip});
}

inline std::vector<std::string> errors_of(const OnnxGraph& graph,
                                          const std::map<std::string, std::int64_t>& bindings = {}, bool skip = false) {
    std::vector<std::string> lines;
    try {
        read(graph, bindings, skip);
    } catch (const InputError& error) {
        for (const Diagnostic& one : error.diagnostics()) {
            lines.push_back(one.message);
        }
    }
    return lines;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::vector<std::string> kinds(const Network& network) {
    std::vector<std::string> list;
    for (const Operator& one : network.operators) {
        const auto* elementwise = std::get_if<ElementwiseAttributes>(&one.attributes);
        list.push_back(elementwise != nullptr ? elementwise->function : std::string(kind_name(one.attributes)));
    }
    return list;
}

inline Shape last_shape(const Network& network) {
    return network.tensors[static_cast<std::size_t>(network.operators.back().output)].shape;
}

} // namespace systole::test
