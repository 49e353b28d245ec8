// `systole roofline TOPIC`: numbers of a chip, of several chips, of a whole request.
#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/roofline_commands.h"
#include "sim/cli/roofline_request.h"
#include "sim/cli/values.h"
#include "sim/roofline/collective.h"
#include "sim/roofline/critical_batch.h"
#include "sim/roofline/end_to_end.h"
#include "sim/roofline/matmul.h"
#include "sim/roofline/transformer.h"

namespace systole {

namespace {

std::optional<Format> format_option(const ParsedOptions& options, const std::string& option) {
    std::string known;
    for (const Format format : all_formats) {
        known += (known.empty() ? "" : ", ") + std::string(name(format));
    }
    return word_option(options, option, parse_format, known);
}

// Peak, and bandwidth and ridge of every level. --stored: operands lie in memory in a narrower format than they are
// computed in, so a byte of the wide format costs less bandwidth.
RooflineAnswer chip_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    const analytic::Roofs roofs = chip.all_roofs(chip.formats);
    const Format stored = format_option(options, "--stored").value_or(chip.formats.a);
    RooflineAnswer answer = answer_about(chip, "chip");
    answer.quantities.push_back({"peak_flops", "peak in " + dtype_text(chip.formats), "FLOP/s", roofs.peak});
    if (roofs.vector_peak > 0) {
        answer.quantities.push_back({"vector_flops", "peak of the vector units", "FLOP/s", roofs.vector_peak});
    }
    for (const analytic::Level& level : roofs.levels) {
        const double bandwidth = analytic::quantized_bandwidth(level.bandwidth, bits(chip.formats.a), bits(stored));
        const std::string label = level_label(level.name);
        const bool packed = stored != chip.formats.a;
        answer.quantities.push_back({level.name + "_bandwidth",
                                     label + " bandwidth" + (packed ? fmt::format(", stored as {}", name(stored)) : ""),
                                     "B/s", bandwidth});
        const double at = bandwidth == analytic::infinite ? 0 : analytic::ridge(roofs.peak, bandwidth);
        answer.quantities.push_back({level.name + "_ridge", label + " ridge", "FLOP/B", at});
    }
    return answer;
}

enum class Layer { matmul, ffn, gated_ffn, moe, gated_moe };

std::optional<Layer> parse_layer(std::string_view text) {
    if (text == "matmul") {
        return Layer::matmul;
    }
    if (text == "ffn") {
        return Layer::ffn;
    }
    if (text == "gated-ffn") {
        return Layer::gated_ffn;
    }
    if (text == "moe") {
        return Layer::moe;
    }
    return text == "gated-moe" ? std::optional(Layer::gated_moe) : std::nullopt;
}

analytic::PerBatch line_of(const ParsedOptions& options, const OperandFormats& formats,
                           analytic::Activations activations) {
    const Layer layer = word_option(options, "--layer", parse_layer, "matmul, ffn, gated-ffn, moe or gated-moe")
                            .value_or(Layer::matmul);
    const bool has_experts = layer == Layer::moe || layer == Layer::gated_moe;
    if (!has_experts && (options.has("--experts") || options.has("--active"))) {
        throw InputError("--experts and --active belong to --layer moe or gated-moe");
    }
    const auto d = static_cast<double>(count_option(options, "--d"));
    const auto f = static_cast<double>(count_option(options, "--f"));
    if (layer == Layer::matmul) {
        return analytic::matmul_per_batch(d, f, formats, activations);
    }
    if (!has_experts) {
        return analytic::ffn_per_batch(d, f, layer == Layer::gated_ffn, formats, activations);
    }
    return analytic::moe_per_batch(d, f, static_cast<double>(count_option(options, "--experts")),
                                   static_cast<double>(count_option(options, "--active")), layer == Layer::gated_moe,
                                   formats, activations);
}

RooflineAnswer critical_batch_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    const analytic::Roofs roofs = chip.all_roofs(chip.formats);
    const char* const usual = chip.from == DataOrigin::host ? "pcie" : chip.from == DataOrigin::vmem ? "vmem" : "hbm";
    const analytic::Level& level = analytic::level_of(roofs, options.get("--level").value_or(usual));
    RooflineAnswer answer = answer_about(chip, "critical-batch");
    const std::string at = "critical batch at " + level_label(level.name);
    const auto solve = [&](analytic::Activations activations) {
        return analytic::critical_batch(line_of(options, chip.formats, activations), roofs.peak, level.bandwidth);
    };
    answer.quantities.push_back({"critical_batch", at, "tokens", solve(analytic::Activations::counted)});
    answer.quantities.push_back(
        {"critical_batch_approx", at + ", activations neglected", "tokens", solve(analytic::Activations::neglected)});
    answer.quantities.push_back({"ridge", "ridge", "FLOP/B", analytic::ridge(roofs.peak, level.bandwidth)});
    return answer;
}

