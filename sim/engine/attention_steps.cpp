#include "sim/engine/attention_steps.h"

#include <algorithm>

namespace systole {

namespace {

class Steps {
  public:
    Steps(const FlashSizes& sizes, const AttentionPlan& plan) : sizes_(sizes), plan_(plan) {}

    std::vector<AttentionStep> run() {
        for (std::int64_t first = 0; first < sizes_.products; first += plan_.products) {
            at_a_time_.product = first;
            at_a_time_.products = std::min(plan_.products, sizes_.products - first);
            at_a_time_.keys = sizes_.keys;
            if (plan_.cuts_keys())
                cut_keys();
            else
                cut_rows();
        }
        return std::move(steps_);
    }

  private:
    void cut_rows() {
        const auto blocks = sizes_.blocks.size();
        at_a_time_.rows = sizes_.rows;
        for (std::size_t i = 0; i < blocks; ++i)
            add_rows(plan_.keeps_pairs ? blocks - 1 - i : i, i == 0);
        if (divides_at_the_end())
            steps_.push_back({at_a_time_, 0, true, at_a_time_, false});
    }

    void add_rows(std::size_t index, bool first) {
        const auto& block = sizes_.blocks[index];
        const auto most = most_rows(block);
        const auto products = std::clamp<std::int64_t>(most / block.rows, 1, at_a_time_.products);
        const auto rows = ceil_div(block.rows, ceil_div(block.rows, most));
        for (std::int64_t p = 0; p < at_a_time_.products; p += products) {
            for (std::int64_t r = 0; r < block.rows; r += rows) {
                const AttentionPart part{at_a_time_.product + p,
                                         std::min(products, at_a_time_.products - p),
                                         block.first_row + r,
                                         std::min(rows, block.rows - r),
                                         0,
                                         block.keys};
                steps_.push_back({part, index, false, at_a_time_, first && r == 0});
                if (!divides_at_the_end())
                    steps_.push_back({part, index, true, at_a_time_, false});
            }
        }
    }

    Bytes sums() const { return stored_bytes(sizes_.dim, sizes_.values.c); }

    // Scores, probabilities and sums each take the room of their largest piece: those of fewer keys may have more rows,
    // until their sums take a quarter.
    Bytes room_for_sums() const {
        const auto with_all = plan_.room / sizes_.whole_row(sizes_.keys) * sums();
        return sizes_.blocks.size() == 1 ? with_all : std::max(plan_.room / 4, with_all);
    }

    // Where the sums of all rows find room: one division instead of many, which begin and end for themselves.
    bool divides_at_the_end() const {
        return sizes_.blocks.size() > 1 && at_a_time_.products * sizes_.rows <= room_for_sums() / sums();
    }

    std::int64_t most_rows(const FlashBlock& block) const {
        const auto beside = (plan_.room - room_for_sums()) / (sizes_.whole_row(block.keys) - sums());
        const auto most = divides_at_the_end() ? beside : std::min(room_for_sums() / sums(), beside);
        return std::max<std::int64_t>(1, most);
    }

    void cut_keys() {
        for (std::int64_t row = 0; row < sizes_.rows; row += plan_.rows) {
            at_a_time_.row = row;
            at_a_time_.rows = std::min(plan_.rows, sizes_.rows - row);
            std::int64_t key = 0;
            for (std::size_t i = 0; i < sizes_.blocks.size(); ++i)
                key = add_keys(i, key);
            steps_.push_back({at_a_time_, 0, true, at_a_time_, false});
        }
    }

    // Up to the last key that the block sees; returns the next one.
    std::int64_t add_keys(std::size_t index, std::int64_t key) {
        const auto& block = sizes_.blocks[index];
        const auto end = at_a_time_.row + at_a_time_.rows;
        if (block.first_row + block.rows <= at_a_time_.row || block.first_row >= end)
            return key;
        auto part = at_a_time_;
        part.row = std::max(at_a_time_.row, block.first_row);
        part.rows = end - part.row;
        for (; key < block.keys; key += part.keys) {
            part.key = key;
            part.keys = std::min(plan_.keys, block.keys - key);
            steps_.push_back({part, index, false, at_a_time_, false});
        }
        return key;
    }

    const FlashSizes& sizes_;
    const AttentionPlan& plan_;
    AttentionPart at_a_time_;
    std::vector<AttentionStep> steps_;
};

} // namespace

Bytes FlashSizes::keys_and_values() const {
    return stored_bytes(keys * dim, scores.b) + stored_bytes(keys * dim, values.b);
}

Bytes FlashSizes::whole_row(std::int64_t with_keys) const {
    return stored_bytes(with_keys, scores.c) + stored_bytes(with_keys, values.a) + stored_bytes(dim, values.c);
}

Bytes FlashSizes::cut_row(std::int64_t with_keys) const {
    return whole_row(with_keys) + stored_bytes(dim, scores.a) + stored_bytes(dim, values.c);
}

FlashSizes flash_sizes(const LoweredOperator& flash) {
    FlashSizes sizes;
    sizes.rows = 0;
    for (std::size_t i = 0; i + 2 < flash.tasks.size(); i += 3) {
        const auto& scores = std::get<MatrixTask>(flash.tasks[i]);
        const auto& values = std::get<MatrixTask>(flash.tasks[i + 2]);
        sizes.blocks.push_back({sizes.rows, scores.m, scores.n});
        sizes.products = scores.count;
        sizes.rows += scores.m;
        sizes.keys = scores.n;
        sizes.dim = scores.k;
        sizes.scores = scores.formats;
        sizes.values = values.formats;
    }
    sizes.values.c = sizes.values.accumulation() == Accumulation::int32 ? Format::int32 : Format::fp32;
    return sizes;
}

std::vector<AttentionStep> attention_steps(const FlashSizes& sizes, const AttentionPlan& plan) {
    return Steps(sizes, plan).run();
}

} // namespace systole
