#include "sim/workload/network_reader.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "sim/base/table.h"
#include "sim/workload/network_parts.h"

namespace systole {

namespace {

constexpr std::int64_t most_repeats = 100'000;
constexpr std::int64_t most_operators = 1'000'000;
constexpr std::size_t most_problems = 50; // a file that is no workload at all would give thousands

// Where names are looked up: the file, or one repetition of a [[repeat]].
struct Scope {
    std::string prefix;           // "block[2]."
    std::set<std::string> locals; // names of the repetition, without prefix
    std::string alias;            // what the repetition calls its input
    std::string incoming;

    std::string resolve(const std::string& name) const {
        if (!alias.empty() && name == alias) {
            return incoming;
        }
        return locals.contains(name) || locals.contains(name.substr(0, name.find('.'))) ? prefix + name : name;
    }
};

class Reader {
  public:
    Reader(std::string file, const NetworkOptions& options)
        : file_(std::move(file)),
          options_(options), parts_{file_, options_.asked, found_, options.asked.value_or(options.usual), {}} {}

    Network read(const std::string& text);

  private:
    void read_parameters(const toml::table& root);
    void read_entries(const toml::table& root);
    // The tables of an array of tables; reports what is written otherwise.
    std::vector<const toml::table*> tables(const toml::table& parent, const char* key);
    void read_operator(const toml::table& entry);
    void read_repeat(const toml::table& entry);
    void instantiate(const WrittenOperator& written, const Scope& scope);
    std::optional<std::string> previous_output(const Place& where);
    void count_operators(std::int64_t count, const Place& where);
    void stop_if_hopeless(const Place& where);

