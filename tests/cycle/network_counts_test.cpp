// The networks that come with Systole, simulated: their MACs and bytes are those that are known of them
// (tests/unit/workload/shipped_networks_test.cpp derives these and names who published them).
#include <catch2/catch.hpp>

#include "sim/engine/network_run.h"
#include "sim/engine/network_tasks.h"
#include "sim/workload/workload.h"
#include "tests/support/machines.h"

using namespace systole;
using namespace systole::test;

namespace {

struct Simulated {
    Network network;
    LoweredNetwork lowered;
    RunResult run;

    TensorKind kind(const TensorUse& use) const {
        const auto root = lowered.storage[static_cast<std::size_t>(use.tensor)];
        return lowered.tensors[static_cast<std::size_t>(root)].kind;
    }
    // Of the B of all products that `counts` takes, by what they are: weights, caches, results that are kept. Of causal
    // flash attention those of the last block, which sees all keys: the others find them in VMEM.
    template <typename Counts>
    Bytes b_bytes(Counts counts) const {
        Bytes sum = 0;
        for (const auto& one : lowered.operators) {
            const std::size_t of_a_block = 4; // with the division
            const auto first = one.flash ? one.tasks.size() - of_a_block : 0;
            for (std::size_t i = first; i < one.tasks.size(); ++i) {
                const auto* matrix = std::get_if<MatrixTask>(&one.tasks[i]);
                sum += matrix && counts(kind(matrix->b)) ? matrix->b.bytes : 0;
            }
        }
        return sum;
    }
    Bytes weights() const {
        return b_bytes([](TensorKind kind) { return kind == TensorKind::weight; });
    }
    // What is not made on the way and kept in VMEM.
    Bytes from_memory() const {
        return b_bytes([](TensorKind kind) { return kind != TensorKind::activation && kind != TensorKind::scratch; });
    }
};

// One core with room for everything: nothing is fetched twice.
Simulated simulated(const std::string& name, Format format = Format::bf16) {
    Simulated result{load_network(name, {{format, format, format}, std::nullopt, {}}), {}, {}};
    result.lowered = lower(result.network);
    Machine machine = ideal_machine(128, 128);
    machine.macs_per_pe_cycle = {{format, 1}};
    machine.default_format = format;
    machine.hbm.bandwidth = 819'000'000'000;
    auto options = run_options(EngineKind::tile, ws, DataOrigin::hbm);
    options.mapping = MappingMode::naive;
    result.run = simulate_network(machine, result.network, result.lowered, options);
    return result;
}

} // namespace

TEST_CASE("simulated networks do the MACs that they are known to have and read each weight of a product once") {
    for (const char* name : {"resnet18", "resnet50", "mobilenet_v2", "bert_base", "gpt2_small", "vit_b_16"}) {
        INFO(name);
        const auto net = simulated(name);
        CHECK(net.run.total.macs == net.lowered.macs);
        CHECK(net.run.total.stack[Cause::useful] == net.lowered.macs);
        CHECK(net.run.total.traffic.hbm.read.b == net.weights());
    }
}

TEST_CASE("ResNet-50, simulated: 4,089,184,256 MACs, and 25,502,912 weights of convolutions and of the last layer") {
    const auto net = simulated("resnet50");
    CHECK(net.run.total.macs == 4'089'184'256);
    // 25,557,032 parameters (torchvision) less a scale and a shift of each of 26,560 channels and 1000 biases.
    CHECK(net.run.total.traffic.hbm.read.b == 2 * (25'557'032 - 2 * 26'560 - 1000));
    CHECK(net.run.total.traffic.hbm.write.total() == 2 * 1000); // bf16; all that is between stays in VMEM
}

TEST_CASE("Llama 3 8B, simulated: each weight of a product crosses once for 2048 tokens as for one") {
    // 8,030,261,248 parameters less the embedding (128256 x 4096) and the norms (65 of 4096), which are no products.
    const Bytes weights = 2 * (8'030'261'248 - 128'256LL * 4096 - 65 * 4096);
    for (const char* name : {"llama3_8b_prefill", "llama3_8b_decode"}) {
        INFO(name);
        const auto net = simulated(name);
        CHECK(net.run.total.macs == net.lowered.macs);
        CHECK(net.weights() == weights);
        CHECK(net.run.total.traffic.hbm.read.b == net.from_memory()); // keys and values are B of a product, too
    }
    const auto prefill = simulated("llama3_8b_prefill");
    // Keys and values, which are results, are read once: 2 tensors of 32 layers, 2048 tokens, 8 heads of 128, in bf16.
    CHECK(prefill.from_memory() - prefill.weights() == 2LL * 32 * 2048 * 8 * 128 * 2);
    // One token's keys and values of each layer are added to those in the cache.
    const auto decode = simulated("llama3_8b_decode");
    CHECK(decode.from_memory() - decode.weights() == cache_bytes(decode.network) / 2048 * 2049);
}
