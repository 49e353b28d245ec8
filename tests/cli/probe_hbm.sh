# systole probe hbm: the same numbers in every format and mode, traces, and bad input refused with a cure.
set -u

. "$(dirname "$0")/../support/cli.sh"

for mode in fast burst; do
    "$SYSTOLE" probe hbm --hbm hbm3_2pc --pattern mix2r1w_4096 --mode $mode --format json >$mode.json || fail "$mode"
done
diff <(grep -v '"mode"' fast.json) <(grep -v '"mode"' burst.json) || fail "the modes differ"
python3 - fast.json <<'PY' || fail "numbers of mix2r1w_4096"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["bytes"] == 24 << 20
assert found["accesses"] == {"reads": 2 << 18, "writes": 1 << 18}  # 16 and 8 MiB of 32 bytes
assert sum(found["time"].values()) == found["cycles"]
assert found["peak_bytes_per_s"] == 51200000000
assert abs(found["seconds"] - found["cycles"] / 1.6e9) < 1e-12
assert abs(found["efficiency"] - found["bytes"] / found["seconds"] / found["peak_bytes_per_s"]) < 1e-9
assert found["latency_ns"]["p50"] <= found["latency_ns"]["p99"]
assert 0 < found["row_hit_rate"] < 1
PY

"$SYSTOLE" probe hbm --hbm hbm2e_3200 --pattern seq_read_1M >seq.txt || fail "text"
grep -q "hbm2e_3200, seq_read_1M: 1048576 bytes in 256 requests" seq.txt || fail "text: $(cat seq.txt)"
awk 'length > 80 { exit 1 }' seq.txt || fail "lines longer than 80 columns"
"$SYSTOLE" probe hbm --hbm hbm2_1pc --pattern idle_seq --format csv >idle.csv || fail "csv"
[ "$(wc -l <idle.csv)" -eq 2 ] && head -1 idle.csv | grep -q ",latency_ns_p50," || fail "csv: $(cat idle.csv)"
"$SYSTOLE" probe hbm --help | grep -q "systole probe hbm --hbm hbm3_2pc --pattern seq_read" || fail "help"
"$SYSTOLE" probe hbm --help | awk 'length > 80 { exit 1 }' || fail "help wider than 80 columns"

# A trace and the pattern it spells out are the same. 256 KiB of reads, an access a line.
for ((i = 0; i < 8192; i++)); do echo "$((32 * i)) R"; done >trace.txt
"$SYSTOLE" probe hbm --hbm hbm2_1pc --pattern trace.txt --format json >trace.json || fail "trace"
"$SYSTOLE" probe hbm --hbm hbm2_1pc --pattern seq_read_256K --format json >pattern.json || fail "pattern"
for key in cycles bytes row_hit_rate activates; do
    diff <(grep "\"$key\"" trace.json) <(grep "\"$key\"" pattern.json) || fail "trace and pattern differ in $key"
done
# Two reads of one row, 1000 clocks apart: ACT, read, data, and the controller: 1 + 14 + 14 + 2, then 1 + 14 + 2.
printf 'LD 0x0\n0x80 READ 1000\n' >two.txt
"$SYSTOLE" probe hbm --hbm hbm2_1pc --pattern two.txt --set refresh=none --format json >two.json || fail "two reads"
grep -q '"cycles": 1017,' two.json || fail "two reads: $(cat two.json)"

# Faster refresh costs bandwidth.
efficiency() { python3 -c 'import json, sys; print(json.load(sys.stdin)["efficiency"])'; }
often=$("$SYSTOLE" probe hbm --hbm hbm2_2000 --pattern seq_read --set timing.refi=1000 --format json | efficiency)
seldom=$("$SYSTOLE" probe hbm --hbm hbm2_2000 --pattern seq_read --format json | efficiency)
python3 -c "assert $often < 0.7 < 0.85 < $seldom < 1" || fail "refresh: $often, $seldom"

# refused PATTERN ARGUMENTS...
refused() {
    local pattern=$1 code
    shift
    "$SYSTOLE" "$@" >out 2>err
    code=$?
    if [ "$code" -ne 2 ] || [ -s out ] || ! grep -qE -- "$pattern" err; then
        fail "systole $*: exit $code, wanted 2 and /$pattern/ in: $(cat err)"
    fi
}

refused "no HBM configuration \(give --hbm" probe hbm --pattern seq_read
refused "no requests \(give --pattern" probe hbm --hbm hbm2_1pc
refused "unknown HBM configuration 'hbm2_2pc' \(did you mean" probe hbm --hbm hbm2_2pc --pattern seq_read
refused "unknown pattern 'seq_copy' \(there are seq_read" probe hbm --hbm hbm2_1pc --pattern seq_copy
refused "out of range" probe hbm --hbm hbm2_1pc --pattern seq_read_0
refused "use fast or burst" probe hbm --hbm hbm2_1pc --pattern seq_read --mode slow
refused "no/such.txt: cannot be read" probe hbm --hbm hbm2_1pc --pattern no/such.txt
refused "a pattern has its own" probe hbm --hbm hbm2_1pc --pattern seq_read --bytes 64
refused "unknown key 'timing.rpf'" probe hbm --hbm hbm2_1pc --pattern seq_read --set timing.rpf=3
refused "base: only a file has one" probe hbm --hbm hbm2_1pc --pattern seq_read --set base=hbm3_2pc
refused "/dev/zero:1:1: is no line of a trace" probe hbm --hbm hbm2_1pc --pattern /dev/zero
printf '0x0 R\n0x40 RW\n' >bad.txt
refused "^bad.txt:2:6: 'RW' is neither a read nor a write" probe hbm --hbm hbm2_1pc --pattern bad.txt
refused "the target comes first" probe --chip tiny_4x4 hbm

# The other commands know these files.
"$SYSTOLE" validate "$SYSTOLE_SOURCE_DIR"/configs/hbm/*.toml >good.txt || fail "validate"
grep -q "hbm2_2000.toml: ok (HBM configuration, 256 GB/s)" good.txt || fail "validate: $(cat good.txt)"
printf 'base = "hbm2_1pc"\n[timing]\nrc = 3\n' >wrong.toml
refused "^wrong.toml:3:6: timing.rc: 3 is below timing.ras \(34" validate wrong.toml
"$SYSTOLE" info hbm | grep -q "^hbm3_6400 .*819.2 GB/s" || fail "info hbm"
"$SYSTOLE" info hbm2e_3200 | grep -q "timing.rfc  *560" || fail "info hbm2e_3200"
"$SYSTOLE" info wrong.toml >out 2>err && fail "info of a wrong file"
{ "$SYSTOLE" info hbm; "$SYSTOLE" info hbm2e_3200; } | awk 'length > 80 { exit 1 }' || fail "info wider than 80 columns"

printf 'base = "hbm2_1pc"\ndescription = "a\\u001b[31mb"\n' >steering.toml
"$SYSTOLE" info steering.toml | grep -q 'a?\[31mb' || fail "a description that steers the terminal"

[ "$failures" -eq 0 ] || exit 1
