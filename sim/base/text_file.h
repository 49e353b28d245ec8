// Reads a small text file that a person wrote.
#pragma once

#include <filesystem>
#include <string>

namespace systole {

// The whole text, without a UTF-8 byte order mark. Throws InputError for a file that is missing, unreadable, a folder,
// too large to be what it should be, or not text (a NUL byte, with its position). `what`: "a chip file". While a
// FileMemory lives, the text of the first time.
std::string read_text_file(const std::filesystem::path& path, const std::string& what);

} // namespace systole
