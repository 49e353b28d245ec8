// Results worked by hand in public roofline texts, from the public functions of sim/roofline: one entry per row, each a
// call with that row's numbers. What stands in the `inputs` column is read from there; the rest is in its words.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "sim/roofline/attention.h"
#include "sim/roofline/chip_roofs.h"
#include "sim/roofline/collective.h"
#include "sim/roofline/critical_batch.h"
#include "sim/roofline/end_to_end.h"
#include "sim/roofline/matmul.h"
#include "sim/roofline/roof.h"
#include "sim/roofline/transformer.h"
#include "sim/roofline/vector_work.h"
#include "tests/support/csv.h"

using namespace systole;
using namespace systole::analytic;
using systole::test::CsvRow;

namespace {

constexpr double tolerance = 1e-9;

// "22*8.2e11", "4e11/32", "1024^3".
double number(const std::string& text) {
    std::size_t end = 0;
    double value = std::stod(text, &end);
    while (end < text.size()) {
        const char op = text[end];
        std::size_t used = 0;
        const double next = std::stod(text.substr(end + 1), &used);
        value = op == '*' ? value * next : op == '/' ? value / next : std::pow(value, next);
        end += 1 + used;
    }
    return value;
}

// The "key=value" words of a row's inputs.
class Inputs {
  public:
    explicit Inputs(const std::string& text) {
        std::size_t at = 0;
        while (at < text.size()) {
            const std::size_t end = std::min(text.find(' ', at), text.size());
            const std::string word = text.substr(at, end - at);
            const std::size_t equals = word.rfind('=');
            if (equals != std::string::npos) {
                values_[word.substr(0, word.find('='))] = number(word.substr(equals + 1));
            }
            at = end + 1;
        }
    }
    double operator()(const std::string& key) const { return values_.at(key); }

