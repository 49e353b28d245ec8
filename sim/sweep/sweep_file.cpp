#include "sim/sweep/sweep_file.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "sim/base/table.h"
#include "sim/base/text_file.h"
#include "sim/config/config_files.h"
#include "sim/sweep/cell.h"
#include "sim/workload/toml_table.h"

namespace systole {

namespace {

const ConfigFolder folder{"sweeps", "sweep", "systole info sweeps"};

class Reader {
  public:
    Reader(const std::string& file, Diagnostics& found) : file_(file), found_(found) {}

    SweepFile read(const toml::table& table) {
        check_keys(table, {"description", "filters", "run", "axis"}, "");
        SweepFile sweep;
        sweep.description = text_of_key(table, "description");
        read_run(table, sweep);
        read_axes(table, sweep);
        read_filters(table, sweep);
        return sweep;
    }

  private:
    Place place(const toml::node& node) const { return place_in(file_, node.source()); }
    void report(const toml::node& node, const std::string& problem) { found_.add(place(node), problem); }

    void check_keys(const toml::table& table, const std::vector<std::string>& known, const std::string& prefix) {
        for (const auto& [key, node] : table) {
            const std::string name(key.str());
            if (std::find(known.begin(), known.end(), name) != known.end()) {
                continue;
            }
            std::string near = nearest(name, known);
            near = near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                : fmt::format("did you mean '{}{}'?", prefix, near);
            const toml::source_region& region = key.source().begin ? key.source() : node.source();
            found_.add(place_in(file_, region),
                       fmt::format("unknown key '{}{}' ({})", prefix, name.substr(0, 60), near));
        }
    }

    std::string text_of_key(const toml::table& table, const char* key) {
        const toml::node* node = table.get(key);
        if (node != nullptr && !node->is_string()) {
            report(*node, fmt::format("'{}' must be a text in quotes", key));
        }
        return node != nullptr && node->is_string() ? node->as_string()->get() : "";
    }

    // A text or a number as it would be written behind an option; nothing for anything else.
    static std::optional<std::string> plain_text(const toml::node& node) {
        if (const auto* text = node.as_string()) {
            return text->get();
        }
        if (const auto* whole = node.as_integer()) {
            return fmt::format("{}", whole->get());
        }
        if (const auto* real = node.as_floating_point()) {
            return text_of(Cell(real->get()));
        }
        if (const auto* truth = node.as_boolean()) {
            return truth->get() ? "true" : "false";
        }
        return std::nullopt;
    }

    std::vector<std::string> plain_texts(const toml::node& node, const std::string& what) {
        const toml::array* list = node.as_array();
        if (list == nullptr) {
            if (const std::optional<std::string> one = plain_text(node)) {
                return {*one};
            }
        }
        std::vector<std::string> texts;
        for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
            if (const std::optional<std::string> one = plain_text(*list->get(i))) {
                texts.push_back(*one);
            }
        }
        if (texts.empty() || list == nullptr || texts.size() != list->size()) {
            report(node, fmt::format("'{}' must be a text, a number or a list of such", what));
            return {};
        }
        return texts;
    }

    void read_run(const toml::table& table, SweepFile& sweep) {
        const toml::node* node = table.get("run");
        if (node == nullptr) {
            return;
        }
        if (!node->is_table()) {
            report(*node, "'run' must be a table ([run], then chip = \"NAME\" and the like)");
            return;
        }
        for (const auto& [key, value] : *node->as_table()) {
            const std::string name(key.str());
            RunOption option{name, {}, false, place(value)};
            if (const auto* truth = value.as_boolean()) {
                option.is_switch = true;
                if (!truth->get()) {
                    continue;
                }
            } else {
                option.values = plain_texts(value, "run." + name);
            }
            sweep.run.push_back(std::move(option));
        }
        std::sort(sweep.run.begin(), sweep.run.end(), [](const RunOption& a, const RunOption& b) {
            return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
        });
    }

    void read_axes(const toml::table& table, SweepFile& sweep) {
        const toml::node* node = table.get("axis");
        if (node == nullptr) {
            return;
        }
        if (!node->is_array_of_tables()) {
            report(*node, "'axis' must be a list of tables ([[axis]], then key = \"array.rows\", values = [8, 16])");
            return;
        }
        for (const toml::node& entry : *node->as_array()) {
            read_axis(*entry.as_table(), sweep);
        }
    }

    void read_axis(const toml::table& table, SweepFile& sweep) {
        check_keys(table, {"key", "link", "values"}, "axis.");
        Axis axis;
        axis.place = place(table);
        const toml::node* const key = table.get("key");
        const toml::node* const link = table.get("link");
        const toml::node* const values = table.get("values");
        if ((key == nullptr) == (link == nullptr) || values == nullptr) {
            found_.add(axis.place, "an axis needs 'values' and either 'key' or 'link' (key = \"array.rows\", or link = "
                                   "[\"array.rows\", \"array.cols\"])");
            return;
        }
        axis.keys = key != nullptr ? std::vector{text_of_key(table, "key")} : plain_texts(*link, "axis.link");
        if (!values->is_array()) {
            report(*values, "'values' must be a list (values = [8, \"16..256\"])");
            return;
        }
        try {
            for (const toml::node& value : *values->as_array()) {
                add_values(value, axis);
            }
            check_axis(axis);
            sweep.axes.push_back(std::move(axis));
        } catch (const InputError& error) {
            for (const Diagnostic& one : error.diagnostics()) {
                found_.add(one.place, one.message);
            }
        }
    }

    void add_values(const toml::node& node, Axis& axis) {
        if (const toml::array* each = node.as_array()) {
            const std::vector<std::string> texts = plain_texts(node, "axis.values");
            if (texts.size() != axis.keys.size()) {
                throw InputError(place(node), fmt::format("a list of {} values for {} keys (write one for each key of "
                                                          "'link')",
                                                          each->size(), axis.keys.size()));
            }
            axis.values.push_back({texts, place(node)});
        } else if (const auto* text = node.as_string()) {
            for (AxisValue& value : expand_values(text->get(), axis.keys.size(), place(node))) {
                axis.values.push_back(std::move(value));
            }
        } else if (const std::optional<std::string> plain = plain_text(node)) {
            axis.values.push_back({std::vector<std::string>(axis.keys.size(), *plain), place(node)});
        } else {
            throw InputError(place(node), "a value must be a text, a number or a list with one of them for each key");
        }
    }

    void read_filters(const toml::table& table, SweepFile& sweep) {
        const toml::node* node = table.get("filters");
        if (node == nullptr) {
            return;
        }
        const toml::array* list = node->as_array();
        if (list == nullptr || !std::all_of(list->begin(), list->end(), [](auto& one) { return one.is_string(); })) {
            report(*node, "'filters' must be a list of texts (filters = [\"array.rows <= 64\"])");
            return;
        }
        for (const toml::node& one : *list) {
            sweep.filters.push_back({one.as_string()->get(), place(one)});
        }
    }

    const std::string& file_;
    Diagnostics& found_;
};

} // namespace

SweepFile read_sweep_file(const std::string& text, const std::string& file) {
    Diagnostics found;
    SweepFile sweep;
    if (const std::optional<toml::table> table = parse_toml(text, file, found)) {
        sweep = Reader(file, found).read(*table);
    }
    found.throw_if_any();
    return sweep;
}

SweepFile load_sweep_file(const std::string& name_or_file) {
    const std::filesystem::path file = find_config(folder, name_or_file);
    return read_sweep_file(read_text_file(file, "a sweep file"), file.string());
}

std::vector<std::string> sweep_names() { return config_names(folder); }

} // namespace systole
