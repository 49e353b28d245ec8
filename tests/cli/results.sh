# Good runs: what is on standard output and in files, exit codes, and that identical input gives identical bytes.
set -u

. "$(dirname "$0")/../support/cli.sh"

rm -rf results first second late.vcd result.json .result.json*
run=(simulate --chip tiny_4x4 --gemm 6x5x7)

# The same input gives the same bytes, on standard output and in files
"$SYSTOLE" "${run[@]}" --format json >first 2>err || fail "a small run: exit $?"
[ -s err ] && fail "a good run wrote to standard error: $(cat err)"
"$SYSTOLE" "${run[@]}" --format json >second || fail "the same run again"
cmp first second || fail "two identical runs differ"
"$SYSTOLE" "${run[@]}" --format json -o result.json >out || fail "-o"
[ -s out ] && fail "-o wrote to standard output too"
cmp first result.json || fail "-o differs from standard output"
LC_ALL=de_DE.UTF-8 "$SYSTOLE" "${run[@]}" --format json | cmp - first || fail "the locale changes the result"

"$SYSTOLE" "${run[@]}" --format json -o - | cmp - first || fail "-o - is not standard output"
[ -e ./- ] && fail "-o - made a file"

# Text of 80 columns; other formats
"$SYSTOLE" "${run[@]}" >out || fail "text"
awk 'length($0) > 80 { bad = 1 } END { exit bad }' out || fail "text of more than 80 columns"
for part in Machine Problem Result Bytes Roofline "Where the cycles went"; do
    grep -q "^$part" out || fail "no part '$part' in the text"
done
[ "$("$SYSTOLE" "${run[@]}" --format csv | wc -l)" -eq 2 ] || fail "the CSV is not a header and a row"
"$SYSTOLE" "${run[@]}" --format scalesim | head -1 | grep -q '^LayerID, Total Cycles,' || fail "--format scalesim"

# A folder of results: the manifest alone differs
for folder in results/a results/b; do
    "$SYSTOLE" "${run[@]}" --out-dir "$folder" >/dev/null || fail "--out-dir $folder"
done
for file in result.txt result.json result.csv; do
    cmp "results/a/$file" "results/b/$file" || fail "$file differs between identical runs"
done
cmp results/a/result.json first || fail "result.json differs from standard output"
for key in time host command_line version config_hash chip_values; do
    grep -q "\"$key\":" results/a/manifest.json || fail "no '$key' in the manifest"
done
[ "$(ls -A results/a | wc -l)" -eq 4 ] || fail "other files in the folder: $(ls -A results/a)"

"$SYSTOLE" "${run[@]}" --format json --out-dir results/c -o results/c/same.json --vcd results/c/run.vcd >/dev/null ||
    fail "-o and --vcd into a new --out-dir"
cmp results/c/same.json results/c/result.json || fail "-o and --out-dir differ"
"$SYSTOLE" "${run[@]}" --vcd late.vcd --vcd-from 100000 >out 2>err || fail "--vcd-from behind the end"
grep -q 'warning: the waveforms are empty' err || fail "no warning that --vcd-from lies behind the end"

# Surroundings that fail: 4
"$SYSTOLE" "${run[@]}" -o /nonexistent/r.json >out 2>err
[ $? -eq 4 ] || fail "an absent folder is not exit 4"
[ -s out ] && fail "an absent folder: something on standard output"
if [ -c /dev/full ]; then
    "$SYSTOLE" "${run[@]}" >/dev/full 2>err
    [ $? -eq 4 ] || fail "a full disk behind standard output is not exit 4"
    "$SYSTOLE" "${run[@]}" -o /dev/full 2>err
    [ $? -eq 4 ] || fail "a full disk behind -o is not exit 4"
fi

# An interrupt: 130, and nothing left behind. The run would take minutes.
cp first result.json
"$SYSTOLE" simulate --chip tiny_4x4 --gemm 4000x400x400 --engine structural -o result.json --max-cycles 1000000000 &
pid=$!
sleep 1
kill -INT "$pid" || fail "a long run was over at once"
wait "$pid"
code=$?
[ "$code" -eq 130 ] || fail "an interrupted run is exit $code, not 130"
cmp first result.json || fail "an interrupted run changed the file"
[ -z "$(ls -A | grep '\.tmp$')" ] || fail "an interrupted run left a temporary file"

# SCALE-Sim files
printf 'Layer,M,N,K,\na,6,5,7,\nb,8,8,8,\n' >net.csv
printf '[architecture_presets]\nArrayHeight: 4\nArrayWidth: 4\nDataflow: os\nMemoryBanks: 1\n' >net.cfg
"$SYSTOLE" simulate --topology net.csv --scalesim-cfg net.cfg --from vmem --format scalesim >out 2>err || fail "SCALE-Sim"
# OS without drain: a has 2 * 2 folds of 4 + 4 + 7 - 2, b 2 * 2 of 4 + 4 + 8 - 2; the last cycle's index.
[ "$(cut -d, -f1,2 out | tail -2)" = "$(printf '0, 51\n1, 55')" ] || fail "SCALE-Sim's cycles: $(cat out)"
grep -q 'warning: net.cfg: ignored.*MemoryBanks' err || fail "the ignored key is not named: $(cat err)"
"$SYSTOLE" simulate --topology net.csv --scalesim-cfg net.cfg --from vmem --quiet 2>err >out || fail "--quiet"
[ -s err ] && fail "--quiet still warns"

# Validation and information
"$SYSTOLE" validate net.csv net.cfg "$SYSTOLE_SOURCE_DIR"/configs/chips/*.toml \
    "$SYSTOLE_SOURCE_DIR"/configs/chips/rtl/*.toml "$SYSTOLE_SOURCE_DIR"/configs/workloads/*.toml >out ||
    fail "the files that come with Systole are not valid"
grep -q 'net.csv: ok (topology, 2 layers)' out || fail "validate does not say what it read: $(head -1 out)"
for topic in chips keys counters workloads tiny_4x4; do
    "$SYSTOLE" info "$topic" >out || fail "info $topic"
    [ -s out ] || fail "info $topic says nothing"
done
"$SYSTOLE" probe array --chip tiny_4x4 --streamed 8 --format json | grep -q '"pass_interval": ' || fail "probe array"

[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
