// What the address generator of the feeders reads: the values of a feature map within its padding, and where the
// elements of A lie there, as an offset of the row and one of the column.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "pe/array_job.h"
#include "sim/engine/values.h"

namespace systole {

class WindowValues {
  public:
    WindowValues() = default; // of no convolution
    WindowValues(const GemmProblem& problem, const GemmValues& values);

    // A of the products from `instance0` on, its rows from `m0` on; `transposed`: [k, m].
    template <typename T>
    MatrixView<const T> view(std::int64_t instance0, std::int64_t m0, bool transposed) const {
        MatrixView<const T> view;
        view.instance_stride = instance_stride_;
        view.data = std::get<std::vector<T>>(padded_).data() + instance0 * instance_stride_;
        view.row_offsets = transposed ? k_offsets_.data() : m_offsets_.data() + m0;
        view.col_offsets = transposed ? m_offsets_.data() + m0 : k_offsets_.data();
        return view;
    }

  private:
    std::variant<std::vector<std::int8_t>, std::vector<float>> padded_; // [batch, groups * channels, height, width]
    std::int64_t instance_stride_ = 0;                                  // from one group to the next
    std::vector<std::int64_t> m_offsets_, k_offsets_;
};

// Elements of the map with its padding, all groups.
double padded_elements(const GemmProblem& problem);

} // namespace systole
