// `systole roofline OPERATOR`: work on a chip, in closed form.
#include <array>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/roofline_commands.h"
#include "sim/cli/roofline_request.h"
#include "sim/cli/values.h"
#include "sim/roofline/attention.h"
#include "sim/roofline/convolution.h"
#include "sim/roofline/critical_batch.h"
#include "sim/roofline/matmul.h"
#include "sim/roofline/transformer.h"
#include "sim/roofline/vector_work.h"
#include "sim/workload/integer.h"

namespace systole {

namespace {

using analytic::Work;

// "224x224x3": `names` says what the numbers are, one letter each.
template <std::size_t N>
std::array<std::int64_t, N> sizes_of(const std::string& option, const std::string& text, const char* names) {
    std::array<std::int64_t, N> sizes{};
    std::string_view rest = text;
    for (std::size_t i = 0; i < N; ++i) {
        const std::size_t end = rest.find('x');
        const Parsed<std::int64_t> size = parse_integer(rest.substr(0, end), 1);
        if ((end == std::string_view::npos) != (i + 1 == N) || !size.value) {
            throw InputError(fmt::format("{} '{}' is not {} (whole numbers from 1 up with x between them)", option,
                                         text.substr(0, 60), names));
        }
        sizes[i] = *size.value;
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return sizes;
}

RooflineAnswer bmm_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    const Tile shape = parse_shape("--gemm", options.get("--gemm").value_or(""));
    const GemmProblem one{"bmm", shape.m, shape.n, shape.k, chip.formats};
    return answer_with(chip, analytic::batched_matmul(count_option(options, "--batch"), one));
}

RooflineAnswer dot_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    return answer_with(chip, analytic::dot_product(count_option(options, "--n"), chip.formats.a));
}

RooflineAnswer elementwise_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    return answer_with(chip, analytic::elementwise({
                                 .elements = count_option(options, "--elements"),
                                 .inputs = number_option(options, "--inputs", real_of, 2),
                                 .outputs = number_option(options, "--outputs", real_of, 1),
                                 .flops_per_element = number_option(options, "--flops-per-element", real_of, 1),
                                 .format = chip.formats.a,
                             }));
}

analytic::AttentionShape attention_shape(const ParsedOptions& options, const ChipRequest& chip) {
    analytic::AttentionShape shape;
    shape.batch = count_option(options, "--batch", 1);
    shape.heads = count_option(options, "--heads", 1);
    shape.kv_heads = count_option(options, "--kv-heads", shape.heads);
    const std::optional<std::string> both = options.get("--seq");
    if (both && (options.has("--queries") || options.has("--keys"))) {
        throw InputError("--seq sets both --queries and --keys (give the one or the other two)");
    }
    shape.queries = count_option(options, both ? "--seq" : "--queries");
    shape.keys = count_option(options, both ? "--seq" : "--keys");
    shape.dim = count_option(options, "--dim");
    shape.causal = options.has("--causal");
    shape.method = word_option(options, "--method", analytic::parse_attention_method, "standard or flash")
                       .value_or(analytic::AttentionMethod::flash);
    if (options.has("--score-passes") && shape.method == analytic::AttentionMethod::flash) {
        throw InputError("--score-passes counts the scores in memory, where flash attention has none (give --method "
                         "standard, or leave it out)");
    }
    shape.score_passes = number_option(options, "--score-passes", real_of, 1);
    shape.format = chip.formats.a;
    return shape;
}

RooflineAnswer attention_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    return answer_with(chip, analytic::attention(attention_shape(options, chip)));
}

analytic::FfnShape ffn_shape(const ParsedOptions& options, const ChipRequest& chip) {
    return {count_option(options, "--tokens"), count_option(options, "--d"), count_option(options, "--f"),
            options.has("--gated"), chip.formats};
}

void add_batch(RooflineAnswer& answer, const ChipRequest& chip, const analytic::FfnShape& ffn, double experts,
               double active) {
    const analytic::Roofs roofs = chip.roofs();
    for (const bool exact : {true, false}) {
        const auto activations = exact ? analytic::Activations::counted : analytic::Activations::neglected;
        const analytic::PerBatch line = analytic::moe_per_batch(static_cast<double>(ffn.d), static_cast<double>(ffn.f),
                                                                experts, active, ffn.gated, ffn.formats, activations);
        const std::string level = chip.from == DataOrigin::vmem  ? "vmem"
                                  : chip.from == DataOrigin::hbm ? "hbm"
                                                                 : "pcie";
        const double batch = analytic::critical_batch(line, roofs.peak, analytic::level_of(roofs, level).bandwidth);
        answer.quantities.push_back(
            {exact ? "critical_batch" : "critical_batch_approx",
             fmt::format("critical batch at {}{}", level_label(level), exact ? "" : ", activations neglected"),
             "tokens", batch});
    }
}

