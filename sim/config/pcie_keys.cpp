#include "sim/config/pcie_keys.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "memory/pcie_wire.h"
#include "sim/config/key_types.h"
#include "sim/config/toml_reader.h"

namespace systole {

namespace {

constexpr Range generation_range{1, 6};
constexpr Range payload_range{64, 4096};
constexpr Range request_range{128, 4096};
constexpr Range tags_range{1, 16384};   // 14-bit tags of revision 6; 10 bits from revision 4 on, 8 before
constexpr Range headers_range{1, 2032}; // 7 bits of a credit update, scaled by 16
constexpr Range data_range{1, 32752};   // 11 bits, scaled by 16
constexpr Range bandwidth_range{1, unlimited};
constexpr Range round_trip_range{0, 1'000'000'000'000}; // a second
constexpr double millionths = 1e6;

// A link setting of --set outweighs a bandwidth that the file states; of both in --set the later one counts.
void link_changed(Draft& draft, const Setting& setting) {
    if (setting.from_command_line) {
        draft.pcie_bandwidth_given = false;
    }
}

// What describes packets means something with a generation alone: printed with one, and preferred to a bandwidth.
Key of_packets(Key key) {
    key.read = [read = key.read](Draft& draft, const Setting& setting, Diagnostics& found) {
        const std::size_t before = found.size();
        read(draft, setting, found);
        if (found.size() == before) {
            link_changed(draft, setting);
        }
    };
    key.print = [print = key.print](const Machine& machine, KeyValues& values) {
        if (machine.pcie.generation > 0) {
            print(machine, values);
        }
    };
    return key;
}

Key generation_key() {
    Key key = integer_key("pcie.generation", "", generation_range, "PCI Express generation of the link to the host",
                          [](Machine& machine) -> int& { return machine.pcie.generation; });
    key.info.default_value = "none";
    return of_packets(std::move(key));
}

// One of a few whole numbers.
Key integer_choice_key(const std::string& key, std::string unit, const std::vector<std::int64_t>& choices,
                       std::string help, const std::string& what, Field<std::int64_t> field) {
    std::vector<std::string> words;
    for (const std::int64_t choice : choices) {
        words.push_back(std::to_string(choice));
    }
    Key result = integer_key(key, std::move(unit), {choices.front(), choices.back()}, std::move(help), field);
    result.info.range = join(words, " | ");
    result.read = [choices, words, what, field](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto value = read_integer(setting, {choices.front(), choices.back()}, found);
        if (value && std::find(choices.begin(), choices.end(), *value) == choices.end()) {
            complain(setting, std::to_string(*value) + " is not " + what + " (" + join(words, ", ") + ")", found);
        } else if (value) {
            field(draft.machine) = *value;
        }
    };
    return of_packets(std::move(result));
}

Key power_of_two_key(const std::string& key, Range range, std::string help, Field<Bytes> field) {
    Key result = quantity_key(key, bytes_quantity, range, std::move(help), field);
    result.info.range += ", a power of two";
    result.read = [range, field](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto value = read_quantity(setting, bytes_quantity, range, found);
        if (value && (*value & (*value - 1)) != 0) {
            complain(setting,
                     std::to_string(*value) + " is not a power of two (" + std::to_string(range.low) + ", " +
                         std::to_string(2 * range.low) + ", ... " + std::to_string(range.high) + ")",
                     found);
        } else if (value) {
            field(draft.machine) = *value;
        }
    };
    return of_packets(std::move(result));
}

// 0 in the configuration: not stated.
Key completion_key() {
    Key key = power_of_two_key("pcie.completion_bytes", payload_range, "payload of one read completion",
                               [](Machine& machine) -> Bytes& { return machine.pcie.completion_bytes; });
    key.print = [print = key.print](const Machine& machine, KeyValues& values) {
        if (machine.pcie.completion_bytes > 0) {
            print(machine, values);
        }
    };
    key.info.default_value = "max_payload_bytes, at most max_read_request_bytes";
    return key;
}

// A number from 0 up to, but not including, 1.
std::optional<std::int64_t> read_millionths(const SettingValue& value) {
    std::optional<double> fraction;
    if (const auto* number = std::get_if<double>(&value)) {
        fraction = *number;
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        fraction = static_cast<double>(*whole);
    }
    if (!fraction || !(*fraction >= 0) || *fraction > 1 - 1 / millionths) {
        return std::nullopt;
    }
    return std::llround(*fraction * millionths);
}

Key dllp_overhead_key() {
    Key key{{"pcie.dllp_overhead", "", "model", "model | strict | a fraction from 0 to 0.999999",
             "raw rate lost to ACK and flow-control packets and skip sets: as pcie-bench charges it, by the letter of "
             "the specification, or stated"},
            {},
            {}};
    key.read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        PcieConfig& pcie = draft.machine.pcie;
        const auto* word = std::get_if<std::string>(&setting.value);
        if (word != nullptr && (*word == "model" || *word == "strict")) {
            pcie.dllp_overhead = *word == "model" ? DllpOverhead::model : DllpOverhead::strict;
        } else if (const auto part = read_millionths(setting.value)) {
            pcie.dllp_overhead = DllpOverhead::fraction;
            pcie.dllp_millionths = *part;
        } else {
            complain(setting,
                     "expected \"model\", \"strict\" or a fraction such as 0.05 (at most 0.999999), found " +
                         describe(setting.value),
                     found);
        }
    };
    key.print = [](const Machine& machine, KeyValues& values) {
        const PcieConfig& pcie = machine.pcie;
        std::string text = pcie.dllp_overhead == DllpOverhead::strict ? "strict" : "model";
        if (pcie.dllp_overhead == DllpOverhead::fraction) {
            const std::string digits = std::to_string(pcie.dllp_millionths);
            text = "0." + std::string(6 - digits.size(), '0') + digits;
        }
        values.emplace_back("pcie.dllp_overhead", text);
    };
    return of_packets(std::move(key));
}

Key bandwidth_key() {
    Key key = quantity_key("pcie.bandwidth", bandwidth_quantity, bandwidth_range,
                           "payload each way of an ideal link without packets; overrides the other keys but round_trip",
                           [](Machine& machine) -> BytesPerSecond& { return machine.pcie.bandwidth; });
    key.read = [read = key.read](Draft& draft, const Setting& setting, Diagnostics& found) {
        read(draft, setting, found);
        draft.pcie_bandwidth_given = true;
    };
    key.print = [print = key.print](const Machine& machine, KeyValues& values) {
        if (!machine.pcie.packets) {
            print(machine, values);
        }
    };
    return key;
}

Key round_trip_key() {
    Key key =
        quantity_key("pcie.round_trip", time_quantity, round_trip_range,
                     "from the start of a read request to its last byte on an idle link; a write takes half of it",
                     [](Machine& machine) -> Picoseconds& { return machine.pcie.latency; });
    key.read = [](Draft& draft, const Setting& setting, Diagnostics& found) {
        const auto value = read_quantity(setting, time_quantity, round_trip_range, found);
        if (value && *value % 2 != 0) {
            complain(setting, describe(setting.value) + " has no half in whole ps", found);
        } else if (value) {
            draft.machine.pcie.latency = *value / 2;
        }
    };
    key.print = [](const Machine& machine, KeyValues& values) {
        values.emplace_back("pcie.round_trip", format_time(2 * machine.pcie.latency));
    };
    return key;
}

void add_at(const Draft& draft, const std::string& key, const std::string& message, Diagnostics& found) {
    const auto given = draft.given.find(key);
    found.add(given == draft.given.end() ? Place{draft.machine.file} : given->second, key + message);
}

void check_completion(const Draft& draft, Diagnostics& found) {
    const PcieConfig& pcie = draft.machine.pcie;
    const std::pair<const char*, Bytes> bounds[] = {{"pcie.max_payload_bytes", pcie.max_payload_bytes},
                                                    {"pcie.max_read_request_bytes", pcie.max_read_request_bytes}};
    for (const auto& [name, bytes] : bounds) {
        if (pcie.completion_bytes > bytes) {
            add_at(draft, "pcie.completion_bytes",
                   ": " + std::to_string(pcie.completion_bytes) + " is more than " + name + " (" +
                       std::to_string(bytes) + "; lower it, or leave it out for the largest there is)",
                   found);
            return;
        }
    }
}

// The receiver must grant one packet of full size, or nothing could ever start.
void check_data_credits(const Draft& draft, const std::string& key, std::int64_t credits, Bytes packet,
                        Diagnostics& found) {
    const std::int64_t least = ceil_div(packet, pcie_credit_bytes);
    if (credits < least) {
        add_at(draft, key,
               ": " + std::to_string(credits) + " are too few for a packet of " + std::to_string(packet) +
                   " bytes (a credit is 16 bytes; give " + std::to_string(least) + " or more)",
               found);
    }
}

} // namespace

