#include "sim/cli/network_input.h"

#include <map>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/problem_input.h"
#include "sim/workload/integer.h"
#include "sim/workload/onnx_reader.h"
#include "sim/workload/workload.h"

namespace systole {

namespace {

std::map<std::string, std::int64_t> bindings(const ParsedOptions& options) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::map<std::string, std::int64_t> bound;
    for (const std::string& text : options.all("--bind")) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            throw InputError(
                fmt::format("--bind '{}' is not NAME=NUMBER (for example --bind batch=8)", text.substr(0, 60)));
        }
        const Parsed<std::int64_t> value = parse_integer(text.substr(equals + 1), 1, most);
        if (!value.value) {
            throw InputError(fmt::format("--bind {}: {}", text.substr(0, 60), value.error));
        }
        if (!bound.emplace(text.substr(0, equals), *value.value).second) {
            throw InputError(fmt::format("--bind {} is given twice", text.substr(0, equals)));
        }
    }
    return bound;
}

} // namespace

std::vector<OptionSpec> network_options() {
    return {
        {"--onnx", "FILE", "an ONNX model (docs/networks.md lists the operators)"},
        {"--bind", "NAME=N", "size of a dimension of an ONNX model, or parameter of a workload file: batch=8", true},
        {"--skip-unsupported", "", "leave out operators of an ONNX model that are not supported, and list them"},
    };
}

void require_one_input(const ParsedOptions& options, const std::string& nothing) {
    if (!options.has("--onnx")) {
        require_one_problem(options, nothing);
        return;
    }
    for (const char* const other : {"--gemm", "--workload", "--topology"}) {
        if (options.has(other)) {
            throw InputError(fmt::format("--onnx and {} are both given (one run has one input)", other));
        }
    }
}

std::optional<Network> named_network(const ParsedOptions& options, Format usual) {
    const std::map<std::string, std::int64_t> bound = bindings(options);
    const std::optional<std::string> file = options.get("--workload");
    const std::optional<std::string> onnx = options.get("--onnx");
    if (!file && !onnx) {
        if (!bound.empty()) {
            throw InputError("--bind is for a workload file or an ONNX model (give --workload or --onnx too)");
        }
        return std::nullopt;
    }
    if (!onnx && options.has("--skip-unsupported")) {
        throw InputError("--skip-unsupported is for an ONNX model (give --onnx too)");
    }
    const NetworkOptions wanted{{usual, usual, usual}, asked_formats(options), bound};
    Network network =
        onnx ? load_onnx(*onnx, {wanted, options.has("--skip-unsupported")}) : load_network(*file, wanted);
    if (is_gemm_list(network)) {
        return std::nullopt;
    }
    return network;
}

} // namespace systole