    std::string file_;
    const NetworkOptions& options_;
    Diagnostics found_;
    NetworkParts parts_;
    std::optional<NetworkBuilder> builder_;
    std::string only_input_; // the input tensor, while there is one alone
    int inputs_ = 0;
    std::int64_t operators_ = 0;
};

void Reader::read_parameters(const toml::table& root) {
    const toml::node* node = root.get("parameters");
    if (node != nullptr && !node->is_table()) {
        found_.add(place_in(file_, node->source()), "parameters are written as [parameters] with name = number");
    } else if (node != nullptr) {
        const TomlTable table = parts_.wrap(*node->as_table());
        for (const auto& [key, value] : *node->as_table()) {
            const std::string name(key.str());
            const std::optional<std::int64_t> number = table.number(name.c_str(), 0, std::int64_t{1} << 40);
            parts_.parameters[name] = number.value_or(1);
        }
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : parts_.parameters) {
        names.push_back(name);
    }
    for (const auto& [name, value] : options_.bindings) {
        if (!parts_.parameters.contains(name)) {
            const std::string near = nearest(name, names);
            found_.add({file_}, fmt::format("has no parameter '{}' to bind ({})", name.substr(0, 60),
                                            !near.empty()   ? "did you mean '" + near + "'?"
                                            : names.empty() ? "it has none at all"
                                                            : fmt::format("there are {}", fmt::join(names, ", "))));
        }
        parts_.parameters[name] = value;
    }
}

std::vector<const toml::table*> Reader::tables(const toml::table& parent, const char* key) {
    const toml::node* node = parent.get(key);
    if (node == nullptr) {
        return {};
    }
    const toml::array* list = node->as_array();
    if (list == nullptr || list->empty() || !list->is_homogeneous(toml::node_type::table)) {
        found_.add(place_in(file_, node->source()),
                   fmt::format("{}s are written as [[{}]], in double brackets", key, key));
        return {};
    }
    std::vector<const toml::table*> all;
    for (const toml::node& entry : *list) {
        all.push_back(entry.as_table());
    }
    return all;
}

void Reader::stop_if_hopeless(const Place& where) {
    if (found_.size() >= most_problems) {
        found_.add(where, "and more from here on");
        found_.throw_if_any();
    }
}

void Reader::count_operators(std::int64_t count, const Place& where) {
    if (operators_ + count > most_operators) {
        found_.add(where, "more than " + std::to_string(most_operators) + " operators in all (run fewer)");
        found_.throw_if_any();
    }
    operators_ += count;
}

std::optional<std::string> Reader::previous_output(const Place& where) {
    if (const std::string last = builder_->last_output(); !last.empty()) {
        return last;
    }
    if (inputs_ != 1) {
        found_.add(where, "there is no operator before this one and not one [[tensor]] of kind input alone (name its "
                          "inputs = [...])");
        return std::nullopt;
    }
    return only_input_;
}

void Reader::instantiate(const WrittenOperator& written, const Scope& scope) {
    const Place& where = written.draft.place;
    if (written.gemm) {
        count_operators(written.count, where);
        GemmProblem problem = *written.gemm;
        problem.name = scope.prefix + problem.name;
        builder_->add_gemm(problem, written.count, where);
        return;
    }
    count_operators(1, where);
    OperatorDraft draft = written.draft;
    draft.name = scope.prefix + draft.name;
    const std::string result = written.draft.output.empty() ? draft.name : scope.prefix + written.draft.output;
    for (std::string& input : draft.inputs) {
        input = scope.resolve(input);
    }
    if (draft.inputs.empty()) {
        const std::optional<std::string> previous = previous_output(where);
        if (!previous) {
            return;
        }
        draft.inputs = {*previous};
    }
    if (written.activation.empty()) {
        draft.output = result;
        builder_->add_operator(std::move(draft));
        return;
    }
    OperatorDraft activation = draft;
    activation.name = draft.name + "." + written.activation;
    activation.attributes = ElementwiseAttributes{written.activation};
    activation.inputs = {draft.name + ".linear"};
    activation.output = result;
    draft.output = draft.name + ".linear";
    draft.is_result = false;
    count_operators(1, where);
    builder_->add_operator(std::move(draft));
    builder_->add_operator(std::move(activation));
}

void Reader::read_repeat(const toml::table& entry) {
    const TomlTable table = parts_.wrap(entry);
    table.check_keys({"name", "count", "input", "operator", "tensor"}, "repeat.");
    const std::string name = table.word("name", "repeat");
    const std::int64_t count = table.number_or("count", 1, 1, most_repeats);
    if (!table.has("count")) {
        table.report("count", "a repeat needs a 'count'");
    }
    std::vector<Tensor> tensors;
    std::vector<WrittenOperator> body;
    std::set<std::string> locals;
    for (const toml::table* one : tables(entry, "tensor")) {
        if (const std::optional<Tensor> tensor = parts_.read_tensor(parts_.wrap(*one))) {
            locals.insert(tensor->name);
            tensors.push_back(*tensor);
        }
    }
    for (const toml::table* one : tables(entry, "operator")) {
        if (const auto written = parts_.read_operator(parts_.wrap(*one), static_cast<std::int64_t>(body.size()))) {
            locals.insert(written->draft.name);
            locals.insert(written->draft.output);
            body.push_back(*written);
        }
        stop_if_hopeless(table.place());
    }
    if (!entry.contains("operator")) {
        table.report("operator", "a repeat needs operators (write them as [[repeat.operator]])");
    }
    locals.erase("");
    const std::size_t before = found_.size();
    for (std::int64_t i = 0; i < count && found_.size() == before; ++i) {
        Scope scope{fmt::format("{}[{}].", name, i), locals, table.word("input"), ""};
        if (!scope.alias.empty()) {
            const std::optional<std::string> incoming = previous_output(table.place());
            scope.incoming = incoming.value_or("");
        }
        for (Tensor tensor : tensors) {
            tensor.name = scope.prefix + tensor.name;
            builder_->add_tensor(std::move(tensor));
        }
        for (const WrittenOperator& written : body) {
            instantiate(written, scope);
        }
    }
}

void Reader::read_operator(const toml::table& entry) {
    const TomlTable table = parts_.wrap(entry);
    if (const auto written = parts_.read_operator(table, operators_)) {
        instantiate(*written, {});
        return;
    }
    OperatorDraft broken;
    broken.name = entry["name"].value_or(std::string());
    broken.output = entry["output"].value_or(std::string());
    broken.place = table.place();
    builder_->add_broken_operator(broken);
}

void Reader::read_entries(const toml::table& root) {
    for (const toml::table* one : tables(root, "tensor")) {
        std::optional<Tensor> tensor = parts_.read_tensor(parts_.wrap(*one));
        const std::string name = tensor ? tensor->name : (*one)["name"].value_or(std::string());
        if (!tensor || tensor->kind == TensorKind::input) {
            ++inputs_;
            only_input_ = name;
        }
        if (tensor) {
            builder_->add_tensor(std::move(*tensor));
        } else {
            builder_->add_broken_tensor(name);
        }
    }
    if (!root.contains("operator") && !root.contains("repeat")) {
        found_.add(Place{file_}, "has no operator (write one as [[operator]] with m, n and k)");
    }
    // Operators and repeats are two lists to TOML; where they stand in the file is the order in which they run.
    struct Entry {
        Place place;
        const toml::table* table;
        bool is_repeat;
    };
    std::vector<Entry> entries;
    for (const char* const key : {"operator", "repeat"}) {
        for (const toml::table* one : tables(root, key)) {
            entries.push_back({parts_.wrap(*one).place(), one, std::string_view(key) == "repeat"});
        }
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair{a.place.line, a.place.column} < std::pair{b.place.line, b.place.column};
    });
    for (const Entry& entry : entries) {
        stop_if_hopeless(entry.place);
        if (entry.is_repeat) {
            read_repeat(*entry.table);
        } else {
            read_operator(*entry.table);
        }
    }
}

Network Reader::read(const std::string& text) {
    const std::optional<toml::table> root = parse_toml(text, file_, found_);
    found_.throw_if_any();
    const TomlTable table = parts_.wrap(*root);
    table.check_keys(
        {"description", "source", "dtype", "sparsity", "outputs", "parameters", "tensor", "operator", "repeat"}, "");
    const bool unknown_keys = !found_.empty();
    const std::string description = table.word("description");
    const std::string source = table.word("source");
    parts_.formats = parts_.read_formats(table, parts_.formats);
    parts_.sparsity = parts_.read_sparsity(table, parts_.sparsity);
    builder_.emplace(parts_.formats, found_);
    if (unknown_keys) { // one of them may have been to declare the input
        inputs_ = 1;
        builder_->add_broken_tensor("");
    }
    read_parameters(*root);
    read_entries(*root);
    Network network = builder_->finish(table.words("outputs"), table.place_of("outputs"));
    found_.throw_if_any();
    network.name = std::filesystem::path(file_).stem().string();
    network.description = description;
    network.source = source;
    return network;
}

} // namespace

Network read_network(const std::string& text, const std::string& file, const NetworkOptions& options) {
    return Reader(file, options).read(text);
}

} // namespace systole
