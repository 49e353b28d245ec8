# `systole compare`: the waterfall ends at the simulated cycles, explanations and sensitivities hang together with the
# run, --max-gap gives its exit code, and bad values of its own options are refused.
set -u

. "$(dirname "$0")/../support/cli.sh"

# refused PATTERN ARGUMENTS...: exit 2, the message matches, nothing on standard output.
refused() {
    local pattern=$1 code
    shift
    "$SYSTOLE" "$@" >out 2>err
    code=$?
    if [ "$code" -ne 2 ] || [ -s out ] || ! grep -qE -- "$pattern" err; then
        fail "systole $*: exit $code, wanted 2 and /$pattern/ in: $(cat err)"
    fi
}

rm -rf results first second result.json
run=(compare --chip edge_16x16 --gemm 64x96x160)
network=(compare --chip edge_16x16 --workload bert_base_attention)

# Against the run itself: waterfall, levels, explanations, sensitivity
for input in "--gemm 64x96x160" "--workload bert_base_attention" "--gemm 9x96x160 --from host" "--gemm 64x96x160 --from vmem"; do
    "$SYSTOLE" compare --chip edge_16x16 $input --explain --sensitivity --format json >first || fail "$input: exit $?"
    "$SYSTOLE" simulate --chip edge_16x16 $input --format json >simulated || fail "simulate $input"
    python3 - <<'PY' || fail "compare $input --format json"
import json
compared, simulated = json.load(open("first")), json.load(open("simulated"))
causes = ["padding", "stationary_load", "fill_drain", "vmem", "vmem_capacity", "hbm_bandwidth", "hbm_latency", "pcie",
          "vector", "control"]
added = {"roofline_gap", "levels", "waterfall", "explanations"}

def check(one, plain):
    assert {k: v for k, v in one.items() if k not in added} == plain  # simulate's keys and values, nothing renamed
    bars = one["waterfall"]
    assert [bar["cause"] for bar in bars] == ["t_math"] + causes, bars
    assert sum(bar["cycles"] for bar in bars) == one["cycles"]
    per_cycle, slots, below = one["pe_slots"] // one["cycles"], 0, 0
    for bar, cause in zip(bars, ["useful"] + causes):
        slots += one["cycle_stack"][cause]
        assert bar["cycles"] == slots // per_cycle - below, bar
        below = slots // per_cycle
    assert bars[0]["cycles"] == one["macs"] // per_cycle
    assert abs(one["roofline_gap"] - (1 - one["roofline_efficiency"])) < 1e-15
    expected = {bar["cause"]: bar["cycles"] for bar in bars if bar["cycles"] and bar["cause"] != "t_math"}
    assert {e["cause"]: e["cycles"] for e in one["explanations"]} == expected
    assert all(e["what"] and e["cure"] for e in one["explanations"])
    assert list(one["levels"]) == list(one["roofline"]["levels"]), one["levels"]
    for level, numbers in one["levels"].items():
        moved = one["bytes"][level]
        assert numbers["simulated_bytes"] == sum(moved["read"].values()) + sum(moved["write"].values())
        assert numbers["compulsory_bytes"] == one["roofline"]["levels"][level]["compulsory_bytes"]
        assert abs(numbers["busy_fraction"] - numbers["roofline_seconds"] / one["seconds"]) < 1e-12

for one, plain in zip(compared["operators"], simulated["operators"]):
    check(one, plain)
check(compared["total"], simulated["total"])
rows = compared["sensitivity"]
saved = [row["saved_cycles"] for row in rows if "saved_cycles" in row]
assert saved == sorted(saved, reverse=True) and len(saved) >= 5, rows
for row in rows:
    if row["key"] != "clock" and "cycles" in row:
        assert row["saved_cycles"] == compared["total"]["cycles"] - row["cycles"], row
keys = {row["key"] for row in rows}
origin = compared["total"]["from"]
assert ("hbm.bandwidth" in keys) == (origin != "vmem") and ("pcie.lanes" in keys) == (origin == "host"), keys
PY
done

# What a row of the sensitivity says is what that machine does
cycles=$("$SYSTOLE" simulate --chip edge_16x16 --gemm 64x96x160 --set "hbm.bandwidth=64 GB/s" --format csv | tail -1)
"$SYSTOLE" "${run[@]}" --sensitivity --format json |
    python3 -c '
import json, sys
row = [r for r in json.load(sys.stdin)["sensitivity"] if r["key"] == "hbm.bandwidth"][0]
assert row["from"] == "32 GB/s" and row["to"] == "64 GB/s", row
assert ",%d," % row["cycles"] in sys.argv[1], (row, sys.argv[1])' "$cycles" || fail "sensitivity to hbm.bandwidth"
"$SYSTOLE" "${run[@]}" --sensitivity --set clock=60GHz --format json |
    grep -q '"not_possible": ' || fail "a clock beyond the range is not named"

# A link that holds everything up is where the waiting is booked
"$SYSTOLE" compare --chip npu_200t --gemm 3000x777x1234 --from host --format json |
    python3 -c '
import json, sys
bars = {b["cause"]: b["cycles"] for b in json.load(sys.stdin)["total"]["waterfall"]}
waits = sum(bars[c] for c in ("vmem", "vmem_capacity", "hbm_bandwidth", "hbm_latency", "pcie", "control"))
assert bars["pcie"] >= 0.95 * waits, bars' || fail "waits for the link are booked elsewhere"

