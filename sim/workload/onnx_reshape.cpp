// ONNX: operators that give the same elements another shape or another order, which cost nothing.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/workload/onnx_lowering.h"

namespace systole {

namespace {

[[noreturn]] void refuse(const char* attribute, const Shape& values, const std::string& why) {
    throw InputError(fmt::format("its '{}' {} {} (correct the model)", attribute, to_text(values), why));
}

// Numbers that are an input in newer operator sets and an attribute in older ones.
Shape numbers_of(const OnnxLowering& to, const OnnxNode& node, const char* attribute) {
    return has_input(node, 1) ? to.integers(node.input(1)) : ints_attribute(node, attribute);
}

// Dimensions, counted from the end if they are negative, each named once, of `rank` in all.
std::set<std::int64_t> axes_of(const Shape& axes, std::int64_t rank, const std::string& of) {
    std::set<std::int64_t> all;
    for (const std::int64_t axis : axes) {
        if (axis < -rank || axis >= rank) {
            refuse("axes", axes, fmt::format("are not dimensions of {}", of));
        }
        if (!all.insert(axis < 0 ? axis + rank : axis).second) {
            refuse("axes", axes, "name a dimension twice");
        }
    }
    return all;
}

// 0 copies a dimension, -1 is what is left.
Shape reshaped(const OnnxLowering& to, const OnnxNode& node, const Shape& input) {
    if (const auto known = to.model().shapes.find(node.output(0)); known != to.model().shapes.end()) {
        return known->second;
    }
    Shape target = numbers_of(to, node, "shape");
    for (std::size_t i = 0; i < target.size(); ++i) {
        if (target[i] == 0 && i < input.size()) {
            target[i] = input[i];
        }
    }
    return target;
}

Shape transposed(const OnnxLowering&, const OnnxNode& node, const Shape& input) {
    const Shape order = ints_attribute(node, "perm");
    if (order.empty()) {
        return {input.rbegin(), input.rend()};
    }
    Shape sorted = order;
    std::sort(sorted.begin(), sorted.end());
    Shape result;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order.size() != input.size() || sorted[i] != static_cast<std::int64_t>(i)) {
            refuse("perm", order, "does not name each dimension of " + to_text(input) + " once, from 0 on");
        }
        result.push_back(input[static_cast<std::size_t>(order[i])]);
    }
    return result;
}

Shape flattened(const OnnxLowering&, const OnnxNode& node, const Shape& input) {
    const auto rank = static_cast<std::int64_t>(input.size());
    const std::int64_t axis = int_attribute(node, "axis", 1);
    if (axis < -rank || axis > rank) {
        refuse("axis", {axis}, fmt::format("is not from {} to {} for {}", -rank, rank, to_text(input)));
    }
    const auto middle = input.begin() + (axis < 0 ? axis + rank : axis);
    return {elements(Shape(input.begin(), middle)), elements(Shape(middle, input.end()))};
}

Shape unsqueezed(const OnnxLowering& to, const OnnxNode& node, const Shape& input) {
    const Shape axes = numbers_of(to, node, "axes");
    const auto rank = static_cast<std::int64_t>(input.size() + axes.size());
    const std::set<std::int64_t> added = axes_of(axes, rank, fmt::format("a result of {} dimensions", rank));
    Shape result = input;
    for (const std::int64_t axis : added) { // in ascending order: each is where it ends up
        result.insert(result.begin() + axis, 1);
    }
    return result;
}

Shape squeezed(const OnnxLowering& to, const OnnxNode& node, const Shape& input) {
    const Shape axes = numbers_of(to, node, "axes");
    const std::set<std::int64_t> gone = axes_of(axes, static_cast<std::int64_t>(input.size()), to_text(input));
    Shape result;
    for (std::size_t i = 0; i < input.size(); ++i) {
        const bool goes = axes.empty() ? input[i] == 1 : gone.contains(static_cast<std::int64_t>(i));
        if (goes && input[i] != 1) {
            refuse("axes", axes, "name a dimension of " + to_text(input) + " that is not 1");
        }
        if (!goes) {
            result.push_back(input[i]);
        }
    }
    return result;
}

// DepthToSpace, SpaceToDepth.
Shape blocked(const OnnxLowering&, const OnnxNode& node, const Shape& input) {
    const std::int64_t side = int_attribute(node, "blocksize", 1);
    const bool to_space = node.op_type() == "DepthToSpace";
    const bool fits =
        input.size() == 4 && (to_space ? input[1] % (side * side) == 0 : input[2] % side == 0 && input[3] % side == 0);
    if (!fits) {
        refuse("blocksize", {side}, "does not divide " + to_text(input));
    }
    return to_space ? Shape{input[0], input[1] / (side * side), input[2] * side, input[3] * side}
                    : Shape{input[0], input[1] * side * side, input[2] / side, input[3] / side};
}

template <Shape (*target)(const OnnxLowering&, const OnnxNode&, const Shape&)>
void read_as(OnnxLowering& to, const OnnxNode& node) {
    const Shape result = target(to, node, to.shape(node.input(0)));
    to.emit(node, ReshapeAttributes{result}, {to.tensor(node.input(0))}, node.output(0));
}

// Expand and Tile repeat elements only if the result is larger.
Shape repeated(const OnnxLowering& to, const OnnxNode& node, const Shape& input) {
    const auto result = to.model().shapes.find(node.output(0));
    if (result == to.model().shapes.end()) {
        throw UnsupportedNode("the shape of its result '" + node.output(0) + "' is not known");
    }
    if (elements(result->second) != elements(input)) {
        throw UnsupportedNode("repeating elements is not");
    }
    return result->second;
}

} // namespace

void add_reshape_readers(OnnxReaders& readers) {
    readers["Reshape"] = read_as<reshaped>;
    readers["Transpose"] = read_as<transposed>;
    readers["Flatten"] = read_as<flattened>;
    readers["Unsqueeze"] = read_as<unsqueezed>;
    readers["Squeeze"] = read_as<squeezed>;
    readers["DepthToSpace"] = readers["SpaceToDepth"] = read_as<blocked>;
    readers["Expand"] = readers["Tile"] = read_as<repeated>;
}

} // namespace systole