std::vector<Key> pcie_keys() {
    using M = Machine;
    return {
        generation_key(),
        integer_choice_key("pcie.lanes", "lanes", {1, 2, 4, 8, 12, 16, 32}, "lanes of the link", "a link width",
                           [](M& m) -> std::int64_t& { return m.pcie.lanes; }),
        power_of_two_key("pcie.max_payload_bytes", payload_range,
                         "largest payload of one packet; the standard has 128 and up, 64 is for small-packet studies",
                         [](M& m) -> Bytes& { return m.pcie.max_payload_bytes; }),
        power_of_two_key("pcie.max_read_request_bytes", request_range, "most that one read request asks for",
                         [](M& m) -> Bytes& { return m.pcie.max_read_request_bytes; }),
        completion_key(),
        integer_choice_key("pcie.header_bytes", "bytes", {12, 16},
                           "header of a write or a read request: 32-bit or 64-bit addresses", "a header size",
                           [](M& m) -> Bytes& { return m.pcie.header_bytes; }),
        of_packets(truth_key("pcie.ecrc", "4 bytes of end-to-end CRC in every packet",
                             [](M& m) -> bool& { return m.pcie.ecrc; })),
        dllp_overhead_key(),
        of_packets(integer_key("pcie.tags", "requests", tags_range, "read requests in flight",
                               [](M& m) -> int& { return m.pcie.tags; })),
        of_packets(count_key("pcie.posted_header_credits", "credits", headers_range,
                             "write packets that the host grants at a time",
                             [](M& m) -> std::int64_t& { return m.pcie.posted_header_credits; })),
        of_packets(count_key("pcie.posted_data_credits", "credits", data_range,
                             "payload of writes that it grants, in units of 16 bytes",
                             [](M& m) -> std::int64_t& { return m.pcie.posted_data_credits; })),
        of_packets(count_key("pcie.completion_header_credits", "credits", headers_range,
                             "completions that the device grants at a time",
                             [](M& m) -> std::int64_t& { return m.pcie.completion_header_credits; })),
        of_packets(count_key("pcie.completion_data_credits", "credits", data_range,
                             "payload of completions, in units of 16 bytes",
                             [](M& m) -> std::int64_t& { return m.pcie.completion_data_credits; })),
        bandwidth_key(),
        round_trip_key(),
    };
}

