#include <algorithm>

#include <fmt/format.h>

#include "sim/base/table.h"
#include "sim/workload/network.h"
#include "sim/workload/reserved_name.h"
#include "sim/workload/shape_inference.h"

namespace systole {

namespace {

constexpr std::size_t longest_cycle_shown = 8;
constexpr std::size_t most_shown = 50; // tensors that are missing

std::string shown(const std::string& name) { return "'" + name.substr(0, 60) + (name.size() > 60 ? "...'" : "'"); }

} // namespace

NetworkBuilder::NetworkBuilder(OperandFormats formats, Diagnostics& found) : formats_(formats), found_(found) {}

TensorId NetworkBuilder::make(Tensor tensor) {
    const auto id = static_cast<TensorId>(network_.tensors.size());
    const auto [entry, is_new] = ids_.emplace(tensor.name, id);
    if (!is_new) {
        const Place& first = network_.tensors[static_cast<std::size_t>(entry->second)].place;
        found_.add(tensor.place,
                   fmt::format("tensor {} has the name of an earlier one{} (names must be unique)", shown(tensor.name),
                               first.line > 0 ? fmt::format(", of line {}", first.line) : ""));
        return no_tensor;
    }
    network_.tensors.push_back(std::move(tensor));
    read_.push_back(false);
    return id;
}

void NetworkBuilder::add_tensor(Tensor tensor) {
    try {
        validate(tensor.shape);
    } catch (const InputError& error) {
        found_.add(tensor.place, fmt::format("tensor {}: {}", shown(tensor.name), error.diagnostics()[0].message));
        broken_.insert(tensor.name);
        return;
    }
    make(std::move(tensor));
}

void NetworkBuilder::make_outcome(const OperatorDraft& draft, Operator made, const Shape& output,
                                  const std::vector<std::pair<std::string, Shape>>& weights) {
    const OperandFormats formats = draft.formats.value_or(formats_);
    for (const auto& [suffix, shape] : weights) {
        made.weights.push_back(make({made.name + "." + suffix, TensorKind::weight, shape, formats.b, draft.place}));
        if (made.weights.back() == no_tensor) {
            return;
        }
        read_.back() = true;
    }
    const std::string name = draft.output.empty() ? draft.name : draft.output;
    const TensorKind kind = draft.is_result ? TensorKind::output : TensorKind::activation;
    made.output = make({name, kind, output, formats.c, draft.place});
    if (made.output != no_tensor) {
        network_.operators.push_back(std::move(made));
    }
}

void NetworkBuilder::check_name(const std::string& name, const Place& place) {
    if (const auto problem = reserved_name_problem(name)) {
        found_.add(place, *problem);
    }
}

void NetworkBuilder::add_broken_operator(const OperatorDraft& draft) {
    const std::string output = draft.output.empty() ? draft.name : draft.output;
    writers_.emplace(output, drafts_.size());
    drafts_.push_back({draft.name, {}, output, draft.place});
    broken_.insert(output);
}

bool NetworkBuilder::add_operator(OperatorDraft draft) {
    const std::size_t before = found_.size();
    const std::size_t index = drafts_.size();
    const std::string output = draft.output.empty() ? draft.name : draft.output;
    drafts_.push_back({draft.name, draft.inputs, output, draft.place});
    writers_.emplace(output, index);
    check_name(draft.name, draft.place);
    if (!operators_.emplace(draft.name, index).second) {
        found_.add(draft.place,
                   fmt::format("operator {} has the name of an earlier one (names must be unique)", shown(draft.name)));
        return false;
    }
    Operator made{draft.name, draft.attributes, {}, {}, no_tensor, 1, false, draft.place};
    std::vector<Shape> shapes;
    for (const std::string& input : draft.inputs) {
        const auto id = ids_.find(input);
        if (id == ids_.end()) {
            unresolved_.push_back({index, input});
            continue;
        }
        read_[static_cast<std::size_t>(id->second)] = true;
        made.inputs.push_back(id->second);
        shapes.push_back(network_.tensors[static_cast<std::size_t>(id->second)].shape);
    }
    if (shapes.size() < draft.inputs.size()) {
        return false; // told in finish(), when it is known who writes what is missing
    }
    try {
        const InferredShapes inferred = infer_shapes(made.attributes, shapes);
        make_outcome(draft, std::move(made), inferred.output, inferred.weights);
    } catch (const InputError& error) {
        found_.add(draft.place, fmt::format("operator {} ({}): {}", shown(draft.name), kind_name(draft.attributes),
                                            error.diagnostics()[0].message));
    }
    return found_.size() == before;
}

// What the tensors of a GEMM are named by: its name, or "NAME#2", ... if those are taken.
std::string NetworkBuilder::free_prefix(const std::string& name) {
    const auto taken = [this](const std::string& prefix) {
        return ids_.contains(prefix + ".a") || ids_.contains(prefix + ".b") || ids_.contains(prefix + ".c");
    };
    int& last = prefixes_[name];
    std::string prefix;
    do {
        ++last;
        prefix = last == 1 ? name : name + "#" + std::to_string(last);
    } while (taken(prefix));
    return prefix;
}

void NetworkBuilder::add_gemm(const GemmProblem& problem, std::int64_t count, const Place& place) {
    check_name(problem.name, place);
    const std::string prefix = free_prefix(problem.name);
    GemmAttributes gemm;
    gemm.features = problem.n;
    gemm.sparsity = problem.sparsity;
    Operator made{problem.name, gemm, {}, {}, no_tensor, count, true, place};
    const OperandFormats& formats = problem.formats;
    made.inputs = {make({prefix + ".a", TensorKind::input, {problem.m, problem.k}, formats.a, place})};
    made.weights = {make({prefix + ".b", TensorKind::weight, {problem.k, problem.n}, formats.b, place})};
    read_.back() = true;
    made.output = make({prefix + ".c", TensorKind::output, {problem.m, problem.n}, formats.c, place});
    read_[static_cast<std::size_t>(made.inputs[0])] = true;
    network_.operators.push_back(std::move(made));
}

const Tensor* NetworkBuilder::find(const std::string& tensor) const {
    const auto id = ids_.find(tensor);
    return id == ids_.end() ? nullptr : &network_.tensors[static_cast<std::size_t>(id->second)];
}

std::string NetworkBuilder::last_output() const { return drafts_.empty() ? "" : drafts_.back().output; }

// "a -> b -> a" if what `reader` writes is needed, over any number of steps, to write what it reads; else "".
std::string NetworkBuilder::cycle_through(std::size_t reader, std::size_t writer) const {
    std::vector<std::size_t> came_from(drafts_.size(), drafts_.size());
    std::vector<std::size_t> open{writer};
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (at == reader) {
            std::string text = drafts_[reader].name;
            std::size_t steps = 0;
            for (std::size_t i = reader; i != writer && steps < longest_cycle_shown; ++steps) {
                i = came_from[i];
                text += " -> " + drafts_[i].name;
            }
            return text + (steps == longest_cycle_shown ? " -> ..." : "") +
                   (reader == writer ? "" : " -> " + drafts_[reader].name);
        }
        for (const std::string& input : drafts_[at].inputs) {
            const auto next = writers_.find(input);
            if (next != writers_.end() && came_from[next->second] == drafts_.size()) {
                came_from[next->second] = at;
                open.push_back(next->second);
            }
        }
    }
    return "";
}

