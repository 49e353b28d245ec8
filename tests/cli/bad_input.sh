# Bad input of every kind: exit code 2, a message that names the fault, nothing on standard output, nothing written.
set -u

failures=0

# refused PATTERN ARGUMENTS...: the executable refuses them, and what it says matches the pattern.
refused() {
    local pattern=$1 code
    shift
    "$SYSTOLE" "$@" >out 2>err
    code=$?
    if [ "$code" -ne 2 ] || [ -s out ] || ! grep -qE -- "$pattern" err; then
        echo "FAILED: systole $*"
        echo "  exit $code, wanted 2; $(wc -c <out) bytes on standard output, wanted 0; wanted /$pattern/ in:"
        sed 's/^/  | /' err
        failures=$((failures + 1))
    fi
}

chip=(--chip tiny_4x4)

# Dimensions
for gemm in 0x1x1 1x0x1 1x1x0 -1x1x1 1x-5x1; do
    refused "is below 1" simulate "${chip[@]}" --gemm "$gemm"
done
for gemm in 1 1x1 1x1x1x1 x1x1 1x1x "" axbxc 1.5x1x1 1x1x1k 0x10x1x1 "1x1x1 "; do
    refused "--gemm '" simulate "${chip[@]}" --gemm "$gemm"
done
for conv in 8x8x4 8x8x4,3x3 8x8,3x3,4 8x8x4,3,4 0x8x4,3x3,4 8x8x4,3x0,4 8x8x4,3x3,-1 8x8x4,3x3,4,1 8x8x4,axb,4 "" 8x8x2000000,1x1,1; do
    refused "--conv '" simulate "${chip[@]}" --conv "$conv"
done
refused "larger than the padded input" simulate "${chip[@]}" --conv 4x4x1,5x5,1
refused "larger than the padded input" simulate "${chip[@]}" --conv 4x4x1,3x3,1 --dilation 2
refused "do not divide the 6 channels" simulate "${chip[@]}" --conv 4x4x6,1x1,6 --groups 4
refused "--stride '0'" simulate "${chip[@]}" --conv 4x4x1,1x1,1 --stride 0
refused "--stride '1x2x3' is not N or HxW" simulate "${chip[@]}" --conv 4x4x1,1x1,1 --stride 1x2x3
refused "--padding '1,2'" simulate "${chip[@]}" --conv 4x4x1,1x1,1 --padding 1,2
refused "--padding '-1'" simulate "${chip[@]}" --conv 4x4x1,1x1,1 --padding -1
refused "--groups is of a convolution" simulate "${chip[@]}" --gemm 1x1x1 --groups 2
refused "--gemm and --conv are both given" simulate "${chip[@]}" --gemm 1x1x1 --conv 4x4x1,1x1,1
refused "is above" simulate "${chip[@]}" --gemm 99999999999999999999x1x1
refused "64 bits" simulate "${chip[@]}" --gemm 9000000000x9000000000x9000000000
refused "64 bits" simulate "${chip[@]}" --gemm 9223372036854775807x9223372036854775807x9223372036854775807

# Numbers that would wrap around
for option in --seed --max-cycles; do
    refused "$option '-1' is below" simulate "${chip[@]}" --gemm 1x1x1 "$option" -1
    refused "$option '7x' is not a whole number" simulate "${chip[@]}" --gemm 1x1x1 "$option" 7x
done
refused "--streamed '0' is below 1" probe array "${chip[@]}" --streamed 0
refused "--passes '-2' is below 1" probe array "${chip[@]}" --passes -2
refused "is above" probe array "${chip[@]}" --streamed 99999999999999999999

# Chips and their keys
refused "unknown chip 'tiny_4x5' .*tiny_4x4" simulate --chip tiny_4x5 --gemm 1x1x1
refused "array.clos.*array.cols" simulate "${chip[@]}" --gemm 1x1x1 --set array.clos=4
refused "clock" simulate "${chip[@]}" --gemm 1x1x1 --set "clock=3 GB"
refused "KEY=VALUE" simulate "${chip[@]}" --gemm 1x1x1 --set clock
refused "unknown workload 'bert_base_atention' .*bert_base_attention" simulate "${chip[@]}" --workload bert_base_atention