void finish_pcie(Draft& draft, Diagnostics& found) {
    PcieConfig& pcie = draft.machine.pcie;
    if (pcie.generation == 0) {
        const auto needs_none = [](const std::string& key) {
            return !key.starts_with("pcie.") || key == "pcie.bandwidth" || key == "pcie.round_trip";
        };
        for (const auto& [key, place] : draft.given) {
            if (!needs_none(key) && !draft.pcie_bandwidth_given && !draft.given.contains("pcie.generation")) {
                found.add(place, key + " says nothing without pcie.generation (1..6)");
            }
        }
        return;
    }
    pcie.packets = !draft.pcie_bandwidth_given;
    if (!pcie.packets) {
        return;
    }
    const std::size_t before = found.size();
    check_completion(draft, found);
    check_data_credits(draft, "pcie.posted_data_credits", pcie.posted_data_credits, pcie.max_payload_bytes, found);
    check_data_credits(draft, "pcie.completion_data_credits", pcie.completion_data_credits, pcie_wire(pcie).completion,
                       found);
    if (found.size() == before) {
        const PcieBandwidth best = best_payload_bandwidth(pcie);
        pcie.bandwidth = std::max(best.to_device, best.to_host);
    }
}

PcieConfig load_pcie(const std::vector<std::string>& settings) {
    Diagnostics found;
    Draft draft;
    for (const Setting& setting : read_overrides(settings, found)) {
        apply(draft, setting, found);
    }
    finish_pcie(draft, found);
    found.throw_if_any();
    return draft.machine.pcie;
}

} // namespace systole