RooflineAnswer ffn_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    const analytic::FfnShape shape = ffn_shape(options, chip);
    RooflineAnswer answer = answer_with(chip, analytic::ffn(shape));
    add_batch(answer, chip, shape, 1, 1);
    return answer;
}

RooflineAnswer moe_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    analytic::MoeShape shape;
    shape.ffn = ffn_shape(options, chip);
    shape.experts = count_option(options, "--experts");
    shape.active = count_option(options, "--active");
    shape.read = word_option(options, "--read", analytic::parse_experts_read, "all or expected")
                     .value_or(analytic::ExpertsRead::all);
    RooflineAnswer answer = answer_with(chip, analytic::mixture_of_experts(shape));
    add_batch(answer, chip, shape.ffn, static_cast<double>(shape.experts), static_cast<double>(shape.active));
    return answer;
}

RooflineAnswer conv_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    analytic::ConvolutionShape shape;
    const auto input = sizes_of<3>("--input", options.get("--input").value_or(""), "HxWxC");
    const auto kernel = sizes_of<2>("--kernel", options.get("--kernel").value_or(""), "RxS");
    shape.batch = count_option(options, "--batch", 1);
    shape.height = input[0];
    shape.width = input[1];
    shape.channels = input[2];
    shape.kernel_height = kernel[0];
    shape.kernel_width = kernel[1];
    shape.filters = count_option(options, "--filters");
    shape.stride = count_option(options, "--stride", 1);
    shape.padding = integer_option(options, "--padding", 0, 1 << 20).value_or(0);
    shape.dilation = count_option(options, "--dilation", 1);
    shape.groups = count_option(options, "--groups", 1);
    shape.formats = chip.formats;
    RooflineAnswer answer = answer_with(chip, analytic::convolution(shape));
    answer.quantities.push_back(
        {"im2col_bytes", "im2col matrix, if software builds it", "B", analytic::im2col_bytes(shape)});
    return answer;
}

void add_attainable(RooflineAnswer& answer, const analytic::Roofs& roofs, double bandwidth, double intensity) {
    answer.quantities.push_back({"intensity", "intensity", "FLOP/B", intensity});
    answer.quantities.push_back({"ridge", "ridge", "FLOP/B", analytic::ridge(roofs.peak, bandwidth)});
    answer.quantities.push_back(
        {"attainable_flops", "attainable", "FLOP/s", analytic::attainable(roofs.peak, bandwidth, intensity)});
    answer.quantities.push_back(
        {"utilization", "of the peak", "", analytic::utilization(roofs.peak, bandwidth, intensity)});
}

// The bandwidth at which hits and misses come together: misses from HBM, hits from --cache-bandwidth.
double embedding_bandwidth(const ParsedOptions& options, const analytic::Roofs& roofs) {
    const double hbm = analytic::level_of(roofs, "hbm").bandwidth;
    const double hit_rate = number_option(options, "--hit-rate", real_of, 0);
    if (hit_rate > 0) {
        return analytic::cached_bandwidth(hit_rate, number_option(options, "--cache-bandwidth", bandwidth_of), hbm);
    }
    if (options.has("--cache-bandwidth")) {
        throw InputError("--cache-bandwidth serves hits (give --hit-rate too)");
    }
    return hbm;
}

RooflineAnswer embedding_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    analytic::Roofs roofs = chip.vector_roofs();
    const double bandwidth = embedding_bandwidth(options, roofs);
    RooflineAnswer answer = answer_about(chip, "embedding");
    double intensity = 0;
    if (options.has("--intensity")) {
        for (const char* const other : {"--lookups", "--dim", "--pooled"}) {
            if (options.has(other)) {
                throw InputError(fmt::format("--intensity and {} are both given (give the one or the other)", other));
            }
        }
        intensity = number_option(options, "--intensity", real_of);
    } else {
        const Work work = analytic::embedding({
            .lookups = count_option(options, "--lookups"),
            .dim = count_option(options, "--dim"),
            .pooled = count_option(options, "--pooled", 1),
            .index_bytes = integer_option(options, "--index-bytes", 0, 64).value_or(4),
            .format = chip.formats.a,
        });
        for (analytic::Level& level : roofs.levels) {
            level.bandwidth = level.name == "hbm" ? bandwidth : level.bandwidth;
        }
        answer.operators.push_back({analytic::evaluate(work, roofs), dtype_text(chip.formats), "dense"});
        intensity = work.vector_flops / work.bytes();
    }
    answer.quantities.push_back({"effective_bandwidth", "effective bandwidth", "B/s", bandwidth});
    add_attainable(answer, roofs, bandwidth, intensity);
    return answer;
}

