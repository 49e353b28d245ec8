#include "sim/cli/sweep_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "sim/base/hash.h"
#include "sim/base/table.h"
#include "sim/cli/simulate_input.h"
#include "sim/cli/sweep_point.h"
#include "sim/sweep/sweep_file.h"

namespace systole {

namespace {

using Texts = std::vector<std::string>;

// The options of a run by their names, before they become arguments.
class RunTexts {
  public:
    void take(const SweepFile& file) {
        for (const RunOption& one : file.run) {
            const OptionSpec& spec = find("--" + one.name, one.place);
            if (one.is_switch != spec.value.empty()) {
                throw InputError(one.place, fmt::format("'run.{}' must be {}", one.name.substr(0, 60),
                                                        spec.value.empty() ? "true or false" : "a text or a number"));
            }
            if (one.values.size() > 1 && !spec.repeatable) {
                throw InputError(one.place, fmt::format("'run.{}' takes one value", one.name));
            }
            texts_[spec.name] = one.is_switch ? Texts{} : one.values;
        }
    }

    void take(const ParsedOptions& options) {
        const auto is_input = [](const std::string& name) {
            return name == "--gemm" || name == "--workload" || name == "--topology" || name == "--onnx" ||
                   name == "--conv";
        };
        for (const OptionSpec& spec : specs_) {
            if (is_input(spec.name) && options.has(spec.name)) {
                std::erase_if(texts_, [&](const auto& one) { return is_input(one.first); });
            }
        }
        for (const OptionSpec& spec : specs_) {
            if (!options.has(spec.name)) {
                continue;
            }
            Texts& texts = texts_[spec.name];
            const Texts given = spec.value.empty() ? Texts{} : options.all(spec.name);
            if (!spec.repeatable) {
                texts.clear();
            }
            texts.insert(texts.end(), given.begin(), given.end());
        }
    }

    bool has(const std::string& option) const { return texts_.contains(option); }

    Texts arguments() const {
        Texts words;
        for (const OptionSpec& spec : specs_) {
            const auto found = texts_.find(spec.name);
            if (found == texts_.end()) {
                continue;
            }
            if (spec.value.empty()) {
                words.push_back(spec.name);
            }
            for (const std::string& text : found->second) {
                words.insert(words.end(), {spec.name, text});
            }
        }
        return words;
    }

  private:
    const OptionSpec& find(const std::string& name, const Place& place) const {
        Texts names;
        for (const OptionSpec& spec : specs_) {
            if (spec.name == name) {
                return spec;
            }
            names.push_back(spec.name.substr(2));
        }
        const std::string near = nearest(name.substr(2), names);
        throw InputError(place, fmt::format("unknown key 'run.{}' ({})", name.substr(2, 60),
                                            near.empty() ? "`systole simulate --help` lists the options"
                                                         : fmt::format("did you mean 'run.{}'?", near)));
    }

    std::vector<OptionSpec> specs_ = run_options();
    std::map<std::string, Texts> texts_;
};

void add_axes(std::vector<Axis>& axes, const ParsedOptions& options) {
    for (const std::string& text : options.all("--axis")) {
        Axis axis = parse_axis(text);
        const auto same = std::find_if(axes.begin(), axes.end(), [&](const Axis& one) {
            return one.keys == axis.keys && one.place.line > 0; // of the file
        });
        if (same != axes.end()) {
            *same = std::move(axis);
        } else {
            axes.push_back(std::move(axis));
        }
    }
}

// Whether what is run has parameters that an axis can bind.
bool takes_parameters(const std::vector<Axis>& axes, const RunTexts& run) {
    const auto has_network = [](const Axis& axis) {
        return std::any_of(axis.keys.begin(), axis.keys.end(),
                           [](const std::string& key) { return key == "workload" || key == "onnx"; });
    };
    return run.has("--workload") || run.has("--onnx") || std::any_of(axes.begin(), axes.end(), has_network);
}

void check_axes(const std::vector<Axis>& axes, const RunTexts& run) {
    const bool parameters = takes_parameters(axes, run);
    for (const Axis& axis : axes) {
        for (const std::string& key : axis.keys) {
            const AxisKind kind = axis_kind(key, axis.place);
            if (kind == AxisKind::parameter && !parameters) {
                reject_axis(key, axis.place);
            }
            if (kind == AxisKind::option && run.has("--" + key)) {
                throw InputError(axis.place,
                                 fmt::format("{} is an axis and --{} is given, too (leave one out)", key, key));
            }
            if (kind == AxisKind::dimension && (run.has("--workload") || run.has("--topology") || run.has("--onnx"))) {
                throw InputError(axis.place, fmt::format("{} is a dimension of --gemm, which is not given", key));
            }
        }
    }
    check_axis_values(axes);
}

// Some points with each value of an axis; many values are taken at even distances.
class Samples {
  public:
    Samples(const Space& space, std::size_t axis) : space_(space), axis_(axis), of_value_(values().size()) {
        for (std::int64_t point = 0; point < space.size(); ++point) {
            std::vector<std::int64_t>& points = of_value_[space.value_index(point, axis)];
            if (points.size() < most_tries) {
                points.push_back(point);
            }
        }
    }

