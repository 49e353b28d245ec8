#include "sim/workload/scalesim_topology.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>

#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/workload/integer.h"
#include "sim/workload/reserved_name.h"
#include "sim/workload/sparsity_pattern.h"

namespace systole {

namespace {

struct Field {
    std::string text; // without blanks around it
    int column = 1;
};

using Fields = std::vector<Field>;

enum class Dialect { conv, gemm };

constexpr std::array conv_columns{"layer name",   "IFMAP height", "IFMAP width", "filter height",
                                  "filter width", "channels",     "filters",     "stride"};
constexpr std::array gemm_columns{"layer name", "M", "N", "K"};

Fields split(std::string_view line) {
    Fields fields;
    std::size_t begin = 0;
    for (;;) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        std::string_view text = line.substr(begin, end - begin);
        const std::size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
        const std::size_t last = text.find_last_not_of(" \t\r");
        text = first == text.size() ? "" : text.substr(first, last - first + 1);
        fields.push_back({std::string(text), static_cast<int>(begin + first) + 1});
        if (end == line.size()) {
            return fields;
        }
        begin = end + 1;
    }
}

bool is_blank(const Fields& fields) {
    return std::all_of(fields.begin(), fields.end(), [](const Field& field) { return field.text.empty(); });
}

bool has_digit_first(const std::string& text) {
    return !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-' || text[0] == '+');
}

// A header has words where a layer has numbers.
bool is_header(const Fields& fields) {
    return std::none_of(fields.begin() + 1, fields.end(), [](const Field& f) { return has_digit_first(f.text); });
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool is_gemm_header(const Fields& fields) {
    return fields.size() >= 4 && lower(fields[1].text) == "m" && lower(fields[2].text) == "n" &&
           lower(fields[3].text) == "k";
}

// Without a header: the number of fields tells.
Dialect guess_dialect(const Fields& fields) {
    const auto used = std::find_if(fields.rbegin(), fields.rend(), [](const Field& f) { return !f.text.empty(); });
    return fields.rend() - used < static_cast<std::ptrdiff_t>(conv_columns.size()) ? Dialect::gemm : Dialect::conv;
}

struct Conv {
    std::int64_t height, width, filter_height, filter_width, channels, filters, stride_height, stride_width;
};

class Reader {
  public:
    Reader(std::string file, const OperandFormats& formats) : file_(std::move(file)), formats_(formats) {}

    Workload read(const std::string& text);

  private:
    void read_line(const Fields& fields);
    void read_gemm(const Fields& fields);
    void read_conv(const Fields& fields);
    std::vector<std::int64_t> numbers(const Fields& fields, const char* const* names, std::size_t count);
    std::int64_t number(const Field& field, const std::string& what);
    void read_sparsity(const Field& field);
    bool filter_fits(const Conv& conv, const Fields& fields);
    std::int64_t product(std::initializer_list<std::int64_t> factors, const std::string& what);
    void append(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k);
    void complain(int column, std::string what) { found_.add({file_, line_, column}, std::move(what)); }

    std::string file_;
    OperandFormats formats_;
    int line_ = 0;
    bool line_is_good_ = true;
    SparsePattern sparsity_ = dense_pattern; // of the line
    std::optional<Dialect> dialect_;
    Workload workload_;
    Diagnostics found_;
};

std::int64_t Reader::number(const Field& field, const std::string& what) {
    const Parsed<std::int64_t> parsed =
        field.text.empty() ? Parsed<std::int64_t>{{}, "is missing"} : parse_integer(field.text, 1);
    if (!parsed.value) {
        complain(field.column, what + " " + parsed.error + (field.text.empty() ? "" : " (a number from 1 up)"));
        line_is_good_ = false;
    }
    return parsed.value.value_or(1);
}

std::vector<std::int64_t> Reader::numbers(const Fields& fields, const char* const* names, std::size_t count) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 1; i < count; ++i) {
        const Field missing{"", fields.back().column};
        values.push_back(number(i < fields.size() ? fields[i] : missing, names[i]));
    }
    return values;
}

bool is_sparsity(const std::string& text) { return text.find(':') != std::string::npos || lower(text) == "dense"; }

void Reader::read_sparsity(const Field& field) {
    const Parsed<SparsePattern> pattern = parse_sparsity_pattern(field.text);
    if (!pattern.value) {
        complain(field.column, pattern.error);
        line_is_good_ = false;
    }
    sparsity_ = pattern.value.value_or(dense_pattern);
}

std::int64_t Reader::product(std::initializer_list<std::int64_t> factors, const std::string& what) {
    std::int64_t value = 1;
    for (const std::int64_t factor : factors) {
        if (__builtin_mul_overflow(value, factor, &value)) {
            complain(1, what + " does not fit in 64 bits");
            line_is_good_ = false;
            return 1;
        }
    }
    return value;
}

