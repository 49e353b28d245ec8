// Shapes of an operator's weights and result, from its attributes and inputs.
//
// | kind         | inputs                                     | weights, in this order                 |
// |--------------|--------------------------------------------|----------------------------------------|
// | gemm         | A [..., k]; without features B [k, n]      | weight [k, n], bias [n]                |
// | batched_gemm | A [..., m, k], B [..., k, n]               |                                        |
// | conv         | [b, c, h, w]                               | weight [f, c/g, kh, kw], bias [f]      |
// | attention    | Q [b, t, heads d], K, V [b, s, kv_heads d] |                                        |
// | ffn          | [..., d]                                   | up, gate [d, h], down [h, d], biases   |
// | moe          | [..., d]                                   | router [d, e], up, gate, down [e, ...] |
// | embedding    | indices [...]; without rows the table      | table [rows, width]                    |
// | norm         | [..., d]                                   | scale [d], bias [d]                    |
//
// B of a transposed gemm lies as [n, k], weights of a transposed convolution as [c, f/g, kh, kw]. Attention takes one
// packed input [b, t, (heads + 2 kv_heads) d] as well, or two more for the caches of K and V, [b, cached, kv_heads d].
// Shapes of elementwise operators and the leading dimensions of batched_gemm are broadcast as in NumPy.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/workload/operator_attributes.h"
#include "sim/workload/tensor.h"

namespace systole {

struct InferredShapes {
    Shape output;
    std::vector<std::pair<std::string, Shape>> weights; // name behind the operator's: "weight", "bias", ...
};

// Fills in attributes that depend on the inputs. Throws InputError (without a place) that says what does not fit.
InferredShapes infer_shapes(Attributes& attributes, const std::vector<Shape>& inputs);

// Output pixels along one side: floor((input + before + after - dilation (kernel - 1) - 1) / stride) + 1.
std::int64_t window_outputs(std::int64_t input, std::int64_t padding, std::int64_t kernel, std::int64_t stride,
                            std::int64_t dilation);

Shape broadcast(const Shape& a, const Shape& b); // throws InputError if they do not fit

// How an attention operator sees its inputs.
struct AttentionSizes {
    std::int64_t batch = 1;
    std::int64_t queries = 1; // t
    std::int64_t cached = 0;  // tokens in the caches
    std::int64_t keys = 1;    // all that can be seen: cached + s
    std::int64_t dim = 1;     // of a head
};

AttentionSizes attention_sizes(const AttentionAttributes& attributes, const std::vector<Shape>& inputs);

} // namespace systole
