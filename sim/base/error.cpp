#include "sim/base/error.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace systole {

namespace {

std::string to_text(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) {
        if (!text.empty()) {
            text += '\n';
        }
        const std::string place = to_string(diagnostic.place);
        text += place.empty() ? diagnostic.message : place + ": " + diagnostic.message;
    }
    return text;
}

// Files keep the order in which they first appear; within a file the lines decide.
std::vector<Diagnostic> ordered(std::vector<Diagnostic> diagnostics) {
    std::map<std::string, std::size_t> rank;
    for (const Diagnostic& diagnostic : diagnostics) {
        rank.emplace(diagnostic.place.file, rank.size());
    }
    std::stable_sort(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& a, const Diagnostic& b) {
        return std::tuple(rank.at(a.place.file), a.place.line, a.place.column) <
               std::tuple(rank.at(b.place.file), b.place.line, b.place.column);
    });
    return diagnostics;
}

} // namespace

std::string to_string(const Place& place) {
    if (place.file.empty() || place.line <= 0) {
        return place.file;
    }
    std::string text = place.file + ":" + std::to_string(place.line);
    return place.column > 0 ? text + ":" + std::to_string(place.column) : text;
}

InputError::InputError(std::string message) : InputError(Place{}, std::move(message)) {}

InputError::InputError(Place place, std::string message)
    : InputError(std::vector<Diagnostic>{Diagnostic{std::move(place), std::move(message)}}) {}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(to_text(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::add(Place place, std::string message) { found_.push_back({std::move(place), std::move(message)}); }

void Diagnostics::throw_if_any() const {
    if (!found_.empty()) {
        throw InputError(ordered(found_));
    }
}

} // namespace systole
