#include "sim/base/table.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace systole {

namespace {

std::string lower(const std::string& text) {
    std::string result = text;
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::size_t common_prefix(const std::string& a, const std::string& b) {
    const std::size_t shorter = std::min(a.size(), b.size());
    return static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin()).first - a.begin());
}

// Insertions, deletions, replacements and swaps of neighbours ("clos" -> "cols" is one).
std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        previous[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
        before.swap(previous);
        previous.swap(current);
    }
    return previous[b.size()];
}

std::string letters_and_digits(const std::string& text) {
    std::string result;
    for (const char c : lower(text)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            result += c;
        }
    }
    return result;
}

} // namespace

std::vector<std::string> beginning_with(const std::string& word, const std::vector<std::string>& candidates) {
    constexpr std::size_t fewest = 3;
    const std::string wanted = letters_and_digits(word);
    std::vector<std::string> found;
    if (wanted.size() < fewest) {
        return found;
    }
    for (const std::string& candidate : candidates) {
        if (letters_and_digits(candidate).starts_with(wanted)) {
            found.push_back(candidate);
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
    return found;
}

std::string alternatives(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
        text += "'" + words[i] + "'";
    }
    return text;
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string wanted = lower(word);
    std::size_t best_distance = word.size() / 3 + 1;
    std::size_t best_prefix = 0;
    std::string best;
    for (const std::string& candidate : candidates) {
        const std::size_t longer = std::max(candidate.size(), word.size());
        const std::size_t shorter = std::min(candidate.size(), word.size());
        if (longer - shorter > best_distance) { // too different already; keeps huge words cheap
            continue;
        }
        const std::size_t distance = edit_distance(wanted, lower(candidate));
        const std::size_t prefix = common_prefix(wanted, lower(candidate));
        // Of two as near, the one that begins alike: "tpu_v5" is "tpu_v5e" rather than "tpu_v1".
        if (distance < best_distance || (distance == best_distance && !best.empty() && prefix > best_prefix)) {
            best_distance = distance;
            best_prefix = prefix;
            best = candidate;
        }
    }
    return best;
}

} // namespace systole