std::optional<double> parse_directions(std::string_view text) {
    if (text == "one") {
        return 1;
    }
    return text == "both" ? std::optional(2.0) : std::nullopt;
}

double directions_of(const ParsedOptions& options) {
    return word_option(options, "--ring", parse_directions, "one or both").value_or(1);
}

RooflineAnswer split_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    const analytic::SplitShape shape{
        .batch = count_option(options, "--batch"),
        .d = count_option(options, "--d"),
        .f = count_option(options, "--f"),
        .chips = count_option(options, "--chips"),
        .axis = word_option(options, "--along", analytic::parse_split_axis, "d or f")
                    .value_or(analytic::SplitAxis::contraction),
        .gather = options.has("--gather"),
        .directions = directions_of(options),
        .formats = chip.formats,
        .sparsity = chip.sparsity_or_dense(),
    };
    const double link = analytic::level_of(chip.all_roofs(chip.formats), "link").bandwidth;
    RooflineAnswer answer = answer_with(chip, analytic::split_matmul(shape));
    const analytic::Result& result = answer.operators.front().result;
    answer.quantities.push_back({"link_seconds", "time on a link", "s", result.work.link_bytes / link});
    answer.quantities.push_back(
        {"critical_d", "D from which math outlasts the link", "", analytic::critical_depth(shape, result.peak, link)});
    return answer;
}

RooflineAnswer collective_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    const auto kind =
        word_option(options, "--kind", analytic::parse_collective, "all-reduce, all-gather or reduce-scatter")
            .value_or(analytic::Collective::all_reduce);
    const auto chips = static_cast<double>(count_option(options, "--chips"));
    const double bytes = number_option(options, "--bytes", bytes_of);
    const double link = analytic::level_of(chip.all_roofs(chip.formats), "link").bandwidth;
    RooflineAnswer answer = answer_about(chip, "collective");
    answer.quantities.push_back({"link_bytes", "bytes over a link, each way used", "B",
                                 analytic::ring_link_bytes(kind, bytes, chips, directions_of(options))});
    answer.quantities.push_back(
        {"seconds", "time", "s", analytic::ring_seconds(kind, bytes, chips, link, directions_of(options))});
    return answer;
}

RooflineAnswer decode_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    const auto chips = static_cast<double>(count_option(options, "--chips", 1));
    const double bandwidth = analytic::level_of(chip.all_roofs(chip.formats), "hbm").bandwidth;
    const double seconds =
        analytic::decode_floor_seconds(number_option(options, "--parameters", real_of), bits(chip.formats.b),
                                       number_option(options, "--cache-bytes", bytes_of, 0), chips, bandwidth);
    RooflineAnswer answer = answer_about(chip, "decode");
    answer.quantities.push_back({"seconds", "least time of a decode step", "s", seconds});
    answer.quantities.push_back({"steps_per_s", "steps per second at most", "", 1 / seconds});
    return answer;
}

std::optional<analytic::Transfers> parse_transfers(std::string_view text) {
    if (text == "serial") {
        return analytic::Transfers::serial;
    }
    if (text == "duplex") {
        return analytic::Transfers::duplex;
    }
    return text == "overlapped" ? std::optional(analytic::Transfers::overlapped) : std::nullopt;
}

