#include "sim/cli/roofline_network.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/network_input.h"
#include "sim/roofline/network_work.h"

namespace systole {

namespace {

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

std::optional<RooflineAnswer> network_answer(const ParsedOptions& options, const ChipRequest& request) {
    const std::optional<Network> named = named_network(options, request.machine.default_format);
    if (!named) {
        return std::nullopt;
    }
    const Network& network = *named;
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
