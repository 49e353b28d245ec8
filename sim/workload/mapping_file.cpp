#include "sim/workload/mapping_file.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/table.h"
#include "sim/base/text_file.h"
#include "sim/workload/toml_table.h"

namespace systole {

namespace {

const std::vector<std::string> operator_keys{"name",     "m",    "n",     "k",       "count",
                                             "dataflow", "tile", "order", "sharing", "products"};

std::string shape_text(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t count) {
    return count == 1 ? fmt::format("{}x{}x{}", m, n, k) : fmt::format("{} times {}x{}x{}", count, m, n, k);
}

// Names come from files of their own: no more of them than a line shows.
std::string quoted(const std::string& name) { return "'" + name.substr(0, 60) + "'"; }

class Reader {
  public:
    explicit Reader(const std::string& file) : result_{file, {}} {}

    MappingFile read(const std::string& text);

  private:
    void check_keys(const toml::table& table, const std::vector<std::string>& known, const std::string& prefix);
    void require_keys(const TomlTable& table);
    SavedMapping read_operator(const toml::table& table);
    template <typename Parse>
    auto word(const TomlTable& table, const char* key, Parse&& parse, const char* choices);

    MappingFile result_;
    Parameters no_parameters_;
    Diagnostics found_;
};

void Reader::check_keys(const toml::table& table, const std::vector<std::string>& known, const std::string& prefix) {
    for (const auto& [key, node] : table) {
        const std::string name(key.str());
        if (std::find(known.begin(), known.end(), name) != known.end()) {
            continue;
        }
        const std::string near = nearest(name, known);
        found_.add(place_in(result_.file, key.source().begin ? key.source() : node.source()),
                   fmt::format("unknown key '{}{}' ({})", prefix, name.substr(0, 60),
                               near.empty() ? fmt::format("a mapping file knows {}", fmt::join(known, ", "))
                                            : "did you mean '" + prefix + near + "'?"));
    }
}

void Reader::require_keys(const TomlTable& table) {
    for (const std::string& key : operator_keys) {
        if (key != "count" && key != "products" && !table.has(key.c_str())) {
            found_.add(table.place(), fmt::format("the operator has no '{}' (--save-mapping writes them all)", key));
        }
    }
}

template <typename Parse>
auto Reader::word(const TomlTable& table, const char* key, Parse&& parse, const char* choices) {
    const std::string text = table.word(key);
    const auto value = parse(text);
    if (!value && table.has(key) && !text.empty()) {
        table.report(key, fmt::format("'{}' is {}, but must be {}", key, quoted(text), choices));
    }
    return value.value_or(decltype(*value){});
}

SavedMapping Reader::read_operator(const toml::table& node) {
    constexpr std::int64_t most = max_macs;
    check_keys(node, operator_keys, "operator.");
    const TomlTable table(node, result_.file, no_parameters_, found_);
    require_keys(table);
    SavedMapping saved;
    saved.place = table.place();
    saved.name = table.word("name");
    saved.m = table.number_or("m", 1, 1, most);
    saved.n = table.number_or("n", 1, 1, most);
    saved.k = table.number_or("k", 1, 1, most);
    saved.count = table.number_or("count", 1, 1, most);
    saved.choice.dataflow = word(table, "dataflow", parse_dataflow, "ws, os or is");
    saved.choice.order = word(table, "order", parse_loop_order, "mnk or nmk");
    saved.choice.sharing = word(table, "sharing", parse_sharing, "m or n");
    saved.choice.products = table.number_or("products", 1, 1, most);
    const std::size_t before = found_.size();
    const std::vector<std::int64_t> tile = table.numbers("tile", 1, most);
    if (tile.size() == 3) {
        saved.choice.tile = {tile[0], tile[1], tile[2]};
    } else if (table.has("tile") && found_.size() == before) {
        table.report("tile", "'tile' must be three whole numbers, [M, N, K]");
    }
    return saved;
}

MappingFile Reader::read(const std::string& text) {
    const std::optional<toml::table> root = parse_toml(text, result_.file, found_);
    found_.throw_if_any();
    check_keys(*root, {"operator"}, "");
    const toml::node* node = root->get("operator");
    const toml::array* list = node == nullptr ? nullptr : node->as_array();
    if (list == nullptr || list->empty() || !list->is_homogeneous(toml::node_type::table)) {
        found_.add(node == nullptr ? Place{result_.file} : place_in(result_.file, node->source()),
                   "operators are written as [[operator]], in double brackets, and there must be one at least");
        found_.throw_if_any();
    }
    for (const toml::node& entry : *list) {
        result_.operators.push_back(read_operator(*entry.as_table()));
    }
    found_.throw_if_any();
    return result_;
}

// Problems of one mapping beside the one it is meant for.
void check_one(const SavedMapping& saved, const GemmProblem& problem, std::optional<Dataflow> asked,
               Diagnostics& found) {
    if (saved.m != problem.m || saved.n != problem.n || saved.k != problem.k || saved.count != problem.count) {
        found.add(saved.place, fmt::format("operator {} was mapped as {}, but is {} (MxNxK; save a mapping for it with "
                                           "--save-mapping)",
                                           quoted(saved.name), shape_text(saved.m, saved.n, saved.k, saved.count),
                                           shape_text(problem.m, problem.n, problem.k, problem.count)));
    } else if (saved.choice.tile.m > saved.m || saved.choice.tile.n > saved.n || saved.choice.tile.k > saved.k) {
        const auto& tile = saved.choice.tile;
        found.add(saved.place,
                  fmt::format("the tile {}x{}x{} of operator {} is larger than its {} (MxNxK; no tile needs to be)",
                              tile.m, tile.n, tile.k, quoted(saved.name), shape_text(saved.m, saved.n, saved.k, 1)));
    }
    if (asked && saved.choice.dataflow != *asked) {
        found.add(saved.place,
                  fmt::format("operator {} was mapped for --dataflow {}, but {} is asked for (leave --dataflow out)",
                              quoted(saved.name), short_name(saved.choice.dataflow), short_name(*asked)));
    }
}

} // namespace

MappingFile read_mapping_file(const std::string& text, const std::string& file) { return Reader(file).read(text); }

MappingFile load_mapping_file(const std::string& file) {
    return read_mapping_file(read_text_file(file, "a mapping file"), file);
}

std::vector<SavedMapping> match(const MappingFile& mappings, const std::vector<GemmProblem>& problems,
                                std::optional<Dataflow> asked) {
    std::multimap<std::string, const SavedMapping*> unused; // of one name in the order of the file
    for (const SavedMapping& saved : mappings.operators) {
        unused.emplace(saved.name, &saved);
    }
    Diagnostics found;
    std::vector<std::string> names;
    std::vector<SavedMapping> matched;
    for (const GemmProblem& problem : problems) {
        names.push_back(problem.name);
        const auto saved = unused.lower_bound(problem.name);
        if (saved == unused.end() || saved->first != problem.name) {
            found.add({mappings.file}, fmt::format("has no mapping for operator {} (save one of this run with "
                                                   "--save-mapping)",
                                                   quoted(problem.name)));
            continue;
        }
        check_one(*saved->second, problem, asked, found);
        matched.push_back(*saved->second);
        unused.erase(saved);
    }
    for (const auto& [name, saved] : unused) {
        const std::string near = nearest(name, names);
        const bool known = std::find(names.begin(), names.end(), name) != names.end();
        found.add(saved->place, fmt::format("the run has no {}operator {} ({})", known ? "further " : "", quoted(name),
                                            known || near.empty() ? "remove it" : "did you mean '" + near + "'?"));
    }
    found.throw_if_any();
    return matched;
}

std::string mapping_file_text(const std::vector<SavedMapping>& operators) {
    std::ostringstream text;
    text << "# Written by --save-mapping, read by --mapping fixed:FILE. tile: M, N, K; order: the loops over the "
            "tiles,\n"
            "# outermost first; sharing: what the arrays of a core share; products (of several): those that share a "
            "tile.\n";
    for (const SavedMapping& one : operators) {
        const MappingChoice& choice = one.choice;
        text << "\n[[operator]]\nname = "
             << toml::toml_formatter{toml::value<std::string>{one.name}, toml::format_flags::none}
             << fmt::format("\nm = {}\nn = {}\nk = {}\ncount = {}\ndataflow = \"{}\"\ntile = [{}, {}, {}]\n"
                            "order = \"{}\"\nsharing = \"{}\"\n",
                            one.m, one.n, one.k, one.count, short_name(choice.dataflow), choice.tile.m, choice.tile.n,
                            choice.tile.k, name(choice.order), name(choice.sharing))
             << (choice.products > 1 ? fmt::format("products = {}\n", choice.products) : "");
    }
    return text.str();
}

} // namespace systole
