# `systole roofline`: every worked example from the command line, to a part in a thousand million; bad input; formats.
set -u

failures=0
truth=$SYSTOLE_SOURCE_DIR/tests/truth/worked_examples.csv
page=$SYSTOLE_SOURCE_DIR/docs/worked-examples.md
asked=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# number KEY FILE: the first value of that key in the JSON; "hbm.seconds": of the key within that level.
number() {
    local key=${1##*.} level=${1%.*} begin=0
    [ "$level" = "$1" ] && begin=1
    awk -v key="\"$key\":" -v level="\"$level\":" -v inside="$begin" '
        $1 == level { inside = 1 }
        inside && $1 == key { sub(/,$/, "", $2); print $2; exit }' "$2"
}

# The column `exact`; quoted fields hold commas.
exact() { sed 's/"[^"]*"/quoted/g' "$truth" | awk -F, -v id="$1" '$1 == id { print $6 }'; }

close() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(a != "" && d <= 1e-9 * b) }'; }

# The command as one would type it.
typed() {
    local word text="systole roofline"
    for word in "$@"; do
        case $word in
        *=*" "*) text+=" ${word%=*}=\"${word##*=}\"" ;;
        *" "*) text+=" \"$word\"" ;;
        *) text+=" $word" ;;
        esac
    done
    echo "$text"
}

# row ID KEY ARGUMENTS...: the command gives the row's exact value under that key, and docs/worked-examples.md has it.
row() {
    local id=$1 key=$2 value wanted
    shift 2
    asked=$((asked + 1))
    grep -qF "\`$(typed "$@")\` | \`$key\`" "$page" || fail "$id is not in $page: $(typed "$@") | $key"
    "$SYSTOLE" roofline "$@" --format json >out.json 2>err || { fail "$id: exit $?: $(cat err)"; return; }
    value=$(number "$key" out.json)
    wanted=$(exact "$id")
    close "$value" "$wanted" || fail "$id: $key is '$value', wanted '$wanted': systole roofline $*"
}

v5e=(--chip tpu_v5e --set "nominal.hbm_bandwidth=820 GB/s")
v5e_810=(--chip tpu_v5e --set "nominal.hbm_bandwidth=810 GB/s")

# Chips
row chip.h100.time t_math_s given --chip h100 --flops 1e12
row chip.v6e.time t_math_s given --chip tpu_v6e --flops 1e12 --set "nominal.flops.bf16=910 TFLOP/s"
row chip.v5e.ridge hbm_ridge chip "${v5e[@]}"
row chip.v5e.int8.ridge hbm_ridge chip "${v5e_810[@]}" --dtype int8
row chip.h100.ridge hbm_ridge chip --chip h100 --set "nominal.flops.bf16=1000 TFLOP/s"
row chip.b200.ridge hbm_ridge chip --chip b200
row chip.v5e.mxu_peak peak_flops chip --chip tpu_v5e --rates machine
row chip.v5e.mxu_peak peak_flops peak --rows 128 --cols 128 --arrays 4 --clock "1.5 GHz"
row chip.v5p.vpu_peak peak_flops peak --lanes 1024 --alus 4 --clock "1.75 GHz"
row chip.npu.ridge hbm_ridge chip --chip npu_200t
row chip.npu.pcie_ridge pcie_ridge chip --chip npu_200t
row chip.cpu.ridge hbm_ridge chip --chip cpu_4t
row chip.gpu.ridge hbm_ridge chip --chip gpu_312t
row npu.sparse24.peak peak_flops chip --chip npu_200t --sparsity 2:4 --eta 0.75
row npu.sparse24.ridge hbm_ridge chip --chip npu_200t --sparsity 2:4 --eta 0.75
row npu.int4.ridge hbm_ridge chip --chip npu_200t --stored int4
row cpu.l1.ridge l1_ridge chip --chip cpu_2t
row cpu.l2.ridge l2_ridge chip --chip cpu_2t
row cpu.dram.ridge hbm_ridge chip --chip cpu_2t

# Operators
row op.dot.intensity hbm.intensity dot --chip tpu_v5e --n 1000000
row op.add_fp32.intensity hbm.intensity elementwise --chip h100 --elements 1000 --dtype fp32
row op.add_fp32.h100.1g hbm.seconds elementwise --chip h100 --elements 1073741824 --dtype fp32
row op.add_fp32.h100.64k hbm.seconds elementwise --chip h100 --elements 65536 --dtype fp32
lookup=(embedding --chip npu_200t --set "nominal.hbm_bandwidth=4 TB/s" --intensity 0.1 --hit-rate 0.9
    --cache-bandwidth "10 TB/s")
