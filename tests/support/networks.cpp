#include "tests/support/networks.h"

#include <algorithm>
#include <array>

#include "sim/base/error.h"
#include "sim/workload/lowering.h"
#include "tests/support/machines.h"

namespace systole::test {

namespace {

constexpr std::array token_layers{Layer::gemm,    Layer::function, Layer::gemm,      Layer::norm,
                                  Layer::softmax, Layer::ffn,      Layer::attention, Layer::sum};
constexpr std::array map_layers{Layer::convolution, Layer::function, Layer::convolution,
                                Layer::depthwise,   Layer::pool,     Layer::sum};

// Adds layers to the end of a chain.
class Chain {
  public:
    Chain(const NetworkCase& drawn, NetworkBuilder& to) : drawn_(drawn), to_(to) {
        const bool maps = drawn.tokens == 0;
        const Shape shape = maps ? Shape{drawn.batch, drawn.width, drawn.side, drawn.side}
                                 : Shape{drawn.batch, drawn.tokens, drawn.width};
        to_.add_tensor({"x", TensorKind::input, shape, to_.formats().a, {}});
        if (drawn.uploaded)
            put(TransferAttributes{.to_device = true});
    }

    void add(const LayerDraw& layer) {
        add_alone(layer);
        if (layer.around == 1 || layer.around == 3)
            put(TransferAttributes{.to_device = false});
        if (layer.around == 2 || layer.around == 3)
            put(TransferAttributes{.to_device = true});
        if (layer.around == 4)
            put(HostStageAttributes{.time = 1000});
    }

  private:
    void add_alone(const LayerDraw& layer) {
        const auto kind = static_cast<std::size_t>(layer.kind);
        switch (drawn_.tokens == 0 ? map_layers[kind % map_layers.size()] : token_layers[kind % token_layers.size()]) {
        case Layer::gemm:
            return put(GemmAttributes{.features = layer.size});
        case Layer::function:
            return put(ElementwiseAttributes{"relu"});
        case Layer::norm:
            return put(NormAttributes{});
        case Layer::softmax:
            return put(SoftmaxAttributes{});
        case Layer::ffn:
            return put(FfnAttributes{.hidden = layer.size, .gated = layer.variant % 2 == 1, .activation = "relu"});
        case Layer::attention:
            return put_attention(layer);
        case Layer::convolution:
            return put(ConvolutionAttributes{
                .filters = layer.size, .kernel = {3, 3}, .stride = {stride(layer), 1}, .padding = {1, 1, 1, 1}});
        case Layer::depthwise:
            return put(ConvolutionAttributes{
                .kernel = {3, 3}, .stride = {1, stride(layer)}, .padding = {1, 1, 1, 1}, .depthwise = true});
        case Layer::pool:
            return put(PoolAttributes{.kernel = {2, 2}, .stride = {1, 1}, .padding = {0, 0, 1, 1}});
        case Layer::sum:
            return put_sum();
        }
    }

    static std::int64_t stride(const LayerDraw& layer) { return 1 + layer.variant % 2; }

    void put(Attributes attributes, std::vector<std::string> more = {}) {
        more.insert(more.begin(), last_);
        const auto name = "layer" + std::to_string(count_++);
        to_.add_operator({name, std::move(attributes), std::move(more), "", std::nullopt, {}});
        last_ = name;
    }

    // Two heads of `size` elements, which share their keys and values in one variant of two.
    void put_attention(const LayerDraw& layer) {
        const bool shared = layer.variant % 2 == 1;
        put(GemmAttributes{.features = layer.size * (2 + 2 * (shared ? 1 : 2))});
        put(AttentionAttributes{.heads = 2,
                                .kv_heads = shared ? 1 : 2,
                                .method = layer.variant % 3 == 0 ? AttentionKind::standard : AttentionKind::flash,
                                .causal = layer.variant / 2 % 2 == 1,
                                .query_block = 2});
    }

    // A residual: with what came before a function.
    void put_sum() {
        const auto before = last_;
        put(ElementwiseAttributes{"relu"});
        put(ElementwiseAttributes{"add"}, {before});
    }

