# Timelines as users ask for them: what is refused, what is written where, and that a viewer finds the run's own numbers.
set -u

. "$(dirname "$0")/../support/cli.sh"

# refused CODE PATTERN ARGUMENTS...
refused() {
    local wanted=$1 pattern=$2 code
    shift 2
    "$SYSTOLE" simulate --chip tiny_4x4 "$@" >out 2>err
    code=$?
    [ "$code" -eq "$wanted" ] || fail "$*: exit $code, wanted $wanted"
    [ -s out ] && fail "$*: something on standard output"
    grep -qE -- "$pattern" err || fail "$*: wanted /$pattern/ in: $(cat err)"
}

rm -rf ./*.json* ./*.vcd* out err plain shown net.csv
gemm=(--gemm 40x24x32 --dtype int8)

# Options
refused 2 "give --trace FILE too" "${gemm[@]}" --trace-limit "1 MiB"
refused 2 "--trace-limit .*MiB" "${gemm[@]}" --trace t.json --trace-limit 1000000
refused 2 "raise --trace-limit" "${gemm[@]}" --trace t.json --trace-limit "1 KiB"
refused 2 "more than --max-cycles 3" "${gemm[@]}" --trace t.json --max-cycles 3

# Places
refused 2 "--trace .: is a folder" "${gemm[@]}" --trace .
refused 4 "absent/t.json: cannot be written" "${gemm[@]}" --trace absent/t.json
refused 2 "-o and --trace would both write" "${gemm[@]}" --trace t.json -o ./t.json
refused 2 "--vcd and --trace would both write" "${gemm[@]}" --trace t.json --vcd t.json
for left in ./*.json* ./*.vcd*; do
    [ -e "$left" ] && fail "a refused run left $left"
done
echo kept >old.json
refused 2 "more than --max-cycles 3" "${gemm[@]}" --trace old.json --max-cycles 3
[ "$(cat old.json)" = kept ] || fail "a refused run touched the file"

# What every viewer relies on, and the counts of the run: check RESULT.json TRACE.json
cat >check.py <<'PY'
import collections, json, sys

result = json.load(open(sys.argv[1]))
trace = json.load(open(sys.argv[2]))
events = trace["traceEvents"]
total, clock = result["total"], result["clock_hz"]
ns = lambda microseconds: round(microseconds * 1000)
threads = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
parts = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
assert parts[1] == "operators" and 0 not in parts and 0 not in threads
ends, sums, open_ids, arrays, last = collections.Counter(), collections.Counter(), {}, 0, 0
for e in events:
    assert e["ph"] in "MXbeC" and e["pid"] in parts, e
    args = e.get("args", {})
    if e["ph"] == "X":  # Perfetto drops slices of a thread that overlap
        assert e["tid"] in threads and e["dur"] >= 0 and ns(e["ts"]) >= ends[e["tid"]], e
        ends[e["tid"]] = ns(e["ts"]) + ns(e["dur"])
        arrays += args.get("arrays", 0)
        if threads[e["tid"]] == "array":
            sums["cycles"] += args["cycles"]
    if e["ph"] == "b":
        assert e["id"] not in open_ids
        open_ids[e["id"]] = e
        sums[e["name"].split(" ", 2)[-1] if e["name"].startswith("DMA") else e["name"]] += args["bytes"]
    if e["ph"] == "e":
        begin = open_ids[e["id"]]
        assert begin["name"] == e["name"] and begin["cat"] == e["cat"] and begin["ts"] <= e["ts"]
        last = max(last, begin["args"]["cycle"] + begin["args"]["cycles"])
    if e["ph"] == "X" and parts[e["pid"]] == "HBM":
        sums["HBM " + e["name"]] += args["bytes"]
written = total["bytes"]["vmem"]["write"]
assert sums["reads A"] == written["A"] and sums["reads B"] == written["B"], sums
assert sums["writes C"] == total["bytes"]["vmem"]["read"]["C"], sums
hbm = total["bytes"]["hbm"]
for way in "read", "write":  # channels of DRAM move whole accesses
    asked = sum(hbm[way].values())
    assert sums["HBM " + way] == asked or "data" not in threads.values() and sums["HBM " + way] > asked, sums
if "pcie" in total["bytes"]:
    pcie = total["bytes"]["pcie"]
    assert sums["to device A"] == pcie["write"]["A"] and sums["to host C"] == pcie["read"]["C"], sums
assert arrays == total["passes"], arrays
assert last == total["cycles"] == sums["cycles"], last
operators = [e for e in events if e["ph"] == "X" and e["pid"] == 1]
assert [e["name"] for e in operators] == [o["name"] for o in result["operators"]]
at = 0
for e, o in zip(operators, result["operators"]):  # each begins where the one before ends
    assert e["args"]["cycle"] == at and e["args"]["cycles"] == o["cycles"]
    at += o["cycles"]
    assert abs(e["ts"] + e["dur"] - at / clock * 1e6) < 0.001
assert trace["otherData"]["events_left_out"] == 0
PY

# One timeline whatever the engine, and the result does not change
printf 'Layer,M,N,K,\na,40,24,32,\nb,4,24,32,\n' >net.csv
for from in hbm host; do
    for engine in tile flat structural; do
        run=(simulate --chip tiny_4x4 --topology net.csv --from $from --engine $engine --format json)
        "$SYSTOLE" "${run[@]}" >plain || fail "$from $engine without a timeline"
        "$SYSTOLE" "${run[@]}" --trace $from.$engine.json >shown 2>err || fail "$from $engine: $(cat err)"
        cmp plain shown || fail "$from $engine: a timeline changes the result"
        [ -s err ] && fail "$from $engine: $(cat err)"
        python3 check.py plain $from.$engine.json || fail "$from $engine: the timeline is wrong"
    done
    cmp $from.tile.json $from.flat.json || fail "$from: flat draws another timeline than tile"
    cmp $from.tile.json $from.structural.json || fail "$from: structural draws another timeline than tile"
done
"$SYSTOLE" simulate --chip tiny_4x4 "${gemm[@]}" --trace old.json >out || fail "over an old file"
[ "$(head -c 2 old.json)" = '{"' ] || fail "the old file was not replaced"
"$SYSTOLE" simulate --chip tiny_4x4 "${gemm[@]}" --from vmem --trace vmem.json >out || fail "from VMEM"
python3 -c 'import json; json.load(open("vmem.json"))' || fail "from VMEM: no JSON"
for left in ./*.partial; do
    [ -e "$left" ] && fail "the unfinished $left is still there"
done

# A network: the vector unit has a track beside the arrays', and weights that are fetched ahead when an operator ends
# are drawn only as far as they have come.
cat >net.toml <<'END'
dtype = "int8"
[[tensor]]
name = "x"
shape = [6, 40]
[[operator]]
name = "up"
kind = "gemm"
features = 48
activation = "relu"
[[operator]]
name = "down"
kind = "gemm"
features = 400
[[operator]]
name = "norm"
kind = "layer_norm"
[[operator]]
name = "sum"
kind = "add"
inputs = ["norm", "down"]
END
cat >vector.py <<'PY'
import json, sys

result, trace = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
threads = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == "thread_name"}
slices = [e for e in trace["traceEvents"] if e["ph"] == "X" and threads.get(e["tid"]) in ("array", "vector unit")]
at = 0  # one or the other, in every cycle
for e in sorted(slices, key=lambda e: e["args"]["cycle"]):
    assert e["args"]["cycle"] == at, e
    at += e["args"]["cycles"]
assert at == result["total"]["cycles"], at
blocks = {}
for e in slices:
    if e["name"] == "block":
        operator = [o for o in trace["traceEvents"] if o["ph"] == "X" and o["pid"] == 1 and
                    o["args"]["cycle"] <= e["args"]["cycle"]][-1]["name"]
        sums = blocks.setdefault(operator, [0, 0])
        sums[0] += e["args"]["elements"]
        sums[1] += e["args"]["alu_cycles"]
# 16 lanes: 6 * 48 elements and an operation; 6 * 400 and 7 operations (5, scale, bias); 6 * 400 and one.
assert blocks == {"up.relu": [288, 18], "norm": [2400, 1050], "sum": [2400, 150]}, blocks
PY
for engine in tile flat structural; do
    "$SYSTOLE" simulate --chip edge_16x16 --workload net.toml --engine $engine --format json --trace net.$engine.json \
        >plain || fail "a network on $engine"
    python3 vector.py plain net.$engine.json || fail "a network on $engine: the timeline is wrong"
    cmp net.tile.json net.$engine.json || fail "a network: $engine draws another timeline than tile"
done

# A clock whose cycles are no whole number of nanoseconds
run=(simulate --chip tiny_4x4 --topology net.csv --format json --set clock="1700 MHz")
"$SYSTOLE" "${run[@]}" --trace odd.json >plain || fail "at 1.7 GHz"
python3 check.py plain odd.json || fail "at 1.7 GHz: the timeline is wrong"

# A network around which host and link work: every operator by its name, alike ones each for itself, up to the end.
"$SYSTOLE" simulate --chip npu_200t --workload request_1mb --format json --trace around.json >around.result 2>err ||
    fail "request_1mb: $(cat err)"
python3 - around.result around.json <<'END' || fail "the operators of request_1mb"
import json, sys
result, trace = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
told = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == 1]
assert [e["name"] for e in told] == [o["name"] for o in result["operators"]], [e["name"] for e in told]
at = 0
for event, operator in zip(told, result["operators"]):
    assert (event["args"]["cycle"], event["args"]["cycles"]) == (at, operator["cycles"]), event
    at += operator["cycles"]
assert at == result["total"]["cycles"]
END

# The limit
run=(simulate --chip tiny_4x4 --topology net.csv --trace cut.json)
"$SYSTOLE" "${run[@]}" --trace-limit "16 KiB" >out 2>err || fail "a run that reaches its limit: $(cat err)"
grep -q "warning: the timeline is not complete: .* left out" err || fail "the limit is not told: $(cat err)"
size=$(wc -c <cut.json)
[ "$size" -le 16384 ] && [ "$size" -gt 12000 ] || fail "$size bytes with a limit of 16384"
python3 - <<'PY' || fail "the timeline that was cut"
import json
trace = json.load(open("cut.json"))
mark = [e for e in trace["traceEvents"] if e["ph"] == "i"]
assert len(mark) == 1 and mark[0]["args"]["events_left_out"] == trace["otherData"]["events_left_out"] > 0
assert [e["name"] for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == 1] == ["a", "b"]
PY
"$SYSTOLE" "${run[@]}" --trace-limit "16 KiB" --quiet >out 2>err || fail "the same, quiet"
[ -s err ] && fail "--quiet: $(cat err)"
"$SYSTOLE" "${run[@]}" --trace-limit unlimited >out 2>err || fail "no limit"
[ -s err ] && fail "no limit: $(cat err)"

# Interrupted: nothing is left behind
"$SYSTOLE" simulate --chip edge_16x16 --gemm 4096x512x512 --engine structural --trace int.json >out 2>err &
run=$!
for _ in $(seq 100); do [ -e int.json.partial ] && break; sleep 0.05; done
[ -e int.json.partial ] || fail "no timeline was begun"
kill -INT "$run"
wait "$run"
status=$?
[ "$status" -eq 130 ] || fail "interrupted: exit $status, wanted 130"
for left in int.json int.json.partial; do
    [ -e "$left" ] && fail "an interrupted run leaves $left"
done

[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
