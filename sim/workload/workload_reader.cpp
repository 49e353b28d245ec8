#include "sim/workload/workload_reader.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <toml++/toml.h>

#include "sim/base/error.h"
#include "sim/workload/operand_formats.h"
#include "sim/workload/sparsity_pattern.h"

namespace systole {

namespace {

constexpr std::int64_t most_repeats = 100'000;
constexpr std::int64_t most_operators = 1'000'000;

class Reader {
  public:
    Reader(std::string file, const OperandFormats& formats) : file_(std::move(file)), formats_(formats) {}

    Workload read(const std::string& text);

  private:
    Place place(const toml::source_region& region) const {
        return {file_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
    }
    std::optional<toml::table> parse(const std::string& text);
    void check_keys(const toml::table& table, const std::string& prefix);
    std::string word(const toml::table& table, const char* key, const std::string& otherwise);
    std::optional<std::int64_t> number(const toml::table& table, const char* key, std::int64_t most);
    OperandFormats formats(const toml::table& table, const OperandFormats& otherwise);
    SparsePattern sparsity(const toml::table& table, SparsePattern otherwise);
    void read_operators(const toml::table& root, Workload& workload);
    void read_operator(const toml::table& table, Workload& workload);
    void append(const GemmProblem& problem, std::int64_t count, const Place& where, Workload& workload);

    std::string file_;
    OperandFormats formats_;
    SparsePattern sparsity_ = dense_pattern; // of operators that state none
    Diagnostics found_;
};

// toml++ nests a table per dot and takes nested tables down recursively: a line of a million dots would end the stack.
bool nests_too_deeply(const std::string& text, int& line_number) {
    constexpr std::ptrdiff_t most_dots = 200;
    line_number = 1;
    for (auto begin = text.begin(); begin != text.end(); ++line_number) {
        const auto end = std::find(begin, text.end(), '\n');
        if (std::count(begin, end, '.') > most_dots) {
            return true;
        }
        begin = end == text.end() ? end : end + 1;
    }
    return false;
}

std::optional<toml::table> Reader::parse(const std::string& text) {
    int line = 0;
    if (nests_too_deeply(text, line)) {
        found_.add({file_, line, 1}, "too many dots in one line; no key nests that deeply");
        return std::nullopt;
    }
    try {
        return toml::parse(text, file_);
    } catch (const toml::parse_error& error) {
        found_.add(place(error.source()), std::string(error.description()));
        return std::nullopt;
    }
}

// The keys of one table: those of `workload_keys()` that start with `prefix` and have no further dot.
std::vector<std::string> keys_under(const std::string& prefix) {
    std::vector<std::string> keys;
    for (const KeyInfo& info : workload_keys()) {
        const std::string rest = info.key.substr(std::min(prefix.size(), info.key.size()));
        if (info.key.starts_with(prefix) && rest.find('.') == std::string::npos) {
            keys.push_back(rest);
        }
    }
    if (prefix.empty()) {
        keys.emplace_back("operator");
    }
    return keys;
}

void Reader::check_keys(const toml::table& table, const std::string& prefix) {
    const std::vector<std::string> known = keys_under(prefix);
    for (const auto& [key, node] : table) {
        const std::string name(key.str());
        if (std::find(known.begin(), known.end(), name) != known.end()) {
            continue;
        }
        const std::string near = nearest(name, known);
        const std::string cure =
            near.empty() ? "`systole info workloads` lists all" : "did you mean '" + prefix + near + "'?";
        found_.add(place(key.source()), "unknown key '" + prefix + name + "' (" + cure + ")");
    }
}

std::string Reader::word(const toml::table& table, const char* key, const std::string& otherwise) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        return otherwise;
    }
    const auto* text = node->as_string();
    if (text == nullptr) {
        found_.add(place(node->source()), std::string("'") + key + "' must be a text in quotes");
        return otherwise;
    }
    return text->get();
}

std::optional<std::int64_t> Reader::number(const toml::table& table, const char* key, std::int64_t most) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    const auto* value = node->as_integer();
    if (value == nullptr) {
        found_.add(place(node->source()), std::string("'") + key + "' must be a whole number, without quotes");
        return std::nullopt;
    }
    if (value->get() < 1 || value->get() > most) {
        const std::string limit = value->get() < 1 ? "at least 1" : "at most " + std::to_string(most);
        found_.add(place(node->source()),
                   std::string("'") + key + "' is " + std::to_string(value->get()) + ", but must be " + limit);
        return std::nullopt;
    }
    return value->get();
}

OperandFormats Reader::formats(const toml::table& table, const OperandFormats& otherwise) {
    const toml::node* node = table.get("dtype");
    if (node == nullptr) {
        return otherwise;
    }
    const auto* text = node->as_string();
    const Parsed<OperandFormats> parsed =
        text == nullptr ? Parsed<OperandFormats>{{}, "'dtype' must be a text in quotes, like \"int8\""}
                        : parse_operand_formats(text->get());
    if (!parsed.value) {
        found_.add(place(node->source()), parsed.error);
    }
    return parsed.value.value_or(otherwise);
}

