// Line breaking for terminals of 80 columns.
#pragma once

#include <string>

namespace systole {

// `text` broken at blanks so that no line, with its indent, is longer than `width`; a longer word stays whole. The
// first line starts with `first`, the others with as many blanks. No newline at the end.
// Control characters of `text` become '?', as by printable().
std::string wrap(const std::string& first, const std::string& text, std::size_t width = 80);

// `text` with '?' for every control character: what files and arguments hold must not steer a terminal.
std::string printable(std::string text);

} // namespace systole