  private:
    std::map<std::string, double> values_;
};

using Formula = std::function<double(const Inputs&)>;

constexpr OperandFormats bf16{Format::bf16, Format::bf16, Format::bf16};
constexpr OperandFormats fp16{Format::fp16, Format::fp16, Format::fp16};
constexpr OperandFormats int8{Format::int8, Format::int8, Format::int8};
constexpr OperandFormats w8a16{Format::bf16, Format::int8, Format::bf16};
constexpr auto counted = Activations::counted;
constexpr auto neglected = Activations::neglected;

double intensity(const Work& work) { return (work.flops + work.vector_flops) / work.bytes(); }

// C[m,n] = A[m,k] B[k,n]; the texts name their products M x K x N.
Work product(std::int64_t m, std::int64_t k, std::int64_t n) { return gemm({"gemm", m, n, k, fp16}); }

Work tiled_50_times() {
    const Work once = product(1024, 1024, 1024);
    Given given{once.flops, once.in_bytes, 0, once.out_bytes};
    given.input_reuse = given.output_reuse = 50;
    return given_work(given);
}

double batch_of_square(const Inputs& in, double side, const OperandFormats& formats) {
    return critical_batch(matmul_per_batch(side, side, formats, counted), in("peak"), in("hbm"));
}

double batch_of_v5e(double bandwidth) {
    return critical_batch(matmul_per_batch(4096, 16384, int8, counted), 3.94e14, bandwidth);
}

Work square_attention(std::int64_t n, AttentionMethod method) {
    AttentionShape shape;
    shape.queries = shape.keys = n;
    shape.dim = 64;
    shape.method = method;
    shape.format = Format::fp16;
    return attention(shape);
}

Work grouped_attention(std::int64_t queries) {
    AttentionShape shape;
    shape.heads = 8; // on one key-value head: G = 8
    shape.queries = queries;
    shape.keys = 4096;
    shape.dim = 128; // cancels
    return attention(shape);
}

double depth_of_split(const Inputs& in, std::int64_t chips) {
    SplitShape shape;
    shape.chips = chips;
    shape.formats = bf16;
    return critical_depth(shape, in("peak"), in("link"));
}

// Row of an NPU's convolution layer: 3.7e9 operations; 1.5 MB in, 1.1 MB of weights, 1.5 MB out.
Work layer(double weight_reuse) {
    Given given{3.7e9, 1.5e6, 1.1e6, 1.5e6};
    given.weight_reuse = weight_reuse;
    return given_work(given);
}

constexpr double hit_rate = 0.9;

double npu_lookup() { return attainable(1e15, cached_bandwidth(hit_rate, 10e12, 4e12), 0.1); }

double gpu_lookup() { return attainable(1e15, 2e12, 0.1); }

RequestShape request(double batch) {
    RequestShape shape;
    shape.batch = batch;
    shape.bytes_in = shape.bytes_out = 1e6;
    shape.pcie_bandwidth = 32e9;
    shape.compute_s = 500e-6;
    shape.compute_growth = batch > 1 ? 1.9 : 1; // the text's measurement at batch 64
    shape.serial_fraction = 0.25;
    shape.serial_growth = 0.05;
    return shape;
}

RequestShape one_way(double batch) {
    RequestShape shape;
    shape.batch = batch;
    shape.bytes_in = 2e6;
    shape.pcie_bandwidth = 32e9;
    return shape;
}

const std::map<std::string, Formula>& chip_formulas() {
    static const std::map<std::string, Formula> formulas{
        {"chip.h100.time", [](auto& in) { return math_seconds(in("flops"), in("peak")); }},
        {"chip.v6e.time", [](auto& in) { return math_seconds(in("flops"), in("peak")); }},
        {"chip.v5e.ridge", [](auto& in) { return ridge(in("peak"), in("hbm")); }},
        {"chip.v5e.int8.ridge", [](auto& in) { return ridge(in("peak"), in("hbm")); }},
        {"chip.h100.ridge", [](auto& in) { return ridge(in("peak"), in("hbm")); }},
        {"chip.b200.ridge", [](auto& in) { return ridge(in("peak"), in("hbm")); }},
        {"chip.v5e.mxu_peak", [](auto& in) { return array_peak(in("rows"), in("cols"), in("mxus"), in("clock")); }},
        {"chip.v5p.vpu_peak", [](auto& in) { return vector_unit_peak(in("lanes"), in("alus"), in("clock")); }},
        {"chip.npu.ridge", [](auto& in) { return ridge(in("peak"), in("hbm")); }},
        {"chip.npu.pcie_ridge", [](auto& in) { return ridge(in("peak"), in("pcie")); }},
        {"chip.cpu.ridge", [](auto& in) { return ridge(in("peak"), in("mem")); }},
        {"chip.gpu.ridge", [](auto& in) { return ridge(in("peak"), in("mem")); }},
        {"npu.sparse24.peak", [](auto&) { return sparse_peak(200e12, 0.75); }},
        {"npu.sparse24.ridge", [](auto&) { return ridge(sparse_peak(200e12, 0.75), 256e9); }},
        {"npu.int4.ridge", [](auto&) { return ridge(200e12, quantized_bandwidth(256e9, 8, 4)); }},
        {"cpu.l1.ridge", [](auto&) { return ridge(2e12, 10e12); }},
        {"cpu.l2.ridge", [](auto&) { return ridge(2e12, 2e12); }},
        {"cpu.dram.ridge", [](auto&) { return ridge(2e12, 200e9); }},
    };
    return formulas;
}

const std::map<std::string, Formula>& operator_formulas() {
    static const std::map<std::string, Formula> formulas{
        {"op.dot.intensity",
         [](auto& in) { return intensity(dot_product(static_cast<std::int64_t>(in("N")), Format::bf16)); }},
        {"op.add_fp32.intensity", [](auto&) { return intensity(elementwise({.elements = 1000})); }},
        {"op.add_fp32.h100.1g",
         [](auto& in) {
             const Work add = elementwise({.elements = static_cast<std::int64_t>(in("N"))});
             return transfer_seconds(add.bytes(), in("hbm"));
         }},
        {"op.add_fp32.h100.64k",
         [](auto& in) {
             const Work add = elementwise({.elements = static_cast<std::int64_t>(in("N"))});
             return transfer_seconds(add.bytes(), in("hbm"));
         }},
        {"op.embedding.gpu", [](auto& in) { return attainable(1e15, 2e12, in("I")); }},
        {"op.embedding.npu.beta_eff", [](auto& in) { return cached_bandwidth(in("h"), 10e12, 4e12); }},
        {"op.embedding.npu",
         [](auto& in) { return attainable(1e15, cached_bandwidth(hit_rate, 10e12, 4e12), in("I")); }},
        {"op.embedding.speedup", [](auto&) { return speedup(gpu_lookup(), npu_lookup()); }},
        {"attn.std.1024.flops", [](auto&) { return square_attention(1024, AttentionMethod::standard).flops; }},
        {"attn.std.1024.bytes", [](auto&) { return square_attention(1024, AttentionMethod::standard).bytes(); }},
        {"attn.std.1024.intensity", [](auto&) { return intensity(square_attention(1024, AttentionMethod::standard)); }},
        {"attn.std.1024.gpu",
         [](auto&) {
             const Roofs gpu{.peak = 1e15, .levels = {{"hbm", 2e12}}};
             return evaluate(square_attention(1024, AttentionMethod::standard), gpu).utilization;
         }},
        {"attn.std.2048.intensity", [](auto&) { return intensity(square_attention(2048, AttentionMethod::standard)); }},
        {"attn.flash.2048.intensity", [](auto&) { return intensity(square_attention(2048, AttentionMethod::flash)); }},
        {"attn.gqa.T1.S4096.G8", [](auto&) { return intensity(grouped_attention(1)); }},
        {"attn.gqa.T4096.S4096.G8", [](auto&) { return intensity(grouped_attention(4096)); }},
        {"moe.dsv3.bcrit", [](auto&) { return moe_critical_batch(120, 256, 8); }}, // the text's round 120
        {"npu.conv.naive", [](auto&) { return intensity(layer(1)); }},
        {"npu.conv.ws100", [](auto&) { return intensity(layer(100)); }},
        {"npu.ffn.intensity", [](auto&) { return intensity(given_work({.flops = 1.1e12, .input_bytes = 650e6})); }},
        {"llm.decode.floor", [](auto&) { return decode_floor_seconds(200e9, 16, 0, 32, 1.2e12); }},
    };
    return formulas;
}

const std::map<std::string, Formula>& gemm_formulas() {
    static const std::map<std::string, Formula> formulas{
        {"gemm.1024x512x768.flops", [](auto&) { return product(1024, 512, 768).flops; }},
        {"gemm.1024x512x768.bytes", [](auto&) { return product(1024, 512, 768).bytes(); }},
        {"gemm.1024x512x768.intensity", [](auto&) { return intensity(product(1024, 512, 768)); }},
        {"gemm.1024cubed.flops", [](auto&) { return product(1024, 1024, 1024).flops; }},
        {"gemm.1024cubed.bytes", [](auto&) { return product(1024, 1024, 1024).bytes(); }},
        {"gemm.1024cubed.intensity", [](auto&) { return intensity(product(1024, 1024, 1024)); }},
        {"gemm.1024cubed.tiled50", [](auto&) { return intensity(tiled_50_times()); }},
        {"gemm.cpu128t", [](auto&) { return attainable(128e12, 512e9, 200); }},
        {"gemm.cpu128t.util", [](auto&) { return utilization(128e12, 512e9, 200); }},
        {"gemm.h100.bcrit.8192", [](auto& in) { return batch_of_square(in, 8192, bf16); }},
        {"gemm.h100.bcrit.4096", [](auto& in) { return batch_of_square(in, 4096, bf16); }},
        {"gemm.h100.bcrit.1024", [](auto& in) { return batch_of_square(in, 1024, bf16); }},
        {"gemm.v5e.int8.bcrit", [](auto& in) { return batch_of_v5e(in("hbm")); }},
        {"gemm.v5e.int8.bcrit_vmem", [](auto& in) { return batch_of_v5e(in("vmem")); }},
        {"gemm.v5e.w8a16.bcrit_approx",
         [](auto& in) {
             return critical_batch(matmul_per_batch(4096, 4096, w8a16, neglected), in("peak"), in("hbm"));
         }},
        {"gemm.v5e.w8a16.bcrit.4096", [](auto& in) { return batch_of_square(in, 4096, w8a16); }},
        {"gemm.v5e.w8a16.bcrit.1024", [](auto& in) { return batch_of_square(in, 1024, w8a16); }},
        {"gemm.v6e.offload.bcrit",
         [](auto& in) {
             return critical_batch(matmul_per_batch(8192, 4 * 8192, bf16, neglected), in("peak"), in("pcie"));
         }},
        {"gemm.bmm.int8.intensity",
         [](auto&) {
             return intensity(batched_matmul(64, {"bmm", 1, 4096, 4096, int8}));
         }},
        {"gemm.tiled.intensity_limit", [](auto&) { return tiled_intensity_limit(128, 128, fp16); }},
        {"gemm.tiled.bytes",
         [](auto&) {
             return tiled_gemm_bytes({"gemm", 1024, 1024, 1024, fp16}, {128, 128, 128});
         }},
        {"gemm.two_chips.dcrit", [](auto& in) { return depth_of_split(in, 2); }},
        {"gemm.ring.dcrit.8", [](auto& in) { return depth_of_split(in, 8); }},
    };
    return formulas;
}

const std::map<std::string, Formula>& request_formulas() {
    static const std::map<std::string, Formula> formulas{
        {"e2e.b1.transfer", [](auto&) { return request_time(request(1)).transfer_s; }},
        {"e2e.b1.total", [](auto&) { return request_time(request(1)).total_s; }},
        {"e2e.b1.serial", [](auto&) { return request_time(request(1)).serial_s; }},
        {"e2e.amdahl", [](auto&) { return amdahl_speedup(0.25); }},
        {"e2e.b64.serial", [](auto&) { return request_time(request(64)).serial_s; }},
        {"e2e.b64.transfer", [](auto&) { return request_time(request(64)).transfer_s; }},
        {"e2e.b64.compute", [](auto&) { return request_time(request(64)).compute_s; }},
        {"e2e.b64.total", [](auto&) { return request_time(request(64)).total_s; }},
        {"soc.b1.transfer", [](auto&) { return request_time(one_way(1)).transfer_s; }},
        {"soc.b64.transfer", [](auto&) { return request_time(one_way(64)).transfer_s; }},
        {"soc.amdahl", [](auto&) { return amdahl_speedup(0.2); }},
    };
    return formulas;
}

const Formula* formula_of(const std::string& id) {
    for (const auto* formulas : {&chip_formulas(), &operator_formulas(), &gemm_formulas(), &request_formulas()}) {
        if (const auto found = formulas->find(id); found != formulas->end()) {
            return &found->second;
        }
    }
    return nullptr;
}

struct Row {
    std::string id;
    double exact;
    double computed;
    double error;
};

} // namespace

TEST_CASE("every worked example comes out of the analytic model to a part in a thousand million") {
    std::vector<Row> rows;
    for (const CsvRow& row : test::read_csv(test::test_file("truth/worked_examples.csv"))) {
        const std::string& id = row.text("id");
        CAPTURE(id);
        const Formula* const formula = formula_of(id);
        REQUIRE(formula != nullptr);
        const double exact = std::stod(row.text("exact"));
        const double computed = (*formula)(Inputs(row.text("inputs")));
        rows.push_back({id, exact, computed, std::abs(computed - exact) / std::abs(exact)});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.error > b.error; });
    std::printf("%-30s%24s%24s%12s\n", "worked example, worst first", "exact", "computed", "rel. error");
    for (const Row& row : rows) {
        std::printf("%-30s%24.17g%24.17g%12.1e\n", row.id.c_str(), row.exact, row.computed, row.error);
        CAPTURE(row.id);
        CHECK(row.error <= tolerance);
    }
    CHECK(rows.size() ==
          chip_formulas().size() + operator_formulas().size() + gemm_formulas().size() + request_formulas().size());
}
