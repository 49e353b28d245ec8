// `systole probe pcie`: the link between host memory and the chip alone.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "memory/pcie_probe.h"
#include "memory/pcie_wire.h"
#include "sim/base/error.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/cli/values.h"
#include "sim/config/load.h"
#include "sim/config/pcie_keys.h"
#include "sim/report/flat_csv.h"
#include "sim/report/json.h"
#include "sim/report/numbers.h"

namespace systole {

namespace {

constexpr Bytes most_bytes = Bytes{64} << 30; // some seconds of requests one by one
constexpr double picosecond = 1e-12;

constexpr std::array transfers{std::pair{PcieTransfer::write, "write"}, std::pair{PcieTransfer::read, "read"},
                               std::pair{PcieTransfer::duplex, "duplex"}};

std::optional<PcieTransfer> parse_transfer(std::string_view text) {
    for (const auto& [transfer, word] : transfers) {
        if (text == word) {
            return transfer;
        }
    }
    return std::nullopt;
}

std::string word_of(PcieTransfer transfer) { return transfers[static_cast<std::size_t>(transfer)].second; }

struct Asked {
    PcieConfig link;
    std::string chip; // "" if none
    PcieTransfer transfer = PcieTransfer::write;
    Bytes bytes = 0;
};

struct Answer {
    PcieProbeResult probe;
    Bytes wire_bytes = 0; // of the busier direction
    double seconds = 0;
    double bytes_per_s = 0; // each way
};

constexpr std::pair<const char*, DirectionUse PcieUse::*> directions[] = {{"to_device", &PcieUse::to_device},
                                                                          {"to_host", &PcieUse::to_host}};
constexpr std::pair<const char*, std::int64_t LinkTime::*> parts[] = {{"payload", &LinkTime::payload},
                                                                      {"protocol", &LinkTime::protocol},
                                                                      {"latency", &LinkTime::latency},
                                                                      {"idle", &LinkTime::idle}};

Answer measure(const Asked& asked) {
    Answer answer;
    answer.probe = probe_pcie(asked.link, asked.transfer, asked.bytes);
    answer.wire_bytes = std::max(answer.probe.use.to_device.wire_bytes, answer.probe.use.to_host.wire_bytes);
    answer.seconds = static_cast<double>(answer.probe.duration) * picosecond;
    answer.bytes_per_s = answer.seconds > 0 ? static_cast<double>(asked.bytes) / answer.seconds : 0;
    return answer;
}

std::string link_text(const PcieConfig& link) {
    if (!link.packets) {
        return "ideal link, " + bandwidth_text(link.bandwidth == unlimited ? 0 : static_cast<double>(link.bandwidth)) +
               " each way";
    }
    return fmt::format("PCIe generation {} x{}, payloads of {} bytes", link.generation, link.lanes,
                       link.max_payload_bytes);
}

std::string text_of(const Asked& asked, const Answer& answer) {
    const bool duplex = asked.transfer == PcieTransfer::duplex;
    const PcieProbeResult& probe = answer.probe;
    std::string text =
        fmt::format("{}{}: {} of {} bytes{}\n", asked.chip.empty() ? "" : asked.chip + ", ", link_text(asked.link),
                    word_of(asked.transfer), asked.bytes, duplex ? " each way" : "");
    text += fmt::format("  {:<12}{}{}\n", "bandwidth", bandwidth_text(answer.bytes_per_s),
                        duplex ? " each way" : " of payload");
    text += fmt::format("  {:<12}{}\n", "time", scaled(answer.seconds, "s"));
    text += fmt::format("  {:<12}{}, one {} alone\n", "latency",
                        scaled(static_cast<double>(probe.latency) * picosecond, "s"),
                        asked.transfer == PcieTransfer::write ? "packet" : "read request");
    text += fmt::format("\n{:<12}{:>15}{:>15}", "Direction", "payload bytes", "wire bytes");
    for (const auto& [name, part] : parts) {
        text += fmt::format("{:>9}", name);
    }
    text += "\n";
    for (const auto& [name, direction] : directions) {
        const DirectionUse& use = probe.use.*direction;
        text += fmt::format("  {:<10}{:>15}{:>15}", name, use.payload_bytes, use.wire_bytes);
        for (const auto& [part_name, part] : parts) {
            const double share =
                static_cast<double>(use.time.*part) / static_cast<double>(std::max<std::int64_t>(1, probe.duration));
            text += fmt::format("{:>9}", percent_text(share));
        }
        text += "\n";
    }
    return text;
}

Json link_json(const Asked& asked) {
    Json root;
    root["schema_version"] = 1;
    root["chip"] = asked.chip.empty() ? Json(nullptr) : Json(asked.chip);
    const PcieConfig& link = asked.link;
    const auto stated = [&](std::int64_t value) { return link.packets ? Json(value) : Json(nullptr); };
    root["generation"] = stated(link.generation);
    root["lanes"] = stated(link.lanes);
    root["max_payload_bytes"] = stated(link.max_payload_bytes);
    root["max_read_request_bytes"] = stated(link.max_read_request_bytes);
    root["direction"] = word_of(asked.transfer);
    return root;
}

Json whole_json(const Asked& asked, const Answer& answer) {
    Json root = link_json(asked);
    root["payload_bytes"] = asked.bytes;
    root["wire_bytes"] = answer.wire_bytes;
    root["seconds"] = answer.seconds;
    root["bytes_per_s"] = answer.seconds > 0 ? Json(answer.bytes_per_s) : Json(nullptr); // unlimited
    root["latency_s"] = static_cast<double>(answer.probe.latency) * picosecond;
    for (const auto& [name, direction] : directions) {
        const DirectionUse& use = answer.probe.use.*direction;
        root[name]["payload_bytes"] = use.payload_bytes;
        root[name]["wire_bytes"] = use.wire_bytes;
        for (const auto& [part_name, part] : parts) {
            root[name]["time_ps"][part_name] = use.time.*part;
        }
    }
    return root;
}

std::string json_of(const Asked& asked, const Answer& answer) { return json_text(whole_json(asked, answer)); }

std::string csv_of(const Asked& asked, const Answer& answer) {
    Json whole = whole_json(asked, answer);
    whole.erase("schema_version");
    return flat_csv(whole);
}

// --generation, --lanes and --payload are three of the chip file's keys; what --set says comes after them.
std::vector<std::string> settings_of(const ParsedOptions& options) {
    constexpr std::array<std::pair<const char*, const char*>, 3> short_forms{
        {{"--generation", "pcie.generation"}, {"--lanes", "pcie.lanes"}, {"--payload", "pcie.max_payload_bytes"}}};
    std::vector<std::string> settings;
    for (const auto& [option, key] : short_forms) {
        if (const auto value = integer_option(options, option, 1)) {
            settings.push_back(fmt::format("{}={}", key, *value));
        }
    }
    for (const std::string& setting : options.all("--set")) {
        if (!setting.starts_with("pcie.")) {
            throw InputError(fmt::format("--set {}: the link alone has no such part (set pcie.KEY=VALUE; `systole info "
                                         "keys` lists them)",
                                         setting.substr(0, 60)));
        }
        settings.push_back(setting);
    }
    return settings;
}

Asked read_options(const ParsedOptions& options) {
    Asked asked;
    asked.transfer =
        word_option(options, "--direction", parse_transfer, "write, read or duplex").value_or(PcieTransfer::write);
    const auto bytes = integer_option(options, "--bytes", 1, most_bytes);
    if (!bytes) {
        throw InputError("how much is to be moved? (give --bytes N, for example 1073741824)");
    }
    asked.bytes = *bytes;
    const std::vector<std::string> settings = settings_of(options);
    if (const auto chip = options.get("--chip")) {
        const Machine machine = load_machine(*chip, settings);
        require_simulable(machine);
        asked.chip = machine.name;
        asked.link = machine.pcie;
        return asked;
    }
    if (settings.empty()) {
        throw InputError("no link (give --generation 1..6 with --lanes and --payload, or --chip NAME)");
    }
    asked.link = load_pcie(settings);
    return asked;
}

int run_probe_pcie(const ParsedOptions& options, const Session& session) {
    const OutputFormat format = output_format(options, {OutputFormat::text, OutputFormat::json, OutputFormat::csv});
    const Asked asked = read_options(options);
    const auto write = format == OutputFormat::json ? json_of : format == OutputFormat::csv ? csv_of : text_of;
    write_result(write(asked, measure(asked)), options, session);
    return exit_good;
}

} // namespace

Command probe_pcie_command() {
    return {{"probe pcie",
             "Measures the PCIe link alone: one long DMA write, read, or both at once (bandwidth each way).", "",
             with_common_options(
                 {
                     {"--generation", "G", "PCI Express generation, 1 to 6"},
                     {"--lanes", "L", "lanes, 1 to 32 (16)"},
                     {"--payload", "B",
                      "largest payload of a packet (256); read requests stay as large as "
                      "pcie.max_read_request_bytes"},
                     {"--direction", "write|read|duplex", "what the device does to host memory (write)"},
                     {"--bytes", "N", "payload to move; duplex: each way"},
                     {"--chip", "NAME|FILE", "starts from the link of a chip (`systole info chips`)"},
                     {"--set", "pcie.KEY=VALUE", "changes a value of the link (`systole info keys`)", true},
                 },
                 "text|json|csv"),
             "  systole probe pcie --generation 4 --lanes 16 --payload 256 --direction read \\\n"
             "      --bytes 1073741824\n"
             "  systole probe pcie --generation 3 --lanes 8 --payload 128 --direction duplex \\\n"
             "      --bytes 1073741824 --set pcie.dllp_overhead=strict --format json\n"
             "  systole probe pcie --chip npu_200t --direction read --bytes 65536 \\\n"
             "      --set pcie.tags=32\n"},
            run_probe_pcie};
}

} // namespace systole
