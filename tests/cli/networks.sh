#!/usr/bin/env bash
# Networks on the command line: what `info workloads`, `roofline`, `simulate` and `compare` say of them, and what they refuse.
set -u

. "$(dirname "$0")/../support/cli.sh"
. "$(dirname "$0")/../support/cli_networks.sh"

"$SYSTOLE" info workloads --format json >json || fail "info workloads"
[ "$(value '["workloads"] == sorted(d["workloads"], key=lambda w: w["name"])')" = True ] || fail "order of workloads"
for name in resnet18 resnet50 mobilenet_v2 bert_base gpt2_small vit_b_16 llama3_8b_prefill llama3_8b_decode dlrm \
    mixtral_moe_layer; do
    "$SYSTOLE" validate "$SYSTOLE_SOURCE_DIR/configs/workloads/$name.toml" >out || fail "validate $name"
    "$SYSTOLE" roofline --chip tpu_v5e --workload "$name" >first || fail "roofline $name"
    "$SYSTOLE" roofline --chip tpu_v5e --workload "$name" -o second || fail "roofline $name -o"
    cmp -s first second || fail "roofline $name: not the same twice"
done

# ResNet-50: 4,089,184,256 MACs; eight images do eight times as many.
"$SYSTOLE" roofline --chip tpu_v5e --workload resnet50 --format json >json || fail "resnet50 json"
[ "$(value '["results"]["macs"]')" = 4089184256 ] || fail "resnet50 MACs"
"$SYSTOLE" roofline --chip tpu_v5e --workload resnet50 --bind batch=8 --format json >json || fail "resnet50 batch 8"
[ "$(value '["results"]["macs"]')" = $((8 * 4089184256)) ] || fail "resnet50 MACs of 8 images"
[ "$("$SYSTOLE" roofline --chip tpu_v5e --workload resnet50 --format csv | wc -l)" -eq 122 ] || fail "a CSV row for each"

chip=(--chip tpu_v5e)
refused "has no parameter 'bacth' to bind (did you mean 'batch'?)" roofline "${chip[@]}" --workload resnet50 --bind bacth=2
refused "is not NAME=NUMBER" roofline "${chip[@]}" --workload resnet50 --bind batch
refused "'0' is below 1" roofline "${chip[@]}" --workload resnet50 --bind batch=0
refused "is given twice" roofline "${chip[@]}" --workload resnet50 --bind batch=1 --bind batch=2
refused "more than 2^50 elements" roofline "${chip[@]}" --workload resnet50 --bind batch=1000000000000
refused "are not for a network" roofline "${chip[@]}" --workload resnet50 --tile 8x8x8
refused "both given" roofline "${chip[@]}" --onnx a.onnx --gemm 1x1x1
refused "there is no such file" roofline "${chip[@]}" --onnx none.onnx
refused "is for an ONNX model" roofline "${chip[@]}" --workload resnet50 --skip-unsupported
head -c 1000 /dev/urandom >noise.onnx
refused "is no ONNX model, or is cut off" roofline "${chip[@]}" --onnx noise.onnx
: >empty.onnx
refused "is no ONNX model, or is cut off" roofline "${chip[@]}" --onnx empty.onnx

# Runs: every network fits into 80 columns, the cycles of its operators sum to the run's.
run=(--chip tpu_v5e --set array.count=1 --dtype bf16)
for name in resnet18 bert_base dlrm request_1mb; do
    "$SYSTOLE" simulate "${run[@]}" --workload "$name" --out-dir "dir_$name" >text || fail "simulate $name"
    [ "$(awk 'length > 80' text | wc -l)" -eq 0 ] || fail "simulate $name: wider than 80 columns"
    cp "dir_$name/result.json" json
    [ "$(value '["total"]["cycles"] == sum(o["cycles"] for o in d["operators"])')" = True ] || fail "$name: cycles"
    [ "$(value '["total"]["tasks"] == sum(o["tasks"] for o in d["operators"])')" = True ] || fail "$name: tasks"
