// `systole info workloads`.
#include <fmt/format.h>

#include "sim/cli/info_entry.h"
#include "sim/report/numbers.h"
#include "sim/workload/lowering.h"
#include "sim/workload/network_kinds.h"
#include "sim/workload/vector_functions.h"
#include "sim/workload/workload.h"

namespace systole {

namespace {

void add_network(InfoPage& page, const std::string& name) {
    const Network network = load_network(name, {});
    const LoweredNetwork lowered = lower(network);
    const std::int64_t weights = parameters(network);
    // Lists of GEMMs say nothing about which of their operands are weights.
    const bool listed = is_gemm_list(network);
    std::string text =
        fmt::format("{} ({} operator{}, {}", network.description, network.operators.size(),
                    network.operators.size() == 1 ? "" : "s", scaled(static_cast<double>(lowered.macs), "MAC"));
    Json one{{"name", name},
             {"description", network.description},
             {"source", network.source},
             {"operators", network.operators.size()},
             {"macs", lowered.macs},
             {"vector_operations", lowered.vector_operations}};
    if (!listed) {
        text += fmt::format(", {} parameters of {}", scaled(static_cast<double>(weights), ""),
                            bytes_text(parameter_bytes(network)));
        one["parameters"] = weights;
        one["parameter_bytes"] = parameter_bytes(network);
        if (const Bytes cached = cache_bytes(network); cached > 0) {
            text += fmt::format(", KV cache {}", bytes_text(cached));
            one["cache_bytes"] = cached;
        }
    }
    page.text += info_entry(name, text + ")");
    page.json["workloads"].push_back(std::move(one));
}

} // namespace

InfoPage workloads_page() {
    InfoPage page{"Sizes are in the formats that the file states, else in int8.\n\n",
                  Json{{"workloads", Json::array()}, {"kinds", Json::array()}, {"keys", Json::array()}}};
    page.text += missing_files_hint(workload_names(), "workloads");
    for (const std::string& name : workload_names()) {
        add_network(page, name);
    }
    page.text += "\nKinds of operators:\n";
    for (const OperatorKind& kind : operator_kinds()) {
        page.text += info_entry(kind.name, kind.help);
        page.json["kinds"].push_back({{"kind", kind.name}, {"help", kind.help}, {"keys", kind.keys}});
    }
    for (const VectorFunction& function : vector_functions()) {
        page.text += info_entry(std::string(function.name), fmt::format("{} input{}; {}", function.inputs,
                                                                        function.inputs == 1 ? "" : "s", function.how));
        page.json["kinds"].push_back({{"kind", function.name}, {"help", function.how}, {"keys", {"activation"}}});
    }
    const InfoPage keys = keys_page_of(workload_keys());
    page.text += "\nKeys of a workload file (operators are written as [[operator]]):\n" + keys.text;
    page.json["keys"] = keys.json;
    return page;
}

} // namespace systole
