#!/usr/bin/env bash
# Networks on the command line: what `info workloads` and `roofline` say of them, and what they refuse.
set -u

failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
# refused PATTERN ARGUMENTS...: exit code 2, nothing on stdout, the pattern on stderr.
refused() {
    local pattern=$1
    shift
    timeout 60 "$SYSTOLE" "$@" >out 2>err
    [ $? -eq 2 ] || fail "$*: not refused"
    [ -s out ] && fail "$*: wrote to stdout"
    grep -q -- "$pattern" err || fail "$*: no '$pattern' in: $(cat err)"
}
value() { python3 -c 'import json, sys; print(eval("d" + sys.argv[1], {"d": json.load(open("json"))}))' "$1"; }

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
refused "is part of a network" simulate "${chip[@]}" --workload resnet50
refused "both given" roofline "${chip[@]}" --onnx a.onnx --gemm 1x1x1
refused "there is no such file" roofline "${chip[@]}" --onnx none.onnx
refused "is for an ONNX model" roofline "${chip[@]}" --workload resnet50 --skip-unsupported
head -c 1000 /dev/urandom >noise.onnx
refused "is no ONNX model, or is cut off" roofline "${chip[@]}" --onnx noise.onnx
: >empty.onnx
refused "is no ONNX model, or is cut off" roofline "${chip[@]}" --onnx empty.onnx

[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