    const NetworkCase& drawn_;
    NetworkBuilder& to_;
    std::string last_ = "x";
    int count_ = 0;
};

} // namespace

Network NetworkCase::network() const {
    Diagnostics found;
    NetworkBuilder builder({machine.a, machine.b, machine.a}, found);
    Chain chain(*this, builder);
    for (int turn = 0; turn < repeats; ++turn) {
        for (const auto& layer : layers)
            chain.add(layer);
    }
    Network network = builder.finish({}, {});
    found.throw_if_any();
    return network;
}

std::ostream& operator<<(std::ostream& out, const NetworkCase& t) {
    out << "network: batch=" << t.batch << " tokens=" << t.tokens << " width=" << t.width << " side=" << t.side
        << " uploaded=" << t.uploaded << " repeats=" << t.repeats << " layers (kind, size, variant):";
    for (const auto& layer : t.layers)
        out << " (" << layer.kind << "," << layer.size << "," << layer.variant << ")"
            << (layer.around > 0 ? " then " : "") << (layer.around > 0 ? std::to_string(layer.around) : "");
    return out << "; machine and unused problem: " << t.machine;
}

rc::Gen<NetworkCase> any_network(bool maps) {
    using rc::gen::inRange;
    using rc::gen::set;
    using Int = std::int64_t;
    const auto layer =
        rc::gen::build<LayerDraw>(set(&LayerDraw::kind, inRange(0, 24)), set(&LayerDraw::size, inRange<Int>(1, 11)),
                                  set(&LayerDraw::variant, inRange(0, 6)));
    const auto layers = rc::gen::mapcat(inRange(1, 6), [layer](int count) {
        return rc::gen::container<std::vector<LayerDraw>>(static_cast<std::size_t>(count), layer);
    });
    // 0, feature maps, nearly half of the time.
    const auto tokens = rc::gen::map(inRange<Int>(maps ? -4 : 1, 7), [](Int count) { return std::max<Int>(0, count); });
    const auto drawn =
        rc::gen::build<NetworkCase>(set(&NetworkCase::machine, any_case({.largest_array = 6, .largest_dimension = 4})),
                                    set(&NetworkCase::batch, inRange<Int>(1, 3)), set(&NetworkCase::tokens, tokens),
                                    set(&NetworkCase::width, inRange<Int>(1, 9)),
                                    set(&NetworkCase::side, inRange<Int>(1, 7)), set(&NetworkCase::layers, layers));
    return rc::gen::map(drawn, [](NetworkCase result) {
        result.machine.from = DataOrigin::hbm;
        return result;
    });
}

rc::Gen<NetworkCase> any_served_network() {
    const auto around = rc::gen::container<std::vector<int>>(8, rc::gen::inRange(0, 5));
    return rc::gen::map(rc::gen::tuple(any_network(), around, rc::gen::arbitrary<bool>(), rc::gen::arbitrary<bool>()),
                        [](std::tuple<NetworkCase, std::vector<int>, bool, bool> drawn) {
                            auto& [result, behind, uploaded, from_host] = drawn;
                            for (std::size_t i = 0; i < result.layers.size(); ++i)
                                result.layers[i].around = behind[i % behind.size()];
                            result.uploaded = uploaded;
                            result.machine.from = from_host ? DataOrigin::host : DataOrigin::hbm;
                            return result;
                        });
}

namespace {

RunResult run(const Case& drawn, const Network& network, EngineKind engine, const NetworkWays& ways) {
    return simulate_network(drawn.machine(), network, lower(network), run_options(engine, drawn.dataflow, drawn.from),
                            ways);
}

} // namespace

RunResult run_network(const NetworkCase& test_case, EngineKind engine, const NetworkWays& ways) {
    return run(test_case.machine, test_case.network(), engine, ways);
}

RunResult run_network_or_discard(const NetworkCase& test_case, EngineKind engine, DiscardCounter& counter,
                                 const NetworkWays& ways) {
    const Network network = test_case.network(); // whatever is wrong with that is wrong with the test
    try {
        auto result = run(test_case.machine, network, engine, ways);
        counter.kept();
        return result;
    } catch (const InputError&) {
        if (!test_case.machine.may_not_fit())
            throw;
    }
    counter.discarded();
    RC_DISCARD("does not fit the machine");
}

} // namespace systole::test