done
cp dir_bert_base/result.json json
[ "$(value '["operators"][5]["name"]')" = 'layer[0].query' ] || fail "bert_base: the first product"
[ "$(value '["operators"][5]["homes"]')" = "{'A': 'vmem', 'B': 'hbm', 'C': 'vmem'}" ] || fail "bert_base: homes"
[ "$(value '["total"]["macs"]')" = 11174215680 ] || fail "bert_base: MACs"
grep -q '^layer\[0-11\].ffn ' dir_bert_base/result.txt || fail "bert_base: repetitions are not folded"
"$SYSTOLE" simulate "${run[@]}" --workload bert_base --layers all >text || fail "--layers all"
[ "$(grep -c '^layer\[[0-9]*\].ffn ' text)" -eq 12 ] || fail "--layers all: not a row for each"
"$SYSTOLE" compare "${run[@]}" --workload bert_base --explain >text || fail "compare bert_base"
[ "$(wc -l <text)" -lt 120 ] || fail "compare bert_base: pages"
"$SYSTOLE" compare "${run[@]}" --workload resnet18 --layers detail >text || fail "--layers detail"
[ "$(grep -c '^Layer     ' text)" -eq "$(grep -c '^  Waterfall' text | awk '{print $1 - 1}')" ] || fail "--layers detail"
refused "use folded or all" simulate "${run[@]}" --workload resnet18 --layers detail
"$SYSTOLE" compare "${run[@]}" --workload resnet18 --max-gap 0 >out 2>err
[ $? -eq 1 ] || fail "--max-gap of a network"

# Mappings by the names of the products: replayed, the whole JSON is the same; all of them are needed.
for name in resnet18 dlrm request_1mb bert_base; do
    "$SYSTOLE" simulate "${run[@]}" --workload "$name" --save-mapping m.toml --format json -o auto.json ||
        fail "$name: --save-mapping"
    "$SYSTOLE" simulate "${run[@]}" --workload "$name" --mapping fixed:m.toml --format json -o fixed.json ||
        fail "$name: fixed mapping"
    cmp auto.json fixed.json || fail "$name: a replayed mapping is another run"
done
grep -q 'name = "layer\[0\].attention' m.toml || fail "names of products in the mapping file"
refused "was mapped as" simulate "${run[@]}" --workload bert_base --bind batch=2 --mapping fixed:m.toml

# What auto takes is the fastest of what can be asked for, and its file repeats it; --layers is for networks.
cycles() { awk '/^Result/ { print $2 }' "$1"; }
edge=(--chip edge_16x16 --workload resnet18)
"$SYSTOLE" simulate "${edge[@]}" --dataflow auto --save-mapping m.toml -o auto.txt || fail "--dataflow auto"
"$SYSTOLE" simulate "${edge[@]}" --dataflow ws -o ws.txt || fail "--dataflow ws"
"$SYSTOLE" simulate "${edge[@]}" --dataflow ws --mapping naive -o naive.txt || fail "--mapping naive"
"$SYSTOLE" simulate "${edge[@]}" --mapping fixed:m.toml -o fixed.txt || fail "mapping of --dataflow auto"
[ "$(cycles auto.txt)" -le "$(cycles ws.txt)" ] || fail "--dataflow auto is slower than ws"
[ "$(cycles ws.txt)" -le "$(cycles naive.txt)" ] || fail "--mapping auto is slower than naive"
[ "$(cycles auto.txt)" = "$(cycles fixed.txt)" ] || fail "the mapping of --dataflow auto takes other cycles"
refused "--layers is for networks" simulate --chip edge_16x16 --gemm 8x8x8 --layers all

# --max-cycles and the ten minutes hold for the whole run, which no operator passes alone.
refused "the whole run: about .* cycles are more than --max-cycles 600000" simulate --chip edge_16x16 --workload resnet50 --max-cycles 600000
refused "the whole run: about .* would take the structural engine some" simulate --chip edge_16x16 \
    --workload resnet50 --engine structural
refused "raise --max-cycles" simulate "${edge[@]}" --max-cycles $(($(cycles ws.txt) - 1))
"$SYSTOLE" simulate "${edge[@]}" --max-cycles "$(cycles ws.txt)" -o out || fail "--max-cycles of as many"

# Requests around a network: the roofline's rows sum to its bound, and the JSON tells of the link what the text does.
"$SYSTOLE" simulate --chip npu_200t --workload request_1mb --format json -o json || fail "request_1mb"
[ "$(value '["total"]["bytes"]["hbm"]["write"]["vector"]')" = 2000000 ] || fail "the upload and the answer in HBM"
[ "$(value '["total"]["bytes"]["hbm"]["read"]["vector"]')" = 3000000 ] || fail "mean, answer and download from HBM"
[ "$(value '["total"]["bytes"]["pcie"]["accesses"] > 0')" = True ] || fail "requests over the link"
[ "$(value '["total"]["pcie_time"]["to_host"]["payload"] > 0')" = True ] || fail "pcie_time of the whole"
[ "$(value '["total"]["prefetched_bytes"] == sum(o["prefetched_bytes"] for o in d["operators"]) > 0')" = True ] ||
    fail "prefetched_bytes of the whole"
