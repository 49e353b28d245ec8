// The networks that come with Systole against published counts: each expected number is derived here, and said by whom
// else it is published.
#include <catch2/catch.hpp>

#include "sim/workload/lowering.h"
#include "sim/workload/workload.h"

using namespace systole;

namespace {

struct Loaded {
    Network network;
    LoweredNetwork lowered;

    const Tensor& tensor(const std::string& name) const {
        for (const Tensor& one : network.tensors) {
            if (one.name == name) {
                return one;
            }
        }
        throw InputError("no tensor " + name);
    }
    std::int64_t macs_of(const std::string& name) const {
        for (const LoweredOperator& one : lowered.operators) {
            if (network.operators[one.index].name == name) {
                return one.macs;
            }
        }
        throw InputError("no operator " + name);
    }
};

Loaded load(const std::string& name, const std::map<std::string, std::int64_t>& bindings = {}) {
    Network network = load_network(name, {{}, std::nullopt, bindings});
    LoweredNetwork lowered = lower(network);
    return {std::move(network), std::move(lowered)};
}

} // namespace

TEST_CASE("ResNet-18: 1.814 GMAC and 11.69 M parameters (torchvision.models.resnet18)", "[networks]") {
    const Loaded net = load("resnet18");
    // 7x7 on 112^2; conv2: 4 of 3x3x64x64 on 56^2; conv3 to conv5: 3x3 to twice the channels, three more, and the 1x1.
    std::int64_t macs = 112LL * 112 * 64 * 147 + 4 * 56LL * 56 * 64 * 576 + 512 * 1000;
    std::int64_t weights = 64 * 147 + 4 * 64 * 576 + 512 * 1000 + 1000;
    std::int64_t channels = 64 + 4 * 64; // a bias for each output channel, where batch norm is folded
    std::int64_t side = 28;
    for (const std::int64_t c : {128, 256, 512}) {
        const std::int64_t stage = c * (c / 2) * 9 + 3 * c * c * 9 + c * (c / 2);
        macs += side * side * stage;
        weights += stage;
        channels += 5 * c;
        side /= 2;
    }
    CHECK(macs == 1'814'073'344);
    CHECK(net.lowered.macs == macs);
    CHECK(weights + 2 * channels == 11'689'512); // torchvision: batch norms have a scale and a shift
    CHECK(parameters(net.network) == weights + channels);
    CHECK(net.tensor("conv2[1].sum").shape == Shape{1, 64, 56, 56}); // He et al. 2015, table 1
    CHECK(net.tensor("conv5_2[0].sum").shape == Shape{1, 512, 7, 7});
    CHECK(net.tensor("fc").shape == Shape{1, 1000});
}

TEST_CASE("ResNet-50: 4.089 GMAC and 25.56 M parameters (torchvision.models.resnet50)", "[networks]") {
    const Loaded net = load("resnet50");
    std::int64_t macs = 112LL * 112 * 64 * 147 + 2048 * 1000;
    std::int64_t weights = 64 * 147 + 2048 * 1000 + 1000;
    std::int64_t channels = 64;
    std::int64_t in = 64;
    std::int64_t side = 56;   // of a stage's output
    std::int64_t before = 56; // of its input
    for (const auto& [c, blocks] : {std::pair{64, 3}, {128, 4}, {256, 6}, {512, 3}}) {
        // First block: 1x1 on the larger map, 3x3 with the stride, 1x1 to 4c, the shortcut; then blocks without it.
        const std::int64_t width = c;
        macs += before * before * in * width + side * side * (9 * width * width + 4 * width * width + 4 * width * in) +
                (blocks - 1) * side * side * (4 * width * width + 9 * width * width + 4 * width * width);
        weights +=
            in * width + 9 * width * width + 4 * width * width + 4 * width * in + (blocks - 1) * 17 * width * width;
        channels += 6 * width + 4 * width + (blocks - 1) * 6 * width;
        in = 4 * width;
        before = side;
        side /= 2;
    }
    CHECK(macs == 4'089'184'256);
    CHECK(net.lowered.macs == macs);
    CHECK(weights + 2 * channels == 25'557'032); // torchvision
    CHECK(parameters(net.network) == weights + channels);
    CHECK(net.tensor("conv3[2].sum").shape == Shape{1, 512, 28, 28});
    CHECK(net.tensor("conv5[1].sum").shape == Shape{1, 2048, 7, 7});
    CHECK(load("resnet50", {{"batch", 8}}).lowered.macs == 8 * macs);
}

TEST_CASE("MobileNet-V2: 300.8 M MACs and 3.50 M parameters (torchvision.models.mobilenet_v2)", "[networks]") {
    const Loaded net = load("mobilenet_v2");
    std::int64_t macs = 112LL * 112 * 32 * 27 + 7 * 7 * 320 * 1280 + 1280 * 1000;
    std::int64_t weights = 32 * 27 + 320 * 1280 + 1280 * 1000 + 1000;
    std::int64_t channels = 32 + 1280;
    std::int64_t in = 32;
    std::int64_t side = 112;
    struct Row {
        std::int64_t t, c, n, s;
    };
    for (const Row& row : {Row{1, 16, 1, 1}, Row{6, 24, 2, 2}, Row{6, 32, 3, 2}, Row{6, 64, 4, 2}, Row{6, 96, 3, 1},
                           Row{6, 160, 3, 2}, Row{6, 320, 1, 1}}) { // Sandler et al. 2018, table 2
        for (std::int64_t i = 0; i < row.n; ++i) {
            const std::int64_t hidden = row.t * in;
            const std::int64_t out = i == 0 ? side / row.s : side;
            macs += (row.t > 1 ? side * side * in * hidden : 0) + out * out * hidden * (9 + row.c);
            weights += (row.t > 1 ? in * hidden : 0) + hidden * (9 + row.c);
            channels += (row.t > 1 ? hidden : 0) + hidden + row.c;
            in = row.c;
            side = out;
        }
    }
    CHECK(macs == 300'774'272);
    CHECK(net.lowered.macs == macs);
    CHECK(weights + 2 * channels == 3'504'872); // torchvision; the paper says 3.4 M and 300 M MACs
    CHECK(parameters(net.network) == weights + channels);
    CHECK(net.tensor("conv_last").shape == Shape{1, 1280, 7, 7});
}

TEST_CASE("BERT-base: 109.48 M parameters, 85.05 M of them in the encoder (bert-base-uncased)", "[networks]") {
    const Loaded net = load("bert_base");
    const std::int64_t d = 768;
    const std::int64_t layer = 4 * (d * d + d) + 2 * d * 3072 + 3072 + d + 2 * 2 * d;
    const std::int64_t encoder = 12 * layer;
    CHECK(encoder == 85'054'464);
    CHECK(parameters(net.network) == encoder + (30522 + 512 + 2) * d + 2 * d + d * d + d);
    CHECK(parameters(net.network) == 109'482'240); // Hugging Face transformers, BertModel
    const std::int64_t t = 128;
    CHECK(net.lowered.macs == 12 * (t * (4 * d * d + 2 * d * 3072) + 2 * t * t * d) + d * d);
    CHECK(net.tensor("pooler").shape == Shape{1, 1, 768});
}

TEST_CASE("GPT-2 small: 124.44 M parameters (openai/gpt-2, 124M)", "[networks]") {
    const Loaded net = load("gpt2_small");
    const std::int64_t d = 768;
    const std::int64_t layer = 3 * d * d + 3 * d + d * d + d + 8 * d * d + 4 * d + d + 4 * d;
    CHECK(parameters(net.network) == 50257 * d + 1024 * d + 12 * layer + 2 * d);
    CHECK(parameters(net.network) == 124'439'808); // the output layer is the table of the words
    const std::int64_t t = 1024;
    CHECK(net.lowered.macs == 12 * (t * 12 * d * d + 2 * t * t * d) + t * d * 50257);
    CHECK(net.tensor("logits").shape == Shape{1, 1024, 50257});
}

TEST_CASE("ViT-B/16: 17.56 GMAC and 86.57 M parameters (torchvision.models.vit_b_16)", "[networks]") {
    const Loaded net = load("vit_b_16");
    const std::int64_t d = 768;
    const std::int64_t layer = 12 * d * d + 4 * d + 3072 + d + 4 * d;
    CHECK(parameters(net.network) == 12 * layer + 768 * d + d + d + 197 * d + 2 * d + d * 1000 + 1000);
    CHECK(parameters(net.network) == 86'567'656);
    const std::int64_t t = 197;
    CHECK(net.lowered.macs == 196 * 768 * d + 12 * (t * 12 * d * d + 2 * t * t * d) + d * 1000);
    CHECK(net.lowered.macs == 17'563'828'224);
    CHECK(load("vit_b_16", {{"batch", 4}}).lowered.macs == 4 * net.lowered.macs);
}

TEST_CASE("Llama 3 8B: 8.03 B parameters, prefill and decode", "[networks]") {
    const std::int64_t d = 4096;
    const std::int64_t products = 2 * d * d + 2 * d * 1024 + 3 * d * 14336; // of one layer
    const std::int64_t all = 32 * (products + 2 * d) + 2 * 128256 * d + d;
    CHECK(all == 8'030'261'248); // Hugging Face: meta-llama/Meta-Llama-3-8B, 8.03 B
    const Loaded prefill = load("llama3_8b_prefill");
    CHECK(parameters(prefill.network) == all);
    CHECK(parameter_bytes(prefill.network) == 2 * all); // bf16
    // Flash and causal in blocks of 128 queries: pairs 128 * (128 + 256 + ... + 2048) = 128 * 128 * 16 * 17 / 2.
    const std::int64_t pairs = 128 * 128 * 16 * 17 / 2;
    CHECK(prefill.macs_of("layer[31].attention") == 2 * pairs * d);
    CHECK(prefill.lowered.macs == 32 * (2048 * products + 2 * pairs * d) + 128256 * d);
    CHECK(prefill.tensor("layer[0].key").kind == TensorKind::output); // the cache has to be kept
    const Loaded decode = load("llama3_8b_decode");
    CHECK(parameters(decode.network) == all);
    CHECK(decode.lowered.macs == 32 * (products + 2 * 2049 * d) + 128256 * d);
    // 2 * 32 layers * 1024 * 2 bytes for each of 2048 tokens: 256 MiB.
    CHECK(cache_bytes(decode.network) == 2LL * 32 * 1024 * 2 * 2048);
}

TEST_CASE("Mixtral 8x7B: a layer of 1.451 B parameters, 46.70 B in all, 12.9 B used for a token", "[networks]") {
    const Loaded net = load("mixtral_moe_layer");
    const std::int64_t d = 4096;
    const std::int64_t attention = 2 * d * d + 2 * d * 1024;
    const std::int64_t expert = 3 * d * 14336;
    const std::int64_t layer = attention + 8 * expert + 8 * d + 2 * d;
    CHECK(parameters(net.network) == layer);
    CHECK(32 * layer + 2 * 32000 * d + d == 46'702'792'704); // Jiang et al. 2024: 47 B; Hugging Face: 46.7 B
    CHECK(32 * (attention + 2 * expert + 8 * d + 2 * d) + 2 * 32000 * d + d == 12'879'925'248); // the paper: 13 B
    const std::int64_t pairs = 128 * 128 * 4 * 5 / 2;
    CHECK(net.lowered.macs == 512 * (attention + 2 * expert + 8 * d) + 2 * pairs * d);
}

TEST_CASE("DLRM of MLPerf: 24.03 B parameters in tables, 2.37 M in its MLPs", "[networks]") {
    const Loaded net = load("dlrm");
    const std::int64_t bottom = 13 * 512 + 512 * 256 + 256 * 128;
    const std::int64_t top = 479 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256;
    const std::int64_t biases = 512 + 256 + 128 + 1024 + 1024 + 512 + 256 + 1;
    CHECK(bottom + top + biases == 2'368'897);
    CHECK(parameters(net.network) == 187'767'399LL * 128 + bottom + top + biases);
    CHECK(net.lowered.macs == 128 * (bottom + top + 27 * 27 * 128)); // a batch of 128
    CHECK(net.tensor("interaction").shape == Shape{128, 479});
}

TEST_CASE("every workload that comes with Systole can be read, names its source and binds its batch", "[networks]") {
    const std::vector<std::string> names = workload_names();
    CHECK(names.size() >= 15);
    for (const std::string& name : names) {
        INFO(name);
        const Loaded net = load(name);
        CHECK_FALSE(net.network.description.empty());
        CHECK_FALSE(net.network.source.empty());
        CHECK(net.lowered.macs > 0);
        CHECK(net.lowered.operators.size() == net.network.operators.size());
    }
}
