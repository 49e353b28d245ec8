// Random small networks for property tests: a chain of layers over tokens or over feature maps, on a random machine.
#pragma once

#include <vector>

#include "sim/engine/network_run.h"
#include "tests/support/cases.h"

namespace systole::test {

enum class Layer { gemm, function, norm, softmax, ffn, attention, convolution, depthwise, pool, sum };

struct LayerDraw {
    int kind = 0;          // of those that the chain has
    std::int64_t size = 1; // features, hidden width, filters
    int variant = 0;       // stride, flash or standard, causal or not
    int around = 0;        // behind it: 1 a transfer to the host, 2 one to the device, 3 both, 4 a stage of the host
};

struct NetworkCase {
    Case machine; // its problem does not matter
    std::int64_t batch = 1;
    std::int64_t tokens = 1; // 0: feature maps
    std::int64_t width = 1;  // of a token; channels of a map
    std::int64_t side = 1;   // of a map
    std::vector<LayerDraw> layers;
    bool uploaded = false; // the input, by a transfer
    int repeats = 1;       // of all layers: those that keep the shape are then alike

    Network network() const;
};

std::ostream& operator<<(std::ostream& out, const NetworkCase& test_case);

// From HBM; convolutions too if `maps`.
rc::Gen<NetworkCase> any_network(bool maps = true);

// The same with host stages and transfers behind some of the layers; from HBM or from the host.
rc::Gen<NetworkCase> any_served_network();

RunResult run_network(const NetworkCase& test_case, EngineKind engine, const NetworkWays& ways = {});

// Discards the case if it does not fit.
RunResult run_network_or_discard(const NetworkCase& test_case, EngineKind engine, DiscardCounter& counter,
                                 const NetworkWays& ways = {});

} // namespace systole::test