RooflineAnswer given_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    if (options.has("--intensity")) {
        for (const char* const other : {"--flops", "--bytes", "--input-bytes", "--weight-bytes", "--output-bytes"}) {
            if (options.has(other)) {
                throw InputError(fmt::format("--intensity and {} are both given (give the one or the other)", other));
            }
        }
        RooflineAnswer answer = answer_about(chip, "given");
        const analytic::Roofs roofs = chip.roofs();
        const char* const level = chip.from == DataOrigin::host  ? "pcie"
                                  : chip.from == DataOrigin::hbm ? "hbm"
                                                                 : "vmem";
        add_attainable(answer, roofs, analytic::level_of(roofs, level).bandwidth,
                       number_option(options, "--intensity", real_of));
        return answer;
    }
    if (options.has("--bytes") && (options.has("--input-bytes") || options.has("--weight-bytes"))) {
        throw InputError("--bytes is all that is read (give it, or --input-bytes and --weight-bytes)");
    }
    analytic::Given given;
    given.flops = number_option(options, "--flops", real_of);
    given.input_bytes = options.has("--bytes") ? number_option(options, "--bytes", bytes_of)
                                               : number_option(options, "--input-bytes", bytes_of, 0);
    given.weight_bytes = number_option(options, "--weight-bytes", bytes_of, 0);
    given.output_bytes = number_option(options, "--output-bytes", bytes_of, 0);
    const double reuse = number_option(options, "--reuse", real_of, 1);
    given.input_reuse = given.output_reuse = reuse;
    given.weight_reuse = number_option(options, "--weight-reuse", real_of, reuse);
    return answer_with(chip, analytic::given_work(given));
}

template <RooflineAnswer (*answer)(const ParsedOptions&)>
int run(const ParsedOptions& options, const Session& session) {
    return write_answer(answer(options), options, session);
}

using Run = int (*)(const ParsedOptions&, const Session&);

Command command(const std::string& name, const std::string& summary, std::vector<OptionSpec> own,
                const std::string& examples, Run run) {
    for (const OptionSpec& option : chip_options()) {
        own.push_back(option);
    }
    return {{"roofline " + name, summary, "", with_common_options(std::move(own), "text|json|csv"), examples}, run};
}

const std::vector<OptionSpec> ffn_options{
    {"--tokens", "B", "tokens of the batch"},
    {"--d", "D", "width of the model"},
    {"--f", "F", "width of the hidden layer, of an expert"},
    {"--gated", "", "two products up (SwiGLU): three matrices instead of two"},
};

Command attention_command() {
    return command("attention", "Attention of one layer: standard or flash, grouped-query, causal.",
                   {{"--batch", "B", "sequences (1)"},
                    {"--heads", "N", "query heads (1)"},
                    {"--kv-heads", "K", "heads of keys and values; fewer than heads: grouped-query (as heads)"},
                    {"--queries", "T", "queries of a sequence; 1 is a decode step"},
                    {"--keys", "S", "keys of a sequence"},
                    {"--seq", "N", "queries and keys alike"},
                    {"--dim", "D", "of a head"},
                    {"--causal", "", "a query sees no later key; the queries are the last tokens"},
                    {"--method", "standard|flash", "whether the scores go to memory (flash: they do not)"},
                    {"--score-passes", "X", "standard: how often the scores cross the memory, 1 to 4 (1)"}},
                   "  systole roofline attention --chip gpu_1000t --seq 1024 --dim 64 \\\n"
                   "      --method standard\n"
                   "  systole roofline attention --chip tpu_v5e --heads 32 --kv-heads 4 \\\n"
                   "      --queries 1 --keys 4096 --dim 128 --batch 8\n",
                   run<attention_answer>);
}