[ "$(value '["operators"][0]["dataflow"]')" = None ] || fail "a stage of the host has a dataflow"
python3 - <<'END' || fail "the roofline's rows do not sum to the upper bound"
import json
roof = json.load(open("json"))["total"]["roofline"]
rows = roof["t_math_s"] + roof["t_vector_s"] + sum(level["seconds"] for level in roof["levels"].values())
assert abs(rows - roof["upper_bound_s"]) < 1e-12, (rows, roof)
END
"$SYSTOLE" simulate --chip npu_200t --workload request_1mb --from host --format json -o json || fail "request_1mb --from host"
[ "$(value '["total"]["bytes"]["pcie"]["write"]')" = "{'A': 0, 'B': 128000000, 'C': 0, 'psum': 0, 'meta': 0, 'vector': 1000000}" ] ||
    fail "from the host: the request and the weights once: $(value '["total"]["bytes"]["pcie"]')"
[ "$(value '["total"]["bytes"]["pcie"]["read"]["vector"]')" = 1000000 ] || fail "from the host: the answer once"
printf '[[tensor]]\nname = "x"\nshape = [2, 3]\n[[operator]]\nname = "a"\nkind = "reshape"\nshape = [6]\n' >view.toml
"$SYSTOLE" simulate --chip edge_16x16 --workload view.toml >text || fail "a network of views"
[ "$(awk 'length > 80' text | wc -l)" -eq 0 ] || fail "a network of views: wider than 80 columns"
for command in simulate compare roofline sweep probe info validate; do
    "$SYSTOLE" $command --help >text || fail "$command --help"
    [ "$(awk 'length > 80' text | wc -l)" -eq 0 ] || fail "$command --help: wider than 80 columns"
done

# Weights in 2:4 do half of the MACs of the products that have them; attention does all.
"$SYSTOLE" simulate "${run[@]}" --workload bert_base --sparsity 2:4 --format json -o json || fail "--sparsity"
[ "$(value '["operators"][5]["macs"] * 2 == d["operators"][5]["dense_macs"]')" = True ] || fail "sparse: half the MACs"
[ "$(value '["operators"][8]["sparsity"]')" = dense ] || fail "sparse attention"
"$SYSTOLE" compare "${run[@]}" --workload bert_base --sparsity both >text || fail "--sparsity both"
grep -q '^layer\[0-11\].ffn  *2:4 ' text || fail "--sparsity both: table"
[ "$(awk 'length > 80' text | wc -l)" -eq 0 ] || fail "--sparsity both: wider than 80 columns"

# Fused, an activation has no row, and the run is no slower.
"$SYSTOLE" simulate "${run[@]}" --workload resnet18 --fuse --format json -o json || fail "--fuse"
[ "$(value '["operators"][1]["name"]')" = pool1 ] || fail "--fuse: conv1.relu is still there"
cp json fused.json
cp dir_resnet18/result.json json
[ "$(value '["total"]["cycles"] >= __import__("json").load(open("fused.json"))["total"]["cycles"]')" = True ] ||
    fail "--fuse: slower"
refused "--fuse is for networks" simulate --chip edge_16x16 --gemm 8x8x8 --fuse

# What is wrong names its place; what is merely large works.
cat >cyclic.toml <<'END'
[[tensor]]
name = "x"
shape = [4, 8]
[[operator]]
name = "a"
kind = "add"
inputs = ["x", "b"]
[[operator]]
name = "b"
kind = "relu"
inputs = ["a"]
END
refused "cyclic.toml:4:1: operators need each other's results: a -> b -> a" simulate "${chip[@]}" --workload cyclic.toml
sed 's/"x", "b"/"x", "z"/' cyclic.toml >dangling.toml
refused "dangling.toml:4:1: operator 'a' reads 'z', which nobody writes" simulate "${chip[@]}" --workload dangling.toml
cat >shapes.toml <<'END'
[[tensor]]
name = "x"
shape = [4, 8]
[[tensor]]
name = "y"
shape = [5, 3]
[[operator]]
name = "a"
kind = "gemm"
inputs = ["x", "y"]
END
refused "shapes.toml:7:1: operator 'a' (gemm): A \[4, 8\] and B \[5, 3\] do not fit" simulate "${chip[@]}" --workload shapes.toml
cat >small.toml <<'END'
[[tensor]]
name = "x"
shape = [4, 8]
[[operator]]
name = "fc"
kind = "gemm"
features = 64
END
refused "small.toml:4:1: even the smallest tile" simulate --chip edge_16x16 --workload small.toml --set vmem.capacity="64 B"
python3 - <<'END'
with open("many.toml", "w") as file:
    file.write('[[tensor]]\nname = "x"\nshape = [4, 64]\n')
    for i in range(10000):
        file.write(f'[[operator]]\nname = "layer{i}"\nkind = "gemm"\nfeatures = 64\n')
END
"$SYSTOLE" simulate --chip edge_16x16 --workload many.toml --format csv >out || fail "10,000 layers"
[ "$(wc -l <out)" -eq 10001 ] || fail "10,000 layers: a row for each"

[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