    template <class Use>
    void for_each(Use use) const {
        const std::size_t step = std::max<std::size_t>(1, values().size() / most_values);
        for (std::size_t i = 0; i < values().size(); i += step) {
            if (!of_value_[i].empty()) { // the filters may leave none
                use(values()[i], of_value_[i]);
            }
        }
    }

  private:
    static constexpr std::size_t most_values = 256;
    static constexpr std::size_t most_tries = 4;

    const std::vector<AxisValue>& values() const { return space_.axes()[axis_].values; }

    const Space& space_;
    std::size_t axis_;
    std::vector<std::vector<std::int64_t>> of_value_;
};

// The hash of the first of the points that can be made. Throws InputError if none can.
std::string first_hash(const SweepPlan& plan, const Axis& axis, const AxisValue& value,
                       const std::vector<std::int64_t>& points) {
    std::optional<Diagnostic> problem;
    for (const std::int64_t point : points) {
        try {
            return point_hash(resolve_point(point_arguments(plan.arguments, plan.space.settings(point))));
        } catch (const InputError& error) {
            problem = problem.value_or(error.diagnostics().front());
        }
    }
    const std::string place = to_string(problem->place);
    throw InputError(value.place, fmt::format("{} = {}: {}{}", name_of(axis), text_of(value).substr(0, 60),
                                              place.empty() ? "" : place + ": ", problem->message));
}

// What is wrong with every point alike (no chip, no workload) is not the fault of a value.
void require_runnable(const SweepPlan& plan) {
    std::optional<InputError> first;
    const std::int64_t last = plan.space.size() - 1;
    for (const std::int64_t point : {std::int64_t{0}, last / 2, last}) {
        try {
            resolve_point(point_arguments(plan.arguments, plan.space.settings(point)));
            return;
        } catch (const InputError& error) {
            if (first && std::string(first->what()) != error.what()) {
                return;
            }
            first = error;
        }
    }
    throw InputError(*first);
}

// Several words: one of them was probably meant to be a command.
void require_one_file(const Texts& words) {
    if (words.size() < 2) {
        return;
    }
    const Texts commands{"show", "plot", "merge"};
    for (const std::string& word : words) {
        if (const std::string near = nearest(word, commands); !near.empty()) {
            throw InputError(fmt::format("{} sweep files are named, one at most can be run (did you mean `systole "
                                         "sweep {}`? That word comes first)",
                                         words.size(), near));
        }
    }
    throw InputError(fmt::format("{} sweep files are named, one at most can be run (name one)", words.size()));
}

} // namespace

std::vector<OptionSpec> sweep_plan_options() {
    std::vector<OptionSpec> options{
        {"--axis", "KEY=V,V,...",
         "values of a key of the chip, of an option without its dashes, or of m, n, k of --gemm; 8..256 doubles, "
         "1..9:2 adds; KEY,KEY=8x512,... changes keys together",
         true},
        {"--filter", "CONDITION", "runs only points that meet it: \"array.rows * array.cols <= 16384\"", true}};
    const std::vector<OptionSpec> run = run_options();
    options.insert(options.end(), run.begin(), run.end());
    return options;
}

SweepPlan read_sweep_plan(const ParsedOptions& options) {
    require_one_file(options.positionals());
    SweepFile file;
    if (!options.positionals().empty()) {
        file = load_sweep_file(options.positionals().front());
    }
    RunTexts run;
    run.take(file);
    run.take(options);
    add_axes(file.axes, options);
    for (const std::string& text : options.all("--filter")) {
        file.filters.push_back({text, {}});
    }
    check_axes(file.axes, run);
    return {Space(std::move(file.axes), file.filters), run.arguments(), file.description};
}

SweepHeader sweep_header(const SweepPlan& plan) {
    require_runnable(plan);
    Fnv1a fingerprint;
    for (std::size_t axis = 0; axis < plan.space.axes().size(); ++axis) {
        Samples(plan.space, axis).for_each([&](const AxisValue& value, const std::vector<std::int64_t>& points) {
            fingerprint.add(first_hash(plan, plan.space.axes()[axis], value, points));
        });
    }
    return {SYSTOLE_VERSION,    plan.description,  plan.space.text(), plan.arguments,
            fingerprint.text(), plan.space.size(), plan.space.keys()};
}

} // namespace systole
