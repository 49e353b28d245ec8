# Matrices in NumPy files: --a, --b, --c, --prune. Files are written and read byte by byte with python3 alone.
set -u

. "$(dirname "$0")/../support/cli.sh"

# npy.py FILE DESCR ORDER VALUE... with ORDER C or F and rows separated by "/"
cat >npy.py <<'PY'
import struct, sys
def save(file, descr, order, rows):
    code = {'<f4': 'f', '<f2': 'e', '<f8': 'd', '|i1': 'b', '<i4': 'i', '<i8': 'q', '>f4': '>f'}[descr]
    flat = [v for row in rows for v in row] if order == 'C' else [row[c] for c in range(len(rows[0])) for row in rows]
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }" % (descr, order == 'F', len(rows), len(rows[0]))
    head = head.ljust(117) + '\n'
    code = code if code[0] == '>' else '<' + code
    body = b''.join(struct.pack(code, v if code[-1] in 'efd' else int(v)) for v in flat)
    open(file, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + body)
def load(file):
    data = open(file, 'rb').read()
    size = struct.unpack('<H', data[8:10])[0]
    head = eval(data[10:10 + size])
    code = {'<f4': 'f', '<f2': 'e', '|i1': 'b', '<i4': 'i'}[head['descr']]
    rows, cols = head['shape']
    values = struct.unpack('<%d%s' % (rows * cols, code), data[10 + size:])
    return head['descr'], [list(values[r * cols:(r + 1) * cols]) for r in range(rows)]
if __name__ == '__main__':
    if sys.argv[1] == 'show':
        print(*load(sys.argv[2]))
    else:
        rows = [[float(v) for v in row.split()] for row in ' '.join(sys.argv[4:]).split('/')]
        save(sys.argv[1], sys.argv[2], sys.argv[3], rows)
PY
npy() { python3 npy.py "$@" || fail "npy.py $*"; }

