#include "sim/engine/window_values.h"

#include <algorithm>

namespace systole {

namespace {

struct PaddedMap {
    std::int64_t height = 1, width = 1;
    std::int64_t planes = 1; // of an image: all channels of all groups

    std::int64_t plane() const { return height * width; }
};

PaddedMap padded_map(const GemmProblem& problem) {
    const auto& w = *problem.window;
    return {w.padding.top + w.height + w.padding.bottom, w.padding.left + w.width + w.padding.right,
            problem.count * w.channels};
}

template <typename T>
std::vector<T> padded(const GemmProblem& problem, const std::vector<T>& map) {
    const auto& w = *problem.window;
    const auto size = padded_map(problem);
    std::vector<T> values(static_cast<std::size_t>(w.batch * size.planes * size.plane()));
    const auto* from = map.data();
    for (std::int64_t plane = 0; plane < w.batch * size.planes; ++plane) {
        for (std::int64_t row = 0; row < w.height; ++row, from += w.width) {
            const auto to = plane * size.plane() + (w.padding.top + row) * size.width + w.padding.left;
            std::copy_n(from, w.width, values.begin() + to);
        }
    }
    return values;
}

std::vector<std::int64_t> row_offsets(const GemmProblem& problem) {
    const auto& w = *problem.window;
    const auto size = padded_map(problem);
    std::vector<std::int64_t> offsets;
    offsets.reserve(static_cast<std::size_t>(problem.m));
    for (std::int64_t b = 0; b < w.batch; ++b) {
        for (std::int64_t y = 0; y < w.outputs[0]; ++y) {
            for (std::int64_t x = 0; x < w.outputs[1]; ++x)
                offsets.push_back(b * size.planes * size.plane() + y * w.stride[0] * size.width + x * w.stride[1]);
        }
    }
    return offsets;
}

std::vector<std::int64_t> column_offsets(const GemmProblem& problem) {
    const auto& w = *problem.window;
    const auto size = padded_map(problem);
    std::vector<std::int64_t> offsets;
    offsets.reserve(static_cast<std::size_t>(problem.k));
    for (std::int64_t c = 0; c < w.channels; ++c) {
        for (std::int64_t i = 0; i < w.kernel[0]; ++i) {
            for (std::int64_t j = 0; j < w.kernel[1]; ++j)
                offsets.push_back(c * size.plane() + i * w.dilation[0] * size.width + j * w.dilation[1]);
        }
    }
    return offsets;
}

} // namespace

WindowValues::WindowValues(const GemmProblem& problem, const GemmValues& values)
    : instance_stride_(problem.window->channels * padded_map(problem).plane()), m_offsets_(row_offsets(problem)),
      k_offsets_(column_offsets(problem)) {
    std::visit([&](const auto& operands) { padded_ = padded(problem, operands.a); }, values.operands);
}

double padded_elements(const GemmProblem& problem) {
    const auto size = padded_map(problem);
    return static_cast<double>(problem.window->batch) * static_cast<double>(size.planes) *
           static_cast<double>(size.height) * static_cast<double>(size.width);
}

} // namespace systole
