#include "sim/workload/tensor.h"

namespace systole {

std::string_view name(TensorKind kind) {
    switch (kind) {
    case TensorKind::input:
        return "input";
    case TensorKind::weight:
        return "weight";
    case TensorKind::activation:
        return "activation";
    case TensorKind::output:
        return "output";
    case TensorKind::cache:
        return "cache";
    case TensorKind::scratch:
        break;
    }
    return "scratch";
}

std::int64_t elements(const Shape& shape) {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) {
        product *= size;
    }
    return product;
}

std::int64_t elements(const Tensor& tensor) { return elements(tensor.shape); }

Bytes bytes(const Tensor& tensor) { return stored_bytes(elements(tensor), tensor.format); }

std::string to_text(const Shape& shape) {
    std::string text;
    for (const std::int64_t size : shape) {
        text += (text.empty() ? "" : ", ") + std::to_string(size);
    }
    return "[" + text + "]";
}

void validate(const Shape& shape) {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) {
        if (size < 1) {
            throw InputError("shape " + to_text(shape) + " has a dimension below 1");
        }
        if (size > most_elements / product) {
            throw InputError("shape " + to_text(shape) + " has more than 2^50 elements");
        }
        product *= size;
    }
}

} // namespace systole