# Files: missing, a folder, empty, binary, unreadable
mkdir -p folder.toml folder.csv
: >empty.toml
: >empty.csv
head -c 300 "$SYSTOLE" >binary.toml
cp binary.toml binary.csv
printf '[[operator]]\nm = 1\nn = 1\nk = 1\n' >locked.toml
chmod 000 locked.toml
for input in --chip --workload; do
    other=(--gemm 1x1x1)
    [ "$input" = --workload ] && other=("${chip[@]}")
    refused "missing.toml: no such file" simulate "${other[@]}" "$input" missing.toml
    refused "folder.toml: is a folder" simulate "${other[@]}" "$input" folder.toml
    refused "empty.toml" simulate "${other[@]}" "$input" empty.toml
    refused "binary.toml:[0-9]+:[0-9]+: .*not text" simulate "${other[@]}" "$input" binary.toml
    if [ "$(id -u)" -ne 0 ]; then
        refused "locked.toml: cannot be read" simulate "${other[@]}" "$input" locked.toml
    fi
done
for input in --topology --scalesim-cfg; do
    other=("${chip[@]}")
    [ "$input" = --scalesim-cfg ] && other+=(--gemm 1x1x1)
    refused "missing.csv: no such file" simulate "${other[@]}" "$input" missing.csv
    refused "folder.csv: is a folder" simulate "${other[@]}" "$input" folder.csv
    refused "empty.csv: has no" simulate "${other[@]}" "$input" empty.csv
    refused "binary.csv:[0-9]+:[0-9]+: .*not text" simulate "${other[@]}" "$input" binary.csv
done

# A file with several errors names all of them
printf 'descripton = "x"\n[[operator]]\nm = 0\nn = 1\nk = 1\n' >bad.toml
refused "bad.toml:1:1: unknown key 'descripton'" simulate "${chip[@]}" --workload bad.toml
refused "bad.toml:3:5: 'm' is 0" simulate "${chip[@]}" --workload bad.toml
refused "bad.toml:3:5" validate bad.toml

# Options
refused "unknown option '--gem' .*--gemm" simulate "${chip[@]}" --gem 1x1x1
refused "--gemm is given twice" simulate "${chip[@]}" --gemm 1x1x1 --gemm 1x1x1
refused "--chip needs a value" simulate --gemm 1x1x1 --chip
refused "--dtype 'int9'" simulate "${chip[@]}" --gemm 1x1x1 --dtype int9
refused "takes no word" simulate "${chip[@]}" --gemm 1x1x1 more
refused "unknown command 'compar' .*compare" compar "${chip[@]}" --gemm 1x1x1
refused "usage: systole"

refused "--seed needs a value" simulate "${chip[@]}" --gemm 1x1x1 --seed -- 3
refused "unknown option '-ofile'" simulate "${chip[@]}" --gemm 1x1x1 -ofile
refused "-o '' names no file" simulate "${chip[@]}" --gemm 1x1x1 -o ""
refused "would both write" simulate "${chip[@]}" --gemm 1x1x1 -o one --vcd ./one
ln -sf target link
refused "a link or a device" simulate "${chip[@]}" --gemm 1x1x1 --vcd link
[ -L link ] || { echo "FAILED: --vcd replaced a link"; failures=$((failures + 1)); }

# Nothing is written on an error
refused "is below 1" simulate "${chip[@]}" --gemm 0x1x1 -o result.json --out-dir results
if [ -e result.json ] || [ -e results ]; then
    echo "FAILED: an error left a result behind"
    failures=$((failures + 1))
fi

chmod 600 locked.toml
[ "$failures" -eq 0 ] || { echo "$failures failure(s)"; exit 1; }
