// Tensors of a network: names, shapes, formats and what they are for.
//
// Shapes are in elements, outermost first and row-major in memory. Feature maps are [batch, channels, height, width],
// sequences [batch, tokens, width]. An empty shape is a single number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pe/format.h"
#include "sim/base/error.h"

namespace systole {

using TensorId = std::int32_t; // index into the tensors of a network
inline constexpr TensorId no_tensor = -1;

using Shape = std::vector<std::int64_t>;

// More elements than this are refused, so that bytes and operations stay far inside 64 bits.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 50;

enum class TensorKind {
    input,      // given from outside in every run
    weight,     // a parameter: the same in every run
    activation, // made by one operator for others
    output,     // a result of the network
    cache,      // keys or values of earlier tokens (KV cache): read, and appended to
    scratch,    // made and used within one operator (scores of attention, hidden layer of an FFN)
};

std::string_view name(TensorKind kind);

struct Tensor {
    std::string name;
    TensorKind kind = TensorKind::activation;
    Shape shape;
    Format format = Format::int8;
    Place place; // where it was declared, or the operator that makes it
};

std::int64_t elements(const Shape& shape); // of a shape with at most `most_elements`
std::int64_t elements(const Tensor& tensor);
Bytes bytes(const Tensor& tensor);

std::string to_text(const Shape& shape); // "[1, 3, 224, 224]"

// Throws InputError for a dimension below 1 and for more than `most_elements`.
void validate(const Shape& shape);

} // namespace systole