Command conv_command() {
    return command("conv", "A two-dimensional convolution, counted by its feature map (no im2col matrix).",
                   {{"--input", "HxWxC", "height, width and channels of the input"},
                    {"--kernel", "RxS", "height and width of a filter"},
                    {"--filters", "N", "number of filters"},
                    {"--batch", "B", "images (1)"},
                    {"--stride", "N", "of both sides (1)"},
                    {"--padding", "N", "on each side (0)"},
                    {"--dilation", "N", "of the filter (1)"},
                    {"--groups", "N", "groups of channels; as many as channels: depthwise (1)"}},
                   "  systole roofline conv --chip npu_200t --input 224x224x3 --kernel 7x7 \\\n"
                   "      --filters 64 --stride 2 --padding 3\n",
                   run<conv_answer>);
}

Command embedding_command() {
    return command("embedding", "Lookups in an embedding table, with a cache in front of the memory.",
                   {{"--lookups", "N", "rows that are read"},
                    {"--dim", "D", "elements of a row"},
                    {"--pooled", "N", "rows that are summed into one (1)"},
                    {"--index-bytes", "N", "size of an index (4)"},
                    {"--intensity", "X", "FLOP per byte, instead of the four above"},
                    {"--hit-rate", "H", "part of the bytes that a cache serves (0)"},
                    {"--cache-bandwidth", "RATE", "of that cache, \"10 TB/s\""}},
                   "  systole roofline embedding --chip tpu_v5e --lookups 65536 --dim 128\n"
                   "  systole roofline embedding --chip npu_200t --intensity 0.1 --hit-rate 0.9 \\\n"
                   "      --cache-bandwidth \"10 TB/s\" --set nominal.hbm_bandwidth=\"4 TB/s\"\n",
                   run<embedding_answer>);
}

Command given_command() {
    return command("given", "Work that is known by its FLOPs and bytes, or by its intensity.",
                   {{"--flops", "N", "operations, \"3.7e9\""},
                    {"--bytes", "N", "all that is read, \"1.5 MB\""},
                    {"--input-bytes", "N", "inputs that are read"},
                    {"--weight-bytes", "N", "weights that are read"},
                    {"--output-bytes", "N", "results that are written"},
                    {"--reuse", "X", "uses of a byte per crossing, for all operands (1)"},
                    {"--weight-reuse", "X", "the same for the weights (as --reuse)"},
                    {"--intensity", "X", "FLOP per byte, instead of all of the above"}},
                   "  systole roofline given --chip cpu_128t --intensity 200\n"
                   "  systole roofline given --chip npu_200t --flops 3.7e9 --input-bytes \"1.5 MB\" \\\n"
                   "      --weight-bytes \"1.1 MB\" --output-bytes \"1.5 MB\" --weight-reuse 100\n",
                   run<given_answer>);
}

Command moe_command() {
    std::vector<OptionSpec> own = ffn_options;
    own.push_back({"--experts", "E", "experts of the layer"});
    own.push_back({"--active", "K", "experts that a token uses"});
    own.push_back({"--read", "all|expected", "weights read: of all experts, or of those chosen at random (all)"});
    return command("moe", "A mixture of experts, each a feed-forward network.", own,
                   "  systole roofline moe --chip tpu_v5e --tokens 4096 --d 7168 --f 2048 --gated \\\n"
                   "      --experts 256 --active 8 --dtype bf16,int8,bf16\n",
                   run<moe_answer>);
}

} // namespace

std::vector<Command> roofline_operator_commands() {
    return {
        attention_command(),
        command("ffn", "A feed-forward network: up, activation, down.", ffn_options,
                "  systole roofline ffn --chip tpu_v5e --tokens 512 --d 4096 --f 14336 --gated\n", run<ffn_answer>),
        moe_command(),
        command("bmm", "A batch of matrix products, each with matrices of its own.",
                {{"--batch", "B", "products"}, {"--gemm", "MxNxK", "one of them"}},
                "  systole roofline bmm --chip tpu_v5e --batch 64 --gemm 1x4096x4096 --dtype int8\n", run<bmm_answer>),
        conv_command(),
        embedding_command(),
        command("elementwise", "An operator that takes its elements one by one.",
                {{"--elements", "N", "elements of an array"},
                 {"--inputs", "N", "arrays that are read (2)"},
                 {"--outputs", "N", "arrays that are written (1)"},
                 {"--flops-per-element", "X", "operations for one element (1)"}},
                "  systole roofline elementwise --chip h100 --elements 1073741824 --dtype fp32\n",
                run<elementwise_answer>),
        command("dot", "The dot product of two vectors.", {{"--n", "N", "their length"}},
                "  systole roofline dot --chip tpu_v5e --n 1000000\n", run<dot_answer>),
        given_command(),
    };
}

} // namespace systole
