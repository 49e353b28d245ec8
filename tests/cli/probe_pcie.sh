# systole probe pcie: the same numbers in every format, and bad input refused with a cure.
set -u

. "$(dirname "$0")/../support/cli.sh"

link=(probe pcie --generation 4 --lanes 16 --payload 256)

"$SYSTOLE" "${link[@]}" --direction duplex --bytes 1048576 --format json >duplex.json || fail "duplex"
python3 - duplex.json <<'PY' || fail "numbers of duplex"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["payload_bytes"] == 1 << 20
# To the host: 4096 packets with 24 bytes besides and 2048 requests of 24; the other direction: 20 a completion.
assert found["wire_bytes"] == found["to_host"]["wire_bytes"] == (1 << 20) + 4096 * 24 + 2048 * 24
assert found["to_device"]["wire_bytes"] == (1 << 20) + 4096 * 20
assert abs(found["bytes_per_s"] * found["seconds"] - found["payload_bytes"]) < 1e-3
for direction in ("to_device", "to_host"):
    assert sum(found[direction]["time_ps"].values()) == round(found["seconds"] * 1e12)
PY

"$SYSTOLE" "${link[@]}" --direction read --bytes 65536 --set pcie.round_trip="1 us" >read.txt || fail "read"
grep -q "read of 65536 bytes" read.txt && grep -q "18.91 GB/s" read.txt || fail "text: $(cat read.txt)"
"$SYSTOLE" "${link[@]}" --bytes 1000 --format csv >write.csv || fail "csv"
[ "$(wc -l <write.csv)" -eq 2 ] && head -1 write.csv | grep -q ",bytes_per_s," || fail "csv: $(cat write.csv)"
"$SYSTOLE" probe pcie --chip npu_200t --direction read --bytes 1048576 --set pcie.tags=32 >chip.txt || fail "chip"
grep -q "npu_200t, PCIe generation 4 x16" chip.txt || fail "text of a chip: $(cat chip.txt)"
"$SYSTOLE" probe pcie --help | grep -q "systole probe pcie --generation" || fail "help"
awk 'length > 80 { exit 1 }' read.txt chip.txt || fail "lines longer than 80 columns"

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

refused "no link \(give --generation" probe pcie --bytes 1
refused "give --bytes" "${link[@]}"
refused "--bytes '0' is below 1" "${link[@]}" --bytes 0
refused "is above" "${link[@]}" --bytes 99999999999
refused "use write, read or duplex" "${link[@]}" --bytes 1 --direction up
refused "7 is out of range \(1..6\)" probe pcie --generation 7 --bytes 1
refused "not a link width" probe pcie --generation 4 --lanes 5 --bytes 1
refused "not a power of two" probe pcie --generation 4 --payload 200 --bytes 1
refused "out of range \(64 B..4 KiB\)" probe pcie --generation 4 --payload 8192 --bytes 1
refused "set pcie.KEY" "${link[@]}" --bytes 1 --set array.rows=4
refused "unknown key 'pcie.tag'" "${link[@]}" --bytes 1 --set pcie.tag=4
refused "says nothing without pcie.generation" probe pcie --lanes 4 --bytes 1
refused "described by its data sheet alone" probe pcie --chip h100 --bytes 1
refused "the target comes first" probe --chip tiny_4x4 pcie

"$SYSTOLE" probe pcie --chip rtl/opentpu --bytes 1000 --format json | grep -q '"bytes_per_s": null' || fail "unlimited"
"$SYSTOLE" simulate --chip npu_200t --gemm 64x64x64 --from host >host.txt || fail "simulate from the host"
awk 'length > 80 { exit 1 }' host.txt || fail "traffic of the link wider than 80 columns: $(cat host.txt)"
"$SYSTOLE" info npu_200t | grep -q "pcie.posted_header_credits  *unlimited" || fail "a blank between key and value"

[ "$failures" -eq 0 ] || exit 1
