// What must hold of the analytic model whatever the numbers.
#include <cmath>
#include <limits>

#include "sim/roofline/attention.h"
#include "sim/roofline/collective.h"
#include "sim/roofline/convolution.h"
#include "sim/roofline/critical_batch.h"
#include "sim/roofline/end_to_end.h"
#include "sim/roofline/matmul.h"
#include "sim/roofline/transformer.h"
#include "tests/support/check_property.h"

using namespace systole;
using namespace systole::analytic;
using namespace systole::test;

namespace {

constexpr int cases = 2000;

std::int64_t some(std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); }

Format some_format() { return *rc::gen::elementOf(std::vector<Format>(all_formats.begin(), all_formats.end())); }

OperandFormats some_formats() { return {some_format(), some_format(), some_format()}; }

GemmProblem some_gemm() { return {"g", some(5000), some(5000), some(5000), some_formats()}; }

Roofs some_roofs() {
    Roofs roofs;
    roofs.peak = static_cast<double>(some(1'000'000)) * 1e9;
    roofs.vector_peak = *rc::gen::arbitrary<bool>() ? static_cast<double>(some(1'000'000)) * 1e7 : 0;
    for (const char* const name : {"l2", "vmem", "hbm", "pcie", "link"}) {
        if (*rc::gen::inRange(0, 4) > 0) {
            roofs.levels.push_back(
                {name, *rc::gen::inRange(0, 8) == 0 ? infinite : static_cast<double>(some(100'000)) * 1e8});
        }
    }
    return roofs;
}

AttentionShape some_attention() {
    AttentionShape shape;
    shape.batch = some(64);
    shape.kv_heads = some(16);
    shape.heads = shape.kv_heads * some(8);
    shape.queries = some(4096);
    shape.keys = shape.queries + some(4096) - 1;
    shape.dim = some(256);
    shape.causal = *rc::gen::arbitrary<bool>();
    shape.method = *rc::gen::element(AttentionMethod::standard, AttentionMethod::flash);
    shape.format = some_format();
    return shape;
}

FfnShape some_ffn() { return {some(4096), some(8192), some(8192), *rc::gen::arbitrary<bool>(), some_formats()}; }

SplitShape some_split() {
    SplitShape shape;
    shape.chips = some(64);
    shape.batch = some(4096);
    shape.d = shape.chips * some(256);
    shape.f = shape.chips * some(256);
    shape.axis = *rc::gen::element(SplitAxis::contraction, SplitAxis::output);
    shape.gather = *rc::gen::arbitrary<bool>();
    shape.directions = *rc::gen::element(1.0, 2.0);
    shape.formats = some_formats();
    return shape;
}

Work some_work() {
    switch (*rc::gen::inRange(0, 4)) {
    case 0:
        return gemm(some_gemm());
    case 1:
        return attention(some_attention());
    case 2:
        return ffn(some_ffn());
    default:
        return split_matmul(some_split());
    }
}

bool close(double a, double b) {
    constexpr double tolerance = 1e-12;
    return a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

bool same(const Work& a, const Work& b) {
    return close(a.flops, b.flops) && close(a.in_bytes, b.in_bytes) && close(a.out_bytes, b.out_bytes) &&
           close(a.link_bytes, b.link_bytes);
}

} // namespace

TEST_CASE("the lower bound is at most the upper one, and no level or unit takes longer") {
    check_property("bounds", cases, [] {
        const Result result = evaluate(some_work(), some_roofs());
        RC_ASSERT(result.lower_bound_s <= result.upper_bound_s);
        RC_ASSERT(result.math_s <= result.lower_bound_s);
        RC_ASSERT(result.vector_s <= result.lower_bound_s);
        double sum = result.math_s + result.vector_s;
        for (const LevelResult& level : result.levels) {
            RC_ASSERT(level.seconds <= result.lower_bound_s);
            RC_ASSERT(level.attainable <= result.peak);
            sum += level.seconds;
        }
        RC_ASSERT(close(sum, result.upper_bound_s));
        RC_ASSERT(result.utilization <= 1);
        RC_ASSERT(result.upper_bound_s <=
                  result.lower_bound_s * static_cast<double>(result.levels.size() + 2) * 1.0001);
    });
}

TEST_CASE("more bandwidth or a higher peak never takes longer") {
    check_property("monotone", cases, [] {
        const Work work = some_work();
        const Roofs before = some_roofs();
        Roofs after = before;
        const auto which = *rc::gen::inRange<std::size_t>(0, before.levels.size() + 1);
        const double factor = 1 + static_cast<double>(some(1000)) / 100;
        (which < before.levels.size() ? after.levels[which].bandwidth : after.peak) *= factor;
        const Result first = evaluate(work, before);
        const Result second = evaluate(work, after);
        RC_ASSERT(second.lower_bound_s <= first.lower_bound_s);
        RC_ASSERT(second.upper_bound_s <= first.upper_bound_s);
        RC_ASSERT(second.lower_bound_s * factor >= first.lower_bound_s * (1 - 1e-12)); // and gains no more than that
    });
}

TEST_CASE("a sum lies between its longest part and the sum of the parts' bounds") {
    check_property("sum", cases, [] {
        const Roofs roofs = some_roofs();
        const Result a = evaluate(some_work(), roofs);
        const Result b = evaluate(some_work(), roofs);
        const Result sum = total({a, b});
        RC_ASSERT(sum.lower_bound_s >= std::max(a.lower_bound_s, b.lower_bound_s));
        RC_ASSERT(sum.lower_bound_s <= (a.lower_bound_s + b.lower_bound_s) * (1 + 1e-12));
        RC_ASSERT(close(sum.upper_bound_s, a.upper_bound_s + b.upper_bound_s));
        RC_ASSERT(close(total({a}).lower_bound_s, a.lower_bound_s));
        RC_ASSERT(total({a}).bound == a.bound);
    });
}

TEST_CASE("special cases of an operator are the simpler operator") {
    check_property("special cases", cases, [] {
        const GemmProblem problem = some_gemm();
        RC_ASSERT(same(batched_matmul(1, problem), gemm(problem)));
        RC_ASSERT(close(tiled_gemm_bytes(problem, {problem.m, problem.n, problem.k}), gemm(problem).bytes()));
        RC_ASSERT(tiled_gemm_bytes(problem, {some(5000), some(5000), some(5000)}) >= gemm(problem).bytes());

        SplitShape split = some_split();
        split.chips = 1;
        RC_ASSERT(same(split_matmul(split), gemm({"g", split.batch, split.f, split.d, split.formats})));

        const FfnShape network = some_ffn();
        RC_ASSERT(same(mixture_of_experts({network, 1, 1, ExpertsRead::all}), ffn(network)));
        RC_ASSERT(same(mixture_of_experts({network, 1, 1, ExpertsRead::expected}), ffn(network)));
        const std::int64_t experts = some(64);
        const MoeShape all{network, experts, some(experts), ExpertsRead::all};
        MoeShape expected = all;
        expected.read = ExpertsRead::expected;
        RC_ASSERT(mixture_of_experts(expected).in_bytes <= mixture_of_experts(all).in_bytes);
    });
}

TEST_CASE("a convolution with a kernel of one pixel is a matrix product of its pixels") {
    check_property("pointwise convolution", cases, [] {
        ConvolutionShape shape;
        shape.batch = some(8);
        shape.height = some(64);
        shape.width = some(64);
        shape.channels = 2 * some(64);
        shape.filters = 2 * some(64);
        shape.formats = some_formats();
        const GemmProblem product{"g", shape.batch * shape.height * shape.width, shape.filters, shape.channels,
                                  shape.formats};
        const Work conv = convolution(shape);
        RC_ASSERT(same(conv, gemm(product)));
        RC_ASSERT(close(im2col_bytes(shape) +
                            element_bytes(shape.formats.b) * static_cast<double>(shape.filters * shape.channels),
                        conv.in_bytes));
    });
}

TEST_CASE("grouped-query attention with as many groups as heads is multi-head attention") {
    check_property("attention", cases, [] {
        AttentionShape shape = some_attention();
        AttentionShape each = shape;
        each.kv_heads = each.heads;
        AttentionShape alone = each; // every head a sequence of its own
        alone.batch = each.batch * each.heads;
        alone.heads = alone.kv_heads = 1;
        RC_ASSERT(same(attention(each), attention(alone)));
        RC_ASSERT(attention(shape).in_bytes <= attention(each).in_bytes);
        RC_ASSERT(attention(shape).flops == attention(each).flops);

        shape.method = AttentionMethod::standard;
        shape.score_passes = 0;
        AttentionShape flash = shape;
        flash.method = AttentionMethod::flash;
        RC_ASSERT(same(attention(shape), attention(flash)));
        flash.causal = true;
        RC_ASSERT(attention(flash).flops <= attention(shape).flops);
    });
}

TEST_CASE("a step of a decoder without causality or sharing is two matrix-vector products for each head") {
    check_property("decode", cases, [] {
        AttentionShape shape;
        shape.keys = some(4096);
        shape.dim = some(256);
        shape.format = Format::bf16;
        const OperandFormats formats{Format::bf16, Format::bf16, Format::bf16};
        const Work scores = gemm({"qk", 1, shape.keys, shape.dim, formats});
        const Work values = gemm({"av", 1, shape.dim, shape.keys, formats});
        RC_ASSERT(attention(shape).flops == scores.flops + values.flops);
        // The vector of scores is written by one product and read by the other.
        const double between = 2 * 2 * static_cast<double>(shape.keys);
        RC_ASSERT(attention(shape).bytes() == scores.bytes() + values.bytes() - between);
    });
}

TEST_CASE("below the critical batch the memory binds, above it the math") {
    check_property("critical batch", cases, [] {
        const auto d = static_cast<double>(some(16384));
        const auto f = static_cast<double>(some(16384));
        const OperandFormats formats = some_formats();
        const double peak = static_cast<double>(some(1'000'000)) * 1e9;
        const double bandwidth = static_cast<double>(some(100'000)) * 1e8;
        const PerBatch line = matmul_per_batch(d, f, formats, Activations::counted);
        const double batch = critical_batch(line, peak, bandwidth);
        const auto math_is_longer = [&](double b) {
            return line.flops_per_token * b / peak >= (line.fixed_bytes + line.bytes_per_token * b) / bandwidth;
        };
        if (batch == infinite) {
            RC_ASSERT(!math_is_longer(1e12));
        } else {
            RC_ASSERT(math_is_longer(batch * 1.0001));
            RC_ASSERT(!math_is_longer(batch * 0.9999));
        }
        const double approx = critical_batch(matmul_per_batch(d, f, formats, Activations::neglected), peak, bandwidth);
        RC_ASSERT(approx <= batch);
    });
}

TEST_CASE("above the critical depth the math outlasts the links, whatever the batch") {
    check_property("critical depth", cases, [] {
        SplitShape shape = some_split();
        const double peak = static_cast<double>(some(1000)) * 1e9;
        const double bandwidth = static_cast<double>(some(100'000)) * 1e7;
        const double depth = critical_depth(shape, peak, bandwidth);
        const Work work = split_matmul(shape);
        const bool deep = static_cast<double>(shape.d) > depth * (1 + 1e-9);
        const bool shallow = static_cast<double>(shape.d) < depth * (1 - 1e-9);
        const double math = work.flops / peak;
        const double link = work.link_bytes / bandwidth;
        RC_ASSERT(!deep || math > link);
        RC_ASSERT(!shallow || math < link);
    });
}

TEST_CASE("overlapping never makes a request longer, and Amdahl's limit holds") {
    check_property("request", cases, [] {
        RequestShape shape;
        shape.batch = static_cast<double>(some(256));
        shape.bytes_in = static_cast<double>(some(1'000'000));
        shape.bytes_out = static_cast<double>(some(1'000'000));
        shape.pcie_bandwidth = static_cast<double>(some(100)) * 1e9;
        shape.compute_s = static_cast<double>(some(1000)) * 1e-6;
        shape.serial_s = static_cast<double>(some(1000)) * 1e-6;
        const RequestTime serial = request_time(shape);
        shape.transfers = Transfers::duplex;
        const RequestTime duplex = request_time(shape);
        shape.transfers = Transfers::overlapped;
        const RequestTime overlapped = request_time(shape);
        RC_ASSERT(overlapped.total_s <= duplex.total_s);
        RC_ASSERT(duplex.total_s <= serial.total_s);
        RC_ASSERT(close(serial.speedup_limit, serial.total_s / serial.serial_s));
    });
}