void Reader::append(const std::string& name, std::int64_t m, std::int64_t n, std::int64_t k) {
    if (!line_is_good_) {
        return;
    }
    if (const auto problem = reserved_name_problem(name)) {
        complain(1, *problem);
        return;
    }
    GemmProblem problem{name, m, n, k, formats_, sparsity_};
    try {
        validate(problem);
        workload_.operators.push_back(std::move(problem));
    } catch (const InputError& error) {
        complain(1, error.diagnostics().front().message);
    }
}

void Reader::read_gemm(const Fields& fields) {
    const std::vector<std::int64_t> sizes = numbers(fields, gemm_columns.data(), gemm_columns.size());
    if (fields.size() > 4 && !fields[4].text.empty()) {
        read_sparsity(fields[4]);
    }
    append(fields[0].text, sizes[0], sizes[1], sizes[2]);
}

bool Reader::filter_fits(const Conv& conv, const Fields& fields) {
    if (conv.filter_height <= conv.height && conv.filter_width <= conv.width) {
        return true;
    }
    complain(fields[3].column, "the filter is larger than its input (SCALE-Sim adds no padding)");
    return false;
}

void Reader::read_conv(const Fields& fields) {
    const std::vector<std::int64_t> v = numbers(fields, conv_columns.data(), conv_columns.size());
    Conv conv{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[6]};
    // After an empty field come remarks of whoever kept the file in a spreadsheet.
    for (std::size_t i = 8; i < std::min<std::size_t>(fields.size(), 10) && !fields[i].text.empty(); ++i) {
        if (is_sparsity(fields[i].text)) {
            read_sparsity(fields[i]);
            break;
        }
        if (i == 9) {
            complain(fields[i].column,
                     "'" + fields[i].text.substr(0, 60) + "' is not a sparsity (write N:M, like 2:4)");
            line_is_good_ = false;
            break;
        }
        conv.stride_width = number(fields[i], "stride of the width");
    }
    if (!line_is_good_ || !filter_fits(conv, fields)) {
        return;
    }
    const std::string& name = fields[0].text;
    const bool per_channel = name.find("DP") != std::string::npos;
    const std::int64_t m = product({scalesim_output_side(conv.height, conv.filter_height, conv.stride_height),
                                    scalesim_output_side(conv.width, conv.filter_width, conv.stride_width)},
                                   "the number of output pixels");
    const std::int64_t k = product({conv.filter_height, conv.filter_width, per_channel ? 1 : conv.channels},
                                   "filter height * width * channels");
    if (!per_channel) {
        append(name, m, conv.filters, k);
        return;
    }
    constexpr std::int64_t most_channels = 1'000'000;
    if (conv.channels > most_channels) {
        complain(fields[5].column, "more than 1000000 channels of a layer that is run channel by channel");
        return;
    }
    for (std::int64_t channel = 0; channel < conv.channels; ++channel) {
        append(name + "Channel_" + std::to_string(channel), m, conv.filters, k);
    }
}

void Reader::read_line(const Fields& fields) {
    line_is_good_ = true;
    sparsity_ = dense_pattern;
    if (!dialect_ && is_header(fields)) {
        dialect_ = is_gemm_header(fields) ? Dialect::gemm : Dialect::conv;
        return;
    }
    if (!dialect_) {
        dialect_ = guess_dialect(fields);
    }
    if (*dialect_ == Dialect::gemm) {
        read_gemm(fields);
    } else {
        read_conv(fields);
    }
}

Workload Reader::read(const std::string& text) {
    workload_.name = std::filesystem::path(file_).stem().string();
    workload_.description = "SCALE-Sim topology";
    workload_.source = file_;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        ++line_;
        const Fields fields = split(std::string_view(text).substr(begin, end - begin));
        if (!is_blank(fields)) {
            read_line(fields);
        }
        begin = end + 1;
    }
    found_.throw_if_any();
    if (workload_.operators.empty()) {
        throw InputError(Place{file_},
                         "has no layer (a line is: name, IFMAP height, IFMAP width, filter height, filter "
                         "width, channels, filters, stride, or: name, M, N, K)");
    }
    return workload_;
}

} // namespace

std::int64_t scalesim_output_side(std::int64_t input, std::int64_t filter, std::int64_t stride) {
    return ceil_div(input - filter, stride) + 1; // the same number, and no sum that could leave 64 bits
}

Workload read_scalesim_topology(const std::string& text, const std::string& file, const OperandFormats& formats) {
    return Reader(file, formats).read(text);
}

Workload load_scalesim_topology(const std::string& file, const OperandFormats& formats) {
    return read_scalesim_topology(read_text_file(file, "a topology file"), file, formats);
}

} // namespace systole
