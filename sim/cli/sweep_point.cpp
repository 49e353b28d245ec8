#include "sim/cli/sweep_point.h"

#include <algorithm>
#include <array>
#include <new>

#include <fmt/format.h>

#include "sim/base/hash.h"
#include "sim/base/table.h"
#include "sim/cli/input_text.h"
#include "sim/cli/values.h"
#include "sim/config/keys.h"
#include "sim/config/load.h"
#include "sim/config/toml_reader.h"
#include "sim/report/wrap.h"
#include "sim/sweep/metric.h"

namespace systole {

namespace {

constexpr std::array dimensions{"m", "n", "k"};

const CommandSpec& simulate_spec() {
    static const CommandSpec spec{"simulate", "", "", run_options(), ""};
    return spec;
}

bool has_option(const std::string& name) {
    const std::vector<OptionSpec>& options = simulate_spec().options;
    return std::any_of(options.begin(), options.end(), [&](const OptionSpec& one) { return one.name == name; });
}

// What the reader of the key has to say about it; nothing if it takes the value.
Diagnostics complaints(const std::string& key, const std::string& value) {
    Diagnostics found;
    Draft draft;
    for (const Setting& setting : read_overrides({key + "=" + value}, found)) {
        apply(draft, setting, found);
    }
    return found;
}

bool is_chip_key(const std::string& key) {
    const std::string family = key.substr(0, key.rfind('.')) + ".FORMAT";
    const std::vector<KeyInfo>& keys = chip_keys();
    return std::any_of(keys.begin(), keys.end(),
                       [&](const KeyInfo& one) { return one.key == key || one.key == family; });
}

// A key or an option that is spelled nearly so; "" if there is none.
std::string nearest_name(const std::string& key) {
    std::vector<std::string> names{dimensions.begin(), dimensions.end()};
    for (const KeyInfo& one : chip_keys()) {
        names.push_back(one.key);
    }
    for (const OptionSpec& one : simulate_spec().options) {
        if (!one.value.empty() && !one.repeatable) {
            names.push_back(one.name.substr(2));
        }
    }
    return nearest(key, names);
}

constexpr std::string_view parameter_prefix = "bind.";

std::string parameter_name(const std::string& key) {
    return key.starts_with(parameter_prefix) ? key.substr(parameter_prefix.size()) : key;
}

void remove_option(std::vector<std::string>& arguments, const std::string& option) {
    const auto found = std::find(arguments.begin(), arguments.end(), option);
    if (found != arguments.end()) {
        arguments.erase(found, found + 2);
    }
}

// --gemm with one of its dimensions replaced; 0 stands for one that is not known yet.
void set_dimension(std::vector<std::string>& arguments, std::size_t dimension, const std::string& value) {
    std::array<std::string, 3> shape{"0", "0", "0"};
    const auto found = std::find(arguments.begin(), arguments.end(), "--gemm");
    if (found != arguments.end()) {
        std::string rest = *(found + 1);
        for (std::string& size : shape) {
            const std::size_t end = std::min(rest.find('x'), rest.size());
            size = rest.substr(0, end);
            rest.erase(0, end + 1);
        }
    }
    shape[dimension] = value;
    remove_option(arguments, "--gemm");
    arguments.insert(arguments.end(), {"--gemm", fmt::format("{}x{}x{}", shape[0], shape[1], shape[2])});
}

void apply_setting(std::vector<std::string>& arguments, const std::string& key, const std::string& value) {
    switch (axis_kind(key, {})) {
    case AxisKind::chip_key:
        arguments.insert(arguments.end(), {"--set", key + "=" + value});
        return;
    case AxisKind::option:
        remove_option(arguments, "--" + key);
        arguments.insert(arguments.end(), {"--" + key, value});
        return;
    case AxisKind::dimension:
        set_dimension(arguments, static_cast<std::size_t>(key[0] == 'm' ? 0 : key[0] == 'n' ? 1 : 2), value);
        return;
    case AxisKind::parameter:
        arguments.insert(arguments.end(), {"--bind", parameter_name(key) + "=" + value});
        return;
    }
}

// Values of one key of an axis that is a key of the chip.
void check_values(const Axis& axis, std::size_t key, Diagnostics& found) {
    constexpr std::size_t most_shown = 3; // a range has thousands
    std::size_t wrong = 0;
    for (const AxisValue& value : axis.values) {
        try {
            complaints(axis.keys[key], value.texts[key]).throw_if_any();
        } catch (const InputError& error) {
            if (++wrong <= most_shown) {
                found.add(value.place, error.diagnostics().front().message);
            }
        }
    }
    if (wrong > most_shown) {
        found.add(axis.place, fmt::format("{}: and {} more of its values are wrong (leave them out)", axis.keys[key],
                                          wrong - most_shown));
    }
}

std::string all_problems(const InputError& error) {
    std::string text;
    for (const Diagnostic& one : error.diagnostics()) {
        const std::string place = to_string(one.place);
        text += (text.empty() ? "" : "; ") + (place.empty() ? "" : place + ": ") + one.message;
    }
    return printable(text);
}

Row row_of(const std::vector<Metric>& metrics, const Machine& machine, const OperatorResult& result) {
    Row row;
    for (const Metric& metric : metrics) {
        row.push_back(metric.value(machine, result));
    }
    return row;
}

PointOutcome outcome_of(const SimulateInput& input, const RunResult& result) {
    PointOutcome outcome;
    for (const OperatorResult& layer : result.operators) {
        if (layer.verified == false) {
            outcome.status = PointStatus::failed;
            outcome.error += (outcome.error.empty() ? "the product differs from the reference: " : ", ") + layer.name;
        }
    }
    if (outcome.status != PointStatus::ok) {
        return outcome;
    }
    outcome.metrics = row_of(point_metrics(), input.machine, result.total);
    for (const OperatorResult& layer : result.operators) {
        outcome.layers.push_back(row_of(layer_metrics(), input.machine, layer));
    }
    return outcome;
}

} // namespace

void reject_axis(const std::string& key, const Place& place) {
    const std::string near = nearest_name(key);
    throw InputError(place,
                     fmt::format("unknown axis '{}' ({}axes are keys of a chip, `systole info keys`, options "
                                 "of simulate without their dashes, and parameters of the workload)",
                                 key.substr(0, 60), near.empty() ? "" : fmt::format("did you mean '{}'? ", near)));
}

AxisKind axis_kind(const std::string& key, const Place& place) {
    if (std::find(dimensions.begin(), dimensions.end(), key) != dimensions.end()) {
        return AxisKind::dimension;
    }
    if (is_chip_key(key)) {
        return AxisKind::chip_key;
    }
    for (const OptionSpec& one : simulate_spec().options) {
        if (one.name == "--" + key && !one.value.empty() && !one.repeatable) {
            return AxisKind::option;
        }
    }
    const bool may_be_parameter = key.find('.') == std::string::npos && nearest_name(key).empty();
    if (has_option("--bind") && (may_be_parameter || key.starts_with(parameter_prefix))) {
        return AxisKind::parameter;
    }
    reject_axis(key, place);
}

void check_axis_values(const std::vector<Axis>& axes) {
    Diagnostics found;
    for (const Axis& axis : axes) {
        for (std::size_t i = 0; i < axis.keys.size(); ++i) {
            if (axis_kind(axis.keys[i], axis.place) == AxisKind::chip_key) {
                check_values(axis, i, found);
            }
        }
    }
    found.throw_if_any();
}

std::vector<std::string> point_arguments(const std::vector<std::string>& base, const Settings& settings) {
    std::vector<std::string> arguments = base;
    for (const auto& [key, value] : settings) {
        apply_setting(arguments, key, value);
    }
    return arguments;
}

SimulateInput resolve_point(const std::vector<std::string>& arguments) {
    return read_simulate_input(parse_options(simulate_spec(), arguments));
}

std::string point_hash(const SimulateInput& input) {
    Fnv1a hash;
    hash.add(fmt::format("systole {}\n", SYSTOLE_VERSION));
    hash.add(input_text(input));
    return hash.text();
}

PointOutcome run_point(const std::vector<std::string>& arguments) noexcept {
    PointOutcome outcome;
    std::string hash;
    try {
        const SimulateInput input = resolve_point(arguments);
        hash = point_hash(input);
        outcome = outcome_of(input, simulate(input.machine, input, input.run));
    } catch (const InputError& error) {
        outcome.status = PointStatus::failed;
        outcome.error = all_problems(error);
    } catch (const InternalError& error) {
        outcome.status = PointStatus::failed;
        outcome.error = fmt::format("a bug in Systole, please report it: {}", error.what());
    } catch (const std::bad_alloc&) {
        outcome.status = PointStatus::lost;
        outcome.error = "out of memory (use fewer --workers)";
    } catch (const std::exception& error) {
        outcome.status = PointStatus::lost;
        outcome.error = error.what();
    }
    outcome.hash = hash;
    return outcome;
}

std::string shell_line(const std::vector<std::string>& arguments) {
    constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
    std::string line;
    for (const std::string& word : arguments) {
        line += line.empty() ? "" : " ";
        if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
            line += word;
            continue;
        }
        line += '\'';
        for (const char c : word) {
            line += c == '\'' ? "'\\''" : std::string(1, c);
        }
        line += '\'';
    }
    return line;
}

} // namespace systole
