# `systole sweep`: results that depend on neither workers nor shards, resuming, what is shown, and what is refused.
set -u

. "$(dirname "$0")/../support/cli.sh"

refused() { # TEXT ARGUMENT...: exit 2 with TEXT on standard error, nothing on standard output and no database
    local text="$1" code
    shift
    rm -f none.db
    "$SYSTOLE" "$@" >out 2>err
    code=$?
    [ $code = 2 ] || fail "$*: exit $code"
    [ -s out ] && fail "$*: wrote to standard output"
    [ -e none.db ] && fail "$*: left a database"
    grep -qF -- "$text" err || fail "$*: says $(cat err)"
}

rm -rf ./*
run=(sweep --chip tiny_4x4 --gemm 16x16x16)
axes=(--axis array.rows=2..16 --axis array.cols=4,8 --axis dataflow=ws,os,is)

# The bytes of the database follow from the sweep alone
"$SYSTOLE" "${run[@]}" "${axes[@]}" --workers 1 --out one.db >out 2>err || fail "one worker: exit $?"
[ -s err ] && fail "something on standard error without a terminal: $(cat err)"
[ "$(head -n 1 out)" = "one.db: 24 of 24 points" ] || fail "the summary: $(cat out)"
"$SYSTOLE" "${run[@]}" "${axes[@]}" --workers 3 --out three.db >out || fail "three workers: exit $?"
cmp one.db three.db || fail "one worker and three"
for shards in 2 5; do
    rm -f part-*.db merged.db
    for ((i = 1; i <= shards; ++i)); do
        "$SYSTOLE" "${run[@]}" "${axes[@]}" --shard $i/$shards --out part-$i.db >out || fail "shard $i/$shards: exit $?"
    done
    "$SYSTOLE" sweep merge merged.db part-*.db >out || fail "merge of $shards: exit $?"
    [ "$(cat out)" = "merged.db: 24 of 24 points" ] || fail "merge of $shards: $(cat out)"
    cmp one.db merged.db || fail "$shards shards"
    "$SYSTOLE" sweep merge merged.db part-1.db merged.db >out && cmp one.db merged.db || fail "merging again"
done
SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=6 SLURM_ARRAY_TASK_COUNT=5 \
    "$SYSTOLE" "${run[@]}" "${axes[@]}" --out slurm.db >out 2>err || fail "Slurm's variables: exit $?"
cmp part-2.db slurm.db || fail "Slurm's variables"
grep -q "shard 2/5" err || fail "the shard is not told: $(cat err)"

# The same numbers as `simulate`, and the command that reruns a point
"$SYSTOLE" sweep show one.db --format json >show.json || fail "JSON"
command=$(python3 -c 'import json; print(json.load(open("show.json"))["points"][13]["command"])')
[ "${command%% *}" = systole ] || fail "no command: $command"
eval "\"\$SYSTOLE\" ${command#systole } --format json" >rerun.json || fail "$command: exit $?"
python3 -c 'import json
point = json.load(open("show.json"))["points"][13]
total = json.load(open("rerun.json"))["total"]
assert point["settings"] == {"array.rows": 8, "array.cols": 4, "dataflow": "os"}, point["settings"]
assert point["cycles"] == total["cycles"] and point["array_utilization"] == total["array_utilization"]
assert point["hbm_bytes"] == sum(total["bytes"]["hbm"][d][o] for d in ("read", "write") for o in total["bytes"]["hbm"][d])
assert sum(v for k, v in point.items() if k.startswith("stack_")) == point["pe_slots"]
assert point["pe_count"] == 32' || fail "a point is not what simulate says of it"

# What is shown
"$SYSTOLE" sweep show one.db --format csv >show.csv || fail "CSV"
python3 -c 'import csv
rows = list(csv.DictReader(open("show.csv")))
assert [int(r["point"]) for r in rows] == list(range(24))
assert [r["dataflow"] for r in rows[:3]] == ["ws", "os", "is"] and rows[23]["array.rows"] == "16"' || fail "CSV: order"
"$SYSTOLE" sweep show one.db --best-by time --format csv --limit 5 >best.csv || fail "--best-by"
"$SYSTOLE" sweep show one.db --pareto time,area --format csv >front.csv || fail "--pareto"
python3 -c 'import csv
rows = list(csv.DictReader(open("show.csv")))
key = lambda r: (float(r["seconds"]), float(r["area"]))
best = [float(r["seconds"]) for r in csv.DictReader(open("best.csv"))]
assert best == sorted(float(r["seconds"]) for r in rows)[:5]
beats = lambda a, b: key(a)[0] <= key(b)[0] and key(a)[1] <= key(b)[1] and key(a) != key(b)
front = sorted(int(r["point"]) for r in csv.DictReader(open("front.csv")))
assert front == [int(r["point"]) for r in rows if not any(beats(o, r) for o in rows)]' || fail "ranking"
"$SYSTOLE" sweep show one.db --layers --format csv | head -n 2 | tail -n 1 | grep -q "^0,2,4,ws,0,gemm,gemm,16,16,16,ws," ||
    fail "--layers"
for options in "" "--best-by hbm_bytes" "--pareto time,pes" "--limit 3"; do
    # shellcheck disable=SC2086
    "$SYSTOLE" sweep show one.db $options >out || fail "text $options"
    awk 'length($0) > 80 { bad = 1 } END { exit bad }' out || fail "text $options: more than 80 columns"
done
grep -q "^\.\.\. 21 more" out || fail "--limit: $(cat out)"
"$SYSTOLE" sweep --help >help || fail "--help"
for command in show plot merge; do
    grep -q "^  systole sweep $command .*[a-z]" help || fail "the help names no sweep $command"
    "$SYSTOLE" sweep $command --help >>help || fail "sweep $command --help"
done
"$SYSTOLE" --help >>help || fail "systole --help"
awk 'length($0) > 80 { bad = 1 } END { exit bad }' help || fail "help of more than 80 columns"

# A point that fails is stored, the others run, exit 1
"$SYSTOLE" "${run[@]}" --axis tile=16x16x16,4x4x4 --axis "vmem.capacity=300 B,64 KiB" --out failing.db >out 2>err
[ $? = 1 ] || fail "failing point: exit $?"
grep -q "failing.db: 4 of 4 points, 1 failed, 0 lost" out || fail "failing point: $(cat out)"
"$SYSTOLE" sweep show failing.db --failed >out
grep -q "tile=16x16x16 vmem.capacity=300 B: .*bytes of VMEM" <(tr '\n' ' ' <out) || fail "--failed: $(cat out)"
"$SYSTOLE" "${run[@]}" --axis tile=16x16x16,4x4x4 --axis "vmem.capacity=300 B,64 KiB" --out failing.db --resume >out 2>err
[ $? = 1 ] || fail "a failed point is good after --resume"

# Going on: nothing is lost, and only with --resume
cp part-1.db half.db
"$SYSTOLE" "${run[@]}" "${axes[@]}" --out half.db --resume >out || fail "resume: exit $?"
cmp one.db half.db || fail "resume"
: >begun.db # a process that died before the tables were there
"$SYSTOLE" "${run[@]}" "${axes[@]}" --out begun.db --resume >out && cmp one.db begun.db || fail "resume of an empty file"
cp half.db none2.db
"$SYSTOLE" "${run[@]}" "${axes[@]}" --out none2.db >out 2>err
[ $? = 2 ] && grep -q "is there already (--resume goes on with it" err || fail "an existing database: $(cat err)"
cmp one.db none2.db || fail "an existing database was changed"

# The disk is full (here: no file may grow beyond 16 KiB): exit 4, and the rest is there and can be gone on with
(
    trap '' XFSZ
    ulimit -f 16
    "$SYSTOLE" "${run[@]}" --axis array.rows=1..16:1 --axis array.cols=1..16:1 --out full.db >out 2>err
)
[ $? = 4 ] || fail "full disk: exit $?"
grep -q "full.db: .*disk" err || fail "full disk: $(cat err)"
"$SYSTOLE" "${run[@]}" --axis array.rows=1..16:1 --axis array.cols=1..16:1 --out full.db --resume >out || fail "full disk: resume"
"$SYSTOLE" "${run[@]}" --axis array.rows=1..16:1 --axis array.cols=1..16:1 --out room.db >out
cmp full.db room.db || fail "full disk: the result differs"
[ -z "$(find . -name '*.partial' -o -name '*-journal')" ] || fail "files are left: $(ls)"

# Somebody else is writing the database
python3 - "$SYSTOLE" "${run[@]}" "${axes[@]}" --out half.db --resume <<'PY' || fail "two sweeps on one database"
import sqlite3, subprocess, sys
db = sqlite3.connect("half.db", isolation_level=None)
db.execute("BEGIN IMMEDIATE")
second = subprocess.run(sys.argv[1:], capture_output=True, text=True)
assert second.returncode == 4 and "another process is writing it" in second.stderr, second
PY

# Ctrl-C: exit 130, then --resume
"$SYSTOLE" "${run[@]}" --axis array.rows=1..64:1 --axis array.cols=1..64:1 --out stopped.db >out 2>err &
process=$!
for ((i = 0; i < 1000; ++i)); do
    [ -s stopped.db ] && break
    sleep 0.01
done
kill -INT $process
wait $process
[ $? = 130 ] || fail "Ctrl-C: exit $?"
grep -q "interrupted; .* of 4096 points are stored in stopped.db (go on with --resume)" err || fail "Ctrl-C: $(cat err)"
"$SYSTOLE" sweep show stopped.db --limit 1 >out || fail "Ctrl-C: the database is broken"

# A chip file that changes while a sweep runs changes nothing in it
cp "$SYSTOLE_SOURCE_DIR/configs/chips/tiny_4x4.toml" mine_4x4.toml
mine=(sweep --chip ./mine_4x4.toml --gemm 16x16x16 --axis array.rows=1..32:1 --axis array.cols=1..32:1)
"$SYSTOLE" "${mine[@]}" --out calm.db >out || fail "own chip: exit $?"
"$SYSTOLE" "${mine[@]}" --out edited.db >out 2>err &
process=$!
for ((i = 0; i < 1000; ++i)); do
    [ -e edited.db ] && break
    sleep 0.01
done
sed -i 's/^clock = .*/clock = "3 GHz"/' mine_4x4.toml
kill -0 $process || fail "the sweep was over before its chip file was changed"
wait $process || fail "own chip, edited: $(cat err)"
cmp calm.db edited.db || fail "a chip file that changes while a sweep runs changes points"

