#include "sim/engine/im2col.h"

namespace systole {

namespace {

// Row of A, taken apart.
struct Output {
    std::int64_t image = 0, y = 0, x = 0;
};

template <typename T>
void append_row(const GemmProblem& problem, const std::vector<T>& map, std::int64_t group, const Output& output,
                std::vector<T>& to) {
    const auto& w = *problem.window;
    for (std::int64_t c = 0; c < w.channels; ++c) {
        const auto plane = (output.image * problem.count + group) * w.channels + c;
        for (std::int64_t i = 0; i < w.kernel[0]; ++i) {
            const auto y = output.y * w.stride[0] - w.padding.top + i * w.dilation[0];
            for (std::int64_t j = 0; j < w.kernel[1]; ++j) {
                const auto x = output.x * w.stride[1] - w.padding.left + j * w.dilation[1];
                const bool inside = y >= 0 && y < w.height && x >= 0 && x < w.width;
                to.push_back(inside ? map[static_cast<std::size_t>((plane * w.height + y) * w.width + x)] : T{});
            }
        }
    }
}

} // namespace

template <typename T>
std::vector<T> im2col(const GemmProblem& problem, const std::vector<T>& map) {
    const auto& w = *problem.window;
    std::vector<T> rows;
    rows.reserve(static_cast<std::size_t>(problem.count * problem.m * problem.k));
    for (std::int64_t group = 0; group < problem.count; ++group) {
        for (std::int64_t b = 0; b < w.batch; ++b) {
            for (std::int64_t y = 0; y < w.outputs[0]; ++y) {
                for (std::int64_t x = 0; x < w.outputs[1]; ++x)
                    append_row(problem, map, group, {b, y, x}, rows);
            }
        }
    }
    return rows;
}

template std::vector<std::int8_t> im2col(const GemmProblem&, const std::vector<std::int8_t>&);
template std::vector<float> im2col(const GemmProblem&, const std::vector<float>&);

} // namespace systole