void NetworkBuilder::report(const Unresolved& missing) {
    const Wiring& reader = drafts_[missing.draft];
    const auto writer = writers_.find(missing.tensor);
    if (broken_.contains(missing.tensor)) {
        return;
    }
    if (writer == writers_.end()) {
        std::vector<std::string> names;
        for (const auto& [name, id] : ids_) {
            names.push_back(name);
        }
        std::sort(names.begin(), names.end());
        const std::string near = nearest(missing.tensor, names);
        found_.add(reader.place,
                   fmt::format("operator {} reads {}, which nobody writes ({})", shown(reader.name),
                               shown(missing.tensor),
                               near.empty() ? "declare it as [[tensor]], or name the operator that makes it"
                                            : "did you mean '" + near + "'?"));
        return;
    }
    if (writer->second < missing.draft) {
        return; // its writer has an error of its own
    }
    const std::string cycle = writer->second == missing.draft ? reader.name + " -> " + reader.name
                                                              : cycle_through(missing.draft, writer->second);
    found_.add(reader.place,
               cycle.empty() ? fmt::format("operator {} reads {}, which '{}' writes only later (move it behind that)",
                                           shown(reader.name), shown(missing.tensor), drafts_[writer->second].name)
                             : fmt::format("operators need each other's results: {} (break the cycle)", cycle));
}

void NetworkBuilder::mark_outputs(const std::vector<std::string>& outputs, const Place& place) {
    for (const std::string& name : outputs) {
        const auto id = ids_.find(name);
        if (id == ids_.end()) {
            if (!writers_.contains(name)) {
                found_.add(place, fmt::format("output {} is written by no operator", shown(name)));
            }
            continue;
        }
        Tensor& tensor = network_.tensors[static_cast<std::size_t>(id->second)];
        tensor.kind = tensor.kind == TensorKind::activation ? TensorKind::output : tensor.kind;
    }
}

void NetworkBuilder::report_unread() {
    for (std::size_t i = 0; i < read_.size(); ++i) {
        const Tensor& tensor = network_.tensors[i];
        if (!read_[i] && tensor.kind != TensorKind::output) {
            found_.add(tensor.place, fmt::format("tensor {} is never read ({})", shown(tensor.name),
                                                 tensor.kind == TensorKind::activation
                                                     ? "name it in outputs = [...] if it is a result"
                                                     : "remove it, or name it as an input"));
        }
    }
}

Network NetworkBuilder::finish(const std::vector<std::string>& outputs, const Place& outputs_place,
                               bool unread_is_wrong) {
    for (std::size_t i = 0; i < unresolved_.size() && i < most_shown; ++i) {
        report(unresolved_[i]);
    }
    if (outputs.empty() && !drafts_.empty()) {
        mark_outputs({drafts_.back().output}, outputs_place);
    }
    mark_outputs(outputs, outputs_place);
    if (found_.empty() && unread_is_wrong) {
        report_unread();
    }
    return std::move(network_);
}

} // namespace systole
