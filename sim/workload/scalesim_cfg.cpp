#include "sim/workload/scalesim_cfg.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/workload/integer.h"

namespace systole {

namespace {

constexpr std::int64_t largest_array = 4096; // as of the keys array.rows and array.cols

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos
               ? ""
               : std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

class Reader {
  public:
    explicit Reader(std::string file) : file_(std::move(file)) {}

    ScalesimConfig read(const std::string& text);

  private:
    void read_line(const std::string& line);
    void read_setting(const std::string& key, const std::string& value);
    void set_size(const char* override_key, const std::string& value);
    void set_dataflow(const std::string& value);
    void complain(std::string what) { found_.add({file_, line_, 1}, std::move(what)); }

    std::string file_;
    int line_ = 0;
    std::string section_;
    std::set<std::string> seen_;
    ScalesimConfig config_;
    Diagnostics found_;
};

void Reader::set_size(const char* override_key, const std::string& value) {
    const Parsed<std::int64_t> size = parse_integer(value, 1, largest_array);
    if (!size.value) {
        complain("the array's size " + size.error + " (a number from 1 to " + std::to_string(largest_array) + ")");
        return;
    }
    config_.overrides.push_back(std::string(override_key) + "=" + std::to_string(*size.value));
}

void Reader::set_dataflow(const std::string& value) {
    config_.dataflow = parse_dataflow(lower(value));
    if (!config_.dataflow) {
        complain("unknown dataflow '" + value.substr(0, 40) + "' (ws, os or is)");
    }
}

// Python's configparser, which SCALE-Sim reads them with, takes keys in any case and sections exactly.
void Reader::read_setting(const std::string& key, const std::string& value) {
    const std::string full = section_.empty() ? key : section_ + "." + key;
    if (!seen_.insert(lower(full)).second) {
        complain("'" + full.substr(0, 80) + "' is given twice");
        return;
    }
    const std::string known = lower(full);
    if (known == "general.run_name") {
        config_.run_name = value;
    } else if (known == "architecture_presets.arrayheight") {
        set_size("array.rows", value);
    } else if (known == "architecture_presets.arraywidth") {
        set_size("array.cols", value);
    } else if (known == "architecture_presets.dataflow") {
        set_dataflow(value);
    } else {
        config_.ignored.push_back(full);
    }
}

void Reader::read_line(const std::string& line) {
    if (line.empty() || line[0] == '#' || line[0] == ';') {
        return;
    }
    if (line[0] == '[') {
        if (line.back() != ']') {
            complain("a section has no closing bracket");
        }
        section_ = trimmed(std::string_view(line).substr(1, line.find(']') - 1));
        return;
    }
    const std::size_t separator = line.find_first_of(":=");
    const std::string key = trimmed(line.substr(0, separator));
    if (separator == std::string::npos || key.empty()) {
        complain("'" + line.substr(0, 60) + "' is neither [section] nor key = value");
        return;
    }
    read_setting(key, trimmed(line.substr(separator + 1)));
}

ScalesimConfig Reader::read(const std::string& text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        ++line_;
        read_line(trimmed(std::string_view(text).substr(begin, end - begin)));
        begin = end + 1;
    }
    found_.throw_if_any();
    if (config_.overrides.empty() && !config_.dataflow) {
        throw InputError(Place{file_},
                         "has no ArrayHeight, ArrayWidth or Dataflow under [architecture_presets] (is it a "
                         "SCALE-Sim configuration?)");
    }
    return config_;
}

} // namespace

ScalesimConfig read_scalesim_cfg(const std::string& text, const std::string& file) { return Reader(file).read(text); }

ScalesimConfig load_scalesim_cfg(const std::string& file) {
    return read_scalesim_cfg(read_text_file(file, "a SCALE-Sim configuration"), file);
}

} // namespace systole
