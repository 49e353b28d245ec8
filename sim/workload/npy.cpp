#include "sim/workload/npy.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "pe/convert.h"
#include "sim/base/error.h"
#include "sim/workload/npy_header.h"

namespace systole {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "values are taken from the file as they are");

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 29; // 4 GiB of doubles
constexpr std::int64_t most_bytes = 8 * most_elements;

[[noreturn]] void fail(const std::string& file, const std::string& what) { throw InputError(Place{file}, what); }

template <typename T>
double as_double(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
}

double half_as_double(const char* at) {
    std::uint16_t pattern = 0;
    std::memcpy(&pattern, at, sizeof pattern);
    return from_pattern(Format::fp16, pattern);
}

struct ElementType {
    const char* descr;
    std::int64_t size;
    double (*read)(const char* at);
};

constexpr ElementType element_types[] = {
    {"<f2", 2, half_as_double},           {"<f4", 4, as_double<float>},         {"<f8", 8, as_double<double>},
    {"|i1", 1, as_double<std::int8_t>},   {"<i2", 2, as_double<std::int16_t>},  {"<i4", 4, as_double<std::int32_t>},
    {"<i8", 8, as_double<std::int64_t>},  {"|u1", 1, as_double<std::uint8_t>},  {"<u2", 2, as_double<std::uint16_t>},
    {"<u4", 4, as_double<std::uint32_t>}, {"<u8", 8, as_double<std::uint64_t>},
};

const ElementType& element_type(const std::string& descr, const std::string& file) {
    for (const auto& type : element_types) {
        const bool one_byte = type.size == 1 && descr.size() == 3; // whatever its byte order is called
        if (descr == type.descr || (one_byte && descr.substr(1) == std::string_view(type.descr).substr(1)))
            return type;
    }
    for (const auto& type : element_types) {
        if (descr.starts_with('>') && descr.substr(1) == std::string_view(type.descr).substr(1)) {
            fail(file, "is big-endian ('" + descr + "') (save x.astype('" + type.descr + "'))");
        }
    }
    if (descr == "|O") {
        fail(file, "holds Python objects, not numbers (save x.astype('<f4'))");
    }
    fail(file, "holds values of type '" + descr.substr(0, 20) +
                   "', which cannot be read; there are f2, f4, f8 and integers (save x.astype('<f4'))");
}

void check_shape(const NpyHeader& header, const std::string& file) {
    if (header.shape.size() != 2) {
        fail(file, "has " + std::to_string(header.shape.size()) +
                       " dimensions, a matrix has 2 (save x.reshape(rows, columns))");
    }
    if (header.shape[0] < 1 || header.shape[1] < 1) {
        fail(file, "has no elements: it is " + std::to_string(header.shape[0]) + "x" + std::to_string(header.shape[1]));
    }
}

void check_size(const NpyHeader& header, std::int64_t element, std::size_t found, const std::string& file) {
    std::int64_t elements = 0;
    const bool too_large =
        __builtin_mul_overflow(header.shape[0], header.shape[1], &elements) || elements > most_elements;
    const std::string shape = std::to_string(header.shape[0]) + "x" + std::to_string(header.shape[1]);
    if (too_large)
        fail(file, "says that it is " + shape + ", more than " + std::to_string(most_elements) + " elements");
    const std::int64_t expected = elements * element;
    if (static_cast<std::int64_t>(found) != expected) {
        fail(file, "has " + std::to_string(found) + " bytes of values, but " + shape + " of '" + header.descr +
                       "' are " + std::to_string(expected) + " (is it complete?)");
    }
}

} // namespace

NpyMatrix parse_npy(std::string_view content, const std::string& file) {
    const auto header = parse_npy_header(content, file);
    const auto& type = element_type(header.descr, file);
    check_shape(header, file);
    const auto data = content.substr(header.size);
    check_size(header, type.size, data.size(), file);
    NpyMatrix matrix{header.shape[0], header.shape[1], {}};
    matrix.values.resize(static_cast<std::size_t>(matrix.rows * matrix.cols));
    constexpr double exact = 9007199254740992.0; // 2^53
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
        for (std::int64_t col = 0; col < matrix.cols; ++col) {
            const auto at = header.fortran_order ? col * matrix.rows + row : row * matrix.cols + col;
            const double value = type.read(data.data() + at * type.size);
            if (type.descr[1] != 'f' && (value > exact || value < -exact)) {
                fail(file, "row " + std::to_string(row) + ", column " + std::to_string(col) +
                               ": an integer beyond 2^53 (save x.astype('<f8'))");
            }
            matrix.values[static_cast<std::size_t>(row * matrix.cols + col)] = value;
        }
    }
    return matrix;
}

NpyMatrix read_npy(const std::string& file) {
    std::error_code error;
    const auto status = fs::status(file, error);
    if (!fs::exists(status))
        fail(file, "no such file");
    if (!fs::is_regular_file(status))
        fail(file, "is a folder or a device (name an .npy file)");
    const auto size = fs::file_size(file, error);
    if (!error && size > static_cast<std::uintmax_t>(most_bytes) + (1U << 20U))
        fail(file, "is larger than 4 GiB");
    std::ifstream stream(file, std::ios::binary);
    std::string content(error ? 0 : size, '\0');
    if (error || !stream || !stream.read(content.data(), static_cast<std::streamsize>(content.size())))
        fail(file, "cannot be read");
    return parse_npy(content, file);
}

namespace {

template <typename T>
void append(std::string& text, const std::vector<double>& values) {
    const std::size_t begin = text.size();
    text.resize(begin + values.size() * sizeof(T));
    char* at = text.data() + begin;
    for (const double value : values) {
        const auto element = static_cast<T>(value);
        std::memcpy(at, &element, sizeof element);
        at += sizeof element;
    }
}

void append_halves(std::string& text, const std::vector<double>& values) {
    for (const double value : values) {
        const auto pattern = to_pattern(Format::fp16, value);
        text += static_cast<char>(pattern & 0xFFU);
        text += static_cast<char>(pattern >> 8U);
    }
}

} // namespace

std::string npy_text(Format format, std::int64_t rows, std::int64_t cols, const std::vector<double>& values) {
    const bool small = format == Format::int4 || format == Format::int8;
    const char* descr = small ? "|i1" : format == Format::int32 ? "<i4" : format == Format::fp16 ? "<f2" : "<f4";
    std::string text = npy_header_text(descr, rows, cols);
    if (small) {
        append<std::int8_t>(text, values);
    } else if (format == Format::int32) {
        append<std::int32_t>(text, values);
    } else if (format == Format::fp16) {
        append_halves(text, values);
    } else {
        append<float>(text, values);
    }
    return text;
}

} // namespace systole