rm -f ./*.npy out err
npy a.npy '|i1' C 1 2 3 / 4 5 6
npy b.npy '<i4' C 1 -1 / 2 -2 / 3 100
npy b_fortran.npy '<f8' F 1 -1 / 2 -2 / 3 100
wide='array.formats=int8,int4,bf16,fp16,fp32,fp8_e4m3,fp8_e5m2'
chip=(--chip tiny_4x4 --set "$wide")

# The product, in the type of C; with --gemm and without, on both engines, in all dataflows, whatever the order in a file
# 1*1+2*2+3*3 = 14, -1-4+300 = 295, 4+10+18 = 32, -4-10+600 = 586
for engine in flat structural; do
    for dataflow in ws os is; do
        for b in b.npy b_fortran.npy; do
            "$SYSTOLE" simulate "${chip[@]}" --a a.npy --b $b --c c.npy --dtype int8,int8,int32 --engine $engine \
                --dataflow $dataflow >out 2>err || fail "$engine $dataflow $b: $(cat err)"
            [ "$(npy show c.npy)" = '<i4 [[14, 295], [32, 586]]' ] || fail "$engine $dataflow $b: $(npy show c.npy)"
        done
    done
done
"$SYSTOLE" simulate "${chip[@]}" --a a.npy --b b.npy --gemm 2x2x3 --format json >out 2>err || fail "--gemm too: $(cat err)"
grep -q '"verified": true' out || fail "given matrices are not verified"
grep -q '"engine": "flat"' out || fail "given matrices do not choose an engine with values"

# C in every format: saturated, rounded, or wider. 295 in bf16 is 296 (halfway from 294 to 296, even), 586 is 584 (spaced
# by 4, halfway from 584 to 588, even). 295 in e4m3 is 288 (spaced by 32); in e5m2 320 (spaced by 64, 256 .. 320), 586 is
# 640 (spaced by 128, 512 .. 640); 14 in e5m2 is 14.
expect_c() {
    "$SYSTOLE" simulate "${chip[@]}" --a a.npy --b b.npy --c c.npy --dtype "int8,int8,$1" >out 2>err || fail "$1: $(cat err)"
    [ "$(npy show c.npy)" = "$2" ] || fail "C in $1: $(npy show c.npy), not $2"
}
expect_c int8 '|i1 [[14, 127], [32, 127]]'
expect_c int4 '|i1 [[7, 7], [7, 7]]'
expect_c bf16 '<f4 [[14.0, 296.0], [32.0, 584.0]]'
expect_c fp16 '<f2 [[14.0, 295.0], [32.0, 586.0]]'
expect_c fp32 '<f4 [[14.0, 295.0], [32.0, 586.0]]'
expect_c fp8_e4m3 '<f4 [[14.0, 288.0], [32.0, 448.0]]'
expect_c fp8_e5m2 '<f4 [[14.0, 320.0], [32.0, 640.0]]'

# Operands are rounded to their format: 1.00390625 = 1 + 2^-8 is 1 in bf16; weights stay int8
npy x.npy '<f4' C 1.00390625 2.5
npy w.npy '|i1' C 100 / -3
"$SYSTOLE" simulate "${chip[@]}" --a x.npy --b w.npy --c c.npy --dtype bf16,int8,fp32 >out 2>err || fail "mixed: $(cat err)"
[ "$(npy show c.npy)" = '<f4 [[92.5]]' ] || fail "mixed: $(npy show c.npy)"

# One operand given, the other drawn: the seed decides it, and --no-verify changes nothing
"$SYSTOLE" simulate "${chip[@]}" --gemm 2x5x3 --a a.npy --c one.npy --seed 3 >out 2>err || fail "--a alone: $(cat err)"
"$SYSTOLE" simulate "${chip[@]}" --gemm 2x5x3 --a a.npy --c two.npy --seed 3 --no-verify >out 2>err || fail "again"
cmp one.npy two.npy || fail "the same seed gives another C"
"$SYSTOLE" simulate "${chip[@]}" --gemm 2x5x3 --a a.npy --c two.npy --seed 4 >out 2>err || fail "another seed"
cmp -s one.npy two.npy && fail "another seed gives the same C"

# Refused: exit 2, nothing on standard output, C as it was, the error names file or flag and the cure
refuse() {
    local because=$1
    shift
    echo before >kept.npy
    "$SYSTOLE" simulate "${chip[@]}" "$@" --c kept.npy >out 2>err
    [ $? -eq 2 ] || fail "$*: exit $? is not 2: $(cat err)"
    [ -s out ] && fail "$*: something on standard output"
    grep -qF -- "$because" err || fail "$*: '$(cat err)' does not say '$because'"
    [ "$(cat kept.npy)" = before ] || fail "$*: C was written"
    [ -z "$(find . -name '.kept*')" ] || fail "$*: a temporary file is left"
}
npy big.npy '>f4' C 1 2
npy half.npy '<f4' C 0.5 1 / 2 3 / 1 1
npy large.npy '<f8' C 1e39 1 / 2 3 / 1 1
head -c 100 a.npy >short.npy
head -c 129 a.npy >cut.npy
echo text >text.npy
printf '\x93NUMPY\x02\x00\xff\xff\xff\x7f{' >huge.npy
refuse 'nowhere.npy: no such file' --a nowhere.npy --b b.npy
refuse '.: is a folder' --a . --b b.npy
refuse 'text.npy: is not an .npy file' --a text.npy --b b.npy
refuse 'short.npy: ends within its header' --a short.npy --b b.npy
refuse "cut.npy: has 1 bytes of values, but 2x3 of '|i1' are 6 (is it complete?)" --a cut.npy --b b.npy
refuse 'huge.npy: says that its header has 2147483647 bytes' --a huge.npy --b b.npy
refuse "big.npy: is big-endian ('>f4') (save x.astype('<f4'))" --a big.npy --b b.npy
refuse '--b half.npy: row 0, column 0: 0.5 does not fit int8 (whole numbers -128..127; use another --dtype)' \
    --a a.npy --b half.npy
refuse '--b large.npy: row 0, column 0: 1e+39 does not fit fp16' --a a.npy --b large.npy --dtype fp16
refuse '--a a.npy is 2x3 and --b a.npy is 2x3: the columns of A must be as many as the rows of B' --a a.npy --b a.npy
refuse '--b b.npy: is 3x2, but B of a GEMM of 2x3x3 is 3x3' --a a.npy --b b.npy --gemm 2x3x3
refuse 'nothing to run' --a a.npy
refuse '--workload has many' --a a.npy --workload decode_gemv
refuse 'the tile engine carries none' --a a.npy --b b.npy --engine tile
refuse "--prune 'size' is unknown (use magnitude)" --a a.npy --b b.npy --prune size
refuse '--prune magnitude, but gemm is dense' --a a.npy --b b.npy --prune magnitude
refuse 'does not take fp8_e4m3 operands (it takes int8; array.formats lists them)' --a a.npy --b b.npy \
    --set array.formats=int8 --dtype fp8_e4m3
refuse "'int32' is a format of results alone" --a a.npy --b b.npy --set array.formats=int8,int32
"$SYSTOLE" simulate "${chip[@]}" --a a.npy --b b.npy --c a.npy >out 2>err
[ $? -eq 2 ] || fail "--c over --a is not refused"
grep -q -- '--c a.npy would overwrite the file of --a' err || fail "--c over --a: $(cat err)"
"$SYSTOLE" simulate "${chip[@]}" --a a.npy --b b.npy --c ./same -o same >out 2>err
[ $? -eq 2 ] || fail "--c and -o in one file are not refused"
"$SYSTOLE" simulate "${chip[@]}" --a a.npy --b b.npy --c nowhere/c.npy >out 2>err
[ $? -eq 4 ] || fail "a folder that is not there is not exit 4"

# 2:4: the first bad group, or pruned. Column 1 has 3, -4 and 5, of which -4 and 5 stay; 1*0 + 2*0 + 3*-4 + 4*5 = 8
npy k4.npy '|i1' C 1 2 3 4
npy s.npy '|i1' C 1 3 / 0 0 / 0 -4 / 2 5
refuse '--b s.npy: rows 0..3, column 1: 3 of 4 are nonzero, 2:4 allows 2 (prune it with --prune magnitude)' \
    --a k4.npy --b s.npy --sparsity 2:4
for engine in flat structural; do
    for dataflow in ws os is; do
        "$SYSTOLE" simulate "${chip[@]}" --a k4.npy --b s.npy --c c.npy --dtype int8,int8,int32 --sparsity 2:4 \
            --prune magnitude --engine $engine --dataflow $dataflow >out 2>err || fail "--prune: $(cat err)"
        [ "$(npy show c.npy)" = '<i4 [[9, 8]]' ] || fail "pruned, $engine $dataflow: $(npy show c.npy)"
    done
done

[ "$failures" -eq 0 ]