row op.embedding.npu.beta_eff effective_bandwidth "${lookup[@]}"
row op.embedding.npu attainable_flops "${lookup[@]}"
npu=$(number attainable_flops out.json)
row op.embedding.gpu attainable_flops embedding --chip gpu_1000t --intensity 0.1
close "$(awk -v a="$npu" -v b="$(number attainable_flops out.json)" 'BEGIN { printf "%.17g", a / b }')" \
    "$(exact op.embedding.speedup)" || fail "op.embedding.speedup"
asked=$((asked + 1))
square=(attention --chip gpu_1000t --dtype fp16 --dim 64)
row attn.std.1024.flops flops "${square[@]}" --seq 1024 --method standard
row attn.std.1024.bytes compulsory_bytes "${square[@]}" --seq 1024 --method standard
row attn.std.1024.intensity hbm.intensity "${square[@]}" --seq 1024 --method standard
row attn.std.1024.gpu utilization "${square[@]}" --seq 1024 --method standard
row attn.std.2048.intensity hbm.intensity "${square[@]}" --seq 2048 --method standard
row attn.flash.2048.intensity hbm.intensity "${square[@]}" --seq 2048
grouped=(attention --chip tpu_v5e --heads 8 --kv-heads 1 --dim 128 --keys 4096)
row attn.gqa.T1.S4096.G8 hbm.intensity "${grouped[@]}" --queries 1
row attn.gqa.T4096.S4096.G8 hbm.intensity "${grouped[@]}" --queries 4096
layer=(given --chip npu_200t --flops 3.7e9 --input-bytes "1.5 MB" --weight-bytes "1.1 MB" --output-bytes "1.5 MB")
row npu.conv.naive hbm.intensity "${layer[@]}"
row npu.conv.ws100 hbm.intensity "${layer[@]}" --weight-reuse 100
row npu.ffn.intensity hbm.intensity given --chip npu_200t --flops 1.1e12 --bytes "650 MB"
row llm.decode.floor seconds decode --chip tpu_v4 --parameters 200e9 --chips 32
# The text rounds v5e's ridge to 240: a chip that has exactly that.
row moe.dsv3.bcrit critical_batch_approx critical-batch "${v5e[@]}" --set "nominal.flops.bf16=196.8 TFLOP/s" \
    --layer moe --experts 256 --active 8 --d 7168 --f 2048 --dtype bf16,int8,bf16

# Matrix products; the texts write M x K x N
fp16=(--chip gpu_312t --dtype fp16)
row gemm.1024x512x768.flops flops "${fp16[@]}" --gemm 1024x768x512
row gemm.1024x512x768.bytes compulsory_bytes "${fp16[@]}" --gemm 1024x768x512
row gemm.1024x512x768.intensity hbm.intensity "${fp16[@]}" --gemm 1024x768x512
row gemm.1024cubed.flops flops "${fp16[@]}" --gemm 1024x1024x1024
row gemm.1024cubed.bytes compulsory_bytes "${fp16[@]}" --gemm 1024x1024x1024
row gemm.1024cubed.intensity hbm.intensity "${fp16[@]}" --gemm 1024x1024x1024
row gemm.1024cubed.tiled50 hbm.intensity given "${fp16[@]}" --flops 2147483648 --bytes 6291456 --reuse 50
row gemm.tiled.bytes hbm.tiled_bytes "${fp16[@]}" --gemm 1024x1024x1024 --tile 128x128x128
row gemm.tiled.intensity_limit tiled_intensity_limit "${fp16[@]}" --gemm 1024x1024x1024 --tile 128x128x128
row gemm.cpu128t attainable_flops given --chip cpu_128t --intensity 200
row gemm.cpu128t.util utilization given --chip cpu_128t --intensity 200
for side in 8192 4096 1024; do
    row "gemm.h100.bcrit.$side" critical_batch critical-batch --chip h100 --d "$side" --f "$side"
done
int8=(critical-batch "${v5e[@]}" --d 4096 --f 16384 --dtype int8)
row gemm.v5e.int8.bcrit critical_batch "${int8[@]}"
row gemm.v5e.int8.bcrit_vmem critical_batch "${int8[@]}" --level vmem --set "nominal.vmem_bandwidth=18.04 TB/s"
w8a16=(--dtype bf16,int8,bf16)
row gemm.v5e.w8a16.bcrit_approx critical_batch_approx critical-batch "${v5e_810[@]}" --d 4096 --f 4096 "${w8a16[@]}"
row gemm.v5e.w8a16.bcrit.4096 critical_batch critical-batch "${v5e[@]}" --d 4096 --f 4096 "${w8a16[@]}"
row gemm.v5e.w8a16.bcrit.1024 critical_batch critical-batch "${v5e[@]}" --d 1024 --f 1024 "${w8a16[@]}"
row gemm.v6e.offload.bcrit critical_batch_approx critical-batch --chip tpu_v6e --from host --d 8192 --f 32768 \
    --set "nominal.pcie_bandwidth=16 GB/s"
