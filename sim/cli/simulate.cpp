// `systole simulate`: runs a workload on a chip, cycle by cycle.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/matrix_files.h"
#include "sim/cli/out_dir.h"
#include "sim/cli/progress.h"
#include "sim/cli/simulate_input.h"
#include "sim/cli/values.h"
#include "sim/report/csv.h"
#include "sim/report/json.h"
#include "sim/report/scalesim.h"
#include "sim/report/text.h"

namespace systole {

namespace fs = std::filesystem;

namespace {

constexpr const char* compute_report = "COMPUTE_REPORT.csv";

std::vector<OptionSpec> simulate_options() {
    return with_common_options(
        {
            {"--gemm", "MxNxK", "one matrix product, C[M,N] = A[M,K] * B[K,N]"},
            {"--workload", "FILE", "a workload file, or the name of one (`systole info workloads`)"},
            {"--topology", "FILE", "a SCALE-Sim topology, convolutions or GEMMs"},
            {"--scalesim-cfg", "FILE",
             "array size and dataflow from a SCALE-Sim configuration; the chip is then "
             "scalesim_like unless --chip names another"},
            {"--chip", "NAME|FILE", "the chip (`systole info chips`)"},
            {"--set", "KEY=VALUE", "changes a value of the chip (`systole info keys`)", true},
            {"--dataflow", "ws|os|is|auto",
             "what stays in the array: weights (ws), outputs, inputs; auto takes the "
             "fastest"},
            {"--engine", "structural|flat|tile|auto", "how the array is simulated; all give the same cycles"},
            {"--from", "vmem|hbm|host", "where the operands are at the start and the result ends (hbm)"},
            {"--dtype", "A[,B[,C]]",
             "stored number formats (the chip's first one; `systole info formats`); B and C like A if left out"},
            {"--a", "FILE.npy", "A as a NumPy matrix of M x K; values are rounded to its format"},
            {"--b", "FILE.npy", "B, K x N; with --a and --b the shape is theirs and --gemm may be left out"},
            {"--c", "FILE.npy", "write C, M x N, rounded to its format (bf16 and fp8 as float32, int4 as int8)"},
            {"--sparsity", "dense|2:4",
             "B in N:M structured sparsity: of every M along K, N are stored (the files' own, else dense)"},
            {"--prune", "magnitude",
             "of a sparse B keep the largest of every group along K; else it has to be as sparse as --sparsity says"},
            {"--tile", "MxNxK", "size of the tiles in VMEM"},
            {"--mapping", "naive", "how the tiles are chosen without --tile"},
            {"--verify", "", "compare the product with a reference; fail if that is not possible"},
            {"--no-verify", "", "do not compare it"},
            {"--seed", "N", "of the operand values (1)"},
            {"--max-cycles", "N", "refuse runs that would take more (about ten minutes of the engine)"},
            {"--vcd", "FILE", "write the waveforms of the structural engine"},
            {"--vcd-from", "CYCLE", "first cycle of the waveforms (0)"},
            {"--vcd-to", "CYCLE", "last cycle of the waveforms (the end)"},
            {"--trace", "FILE", "write a timeline of every part of the machine, for ui.perfetto.dev"},
            {"--trace-limit", "SIZE", "most that the timeline may take (100 MiB); unlimited: no limit"},
            {"--out-dir", "DIR", "write the result in every format, and manifest.json, into DIR"},
        },
        "text|json|csv|scalesim");
}

std::string in_format(OutputFormat format, const Machine& machine, const RunResult& result) {
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
    return text_report(machine, result);
}

std::vector<NamedText> all_files(OutputFormat format, const Machine& machine, const RunResult& result) {
    std::vector<NamedText> files{{"result.txt", text_report(machine, result)},
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
        : temporary_(input.trace->partial()), file_(*input.trace, names(input)) {}

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
    static std::vector<std::string> names(const SimulateInput& input) {
        std::vector<std::string> all;
        for (const GemmProblem& problem : input.problems) {
            all.push_back(problem.name);
        }
        return all;
    }

    ForeignTemporary temporary_;
    TraceFile file_;
};

RunResult run(SimulateInput& input, const ParsedOptions& options, const Session& session) {
    if (!session.terminal || options.has("--quiet")) {
        return simulate(input.machine, input.problems, input.run);
    }
    ProgressBar bar(session.err);
    input.run.progress = [&bar](Cycles done, Cycles estimate) { bar.update(done, estimate); };
    return simulate(input.machine, input.problems, input.run);
}

int verdict(const RunResult& result, const Session& session) {
    std::string wrong;
    for (const OperatorResult& one : result.operators) {
        if (one.verified == false) {
            wrong += (wrong.empty() ? "" : ", ") + one.name;
        }
    }
    if (wrong.empty()) {
        return exit_good;
    }
    session.err << "systole: the product differs from the reference: " << wrong << "\n";
    return exit_check_failed;
}

// Two results in one file would leave the later one alone.
void require_different_files(const ParsedOptions& options) {
    std::map<fs::path, std::string> owners;
    const auto claim = [&owners](const fs::path& path, const std::string& option) {
        std::error_code error; // of a path that cannot be followed: its opening will tell
        const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
        if (error || fs::is_character_file(whole, error)) {
            return;
        }
        const auto [known, is_new] = owners.try_emplace(whole, option);
        if (!is_new) {
            throw InputError(fmt::format("{} and {} would both write {}", known->second, option, path.string()));
        }
    };
    if (const auto folder = path_option(options, "--out-dir")) {
        for (const char* const name : {"result.txt", "result.json", "result.csv", compute_report, manifest_name}) {
            claim(fs::path(*folder) / name, "--out-dir");
        }
    }
    for (const char* const option : {"-o", "--vcd", "--trace", "--c"}) {
        if (const auto path = path_option(options, option); path && *path != "-") {
            claim(*path, option);
        }
    }
}

int run_simulate(const ParsedOptions& options, const Session& session) {
    const OutputFormat format =
        output_format(options, {OutputFormat::text, OutputFormat::json, OutputFormat::csv, OutputFormat::scalesim});
    SimulateInput input = read_simulate_input(options);
    if (format == OutputFormat::scalesim) {
        require_one_array(input.machine);
    }
    require_different_files(options);
    const auto folder = options.has("--out-dir") ? std::make_unique<OutDir>(*options.get("--out-dir")) : nullptr;
    const auto file = open_output(options);
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
    const RunResult result = run(input, options, session);
    if (trace) {
        trace->finish(options, session);
    }
    if (input.run.waveform && input.run.waveform->from > result.total.cycles) {
        warn(fmt::format("the waveforms are empty: the run ends in cycle {}, before --vcd-from", result.total.cycles),
             options, session);
    }
    const std::string text = in_format(format, input.machine, result);
    if (folder) {
        const std::vector<NamedText> files = all_files(format, input.machine, result);
        folder->commit(files, manifest_text(input.machine, session.command_line, files));
    }
    c.commit();
    if (file) {
        file->commit(text);
    } else {
        write_to_stream(text, session.out);
    }
    return verdict(result, session);
}

} // namespace

Command simulate_command() {
    return {{"simulate", "Runs a matrix product or a list of them on a chip, cycle by cycle, beside its roofline.", "",
             simulate_options(),
             "  systole simulate --chip edge_16x16 --gemm 128x768x768\n"
             "  systole simulate --chip edge_16x16 --workload bert_base_attention --verify\n"
             "  systole simulate --chip tpu_v5e --gemm 4096x4096x4096 --engine tile \\\n"
             "      --set hbm.bandwidth=\"1600 GB/s\" --format json -o result.json\n"
             "  systole simulate --chip edge_16x16 --gemm 64x512x512 --sparsity 2:4 --verify\n"
             "  systole simulate --chip tpu_v5e --a x.npy --b weights.npy \\\n"
             "      --dtype bf16,int8,fp32 --c y.npy\n"
             "  systole simulate --scalesim-cfg scale.cfg --topology resnet.csv \\\n"
             "      --from vmem --format scalesim\n"},
            run_simulate};
}

} // namespace systole
