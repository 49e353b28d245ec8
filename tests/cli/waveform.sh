# Waveforms as users ask for them: what is refused, what is written where, that a file appears whole or not at all.
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

rm -rf ./*.vcd* out err net.csv
gemm=(--gemm 4x4x4 --from vmem)

# Other engines carry no ports; one operator at a time
refused 2 "structural" "${gemm[@]}" --engine flat --vcd f.vcd
refused 2 "structural" "${gemm[@]}" --engine tile --vcd f.vcd
refused 2 "structural" "${gemm[@]}" --engine auto --vcd f.vcd
printf 'Layer,M,N,K,\na,4,4,4,\nb,4,4,4,\n' >net.csv
refused 2 "a single operator" --topology net.csv --from vmem --vcd f.vcd

# Windows
refused 2 "--vcd-to 4 lies before --vcd-from 5" "${gemm[@]}" --vcd f.vcd --vcd-from 5 --vcd-to 4
refused 2 "--vcd-from '-1' is below 0" "${gemm[@]}" --vcd f.vcd --vcd-from -1
refused 2 "give --vcd FILE too" "${gemm[@]}" --vcd-to 5

# Places
refused 2 "is a folder" "${gemm[@]}" --vcd .
refused 4 "absent/f.vcd: cannot be written" "${gemm[@]}" --vcd absent/f.vcd
for left in ./*.vcd*; do
    [ -e "$left" ] && fail "a refused run left $left"
done

# A run that is refused leaves the file of an earlier one alone
echo kept >old.vcd
refused 2 "more than --max-cycles 3" "${gemm[@]}" --vcd old.vcd --max-cycles 3
[ "$(cat old.vcd)" = kept ] || fail "a refused run touched the file"

# A good run: --vcd alone chooses the structural engine; the result does not change; the file is complete
"$SYSTOLE" simulate --chip tiny_4x4 "${gemm[@]}" --engine structural --format json >plain || fail "without waveforms"
"$SYSTOLE" simulate --chip tiny_4x4 "${gemm[@]}" --format json --vcd old.vcd >shown 2>err || fail "with waveforms"
cmp plain shown || fail "waveforms change the result"
[ -s err ] && fail "waveforms write to standard error: $(cat err)"
[ "$(head -c 8 old.vcd)" = '$comment' ] || fail "the old file was not replaced"
[ -e old.vcd.partial ] && fail "the unfinished file is still there"
"$SYSTOLE" simulate --chip tiny_4x4 "${gemm[@]}" --vcd again.vcd >out || fail "the same again"
cmp old.vcd again.vcd || fail "identical runs give different waveforms"

# 15 cycles of 10 ns (load 4, stream 4, cross 4 + 4 - 2 + 1): one time stamp each, and one for the end of the run
[ "$(grep -c '^#' old.vcd)" -eq 16 ] || fail "$(grep -c '^#' old.vcd) time stamps, wanted 16"
[ "$(grep '^#' old.vcd | tail -1)" = "#150000" ] || fail "the last time stamp is $(grep '^#' old.vcd | tail -1)"
"$SYSTOLE" simulate --chip tiny_4x4 "${gemm[@]}" --vcd part.vcd --vcd-from 6 --vcd-to 8 >out || fail "a window"
[ "$(grep '^#' part.vcd | tr '\n' ' ')" = "#60000 #70000 #80000 #150000 " ] ||
    fail "the window's time stamps: $(grep '^#' part.vcd | tr '\n' ' ')"
for name in core0 array0 pe_r0_c0 pe_r3_c3; do
    grep -q "^\$scope module $name \$end" part.vcd || fail "no scope $name"
done

# Interrupted: nothing is left behind
"$SYSTOLE" simulate --chip edge_16x16 --gemm 4096x512x512 --engine structural --vcd cut.vcd >out 2>err &
run=$!
for _ in $(seq 100); do [ -e cut.vcd.partial ] && break; sleep 0.05; done
[ -e cut.vcd.partial ] || fail "no waveform was begun"
kill -INT "$run"
wait "$run"
status=$?
[ "$status" -eq 130 ] || fail "interrupted: exit $status, wanted 130"
[ -e cut.vcd.partial ] && fail "an interrupted run leaves its unfinished waveform"
[ -e cut.vcd ] && fail "an interrupted run leaves a waveform"

[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
