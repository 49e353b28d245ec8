// How a SparsityGain is printed.
#include <algorithm>

#include <fmt/format.h>

#include "sim/report/json.h"
#include "sim/report/layers.h"
#include "sim/report/numbers.h"
#include "sim/report/sparsity_gain.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

constexpr const char* row = "  {:<16}{:>14}{:>14}{:>14}{:>14}\n";

} // namespace

std::string sparsity_gain_text(const SparsityGain& gain) {
    std::string text = fmt::format("Sparsity {} beside dense\n", name(gain.sparsity));
    text += fmt::format("  speed-up {:.4f} beside the MACs' {:.4g}, eta = speed-up / {:.4g} = {:.4f}\n\n",
                        gain.speed_up, gain.best, gain.best, gain.eta);
    const std::string lost = fmt::format("beyond {}/{}", gain.sparsity.keep, gain.sparsity.group);
    text += fmt::format("{:<18}{:>14}{:>14}{:>14}{:>14}\n", "Cycles", "dense", name(gain.sparsity), "saved", lost);
    for (const SparsityCause& one : gain.causes) {
        text += fmt::format(row, name(one.cause), one.dense, one.sparse, one.saved(), one.lost);
    }
    text += fmt::format(row, "total", gain.dense_cycles, gain.sparse_cycles, gain.dense_cycles - gain.sparse_cycles,
                        gain.lost_cycles);
    text += "\n";
    for (const std::string& sentence : gain.sentences) {
        text += wrap("  ", sentence) + "\n";
    }
    return text;
}

Json sparsity_gain_json(const SparsityGain& gain) {
    Json json;
    json["sparsity"] = name(gain.sparsity);
    json["dense_cycles"] = gain.dense_cycles;
    json["sparse_cycles"] = gain.sparse_cycles;
    json["speed_up"] = gain.speed_up;
    json["best_speed_up"] = gain.best;
    json["eta"] = gain.eta;
    json["lost_cycles"] = gain.lost_cycles;
    json["causes"] = Json::array();
    for (const SparsityCause& one : gain.causes) {
        json["causes"].push_back({{"cause", name(one.cause)},
                                  {"dense_cycles", one.dense},
                                  {"sparse_cycles", one.sparse},
                                  {"saved_cycles", one.saved()},
                                  {"lost_cycles", one.lost}});
    }
    json["bytes"] = {{"dense", gain.dense_bytes},
                     {"sparse", gain.sparse_bytes},
                     {"dense_b", gain.dense_b},
                     {"sparse_b", gain.sparse_b},
                     {"meta", gain.meta}};
    json["sentences"] = gain.sentences;
    return json;
}

namespace {

std::string shape_text(const OperatorResult& one) {
    return one.m == 0 ? "" : fmt::format(", {} x {} x {} (M x N x K)", one.m, one.n, one.k);
}

std::string pair_text(const OperatorResult& dense, const OperatorResult& sparse) {
    const auto dataflows =
        dense.dataflow == sparse.dataflow
            ? std::string(short_name(dense.dataflow))
            : fmt::format("{} dense, {} sparse", short_name(dense.dataflow), short_name(sparse.dataflow));
    const auto head = fmt::format("{}{}, {}, from {}", dense.name, shape_text(dense), dataflows, name(dense.from));
    return wrap("", head) + "\n" + sparsity_gain_text(sparsity_gain(dense, sparse));
}

Json pair_json(const OperatorResult& dense, const OperatorResult& sparse) {
    Json json;
    json["name"] = dense.name;
    json.update(sparsity_gain_json(sparsity_gain(dense, sparse)));
    json["dense"] = operator_json(dense);
    json["sparse"] = operator_json(sparse);
    return json;
}

// Of a network: an operator that has no sparse B, but may have other neighbours in VMEM.
Json unchanged_json(const OperatorResult& dense, const OperatorResult& sparse) {
    return {{"name", dense.name}, {"dense", operator_json(dense)}, {"sparse", operator_json(sparse)}};
}

// The whole of a network has sparse products and others.
OperatorResult sparse_total(const RunResult& sparse) {
    OperatorResult total = sparse.total;
    for (const OperatorResult& one : sparse.operators) {
        if (!one.sparsity.dense()) {
            total.sparsity = one.sparsity;
        }
    }
    return total;
}

OperatorResult dense_total(const RunResult& dense) {
    OperatorResult total = dense.total;
    total.sparsity = dense_pattern;
    return total;
}

std::string layers_table(const RunResult& dense, const RunResult& sparse) {
    const std::vector<OperatorResult> before = folded_layers(dense.operators);
    const std::vector<OperatorResult> after = folded_layers(sparse.operators);
    std::string text = fmt::format("{:<32}{:<10}{:>13}{:>13}{:>12}\n", "Layers", "B", "dense", "sparse", "speed-up");
    for (std::size_t i = 0; i < before.size(); ++i) {
        const OperatorResult& one = after.at(i);
        const double gain =
            static_cast<double>(before[i].cycles) / static_cast<double>(std::max<Cycles>(1, one.cycles));
        const std::string label = printable(one.name);
        text +=
            fmt::format("{:<32}{:<10}{:>13}{:>13}{:>12.3f}\n", label.size() <= 31 ? label : label.substr(0, 30) + "~",
                        name(one.sparsity), count_text(before[i].cycles, 12), count_text(one.cycles, 12), gain);
    }
    return text;
}

} // namespace

std::string sparsity_pair_text(const RunResult& dense, const RunResult& sparse) {
    std::string text = wrap("", fmt::format("{}, {} engine", dense.chip, dense.engine)) + "\n\n";
    if (dense.network) {
        return text + layers_table(dense, sparse) + "\n" + pair_text(dense_total(dense), sparse_total(sparse));
    }
    for (std::size_t i = 0; i < dense.operators.size(); ++i) {
        text += (i > 0 ? "\n" : "") + pair_text(dense.operators[i], sparse.operators.at(i));
    }
    if (dense.operators.size() > 1) {
        text += "\n" + pair_text(dense.total, sparse.total);
    }
    return text;
}

std::string sparsity_pair_json(const RunResult& dense, const RunResult& sparse) {
    Json root;
    root["schema_version"] = 1;
    root["chip"] = dense.chip;
    root["engine"] = dense.engine;
    root["clock_hz"] = dense.clock;
    root["operators"] = Json::array();
    for (std::size_t i = 0; i < dense.operators.size(); ++i) {
        const OperatorResult& one = sparse.operators.at(i);
        root["operators"].push_back(one.sparsity.dense() ? unchanged_json(dense.operators[i], one)
                                                         : pair_json(dense.operators[i], one));
    }
    root["total"] = pair_json(dense_total(dense), sparse_total(sparse));
    return json_text(root);
}

} // namespace systole