row gemm.bmm.int8.intensity hbm.intensity bmm --chip tpu_v5e --batch 64 --gemm 1x4096x4096 --dtype int8
row gemm.two_chips.dcrit critical_d split --chip tpu_v5e --batch 256 --d 8192 --f 8192 --chips 2
row gemm.ring.dcrit.8 critical_d split --chip tpu_v5e --batch 256 --d 8192 --f 8192 --chips 8

# Requests from end to end
e2e=(request --chip npu_200t --bytes-in "1 MB" --bytes-out "1 MB" --compute "500 us" --serial-fraction 0.25)
row e2e.b1.transfer transfer_s "${e2e[@]}"
row e2e.b1.total total_s "${e2e[@]}"
row e2e.b1.serial serial_s "${e2e[@]}"
row e2e.amdahl speedup_limit "${e2e[@]}"
e2e+=(--batch 64 --compute-growth 1.9 --serial-growth 0.05)
row e2e.b64.serial serial_s "${e2e[@]}"
row e2e.b64.transfer transfer_s "${e2e[@]}"
row e2e.b64.compute compute_s "${e2e[@]}"
row e2e.b64.total total_s "${e2e[@]}"
row soc.b1.transfer transfer_s request --chip npu_200t --bytes-in "2 MB"
row soc.b64.transfer transfer_s request --chip npu_200t --bytes-in "2 MB" --batch 64
row soc.amdahl speedup amdahl --serial-fraction 0.2

rows=$(($(wc -l <"$truth") - 1))
[ "$asked" -eq $((rows + 1)) ] || fail "$asked commands for $rows rows (v5e's peak is asked for twice)"

# Each command has a page of help, and each example on it runs
words=$("$SYSTOLE" roofline --help | sed -n 's/^  systole roofline \([a-z-]*\) --help$/\1/p')
[ "$(echo "$words" | wc -l)" -ge 17 ] || fail "the help of roofline lists few operators: $words"
for word in "" $words; do
    # shellcheck disable=SC2086
    "$SYSTOLE" roofline $word --help >help || fail "no help of '$word'"
    awk 'length($0) > 80 { bad = 1 } END { exit bad }' help || fail "help of '$word' is wider than 80 columns"
    sed -n '/^examples:/,/^operators:/p' help | sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' |
        sed -n 's/^  systole //p' | while read -r line; do
        eval "\"\$SYSTOLE\" $line" >out 2>err || echo "FAILED: systole $line: $(cat err)"
        awk 'length($0) > 80 { bad = 1 } END { exit bad }' out || echo "FAILED: wider than 80 columns: systole $line"
    done >examples
    [ -s examples ] && fail "$(cat examples)"
done

# The same bytes for the same input, in every format; a file instead of standard output
for format in text json csv; do
    "$SYSTOLE" roofline --chip h100 --workload llama3_8b_ffn --format "$format" >first || fail "--format $format"
    "$SYSTOLE" roofline --chip h100 --workload llama3_8b_ffn --format "$format" -o second || fail "--format $format -o"
    cmp first second || fail "--format $format differs"
done
[ "$("$SYSTOLE" roofline --chip h100 --workload llama3_8b_ffn --format csv | wc -l)" -eq 4 ] || fail "a CSV row for each"

