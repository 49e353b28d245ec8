# --sparsity: what it changes in a result, and what is refused.
set -u

. "$(dirname "$0")/../support/cli.sh"

run=(simulate --chip tiny_4x4 --gemm 6x8x16 --format json)
value() { python3 -c 'import json, sys; o = json.load(sys.stdin)["operators"][0]; print(eval("o" + sys.argv[1]))' "$@"; }

rm -rf out err dense.json sparse.json
"$SYSTOLE" "${run[@]}" >dense.json || fail "dense: exit $?"
"$SYSTOLE" "${run[@]}" --sparsity dense | cmp - dense.json || fail "--sparsity dense is not the default"
for engine in structural flat tile; do
    "$SYSTOLE" "${run[@]}" --sparsity 2:4 --engine $engine >sparse.json || fail "2:4, $engine: exit $?"
    for check in "sparsity=2:4" "macs=384" "dense_macs=768" "flops=768"; do
        [ "$(value "['${check%%=*}']" <sparse.json)" = "${check#*=}" ] || fail "$engine: not $check"
    done
    # 16x8 of B: 64 values, 4 groups x 8 columns x 4 bits of indices
    [ "$(value "['bytes']['hbm']['read']['B']" <sparse.json)" = 64 ] || fail "$engine: bytes of B"
    [ "$(value "['bytes']['hbm']['read']['meta']" <sparse.json)" = 16 ] || fail "$engine: bytes of the indices"
    [ "$(value "['roofline']['levels']['hbm']['compulsory_bytes']" <sparse.json)" = $((96 + 64 + 16 + 48)) ] ||
        fail "$engine: compulsory bytes"
done
[ "$(value "['sparsity']" <dense.json)" = dense ] || fail "a dense run names no sparsity"

"$SYSTOLE" simulate --chip tiny_4x4 --gemm 6x8x16 --sparsity 2:4 >out || fail "text"
grep -q "2:4 sparse" out || fail "the text does not name the sparsity"
grep -q "meta (indices of B)" out || fail "the text does not show the indices' bytes"
awk 'length($0) > 80 { bad = 1 } END { exit bad }' out || fail "text of more than 80 columns"

# A topology's column and a workload's key; the command line goes before them
printf 'Layer,M,N,K,Sparsity,\na,6,8,16,2:4,\nb,6,8,16,1:4,\n' >net.csv
"$SYSTOLE" simulate --chip tiny_4x4 --topology net.csv --format json >out || fail "topology"
python3 -c 'import json; r = json.load(open("out"))
assert [o["sparsity"] for o in r["operators"]] == ["2:4", "1:4"] and r["total"]["sparsity"] == "mixed"' || fail "topology: sparsity"
"$SYSTOLE" simulate --chip tiny_4x4 --topology net.csv --sparsity dense --format json | value "['sparsity']" | grep -qx dense ||
    fail "--sparsity does not go before the topology's"
printf 'sparsity = "2:4"\n[[operator]]\nm = 6\nn = 8\nk = 16\n' >net.toml
"$SYSTOLE" simulate --chip tiny_4x4 --workload net.toml --format json | value "['sparsity']" | grep -qx 2:4 || fail "workload"

# Both runs side by side; K = 16 on 4 rows: 4 passes, then 2
"$SYSTOLE" compare --chip tiny_4x4 --gemm 6x8x16 --from vmem --sparsity both --format json >out || fail "compare: exit $?"
python3 -c 'import json; o = json.load(open("out"))["operators"][0]
assert o["dense"]["cycles"] == o["dense_cycles"] and o["sparse"]["sparsity"] == "2:4"
assert abs(o["speed_up"] - o["dense_cycles"] / o["sparse_cycles"]) < 1e-12 and abs(o["eta"] - o["speed_up"] / 2) < 1e-12
assert sum(c["dense_cycles"] for c in o["causes"]) == o["dense_cycles"]
assert sum(c["lost_cycles"] for c in o["causes"]) == o["lost_cycles"]' || fail "compare: JSON"
"$SYSTOLE" compare --chip tiny_4x4 --gemm 6x8x16 --sparsity both >out || fail "compare: text"
grep -q "eta = speed-up / 2" out || fail "compare: no eta"
awk 'length($0) > 80 { bad = 1 } END { exit bad }' out || fail "compare: text of more than 80 columns"

refused() { # TEXT ARGUMENT...: exit 2 with TEXT on standard error and nothing on standard output
    local text="$1"
    shift
    "$SYSTOLE" "$@" >out 2>err
    local code=$?
    [ $code = 2 ] || fail "$*: exit $code"
    [ -s out ] && fail "$*: wrote to standard output"
    grep -qF -- "$text" err || fail "$*: says $(cat err)"
}
refused "--sparsity '3:4' is no sparsity" "${run[@]}" --sparsity 3:4
refused "--sparsity 'x' is not a sparsity" "${run[@]}" --sparsity x
refused "--sparsity '4:2' is not a sparsity" "${run[@]}" --sparsity 4:2
refused "cuts a group of sparsity 2:4" "${run[@]}" --sparsity 2:4 --tile 6x8x6
refused "--dataflow os" "${run[@]}" --sparsity 2:4 --set array.rows=1
refused "systole compare" "${run[@]}" --sparsity both
refused "is about one run" compare --chip tiny_4x4 --gemm 6x8x16 --sparsity both --explain
printf 'sparsity = "3:4"\n[[operator]]\nm = 6\nn = 8\nk = 16\n' >net.toml
refused "net.toml:1:12: 'sparsity' '3:4' is no sparsity" simulate --chip tiny_4x4 --workload net.toml

exit $((failures > 0))
