// Self-describing keys: what a setting is called, its unit, default, range and meaning. Drives parsing, info and docs.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct KeyInfo {
    std::string key;           // dotted: "array.rows"
    std::string unit;          // "cycles", "bytes", "bytes/s", "" for a word or a count
    std::string default_value; // as one would write it; "required" if there is none
    std::string range;         // "1..4096", "columns | rows | none"
    std::string help;          // one line
};

// Candidates that begin with `word` when letters and digits alone count ("edge16" begins "edge_16x16"), the shortest
// first; none for a word of fewer than three such characters.
std::vector<std::string> beginning_with(const std::string& word, const std::vector<std::string>& candidates);

// "'a'", "'a' or 'b'", "'a', 'b' or 'c'".
std::string alternatives(const std::vector<std::string>& words);

// The candidate nearest to `word` (edit distance at most a third of its length), or "".
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

} // namespace systole
