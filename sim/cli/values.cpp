#include "sim/cli/values.h"

#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "sim/workload/integer.h"

namespace systole {

Tile parse_shape(const std::string& option, const std::string& text) {
    std::array<std::int64_t, 3> sizes{};
    std::string_view rest = text;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::size_t end = rest.find('x');
        const bool last = i + 1 == sizes.size();
        if ((end == std::string_view::npos) != last) {
            throw InputError(fmt::format("{} '{}' is not MxNxK (write three numbers, like 128x768x768)", option,
                                         text.substr(0, 60)));
        }
        const Parsed<std::int64_t> size = parse_integer(rest.substr(0, end), 1);
        if (!size.value) {
            throw InputError(fmt::format("{} '{}': {} {} (write MxNxK with whole numbers from 1 up, like 128x768x768)",
                                         option, text.substr(0, 60), "MNK"[i], size.error));
        }
        sizes[i] = *size.value;
        rest.remove_prefix(last ? 0 : end + 1);
    }
    return {sizes[0], sizes[1], sizes[2]};
}

std::optional<std::int64_t> integer_option(const ParsedOptions& options, const std::string& option, std::int64_t least,
                                           std::int64_t most) {
    const std::optional<std::string> text = options.get(option);
    if (!text) {
        return std::nullopt;
    }
    const Parsed<std::int64_t> value = parse_integer(*text, least, most);
    if (!value.value) {
        const std::string range =
            most == unlimited ? fmt::format("{} up", least) : fmt::format("{} to {}", least, most);
        throw InputError(fmt::format("{} {} (write a whole number from {})", option, value.error, range));
    }
    return value.value;
}

std::optional<std::string> path_option(const ParsedOptions& options, const std::string& option) {
    std::optional<std::string> path = options.get(option);
    if (path && path->empty()) {
        throw InputError(fmt::format("{} '' names no file (is a shell variable empty?)", option));
    }
    return path;
}

void require_plain_file(const std::string& option, const std::string& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw InputError(fmt::format("{} {}: is a folder, a link or a device (name a plain file)", option, path));
    }
}

void reject_word(const std::string& option, const std::string& word, const std::string& known) {
    throw InputError(fmt::format("{} '{}' is unknown (use {})", option, word.substr(0, 60), known));
}

} // namespace systole