# The same input gives the same bytes; -o; formats
"$SYSTOLE" "${network[@]}" --explain --sensitivity >first 2>err || fail "text"
[ -s err ] && fail "a good run wrote to standard error: $(cat err)"
"$SYSTOLE" "${network[@]}" --explain --sensitivity >second || fail "the same run again"
cmp first second || fail "two identical runs differ"
awk 'length($0) > 80 { bad = 1; print } END { exit bad }' first || fail "text of more than 80 columns"
for part in "Machine" "Operators" "Problem" "  Level" "  Waterfall" "  simulated" "The whole run" "Sensitivity" \
    "  Why, and what would help"; do
    grep -q "^$part" first || fail "no part '$part' in the text"
done
"$SYSTOLE" "${network[@]}" --format csv >out || fail "csv"
[ "$(wc -l <out)" -eq 4 ] || fail "the CSV of two operators is not a header, two rows and the total"
python3 -c '
import csv
rows = list(csv.DictReader(open("out")))
assert rows[-1]["name"] == "total"
for row in rows:
    bars = [int(v) for k, v in row.items() if k.startswith("waterfall_")]
    assert len(bars) == 11 and sum(bars) == int(row["cycles"]), row
    assert row["levels_hbm_simulated_bytes"] and not row["levels_pcie_simulated_bytes"], row' || fail "columns of the CSV"
[ "$("$SYSTOLE" "${run[@]}" --format csv | wc -l)" -eq 2 ] || fail "the CSV of one operator is not a header and a row"
"$SYSTOLE" "${run[@]}" --format json -o result.json >out || fail "-o"
[ -s out ] && fail "-o wrote to standard output too"
"$SYSTOLE" "${run[@]}" --out-dir results >/dev/null || fail "--out-dir"
[ "$(ls results | tr '\n' ' ')" = "compare.csv compare.json compare.txt manifest.json " ] || fail "--out-dir: $(ls results)"
cmp results/compare.json result.json || fail "compare.json differs from -o"
"$SYSTOLE" "${run[@]}" --engine structural --format json | grep -q '"engine": "structural"' || fail "--engine"

# --max-gap
gap() { # gap CODE LIMIT: exit code of a run whose gap is between 5 and 60 %
    "$SYSTOLE" "${run[@]}" --max-gap "$2" >out 2>err
    local code=$?
    [ "$code" -eq "$1" ] || fail "--max-gap '$2': exit $code, wanted $1 ($(cat err))"
    [ -s out ] || fail "--max-gap '$2' gave no result"
}
gap 0 100
gap 0 60%
gap 1 5%
gap 1 "4.5 %"
gap 1 0
grep -q 'the gap of gemm to its roofline is .* %, above --max-gap 0$' err || fail "--max-gap does not say by how much"
"$SYSTOLE" "${network[@]}" --max-gap 1 >out 2>err
[ $? -eq 1 ] || fail "--max-gap of a network"
[ "$(grep -c 'the gap of' err)" -eq 3 ] || fail "--max-gap names both operators and the whole run: $(cat err)"
for bad in "" % -1 101 5%% x5 5x nan inf 1e1 "5 5"; do
    refused "--max-gap '.*' is no percentage" "${run[@]}" --max-gap "$bad"
done
refused "--max-gap needs a value" "${run[@]}" --max-gap

# Bad input
refused "--explain has no columns" "${run[@]}" --explain --format csv
refused "--sensitivity has no columns" "${run[@]}" --sensitivity --format csv
refused "--format 'scalesim'" "${run[@]}" --format scalesim
refused "--explain takes no value" "${run[@]}" --explain=yes
refused "--sensitivity takes no value" "${run[@]}" --sensitivity=yes
refused "unknown option '--explian' .*--explain" "${run[@]}" --explian
refused "unknown option '--vcd'" "${run[@]}" --vcd run.vcd
refused "nothing to run" compare --chip edge_16x16
refused "no chip" compare --gemm 1x1x1
refused "is below 1" compare --chip edge_16x16 --gemm 0x1x1 -o none.json --out-dir none
{ [ -e none.json ] || [ -e none ]; } && fail "an error left a result behind"
refused "takes no word" "${run[@]}" more
refused "would both write" "${run[@]}" --out-dir both -o both/compare.json
"$SYSTOLE" "${run[@]}" -o /nonexistent/r.json >out 2>err
[ $? -eq 4 ] || fail "an absent folder is not exit 4"

# What there is
"$SYSTOLE" compare --help | grep -q -- '--max-gap' || fail "--help"
for word in roofline_gap waterfall explanations sensitivity; do
    "$SYSTOLE" info counters | grep -q "^$word" || fail "info counters does not explain $word"
done
refused "did you mean 'edge_16x16'" compare --chip edge16 --gemm 1x1x1
refused "did you mean 'hbm3_2pc'" probe hbm --hbm hbm3 --pattern seq_read
refused "nothing is called 'nosuch' .*topics are chips, keys.*HBM stacks" info nosuch
refused "nothing is called 'countres' .*did you mean 'counters'" info countres

[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
