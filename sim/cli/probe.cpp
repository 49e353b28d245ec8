// `systole probe array`: the timing of the array alone.
#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/values.h"
#include "sim/config/load.h"
#include "sim/engine/run.h"
#include "sim/report/csv.h"
#include "sim/report/json.h"

namespace systole {

namespace {

// One number of the result: its key in JSON and CSV, what it is called in the text, and what it counts.
struct ProbeNumber {
    const char* key;
    const char* label;
    std::optional<Cycles> (*value)(const ProbeResult& result);
};

constexpr ProbeNumber numbers[] = {
    {"first_vmem_read_to_last_result", "first VMEM read to last result",
     [](const ProbeResult& r) { return std::optional(r.first_vmem_read_to_last_result); }},
    {"first_stationary_to_last_result", "first stationary row to last result",
     [](const ProbeResult& r) { return std::optional(r.first_stationary_to_last_result); }},
    {"first_streamed_to_last_result", "first streamed vector to last result",
     [](const ProbeResult& r) { return std::optional(r.first_streamed_to_last_result); }},
    {"first_bias_to_last_result", "first bias row to last result",
     [](const ProbeResult& r) { return r.first_bias_to_last_result; }},
    {"pass_interval", "interval between the last two passes",
     [](const ProbeResult& r) { return std::optional(r.pass_interval); }},
};

std::string text_of(const Machine& machine, const ProbeOptions& asked, const ProbeResult& result) {
    std::string text = fmt::format("{}: {} x {} PEs, {}, {} vector{} per pass, {} pass{}\n", machine.name,
                                   machine.array.rows, machine.array.cols, long_name(asked.dataflow), asked.streamed,
                                   asked.streamed == 1 ? "" : "s", asked.passes, asked.passes == 1 ? "" : "es");
    for (const ProbeNumber& number : numbers) {
        const std::optional<Cycles> value = number.value(result);
        text += fmt::format("  {:<40}{:>16}\n", number.label, value ? fmt::format("{} cycles", *value) : "-");
    }
    return text;
}

std::string json_of(const Machine& machine, const ProbeOptions& asked, const ProbeResult& result) {
    Json root;
    root["schema_version"] = 1;
    root["chip"] = machine.name;
    root["dataflow"] = std::string(short_name(asked.dataflow));
    root["streamed"] = asked.streamed;
    root["passes"] = asked.passes;
    root["idle"] = asked.idle;
    root["reuse"] = asked.reuse;
    for (const ProbeNumber& number : numbers) {
        const std::optional<Cycles> value = number.value(result);
        root[number.key] = value ? Json(*value) : Json(nullptr);
    }
    return json_text(root);
}

std::string csv_of(const Machine& machine, const ProbeOptions& asked, const ProbeResult& result) {
    std::vector<std::string> header{"chip", "dataflow", "streamed", "passes", "idle", "reuse"};
    std::vector<std::string> row{machine.name,
                                 std::string(short_name(asked.dataflow)),
                                 std::to_string(asked.streamed),
                                 std::to_string(asked.passes),
                                 std::to_string(asked.idle),
                                 asked.reuse ? "true" : "false"};
    for (const ProbeNumber& number : numbers) {
        const std::optional<Cycles> value = number.value(result);
        header.emplace_back(number.key);
        row.push_back(value ? std::to_string(*value) : "");
    }
    return csv_line(header) + csv_line(row);
}

void check_target(const ParsedOptions& options) {
    const std::vector<std::string>& targets = options.positionals();
    if (targets.size() != 1) {
        throw InputError("say what to probe: `systole probe array --chip NAME`");
    }
    if (targets[0] == "hbm" || targets[0] == "pcie") {
        throw InputError(fmt::format("the target comes first (write systole probe {}, then its options)", targets[0]));
    }
    if (targets[0] != "array") {
        throw InputError(fmt::format("cannot probe '{}' (there are probe array, probe hbm and probe pcie)",
                                     targets[0].substr(0, 60)));
    }
}

ProbeOptions read_options(const ParsedOptions& options) {
    ProbeOptions asked;
    asked.dataflow =
        word_option(options, "--dataflow", parse_dataflow, "ws, os or is").value_or(Dataflow::weight_stationary);
    asked.engine = word_option(options, "--engine", parse_engine, "structural, flat, tile or auto")
                       .value_or(EngineKind::structural);
    asked.streamed = integer_option(options, "--streamed", 1).value_or(1);
    asked.passes = integer_option(options, "--passes", 1).value_or(1);
    asked.idle = integer_option(options, "--idle", 0).value_or(0);
    asked.reuse = options.has("--reuse");
    return asked;
}

int run_probe(const ParsedOptions& options, const Session& session) {
    check_target(options);
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json, OutputFormat::csv});
    const ProbeOptions asked = read_options(options);
    const std::optional<std::string> chip = options.get("--chip");
    if (!chip) {
        throw InputError("no chip (give --chip NAME; `systole info chips` lists them)");
    }
    const Machine machine = load_machine(*chip, options.all("--set"));
    require_simulable(machine);
    const ProbeResult result = probe_array(machine, asked);
    const auto write = format == OutputFormat::json ? json_of : format == OutputFormat::csv ? csv_of : text_of;
    write_result(write(machine, asked, result), options, session);
    return exit_good;
}

} // namespace

Command probe_command() {
    return {{"probe",
             "Measures the array alone: passes back to back, operands in VMEM. Counts are inclusive.",
             "array",
             with_common_options(
                 {
                     {"--chip", "NAME|FILE", "the chip (`systole info chips`)"},
                     {"--set", "KEY=VALUE", "changes a value of the chip (`systole info keys`)", true},
                     {"--dataflow", "ws|os|is", "what stays in the array (ws)"},
                     {"--engine", "structural|flat|tile|auto", "how the array is simulated (structural)"},
                     {"--streamed", "S", "vectors that are streamed in each pass (1)"},
                     {"--passes", "T", "number of passes (1)"},
                     {"--idle", "I", "idle cycles after every pass (0)"},
                     {"--reuse", "", "all passes use the first stationary tile"},
                 },
                 "text|json|csv"),
             "  systole probe array --chip tiny_4x4 --streamed 8\n"
             "  systole probe array --chip edge_16x16 --dataflow os --streamed 64 --passes 4 \\\n"
             "      --format json\n",
             {{"probe hbm", "an HBM stack alone: patterns and traces"},
              {"probe pcie", "a PCIe link alone: bandwidth each way"}}},
            run_probe};
}

} // namespace systole