RooflineAnswer request_answer(const ParsedOptions& options) {
    const ChipRequest chip = chip_request(options);
    if (options.has("--serial") && options.has("--serial-fraction")) {
        throw InputError("--serial and --serial-fraction are both given (give the one or the other)");
    }
    const analytic::RequestShape shape{
        .batch = static_cast<double>(count_option(options, "--batch", 1)),
        .bytes_in = number_option(options, "--bytes-in", bytes_of, 0),
        .bytes_out = number_option(options, "--bytes-out", bytes_of, 0),
        .pcie_bandwidth = analytic::level_of(chip.all_roofs(chip.formats), "pcie").bandwidth,
        .transfers = word_option(options, "--transfers", parse_transfers, "serial, duplex or overlapped")
                         .value_or(analytic::Transfers::serial),
        .compute_s = number_option(options, "--compute", seconds_of, 0),
        .compute_growth = number_option(options, "--compute-growth", real_of, 1),
        .serial_s = number_option(options, "--serial", seconds_of, 0),
        .serial_fraction = number_option(options, "--serial-fraction", real_of, 0),
        .serial_growth = number_option(options, "--serial-growth", real_of, 0),
    };
    const analytic::RequestTime time = analytic::request_time(shape);
    RooflineAnswer answer = answer_about(chip, "request");
    answer.quantities = {
        {"serial_s", "serial part on the host", "s", time.serial_s},
        {"transfer_s", "transfers over PCIe", "s", time.transfer_s},
        {"compute_s", "accelerator", "s", time.compute_s},
        {"total_s", "total", "s", time.total_s},
        {"per_sample_s", "for one of the batch", "s", time.per_sample_s},
        {"serial_fraction", "serial fraction", "", time.serial_fraction},
        {"speedup_limit", "speed-up at most, all but the serial part gone", "x", time.speedup_limit},
    };
    return answer;
}

RooflineAnswer amdahl_answer(const ParsedOptions& options) {
    const double serial = number_option(options, "--serial-fraction", real_of);
    const double gain = number_option(options, "--gain", real_of, analytic::infinite);
    RooflineAnswer answer;
    answer.topic = "amdahl";
    answer.quantities.push_back({"speedup", "speed-up", "x", analytic::amdahl_speedup(serial, gain)});
    return answer;
}

RooflineAnswer peak_answer(const ParsedOptions& options) {
    RooflineAnswer answer;
    answer.topic = "peak";
    const double clock = number_option(options, "--clock", frequency_of);
    const bool array = options.has("--rows") || options.has("--cols");
    if (array == options.has("--lanes")) {
        throw InputError("give --rows and --cols of an array, or --lanes of a vector unit");
    }
    double peak = 0;
    if (array) {
        const auto count = [&options](const char* option, std::optional<std::int64_t> usual) {
            return static_cast<double>(count_option(options, option, usual));
        };
        peak = analytic::array_peak(count("--rows", std::nullopt), count("--cols", std::nullopt), count("--arrays", 1),
                                    clock, count("--macs", 1));
    } else {
        peak = analytic::vector_unit_peak(static_cast<double>(count_option(options, "--lanes")),
                                          static_cast<double>(count_option(options, "--alus", 1)), clock);
    }
    answer.quantities.push_back({"peak_flops", "peak", "FLOP/s", peak});
    return answer;
}

template <RooflineAnswer (*answer)(const ParsedOptions&)>
int run(const ParsedOptions& options, const Session& session) {
    return write_answer(answer(options), options, session);
}

using Run = int (*)(const ParsedOptions&, const Session&);

Command command(const std::string& name, const std::string& summary, std::vector<OptionSpec> own,
                const std::string& examples, Run run) {
    return {{"roofline " + name, summary, "", with_common_options(std::move(own), "text|json|csv"), examples}, run};
}

std::vector<OptionSpec> with_chip(std::vector<OptionSpec> own) {
    for (const OptionSpec& option : chip_options()) {
        own.push_back(option);
    }
    return own;
}

Command split_command() {
    return command("split", "A matrix product [B,D] x [D,F] dealt to several chips on a ring.",
                   with_chip({{"--batch", "B", "rows"},
                              {"--d", "D", "contracted dimension"},
                              {"--f", "F", "columns of the result"},
                              {"--chips", "N", "chips"},
                              {"--along", "d|f", "dimension that is dealt: D needs an all-reduce (d)"},
                              {"--gather", "", "along f: every chip gets the whole result (all-gather)"},
                              {"--ring", "one|both", "directions in which the ring is used (one)"}}),
                   "  systole roofline split --chip tpu_v5e --batch 64 --d 8192 --f 8192 --chips 8\n"
                   "  systole roofline split --chip tpu_v5e --batch 64 --d 8192 --f 8192 \\\n"
                   "      --chips 4 --along f --gather\n",
                   run<split_answer>);
}

