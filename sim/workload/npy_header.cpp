#include "sim/workload/npy_header.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/base/error.h"

namespace systole {

namespace {

constexpr std::string_view magic{"\x93NUMPY"};
constexpr std::size_t most_header = 65536; // NumPy's own are below 1 KiB but for structured types
constexpr std::size_t alignment = 64;

[[noreturn]] void fail(const std::string& file, const std::string& what) { throw InputError(Place{file}, what); }

constexpr const char* save_it = " (write it with numpy.save)";

// The part of Python's literals that the header consists of.
class Literal {
  public:
    Literal(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    void expect(char c) {
        if (!take(c))
            malformed();
    }
    bool take(char c) {
        skip_space();
        if (text_.empty() || text_.front() != c)
            return false;
        text_.remove_prefix(1);
        return true;
    }
    bool next_is(char c) {
        skip_space();
        return !text_.empty() && text_.front() == c;
    }
    std::string string() {
        skip_space();
        const char quote = text_.empty() ? '\0' : text_.front();
        const auto end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : std::string_view::npos;
        if (end == std::string_view::npos)
            malformed();
        std::string value(text_.substr(1, end - 1));
        text_.remove_prefix(end + 1);
        return value;
    }
    bool truth() {
        skip_space();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (text_.starts_with(word)) {
                text_.remove_prefix(word.size());
                return value;
            }
        }
        malformed();
    }
    std::int64_t number() {
        skip_space();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (error != std::errc{} || value < 0)
            malformed();
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        take('L'); // Python 2
        return value;
    }
    void end() {
        skip_space();
        if (!text_.empty())
            malformed();
    }
    [[noreturn]] void malformed() const { fail(file_, std::string("its .npy header is malformed") + save_it); }

  private:
    void skip_space() {
        while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t'))
            text_.remove_prefix(1);
    }

    std::string_view text_;
    const std::string& file_;
};

std::vector<std::int64_t> shape(Literal& literal) {
    std::vector<std::int64_t> extents;
    literal.expect('(');
    while (!literal.take(')')) {
        extents.push_back(literal.number());
        if (!literal.take(',')) {
            literal.expect(')');
            break;
        }
    }
    return extents;
}

std::string descr(Literal& literal, const std::string& file) {
    if (literal.next_is('[')) {
        fail(file, "holds a structured array, not a matrix of numbers (save one field: numpy.save(f, x['field']))");
    }
    return literal.string();
}

NpyHeader parse_dictionary(std::string_view text, const std::string& file) {
    Literal literal(text, file);
    std::optional<std::string> type;
    std::optional<bool> fortran;
    std::optional<std::vector<std::int64_t>> extents;
    literal.expect('{');
    while (!literal.take('}')) {
        const std::string key = literal.string();
        literal.expect(':');
        if (key == "descr" && !type) {
            type = descr(literal, file);
        } else if (key == "fortran_order" && !fortran) {
            fortran = literal.truth();
        } else if (key == "shape" && !extents) {
            extents = shape(literal);
        } else {
            literal.malformed();
        }
        if (!literal.take(',')) {
            literal.expect('}');
            break;
        }
    }
    literal.end();
    if (!type || !fortran || !extents)
        literal.malformed();
    return {*type, *fortran, *extents, 0};
}

} // namespace

NpyHeader parse_npy_header(std::string_view content, const std::string& file) {
    if (!content.starts_with(magic)) {
        const bool zip = content.starts_with("PK");
        fail(file, zip ? "is an .npz archive, not an .npy file (save one array with numpy.save)"
                       : std::string("is not an .npy file: it does not begin with \\x93NUMPY") + save_it);
    }
    const auto byte = [&](std::size_t at) -> std::size_t {
        if (at >= content.size())
            fail(file, std::string("ends within its header") + save_it);
        return static_cast<unsigned char>(content[at]);
    };
    const std::size_t major = byte(magic.size()), minor = byte(magic.size() + 1);
    if (major < 1 || major > 3 || minor != 0) {
        fail(file, "has .npy format version " + std::to_string(major) + "." + std::to_string(minor) +
                       ", 1.0 to 3.0 are understood" + save_it);
    }
    const std::size_t length_bytes = major == 1 ? 2 : 4;
    const std::size_t begin = magic.size() + 2 + length_bytes;
    std::size_t length = 0;
    for (std::size_t i = length_bytes; i-- > 0;)
        length = length << 8U | byte(magic.size() + 2 + i);
    if (length > most_header) {
        fail(file, "says that its header has " + std::to_string(length) + " bytes; 65536 are the most" + save_it);
    }
    if (begin + length > content.size())
        fail(file, std::string("ends within its header") + save_it);
    auto header = parse_dictionary(content.substr(begin, length), file);
    header.size = begin + length;
    return header;
}

std::string npy_header_text(const std::string& descr, std::int64_t rows, std::int64_t cols) {
    std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(cols) + "), }";
    const std::size_t before = magic.size() + 4;
    text.append(alignment - (before + text.size() + 1) % alignment, ' ');
    text += '\n';
    std::string all(magic);
    all += '\x01';
    all += '\0';
    all += static_cast<char>(text.size() & 0xFFU);
    all += static_cast<char>(text.size() >> 8U);
    return all + text;
}

} // namespace systole