SparsePattern Reader::sparsity(const toml::table& table, SparsePattern otherwise) {
    const toml::node* node = table.get("sparsity");
    if (node == nullptr) {
        return otherwise;
    }
    const auto* text = node->as_string();
    const Parsed<SparsePattern> parsed = text == nullptr
                                             ? Parsed<SparsePattern>{{}, "must be a text in quotes, like \"2:4\""}
                                             : parse_sparsity_pattern(text->get());
    if (!parsed.value) {
        found_.add(place(node->source()), "'sparsity' " + parsed.error);
    }
    return parsed.value.value_or(otherwise);
}

void Reader::append(const GemmProblem& problem, std::int64_t count, const Place& where, Workload& workload) {
    try {
        validate(problem);
    } catch (const InputError& error) {
        for (const Diagnostic& one : error.diagnostics()) {
            found_.add(where, one.message);
        }
        return;
    }
    if (static_cast<std::int64_t>(workload.operators.size()) + count > most_operators) {
        found_.add(where, "more than " + std::to_string(most_operators) + " operators in all (run fewer)");
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        workload.operators.push_back(problem);
        if (count > 1) {
            workload.operators.back().name += "[" + std::to_string(i) + "]";
        }
    }
}

void Reader::read_operator(const toml::table& table, Workload& workload) {
    check_keys(table, "operator.");
    const Place where = place(table.source());
    GemmProblem problem;
    problem.name = word(table, "name", "op" + std::to_string(workload.operators.size()));
    if (const std::string kind = word(table, "kind", "gemm"); kind != "gemm") {
        found_.add(place(table.get("kind")->source()), "unknown kind '" + kind + "' (there is \"gemm\")");
    }
    bool complete = true;
    for (const auto& [key, target] :
         {std::pair{"m", &problem.m}, std::pair{"n", &problem.n}, std::pair{"k", &problem.k}}) {
        const std::optional<std::int64_t> size = number(table, key, unlimited);
        complete = complete && size;
        *target = size.value_or(1);
        if (!table.contains(key)) {
            found_.add(where, "operator '" + problem.name + "' has no '" + key + "' (a GEMM needs m, n and k)");
        }
    }
    problem.formats = formats(table, formats_);
    problem.sparsity = sparsity(table, sparsity_);
    const std::optional<std::int64_t> count = number(table, "count", most_repeats);
    if (complete) {
        append(problem, count.value_or(1), where, workload);
    }
}

void Reader::read_operators(const toml::table& root, Workload& workload) {
    const toml::node* node = root.get("operator");
    if (node == nullptr) {
        found_.add(Place{file_}, "has no operator (write one as [[operator]] with m, n and k)");
        return;
    }
    const toml::array* list = node->as_array();
    if (list == nullptr || list->empty() || !list->is_homogeneous(toml::node_type::table)) {
        found_.add(place(node->source()), "operators are written as [[operator]], in double brackets");
        return;
    }
    for (const toml::node& entry : *list) {
        read_operator(*entry.as_table(), workload);
    }
}

Workload Reader::read(const std::string& text) {
    Workload workload;
    workload.name = std::filesystem::path(file_).stem().string();
    if (const std::optional<toml::table> root = parse(text)) {
        check_keys(*root, "");
        workload.description = word(*root, "description", "");
        workload.source = word(*root, "source", "");
        formats_ = formats(*root, formats_);
        sparsity_ = sparsity(*root, sparsity_);
        read_operators(*root, workload);
    }
    found_.throw_if_any();
    return workload;
}

} // namespace

Workload read_workload(const std::string& text, const std::string& file, const OperandFormats& default_formats) {
    return Reader(file, default_formats).read(text);
}

const std::vector<KeyInfo>& workload_keys() {
    static const std::vector<KeyInfo> keys{
        {"description", "", "\"\"", "text", "what the network or layer is, one line"},
        {"source", "", "\"\"", "text", "where the shapes come from"},
        {"dtype", "", "the chip's first format", "A[,B[,C]]", "stored number formats of all operators"},
        {"sparsity", "", "dense", "dense | N:M", "structured sparsity of all operators' B, like 2:4"},
        {"operator.name", "", "op0, op1, ...", "text", "name in the result"},
        {"operator.kind", "", "\"gemm\"", "gemm", "what is computed: C[m,n] = A[m,k] * B[k,n]"},
        {"operator.m", "elements", "required", "1..", "rows of A and C"},
        {"operator.n", "elements", "required", "1..", "columns of B and C"},
        {"operator.k", "elements", "required", "1..", "columns of A, rows of B"},
        {"operator.count", "", "1", "1..100000", "how often it is run, one after the other"},
        {"operator.dtype", "", "that of the file", "A[,B[,C]]", "stored number formats of this operator"},
        {"operator.sparsity", "", "that of the file", "dense | N:M", "structured sparsity of this operator's B"},
    };
    return keys;
}

} // namespace systole
