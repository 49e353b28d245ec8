// The points of a sweep as a table of 80 columns.
#include <algorithm>

#include <fmt/format.h>

#include "sim/cli/sweep_show.h"
#include "sim/report/numbers.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

constexpr std::size_t page_width = 80;
constexpr std::size_t widest_value = 22;

struct TextColumn {
    std::string label;
    std::vector<std::string> texts;
    bool left = false; // aligned, as words are

    std::size_t width() const {
        std::size_t widest = label.size();
        for (const std::string& text : texts) {
            widest = std::max(widest, text.size());
        }
        return widest;
    }
};

std::string for_people(const std::string& unit, const Cell& cell) {
    if (!is_number(cell)) {
        return printable(text_of(cell));
    }
    if (unit == "s" || unit == "Hz") {
        return scaled(number_of(cell), unit);
    }
    if (unit == "bytes") {
        return bytes_text(static_cast<Bytes>(number_of(cell)));
    }
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return count_text(*whole, 12);
    }
    return unit.empty() ? percent_text(number_of(cell)) : fmt::format("{:.0f}", number_of(cell));
}

std::string shortened(const std::string& text) {
    return text.size() <= widest_value ? text : text.substr(0, widest_value - 2) + "..";
}

// "rows" for "array.rows", as long as no other key ends so.
std::string short_label(const std::string& key, const std::vector<std::string>& keys) {
    const auto last = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
    const auto same = std::count_if(keys.begin(), keys.end(), [&](const auto& one) { return last(one) == last(key); });
    return same > 1 ? key : last(key);
}

TextColumn key_column(const Table& table, std::size_t rows, const std::string& key,
                      const std::vector<std::string>& keys) {
    TextColumn column{short_label(key, keys), {}, false};
    const std::size_t at = table.column(key);
    for (std::size_t row = 0; row < rows; ++row) {
        column.texts.push_back(shortened(printable(text_of(table.rows[row][at]))));
        column.left = column.left || !is_number(table.rows[row][at]);
    }
    return column;
}

TextColumn metric_column(const Table& table, std::size_t rows, const Metric& metric, const std::string& label) {
    TextColumn column{label, {}, metric.unit == "text"};
    const std::size_t at = table.column(metric.name);
    for (std::size_t row = 0; row < rows; ++row) {
        column.texts.push_back(for_people(metric.unit, table.rows[row][at]));
    }
    return column;
}

const Metric& metric_named(const std::string& name) {
    const std::vector<Metric>& all = point_metrics();
    return *std::find_if(all.begin(), all.end(), [&](const Metric& one) { return one.name == name; });
}

// The keys, what was asked about, and then as much as fits.
std::vector<TextColumn> columns_of(const Store& store, const Shown& shown, std::size_t rows) {
    std::vector<TextColumn> columns;
    for (const std::string& key : store.header().keys) {
        columns.push_back(key_column(shown.points, rows, key, store.header().keys));
    }
    const std::vector<std::pair<const char*, const char*>> usual{{"cycles", "cycles"},
                                                                 {"seconds", "time"},
                                                                 {"array_utilization", "utilised"},
                                                                 {"roofline_efficiency", "of roof"},
                                                                 {"bound", "bound"},
                                                                 {"area", "area"}};
    for (const Metric* metric : shown.by) {
        const auto known =
            std::find_if(usual.begin(), usual.end(), [&](const auto& one) { return metric->name == one.first; });
        columns.push_back(
            metric_column(shown.points, rows, *metric, known == usual.end() ? metric->name : known->second));
    }
    for (const auto& [name, label] : usual) {
        const bool there = std::any_of(shown.by.begin(), shown.by.end(), [&](auto* one) { return one->name == name; });
        if (!there) {
            columns.push_back(metric_column(shown.points, rows, metric_named(name), label));
        }
    }
    return columns;
}

std::string table_text(const std::vector<TextColumn>& columns, std::size_t rows) {
    std::vector<std::string> lines(rows + 1);
    std::size_t used = 0;
    for (const TextColumn& column : columns) {
        const std::size_t width = column.width();
        const std::size_t gap = used == 0 ? 0 : 2;
        if (used > 0 && used + gap + width > page_width) {
            break;
        }
        used += gap + width;
        for (std::size_t line = 0; line <= rows; ++line) {
            const std::string& text = line == 0 ? column.label : column.texts[line - 1];
            const std::string blanks(width - text.size(), ' ');
            lines[line] += std::string(gap, ' ') + (column.left ? text + blanks : blanks + text);
        }
    }
    std::string text;
    for (std::string& line : lines) {
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string failures_text(const Shown& shown, std::size_t rows, const std::vector<std::string>& keys) {
    std::string text;
    for (std::size_t row = 0; row < rows; ++row) {
        const Row& one = shown.points.rows[row];
        std::string settings;
        for (const std::string& key : keys) {
            settings += fmt::format(" {}={}", key, text_of(one[shown.points.column(key)]));
        }
        text += wrap("", fmt::format("{} {}{}: {}", text_of(one[shown.points.column("status")]), text_of(one.front()),
                                     settings, text_of(one[shown.points.column("error")]))) +
                "\n";
    }
    return text;
}

} // namespace

std::string sweep_text(Store& store, const Shown& shown, std::size_t limit) {
    const SweepHeader& header = store.header();
    std::string text = header.description.empty() ? "" : wrap("", header.description) + "\n";
    text += fmt::format("{} of {} points", shown.stored, header.points);
    text += shown.failed > 0 ? fmt::format(", {} failed", shown.failed) : "";
    text += shown.lost > 0 ? fmt::format(", {} lost", shown.lost) : "";
    text += shown.order.empty() ? "\n" : fmt::format("; {}\n", shown.order);
    const std::size_t rows = std::min(limit, shown.points.rows.size());
    if (rows > 0) {
        const bool failures = shown.by.empty() && shown.order.starts_with("those");
        text += "\n" +
                (failures ? failures_text(shown, rows, header.keys) : table_text(columns_of(store, shown, rows), rows));
    }
    if (rows < shown.points.rows.size()) {
        text += fmt::format("... {} more (--limit N shows more, --format csv all)\n", shown.points.rows.size() - rows);
    }
    return text;
}

} // namespace systole
