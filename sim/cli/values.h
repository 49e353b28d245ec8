// Values of options: each either understood whole or refused with what would be right.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dataflow/problem.h"
#include "sim/base/error.h"
#include "sim/cli/options.h"

namespace systole {

// "128x768x768": three whole numbers from 1 up. `option` is named in the error.
Tile parse_shape(const std::string& option, const std::string& text);

// The option as a whole number between `least` and `most`.
std::optional<std::int64_t> integer_option(const ParsedOptions& options, const std::string& option, std::int64_t least,
                                           std::int64_t most = unlimited);

// The option as the path of a file or folder, which is not empty.
std::optional<std::string> path_option(const ParsedOptions& options, const std::string& option);

// What is renamed to `path` when it is complete would replace a folder, a device or a link by a file. Throws InputError
// for these.
void require_plain_file(const std::string& option, const std::string& path);

[[noreturn]] void reject_word(const std::string& option, const std::string& word, const std::string& known);

// The option as one of the words that `parse` knows; `known` lists them.
template <class T>
std::optional<T> word_option(const ParsedOptions& options, const std::string& option,
                             std::optional<T> (*parse)(std::string_view), const std::string& known) {
    const std::optional<std::string> word = options.get(option);
    if (!word) {
        return std::nullopt;
    }
    const std::optional<T> value = parse(*word);
    if (!value) {
        reject_word(option, *word, known);
    }
    return value;
}

} // namespace systole
