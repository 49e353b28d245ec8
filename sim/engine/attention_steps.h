// A flash attention as rows and keys that are done together.
#pragma once

#include <optional>
#include <vector>

#include "sim/workload/lowering.h"

namespace systole {

// Queries and the keys that they see, as they are lowered. Rows are those of all heads that share keys.
struct FlashBlock {
    std::int64_t first_row = 0;
    std::int64_t rows = 1;
    std::int64_t keys = 1;
};

struct FlashSizes {
    std::int64_t products = 1; // that share nothing
    std::int64_t rows = 1;     // of a product
    std::int64_t keys = 1;
    std::int64_t dim = 1;
    OperandFormats scores; // of its products
    OperandFormats values; // of theirs, C as the sums: int32 or fp32
    std::vector<FlashBlock> blocks;

    // Of one product.
    Bytes keys_and_values() const;
    // Of a row of a piece: scores, probabilities and sums; with some of the keys also its queries, and what these keys
    // add to the sums.
    Bytes whole_row(std::int64_t with_keys) const;
    Bytes cut_row(std::int64_t with_keys) const;
};

FlashSizes flash_sizes(const LoweredOperator& flash);

struct AttentionPlan {
    std::int64_t products = 1; // at a time
    // Whole rows of scores, so many that scores, probabilities and sums of a piece take at most `room`, if that can be.
    Bytes room = 0;
    bool keeps_pairs = false; // keys and values of the products at a time stay in VMEM meanwhile
    // Or, if above 0: rows and keys of a piece. The rows' queries and sums stay until their last key.
    std::int64_t rows = 0;
    std::int64_t keys = 0;

    bool cuts_keys() const { return keys > 0; }
};

// What of the attention a piece is: rows of some products with some keys. Rows are counted block by block, in a block
// head by head, from 0 of the first block.
struct AttentionPart {
    std::int64_t product = 0, products = 1;
    std::int64_t row = 0, rows = 1;
    std::int64_t key = 0, keys = 1;
};

// Scores, softmax and values of a part, from a row's second block of keys on the sum with those before it; or the
// division of its rows.
struct AttentionStep {
    AttentionPart part;
    std::size_t block = 0; // whose name it has
    bool divides = false;
    AttentionPart at_a_time; // products, rows and keys whose operands stay
    bool first = false;      // of those that read keys and values that stay
};

// In the order in which they are done. Rows of several blocks share the keys that the first of them sees; those beyond
// are done for the later rows alone. Blocks that keep keys and values begin with the last one, which sees all of them.
std::vector<AttentionStep> attention_steps(const FlashSizes& sizes, const AttentionPlan& plan);

} // namespace systole