# Sparse operators, by a workload's word or the command line's, which goes first. 16x8 of B in 2:4 are 64 values and
# 16 bytes of indices instead of 128, in 1:4 half of that; A has 96 bytes and C 48. The peak of tiny_4x4 is 3.2 GFLOP/s,
# so T_math is 1536 FLOP over M/N of that, as beside a simulated run; tiled bytes are no fewer than the compulsory ones.
printf 'sparsity = "2:4"\n[[operator]]\nm = 6\nn = 8\nk = 16\n' >sparse.toml
for case in "--workload sparse.toml=2:4 224 2.4e-07 6400000000.0" "--gemm 6x8x16 --sparsity 2:4=2:4 224 2.4e-07 6400000000.0" \
    "--workload sparse.toml --sparsity 2:4=2:4 224 2.4e-07 6400000000.0" \
    "--workload sparse.toml --sparsity 1:4=1:4 184 1.2e-07 12800000000.0" \
    "--workload sparse.toml --sparsity dense=dense 272 4.8e-07 3200000000.0"; do
    read -ra command <<<"${case%=*}"
    "$SYSTOLE" roofline --chip tiny_4x4 "${command[@]}" --format json >first || fail "roofline ${command[*]}: exit $?"
    read -r sparsity bytes math peak <<<"${case##*=}"
    [ "$(number flops first)" = 1536 ] || fail "${command[*]}: FLOP $(number flops first)"
    [ "$(number sparsity first)" = "\"$sparsity\"" ] || fail "${command[*]}: sparsity $(number sparsity first)"
    [ "$(number hbm.compulsory_bytes first)" = "$bytes" ] || fail "${command[*]}: $(number hbm.compulsory_bytes first) bytes"
    [ "$(number hbm.tiled_bytes first)" -ge "$bytes" ] || fail "${command[*]}: $(number hbm.tiled_bytes first) tiled bytes"
    [ "$(number t_math_s first)" = "$math" ] || fail "${command[*]}: T_math $(number t_math_s first)"
    [ "$(number peak_flops first)" = "$peak" ] || fail "${command[*]}: peak $(number peak_flops first)"
    "$SYSTOLE" simulate --chip tiny_4x4 "${command[@]}" --format json >second || fail "simulate ${command[*]}: exit $?"
    [ "$(number t_math_s second)" = "$math" ] || fail "simulate ${command[*]}: T_math $(number t_math_s second)"
    [ "$(number hbm.compulsory_bytes second)" = "$bytes" ] || fail "simulate ${command[*]}: other bytes"
done
"$SYSTOLE" roofline --chip tiny_4x4 --workload sparse.toml | grep -q "int8, B 2:4;" || fail "the text does not say what is sparse"

# What cannot be: exit 2, nothing on standard output, a cure
refused() {
    local pattern=$1 code
    shift
    "$SYSTOLE" "$@" >out 2>err
    code=$?
    if [ "$code" -ne 2 ] || [ -s out ] || ! grep -qE -- "$pattern" err; then
        fail "systole $* is exit $code, wanted 2 and /$pattern/: $(cat err)"
    fi
}
refused "no array to simulate .*systole roofline --chip h100" simulate --chip h100 --gemm 8x8x8
refused "no array to simulate" probe array --chip cpu_4t --streamed 8
refused "did you mean 'attention'" roofline atention --chip h100
refused "the operator comes first" roofline --chip h100 attention
refused "nothing to answer" roofline --chip h100
refused "no chip" roofline --gemm 1x1x1
refused "no peak of h100 in int4 .*bf16" roofline --chip h100 --gemm 8x8x8 --dtype int4
refused "is below 1" roofline --chip h100 --gemm 0x8x8
refused "roofline_only = true has no such part" roofline --chip h100 --gemm 8x8x8 --set "hbm.bandwidth=1 GB/s"
refused "--dim is not given" roofline attention --chip h100 --seq 128
refused "multiple of" roofline attention --chip h100 --seq 128 --dim 64 --heads 6 --kv-heads 4
refused "as many keys as queries" roofline attention --chip h100 --queries 9 --keys 8 --dim 64 --causal
refused "--bytes '-1' is not understood" roofline given --chip h100 --flops 1 --bytes -1
refused "--bytes '1 MiBs' .*MiB" roofline given --chip h100 --flops 1 --bytes "1 MiBs"
refused "--eta .*--sparsity" roofline chip --chip npu_200t --eta 0.5
refused "--sparsity 'both' is not a sparsity" roofline --chip tiny_4x4 --gemm 8x8x8 --sparsity both
refused "from 0 to 1" roofline chip --chip npu_200t --sparsity 2:4 --eta 1.5
refused "no bandwidth of a level 'l3' .*l1, l2, hbm" roofline critical-batch --chip cpu_2t --d 8 --f 8 --level l3
refused "more active experts" roofline moe --chip h100 --tokens 8 --d 8 --f 8 --experts 2 --active 3
refused "more chips than D" roofline split --chip h100 --batch 1 --d 4 --f 8 --chips 5
refused "level 'link'" roofline split --chip cpu_4t --batch 1 --d 4 --f 8 --chips 2
refused "kernel of the convolution is larger" roofline conv --chip h100 --input 2x2x1 --kernel 3x3 --filters 1
refused "--input '2x2' is not HxWxC" roofline conv --chip h100 --input 2x2 --kernel 3x3 --filters 1
refused "below 1" roofline request --chip npu_200t --serial-fraction 1 --compute 1

[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
