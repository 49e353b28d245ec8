#!/usr/bin/env bash
# ONNX models on the command line: run, with sizes bound, with operators left out; and files that are incomplete.
set -u

. "$(dirname "$0")/../support/cli.sh"
. "$(dirname "$0")/../support/cli_networks.sh"

# x [batch, 8] -> MatMul with w [8, 16] -> Relu -> y, in the bytes of protobuf; `skipped.onnx` with a running sum behind
# it, `external.onnx` with w in a file that is not there.
python3 - <<'PY'
def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])
def number(field, n): return varint(field << 3) + varint(n)
def part(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data
def tensor_type(dims):
    shape = b"".join(part(1, part(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return part(1, number(1, 1) + part(2, shape))
def value(name, dims): return part(1, name) + part(2, tensor_type(dims))
def node(kind, inputs, output):
    return b"".join(part(1, i) for i in inputs) + part(2, output) + part(3, output + "_node") + part(4, kind)
def model(nodes, weights, result):
    graph = b"".join(part(1, n) for n in nodes) + part(2, "g") + b"".join(part(5, w) for w in weights)
    graph += part(11, value("x", ["batch", 8])) + part(12, value(result, ["batch", 16]))
    return number(1, 8) + part(7, graph) + part(8, part(1, "") + number(2, 13))
shape = number(1, 8) + number(1, 16) + number(2, 1) + part(8, "w")
weight = shape + part(9, bytes(8 * 16 * 4))
axis = number(2, 7) + part(8, "axis") + part(9, (1).to_bytes(8, "little"))
outside = shape + part(13, part(1, "location") + part(2, "weights.bin")) + number(14, 1)
nodes = [node("MatMul", ["x", "w"], "h"), node("Relu", ["h"], "y")]
open("good.onnx", "wb").write(model(nodes, [weight], "y"))
open("cut.onnx", "wb").write(model(nodes, [weight], "y")[:-200])
open("external.onnx", "wb").write(model(nodes, [outside], "y"))
attribute = part(1, "strides") + number(8, 0) + number(8, 1) + number(20, 7)
filters = number(1, 4) + number(1, 8) + number(1, 3) + number(2, 1) + part(8, "f") + part(9, bytes(4 * 8 * 3 * 4))
target = number(1, 2) + number(2, 7) + part(8, "t") + part(9, b"abc")
conv = node("Conv", ["x", "f"], "y") + part(5, attribute)
open("stride.onnx", "wb").write(model([conv], [filters], "y"))
open("short.onnx", "wb").write(model([node("Reshape", ["x", "t"], "y")], [target], "y"))
# In ONNX 1.2 the shape of a Gemm is taken from dimensions that its B may not have.
vector = number(1, 8) + number(2, 1) + part(8, "v") + part(9, bytes(32))
old = model([node("Gemm", ["x", "v", "v"], "y")], [vector], "y")
open("gemm.onnx", "wb").write(old[:-1] + bytes([6]))
open("skipped.onnx", "wb").write(model(nodes + [node("CumSum", ["y", "axis"], "z")], [weight, axis], "z"))
PY

chip=(--chip edge_16x16 --engine tile)
"$SYSTOLE" simulate "${chip[@]}" --onnx good.onnx --bind batch=4 --format json -o json || fail "good.onnx"
[ "$(value '["total"]["macs"]')" = $((4 * 8 * 16)) ] || fail "good.onnx: MACs"
[ "$(value '["operators"][0]["m"]')" = 4 ] || fail "good.onnx: the bound size"
"$SYSTOLE" compare "${chip[@]}" --onnx good.onnx --bind batch=4 >text || fail "compare good.onnx"
[ "$(grep -c '^Layer     ' text)" -eq 2 ] || fail "compare good.onnx: each operator by itself"

refused "bind batch=" simulate "${chip[@]}" --onnx good.onnx
refused "is no ONNX model, or is cut off" simulate "${chip[@]}" --onnx cut.onnx --bind batch=4
refused "weights.bin" simulate "${chip[@]}" --onnx external.onnx --bind batch=4
for command in simulate roofline; do
    refused "node 'y_node' of type 'Conv' has the attribute 'strides' with 0" $command --chip edge_16x16 --onnx stride.onnx --bind batch=4
    refused "the values of 't' are cut off: 3 bytes" $command --chip edge_16x16 --onnx short.onnx --bind batch=4
    refused "node 'y_node' of type 'Gemm' does not fit its inputs" $command --chip edge_16x16 --onnx gemm.onnx --bind batch=4
done
refused "CumSum" simulate "${chip[@]}" --onnx skipped.onnx --bind batch=4
"$SYSTOLE" simulate "${chip[@]}" --onnx skipped.onnx --bind batch=4 --skip-unsupported >text 2>err || fail "skipped.onnx"
grep -q "left out: .*CumSum" text || fail "skipped.onnx: what is left out is not in the text"
"$SYSTOLE" simulate "${chip[@]}" --onnx skipped.onnx --bind batch=4 --skip-unsupported --format json -o json --quiet
[ "$(value '["skipped"].__len__()')" = 1 ] || fail "skipped.onnx: what is left out is not in the JSON"

[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
