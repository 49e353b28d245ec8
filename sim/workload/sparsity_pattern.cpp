#include "sim/workload/sparsity_pattern.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "sim/workload/integer.h"

namespace systole {

namespace {

Parsed<SparsePattern> refused(std::string_view text, const std::string& why) {
    return {{}, "'" + std::string(text.substr(0, 60)) + "' " + why};
}

bool is_dense(std::string_view text) {
    constexpr std::string_view dense = "dense";
    return std::equal(text.begin(), text.end(), dense.begin(), dense.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

} // namespace

Parsed<SparsePattern> parse_sparsity_pattern(std::string_view text) {
    if (is_dense(text)) {
        return {dense_pattern, ""};
    }
    constexpr std::int64_t most = 1'000'000;
    const std::size_t colon = text.find(':');
    const auto stored = parse_integer(text.substr(0, colon), 1, most);
    const auto group = parse_integer(colon == std::string_view::npos ? "" : text.substr(colon + 1), 1, most);
    if (!stored.value || !group.value || *stored.value > *group.value) {
        return refused(text, "is not a sparsity (write dense, or N:M with N of M values stored, like 2:4)");
    }
    if (*stored.value == *group.value) {
        return {dense_pattern, ""};
    }
    if (*group.value > most_activations || *group.value % *stored.value != 0) {
        return refused(text, "is no sparsity that the array can run (N must divide M, M is at most " +
                                 std::to_string(most_activations) + ": 1:2, 1:4, 2:4, 1:8, 2:8, 4:8, ...)");
    }
    return {SparsePattern{static_cast<int>(*stored.value), static_cast<int>(*group.value)}, ""};
}

} // namespace systole
