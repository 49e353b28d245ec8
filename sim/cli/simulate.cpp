// `systole simulate`: runs a workload on a chip, cycle by cycle.
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/matrix_files.h"
#include "sim/cli/out_dir.h"
#include "sim/cli/problem_input.h"
#include "sim/cli/simulate_input.h"
#include "sim/cli/simulate_run.h"
#include "sim/cli/values.h"
#include "sim/report/csv.h"
#include "sim/report/json.h"
#include "sim/report/scalesim.h"
#include "sim/report/text.h"

namespace systole {

namespace {

constexpr const char* compute_report = "COMPUTE_REPORT.csv";

std::vector<OptionSpec> simulate_options() {
    std::vector<OptionSpec> options = run_options();
    const std::vector<OptionSpec> own{
        layers_option(false),
        {"--c", "FILE.npy", "write C, M x N, rounded to its format (bf16 and fp8 as float32, int4 as int8)"},
        {"--vcd", "FILE", "write the waveforms of the structural engine"},
        {"--vcd-from", "CYCLE", "first cycle of the waveforms (0)"},
        {"--vcd-to", "CYCLE", "last cycle of the waveforms (the end)"},
        {"--trace", "FILE", "write a timeline of every part of the machine, for ui.perfetto.dev"},
        {"--trace-limit", "SIZE", "most that the timeline may take (100 MiB); unlimited: no limit"},
        {"--out-dir", "DIR", "write the result in every format, and manifest.json, into DIR"},
    };
    options.insert(options.end(), own.begin(), own.end());
    return with_common_options(options, "text|json|csv|scalesim");
}

std::string in_format(OutputFormat format, const Machine& machine, const RunResult& result, LayerRows rows) {
    switch (format) {
    case OutputFormat::json:
        return json_report(result);
    case OutputFormat::csv:
        return csv_report(result);
    case OutputFormat::scalesim:
        return scalesim_report(machine, result);
    case OutputFormat::text:
        break;
    }
    return text_report(machine, result, rows);
}

std::vector<NamedText> all_files(OutputFormat format, const Machine& machine, const RunResult& result, LayerRows rows) {
    std::vector<NamedText> files{{"result.txt", text_report(machine, result, rows)},
                                 {"result.json", json_report(result)},
                                 {"result.csv", csv_report(result)}};
    if (format == OutputFormat::scalesim) {
        files.push_back({compute_report, scalesim_report(machine, result)});
    }
    return files;
}

// The timeline of a run, as long as it is being written.
class Trace {
  public:
    explicit Trace(const SimulateInput& input)
        : temporary_(input.trace->partial()), file_(*input.trace, operator_names(input)) {}

    Timeline& timeline() { return file_; }
    void finish(const ParsedOptions& options, const Session& session) {
        file_.finish();
        if (file_.left_out() > 0) {
            warn(fmt::format("the timeline is not complete: {} events, from cycle {} on, are left out (raise "
                             "--trace-limit)",
                             file_.left_out(), file_.left_out_from()),
                 options, session);
        }
    }

  private:
    ForeignTemporary temporary_;
    TraceFile file_;
};

int run_simulate(const ParsedOptions& options, const Session& session) {
    const OutputFormat format =
        output_format(options, {OutputFormat::text, OutputFormat::json, OutputFormat::csv, OutputFormat::scalesim});
    if (asks_both_sparsities(options)) {
        throw InputError("--sparsity both puts two runs side by side, which is what `systole compare` does (use that, "
                         "or --sparsity 2:4)");
    }
    SimulateInput input = read_simulate_input(options);
    const LayerRows rows = layer_rows(options, false, input);
    if (format == OutputFormat::scalesim) {
        require_one_array(input.machine);
    }
    require_different_files(options, {"result.txt", "result.json", "result.csv", compute_report},
                            {"-o", "--vcd", "--trace", "--c", "--save-mapping"});
    const auto folder = options.has("--out-dir") ? std::make_unique<OutDir>(*options.get("--out-dir")) : nullptr;
    const auto file = open_output(options);
    SavedMappings mappings(options);
    ResultMatrix c(options);
    c.collect_from(input.run);
    for (const std::string& warning : input.warnings) {
        warn(warning, options, session);
    }

    std::optional<ForeignTemporary> waveform;
    if (input.run.waveform) {
        waveform.emplace(input.run.waveform->partial());
    }
    std::optional<Trace> trace;
    if (input.trace) {
        input.run.timeline = &trace.emplace(input).timeline();
    }
    const RunResult result = run_shown(input, options, session);
    if (trace) {
        trace->finish(options, session);
    }
    if (input.run.waveform && input.run.waveform->from > result.total.cycles) {
        warn(fmt::format("the waveforms are empty: the run ends in cycle {}, before --vcd-from", result.total.cycles),
             options, session);
    }
    const std::string text = in_format(format, input.machine, result, rows);
    if (folder) {
        const std::vector<NamedText> files = all_files(format, input.machine, result, rows);
        folder->commit(files, manifest_text(input.machine, session.command_line, files));
    }
    c.commit();
    mappings.commit(result);
    if (file) {
        file->commit(text);
    } else {
        write_to_stream(text, session.out);
    }
    return verification(result, session);
}

} // namespace

Command simulate_command() {
    return {{"simulate", "Runs a matrix product or a list of them on a chip, cycle by cycle, beside its roofline.", "",
             simulate_options(),
             "  systole simulate --chip edge_16x16 --gemm 128x768x768\n"
             "  systole simulate --chip edge_16x16 --conv 56x56x64,3x3,64 --padding 1\n"
             "  systole simulate --chip edge_16x16 --workload bert_base_attention --verify\n"
             "  systole simulate --chip tpu_v5e --gemm 4096x4096x4096 --engine tile \\\n"
             "      --set hbm.bandwidth=\"1600 GB/s\" --format json -o result.json\n"
             "  systole simulate --chip edge_16x16 --gemm 64x512x512 --sparsity 2:4 --verify\n"
             "  systole simulate --chip tpu_v5e --a x.npy --b weights.npy \\\n"
             "      --dtype bf16,int8,fp32 --c y.npy\n"
             "  systole simulate --chip tpu_v5e --workload ffn_4096 --save-mapping best.toml\n"
             "  systole simulate --chip tpu_v5e --workload ffn_4096 --mapping fixed:best.toml\n"
             "  systole simulate --scalesim-cfg scale.cfg --topology resnet.csv \\\n"
             "      --from vmem --format scalesim\n"},
            run_simulate};
}

} // namespace systole