# Sweep files: in the current folder or by name; options on the command line go before them
cat >mine.toml <<'TOML'
description = "square arrays"
filters = ["array.rows != 8"]
[run]
chip = "tiny_4x4"
gemm = "16x16x16"
[[axis]]
link = ["array.rows", "array.cols"]
values = ["4..16", "2x32"]
TOML
"$SYSTOLE" sweep mine.toml --dry-run >out 2>err || fail "dry run: exit $?"
grep -q "^3 points of 4 combinations" out || fail "dry run: $(cat out)"
grep -q "^about .* worker" err || fail "dry run: no estimate: $(cat err)"
[ -z "$(find . -newer mine.toml -name '*.db')" ] || fail "a dry run wrote a database"
"$SYSTOLE" sweep mine.toml --gemm 8x8x8 --out mine.db >out || fail "sweep file: exit $?"
"$SYSTOLE" sweep show mine.db --format csv | grep -q "^2,2,32,ok,.*,512," || fail "sweep file: $("$SYSTOLE" sweep show mine.db)"
for name in $("$SYSTOLE" info sweeps --format json | python3 -c 'import json, sys
for s in json.load(sys.stdin)["sweeps"]: print(s["name"])'); do
    "$SYSTOLE" sweep "$name" --dry-run --quiet >out || fail "$name: exit $?"
done

# Bad input
out=(--out none.db)
refused "unknown axis 'array.clos' (did you mean 'array.cols'?" "${run[@]}" --axis array.clos=4 "${out[@]}"
refused "unknown axis 'dataflwo' (did you mean 'dataflow'?" "${run[@]}" --axis dataflwo=ws "${out[@]}"
refused "--axis array.rows=4,x: array.rows: expected a whole number" "${run[@]}" --axis array.rows=4,x "${out[@]}"
refused "axis array.rows has no values" "${run[@]}" --axis array.rows= "${out[@]}"
refused "--dataflow 'xs' is unknown" "${run[@]}" --axis dataflow=ws,xs "${out[@]}"
refused "unknown chip 'tiny_4x5'" sweep --gemm 4x4x4 --axis chip=tiny_4x4,tiny_4x5 "${out[@]}"
refused "a sweep needs an axis" "${run[@]}" "${out[@]}"
refused "no database (give --out FILE" "${run[@]}" "${axes[@]}"
refused "nothing to run" sweep --chip tiny_4x4 --axis array.rows=4 "${out[@]}"
refused "no chip" sweep --gemm 4x4x4 --axis array.rows=4 "${out[@]}"
refused "combinations (leave out values" "${run[@]}" --axis array.rows=1..4000:1 --axis array.cols=1..4000:1 "${out[@]}"
refused "leave none of the 24 combinations" "${run[@]}" "${axes[@]}" --filter "array.rows > 99" "${out[@]}"
refused "unknown name 'array.count'" "${run[@]}" "${axes[@]}" --filter "array.count > 99" "${out[@]}"
refused "there are 2 shards" "${run[@]}" "${axes[@]}" --shard 3/2 "${out[@]}"
refused "--workers '0' is below 1" "${run[@]}" "${axes[@]}" --workers 0 "${out[@]}"
refused "points cannot be ranked by 'tmie' (did you mean 'time'?" "${run[@]}" "${axes[@]}" --best-by tmie "${out[@]}"
refused "one.db: holds another sweep: it has an axis array.cols, this one has not" "${run[@]}" --axis array.rows=4 --out one.db --resume
refused "holds another sweep: the chip, the workload or another option differs" "${run[@]}" --from host "${axes[@]}" --out one.db --resume
printf '[[axis]]\nkey = "array.rows"\nvalues = [1, "3..7"]\n' >bad.toml
refused "bad.toml:3:14: range '3..7' multiplies by 2 and does not arrive at 7" sweep bad.toml "${out[@]}"
printf '[run]\ncihp = "x"\n[[axis]]\nkey = "m"\nvalues = [1]\n' >bad.toml
refused "bad.toml:2:8: unknown key 'run.cihp' (did you mean 'run.chip'?)" sweep bad.toml "${out[@]}"
printf '[[axis]\n' >bad.toml
refused "bad.toml:1:" sweep bad.toml "${out[@]}"
refused "unknown sweep 'bert_atention_dataflow' (did you mean 'bert_attention_dataflow'?" sweep bert_atention_dataflow "${out[@]}"
refused "is no database of a sweep" sweep show mine.toml
refused "is no database of a sweep" sweep merge none.db one.db mine.toml
refused "is of another sweep than the first database" sweep merge none.db one.db mine.db
refused "--pareto 'time' needs two keys" sweep show one.db --pareto time
refused "choose different points" sweep show one.db --pareto time,area --best-by time
python3 -c 'import sqlite3
db = sqlite3.connect("part-1.db")
db.execute("UPDATE meta SET value = \"9.9.9\" WHERE key = \"version\"")
db.commit()'
refused "it was made by systole 9.9.9" "${run[@]}" "${axes[@]}" --out part-1.db --resume
refused "it was made by systole 0.1.0, this is 9.9.9" sweep merge none.db one.db part-1.db
"$SYSTOLE" sweep show missing.db >out 2>err
[ $? = 2 ] || fail "a missing database: exit $?: $(cat err)"

exit $((failures > 0))
