// ONNX: operators that choose, join or rename tensors alone, which cost nothing, and lookups in tables.
#include <algorithm>

#include "sim/workload/onnx_lowering.h"

namespace systole {

namespace {

// Casts, too: a number format is converted on the way.
void read_same(OnnxLowering& to, const OnnxNode& node) { to.is_same(node.output(0), to.tensor(node.input(0))); }

void read_concat(OnnxLowering& to, const OnnxNode& node) {
    std::vector<std::string> inputs;
    for (const std::string& input : node.input()) {
        inputs.push_back(to.tensor(input));
    }
    to.emit(node, ConcatAttributes{int_attribute(node, "axis", 0)}, inputs, node.output(0));
}

// Starts, ends, axes and steps: inputs from opset 10 on, attributes before.
void read_slice(OnnxLowering& to, const OnnxNode& node) {
    const Shape input = to.shape(node.input(0));
    const bool old = node.input_size() == 1;
    const auto list = [&](int index, const char* name) {
        if (old) {
            return ints_attribute(node, name);
        }
        return has_input(node, index) ? to.integers(node.input(index)) : std::vector<std::int64_t>{};
    };
    const std::vector<std::int64_t> starts = list(1, "starts");
    const std::vector<std::int64_t> ends = list(2, "ends");
    const std::vector<std::int64_t> axes = list(3, "axes");
    const std::vector<std::int64_t> steps = list(4, "steps");
    if (ends.size() != starts.size() || starts.empty()) {
        throw InputError("its starts and ends differ in number");
    }
    std::string from = to.tensor(node.input(0));
    for (std::size_t i = 0; i < starts.size(); ++i) {
        if (i < steps.size() && steps[i] != 1) {
            throw UnsupportedNode("steps other than 1 are not");
        }
        const std::int64_t rank = static_cast<std::int64_t>(input.size());
        const std::int64_t wanted = i < axes.size() ? axes[i] : static_cast<std::int64_t>(i);
        const std::int64_t axis = wanted < 0 ? wanted + rank : wanted;
        if (axis < 0 || axis >= rank) {
            throw InputError("its axes are not those of " + to_text(input));
        }
        const std::int64_t size = input[static_cast<std::size_t>(axis)];
        const auto clamped = [size](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
        };
        const std::int64_t start = clamped(starts[i]);
        const SliceAttributes slice{axis, start, clamped(ends[i]) - start};
        if (slice.size < 1) {
            throw InputError("it leaves nothing of " + to_text(input));
        }
        if (i + 1 == starts.size()) {
            to.emit(node, slice, {from}, node.output(0));
        } else {
            from = to.emit_part(node, slice, {from});
        }
    }
}

void read_split(OnnxLowering& to, const OnnxNode& node) {
    const Shape input = to.shape(node.input(0));
    const auto rank = static_cast<std::int64_t>(input.size());
    std::int64_t axis = int_attribute(node, "axis", 0);
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis >= rank) {
        throw InputError("its axis is not one of " + to_text(input));
    }
    const std::int64_t parts = node.output_size();
    std::vector<std::int64_t> sizes = has_input(node, 1) ? to.integers(node.input(1)) : ints_attribute(node, "split");
    if (sizes.empty()) {
        sizes.assign(static_cast<std::size_t>(parts), ceil_div(input[static_cast<std::size_t>(axis)], parts));
        sizes.back() = input[static_cast<std::size_t>(axis)] - (parts - 1) * sizes.front();
    }
    if (static_cast<std::int64_t>(sizes.size()) != parts) {
        throw InputError("its sizes are not as many as its results");
    }
    std::int64_t start = 0;
    for (int i = 0; i < node.output_size(); ++i) {
        const std::int64_t size = sizes[static_cast<std::size_t>(i)];
        to.emit(node, SliceAttributes{axis, start, size}, {to.tensor(node.input(0))}, node.output(i));
        start += size;
    }
}

void read_gather(OnnxLowering& to, const OnnxNode& node) {
    const Shape data = to.shape(node.input(0));
    std::int64_t axis = int_attribute(node, "axis", 0);
    axis = axis < 0 ? axis + static_cast<std::int64_t>(data.size()) : axis;
    if (axis < 0 || axis >= static_cast<std::int64_t>(data.size())) {
        throw InputError("its axis is not one of " + to_text(data));
    }
    if (to.model().is_fixed(node.input(0))) {
        if (data.size() != 2 || axis != 0) {
            throw UnsupportedNode("only rows of a table of two dimensions are");
        }
        EmbeddingAttributes embedding;
        embedding.rows = data[0];
        embedding.width = data[1];
        to.emit(node, embedding, {to.tensor(node.input(1))}, node.output(0));
        return;
    }
    const std::vector<std::int64_t>& indices = to.integers(node.input(1));
    if (indices.size() != 1) {
        throw UnsupportedNode("only one fixed index is");
    }
    Shape result = data;
    result.erase(result.begin() + axis);
    if (!to.shape(node.input(1)).empty()) {
        result.insert(result.begin() + axis, 1);
    }
    const std::string part = to.emit_part(node, SliceAttributes{axis, indices[0], 1}, {to.tensor(node.input(0))});
    to.emit(node, ReshapeAttributes{result}, {part}, node.output(0));
}

void read_pad(OnnxLowering& to, const OnnxNode& node) {
    const std::vector<std::int64_t> pads =
        has_input(node, 1) ? to.integers(node.input(1)) : ints_attribute(node, "pads");
    if (std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad != 0; })) {
        throw UnsupportedNode("only padding within convolutions and pools is");
    }
    read_same(to, node);
}

} // namespace

void add_view_readers(OnnxReaders& readers) {
    for (const char* const type : {"Identity", "Dropout", "Cast", "CastLike"}) {
        readers[type] = read_same;
    }
    readers["Concat"] = read_concat;
    readers["Slice"] = read_slice;
    readers["Split"] = read_split;
    readers["Gather"] = read_gather;
    readers["Pad"] = read_pad;
}

} // namespace systole
