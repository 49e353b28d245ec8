#include "sim/cli/roofline_network.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/problem_input.h"
#include "sim/roofline/network_work.h"
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

// The bound of the whole network with all activations kept on the chip.
void add_network_bound(RooflineAnswer& answer, const LoweredNetwork& lowered, const ChipRequest& request) {
    const NetworkBytes bytes = compulsory_bytes(lowered);
    const auto all = static_cast<double>(bytes.read + bytes.written);
    double math = 0;
    double vector = 0;
    for (const RooflineOperator& one : answer.operators) {
        math += one.result.math_s;
        vector += one.result.vector_s;
    }
    double bound = std::max(math, vector);
    for (const analytic::Level& level : request.roofs().levels) {
        if (level.name == "hbm") {
            bound = std::max(bound, all / level.bandwidth);
        }
    }
    answer.quantities.push_back({"network_bytes", "bytes with all activations kept on the chip", "B", all});
    answer.quantities.push_back({"network_lower_bound_s", "lower bound of the network with these (HBM)", "s", bound});
}

void add_quantities(RooflineAnswer& answer, const Network& network, const LoweredNetwork& lowered) {
    const auto add = [&answer](const char* key, const char* label, const char* unit, double value) {
        answer.quantities.push_back({key, label, unit, value});
    };
    add("macs", "multiply-accumulates", "MAC", static_cast<double>(lowered.macs));
    add("parameters", "parameters", "parameters", static_cast<double>(parameters(network)));
    add("parameter_bytes", "bytes of the parameters", "B", static_cast<double>(parameter_bytes(network)));
    if (const Bytes cached = cache_bytes(network); cached > 0) {
        add("cache_bytes", "bytes of KV caches", "B", static_cast<double>(cached));
    }
    const analytic::Surroundings around = analytic::surroundings(lowered);
    if (around.host_s > 0) {
        add("host_seconds", "host stages", "s", around.host_s);
    }
    if (around.to_device_bytes + around.to_host_bytes > 0) {
        add("to_device_bytes", "transfers to the device", "B", around.to_device_bytes);
        add("to_host_bytes", "transfers to the host", "B", around.to_host_bytes);
    }
}

} // namespace

std::vector<OptionSpec> network_options() {
    return {
        {"--onnx", "FILE", "an ONNX model (docs/networks.md lists the operators)"},
        {"--bind", "NAME=N", "size of a dimension of an ONNX model, or parameter of a workload file: batch=8", true},
        {"--skip-unsupported", "", "leave out operators of an ONNX model that are not supported, and list them"},
    };
}

void require_one_input(const ParsedOptions& options) {
    if (!options.has("--onnx")) {
        require_one_problem(options, "nothing to answer");
        return;
    }
    for (const char* const other : {"--gemm", "--workload", "--topology"}) {
        if (options.has(other)) {
            throw InputError(fmt::format("--onnx and {} are both given (one run has one input)", other));
        }
    }
}

std::optional<RooflineAnswer> network_answer(const ParsedOptions& options, const ChipRequest& request) {
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
    const Format usual = request.machine.default_format;
    const NetworkOptions wanted{{usual, usual, usual}, asked_formats(options), bound};
    const Network network =
        onnx ? load_onnx(*onnx, {wanted, options.has("--skip-unsupported")}) : load_network(*file, wanted);
    if (is_gemm_list(network)) {
        return std::nullopt;
    }
    if (request.sparsity || options.has("--tile") || options.has("--dataflow")) {
        throw InputError("--sparsity, --tile and --dataflow are not for a network (leave them out)");
    }
    const LoweredNetwork lowered = lower(network);
    RooflineAnswer answer = answer_about(request, "network");
    for (const analytic::OperatorWork& one : analytic::network_work(network, lowered)) {
        const analytic::Roofs roofs =
            one.work.flops > 0
                ? request.roofs(one.formats, dense_pattern)
                : analytic::seen_from(analytic::vector_roofs(request.machine, one.formats.a, request.rates),
                                      request.from);
        answer.operators.push_back({analytic::evaluate(one.work, roofs), dtype_text(one.formats), "dense"});
    }
    add_quantities(answer, network, lowered);
    add_network_bound(answer, lowered, request);
    answer.skipped = network.skipped;
    return answer;
}

} // namespace systole
