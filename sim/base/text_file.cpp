#include "sim/base/text_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <system_error>

#include "sim/base/error.h"
#include "sim/base/file_memory.h"

namespace systole {

namespace {

constexpr std::size_t largest_file = 1 << 20; // chip and workload files have a few KiB

void reject_binary(const std::string& text, const Place& file, const std::string& what) {
    const std::size_t nul = text.find('\0');
    if (nul == std::string::npos) {
        return;
    }
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    const std::size_t line_start = nul == 0 ? std::string::npos : text.rfind('\n', nul - 1);
    const std::size_t column = line_start == std::string::npos ? nul + 1 : nul - line_start;
    throw InputError({file.file, static_cast<int>(lines) + 1, static_cast<int>(column)},
                     "is not text: it has a NUL byte (is this " + what + "?)");
}

std::string read_now(const std::filesystem::path& path, const std::string& what) {
    const Place place{path.string()};
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        const bool absent = status.type() == std::filesystem::file_type::not_found;
        throw InputError(place, absent ? "no such file" : "cannot be read: " + error.message());
    }
    if (std::filesystem::is_directory(status)) {
        throw InputError(place, "is a folder (name " + what + " in it)");
    }
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw InputError(place, std::string("cannot be read: ") + std::strerror(errno == 0 ? EIO : errno));
    }
    std::string text;
    std::array<char, 16384> chunk;
    while (stream && text.size() <= largest_file) {
        stream.read(chunk.data(), chunk.size());
        text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad()) {
        throw InputError(place, "cannot be read to its end");
    }
    if (text.size() > largest_file) {
        throw InputError(place, "is larger than 1 MiB, too large for " + what);
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.erase(0, 3);
    }
    reject_binary(text, place, what);
    return text;
}

} // namespace

std::string read_text_file(const std::filesystem::path& path, const std::string& what) {
    return remembered("text of " + path.string(), [&] { return read_now(path, what); });
}

} // namespace systole
