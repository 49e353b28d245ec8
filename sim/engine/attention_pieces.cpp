#include "sim/engine/attention_pieces.h"

#include <algorithm>

namespace systole {

namespace {

// Scores, softmax and values of the same queries and keys.
struct Block {
    const MatrixTask* scores;
    const VectorTask* softmax;
    const MatrixTask* values;
};

// `part` of `whole` products or rows of it.
TensorUse part_of(TensorUse use, std::int64_t part, std::int64_t whole) {
    return {use.tensor, ceil_div(use.bytes * part, whole)};
}

void add_piece(std::vector<Task>& to, const Block& block, std::int64_t count, std::int64_t rows) {
    const auto all = block.scores->count * block.scores->m;
    const auto part = count * rows;
    auto scores = *block.scores;
    auto softmax = *block.softmax;
    auto values = *block.values;
    for (auto* matrix : {&scores, &values}) {
        matrix->count = count;
        matrix->m = rows;
        matrix->a = part_of(matrix->a, part, all);
        matrix->b = part_of(matrix->b, count, block.scores->count);
        matrix->c = part_of(matrix->c, part, all);
    }
    softmax.elements = part * scores.n;
    softmax.reads[0] = part_of(softmax.reads[0], part, all);
    softmax.writes[0] = part_of(softmax.writes[0], part, all);
    to.insert(to.end(), {scores, softmax, values});
}

void add_pieces(std::vector<Task>& to, const Block& block, Bytes room) {
    const auto need = block.scores->c.bytes + block.values->a.bytes;
    const auto pieces = ceil_div(need, std::max<Bytes>(1, room));
    const auto all_count = block.scores->count;
    const auto all_rows = block.scores->m;
    const auto count = std::max<std::int64_t>(1, all_count / pieces);
    const auto rows = pieces <= all_count ? all_rows : std::max<std::int64_t>(1, all_rows * all_count / pieces);
    for (std::int64_t c = 0; c < all_count; c += count) {
        for (std::int64_t r = 0; r < all_rows; r += rows)
            add_piece(to, block, std::min(count, all_count - c), std::min(rows, all_rows - r));
    }
}

} // namespace

std::vector<Task> attention_pieces(const std::vector<Task>& tasks, Bytes room) {
    std::vector<Task> pieces;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto* scores = std::get_if<MatrixTask>(&tasks[i]);
        if (!scores) {
            pieces.push_back(tasks[i]);
            continue;
        }
        add_pieces(pieces, {scores, &std::get<VectorTask>(tasks[i + 1]), &std::get<MatrixTask>(tasks[i + 2])}, room);
        i += 2;
    }
    return pieces;
}

} // namespace systole