Command request_command() {
    return command("request", "A request from end to end: host, PCIe, accelerator; and how it grows with the batch.",
                   with_chip({{"--batch", "B", "samples (1)"},
                              {"--bytes-in", "N", "of a sample, to the device (0)"},
                              {"--bytes-out", "N", "of a sample, back (0)"},
                              {"--transfers", "serial|duplex|overlapped",
                               "one after the other; both ways at once; and behind the computing (serial)"},
                              {"--compute", "TIME", "of the accelerator for a batch of 1 (0)"},
                              {"--compute-growth", "X", "its time for this batch over that for 1 (1)"},
                              {"--serial", "TIME", "serial part on the host for a batch of 1 (0)"},
                              {"--serial-fraction", "X", "the same, as a part of the whole request of 1"},
                              {"--serial-growth", "X", "its growth with every doubling of the batch (0)"}}),
                   "  systole roofline request --chip npu_200t --bytes-in \"1 MB\" \\\n"
                   "      --bytes-out \"1 MB\" --compute \"500 us\" --serial-fraction 0.25 \\\n"
                   "      --batch 64 --compute-growth 1.9 --serial-growth 0.05\n",
                   run<request_answer>);
}

Command peak_command() {
    return command("peak", "A peak rate from the parts of an array or of a vector unit.",
                   {{"--clock", "FREQ", "\"1.5 GHz\""},
                    {"--rows", "R", "rows of an array"},
                    {"--cols", "C", "its columns"},
                    {"--arrays", "N", "arrays (1)"},
                    {"--macs", "Q", "multiply-adds of a PE in a cycle (1)"},
                    {"--lanes", "N", "lanes of a vector unit"},
                    {"--alus", "N", "ALUs of a lane (1)"}},
                   "  systole roofline peak --rows 128 --cols 128 --arrays 4 --clock \"1.5 GHz\"\n"
                   "  systole roofline peak --lanes 1024 --alus 4 --clock \"1.75 GHz\"\n",
                   run<peak_answer>);
}

} // namespace

std::vector<Command> roofline_number_commands() {
    return {
        command("chip", "Peak of a chip, and bandwidth and ridge of each of its levels.",
                with_chip({{"--stored", "FORMAT", "operands are stored in this format and computed in --dtype"}}),
                "  systole roofline chip --chip h100\n"
                "  systole roofline chip --chip npu_200t --sparsity 2:4 --eta 0.75\n",
                run<chip_answer>),
        command("critical-batch", "The batch from which [B,D] x [D,F] is bound by the math, solved exactly.",
                with_chip({{"--d", "D", "contracted dimension"},
                           {"--f", "F", "columns of the result, width of the hidden layer"},
                           {"--layer", "LAYER", "matmul, ffn, gated-ffn, moe or gated-moe (matmul)"},
                           {"--experts", "E", "of a moe"},
                           {"--active", "K", "experts that a token uses"},
                           {"--level", "LEVEL", "level that feeds the math (hbm, or as --from says)"}}),
                "  systole roofline critical-batch --chip tpu_v5e --d 8192 --f 8192\n"
                "  systole roofline critical-batch --chip tpu_v5e --d 4096 --f 4096 \\\n"
                "      --dtype bf16,int8,bf16\n",
                run<critical_batch_answer>),
        split_command(),
        command("collective", "An all-reduce, all-gather or reduce-scatter on a ring of chips.",
                with_chip({{"--kind", "KIND", "all-reduce, all-gather or reduce-scatter (all-reduce)"},
                           {"--bytes", "N", "of the whole array"},
                           {"--chips", "N", "chips"},
                           {"--ring", "one|both", "directions in which the ring is used (one)"}}),
                "  systole roofline collective --chip tpu_v5p --bytes \"64 MiB\" --chips 16\n", run<collective_answer>),
        command("decode", "The least time of a decode step: every parameter is read once.",
                with_chip({{"--parameters", "N", "\"200e9\", stored in the second format of --dtype"},
                           {"--cache-bytes", "N", "keys and values that are read besides (0)"},
                           {"--chips", "N", "chips that share them (1)"}}),
                "  systole roofline decode --chip tpu_v4 --parameters 200e9 --chips 32\n", run<decode_answer>),
        request_command(),
        command("amdahl", "The speed-up that a serial part allows.",
                {{"--serial-fraction", "X", "part that stays as it is"},
                 {"--gain", "X", "speed-up of the rest (without limit)"}},
                "  systole roofline amdahl --serial-fraction 0.25\n", run<amdahl_answer>),
        peak_command(),
    };
}

} // namespace systole
