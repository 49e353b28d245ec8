# Mappings: the one that is chosen is shown, saved, and run again from its file; what does not match is refused.
set -u

. "$(dirname "$0")/../support/cli.sh"

refused() { # refused TEXT ARGUMENTS...
    text=$1
    shift
    "$SYSTOLE" simulate "$@" >out 2>err
    [ $? -eq 2 ] || fail "'$*' does not exit with 2"
    [ -s out ] && fail "'$*' wrote a result"
    grep -qF -- "$text" err || fail "'$*' does not say '$text': $(cat err)"
}

rm -rf ./*.toml ./*.json out err

# Naive, searched for and from a file: the file repeats the search's cycles, for one operator and for several
for input in "--chip edge_16x16 --gemm 200x300x400" "--chip tpu_v5e --gemm 300x1000x500 --dataflow auto --from host" \
    "--chip edge_16x16 --workload bert_base_attention --dataflow os"; do
    # shellcheck disable=SC2086 # words
    "$SYSTOLE" simulate $input --save-mapping best.toml --format json >auto.json || fail "$input"
    plain=${input/--dataflow auto/}
    # shellcheck disable=SC2086
    "$SYSTOLE" simulate $plain --mapping fixed:best.toml --save-mapping again.toml --format json >fixed.json ||
        fail "$plain --mapping fixed"
    cmp auto.json fixed.json || fail "$input: the file does not repeat the run"
    cmp best.toml again.toml || fail "$input: the file does not repeat itself"
done
grep -q '"order": "[mn]*k"' auto.json || fail "no mapping in the JSON"

chip="--chip edge_16x16 --gemm 200x300x400"
"$SYSTOLE" simulate $chip --save-mapping best.toml >text || fail "$chip"
grep -q 'tiles of' text || fail "no mapping in the text"
"$SYSTOLE" compare $chip --mapping fixed:best.toml >out || fail "compare from a file"
"$SYSTOLE" compare $chip --mapping naive --save-mapping naive.toml >out || fail "compare, naive"
[ -s naive.toml ] || fail "compare saves no mapping"

# Bad files
sed 's/^tile = .*/tile = [200, 300, 400]/' best.toml >large.toml
refused "large.toml:4:1: operator 'gemm': tile 200x300x400" $chip --set vmem.capacity=16KiB --mapping fixed:large.toml
refused "best.toml:4:1: operator 'gemm' was mapped as 200x300x400, but is 200x300x401" --chip edge_16x16 \
    --gemm 200x300x401 --mapping fixed:best.toml
refused "leave --dataflow out" $chip --dataflow os --mapping fixed:best.toml
sed 's/^sharing/shering/' best.toml >key.toml
refused "unknown key 'operator.shering' (did you mean 'operator.sharing'?)" $chip --mapping fixed:key.toml
refused "has no mapping for operator" --chip edge_16x16 --workload bert_base_attention --mapping fixed:best.toml
refused "none.toml" $chip --mapping fixed:none.toml
refused "--mapping and --tile are both given" $chip --mapping fixed:best.toml --tile 16x16x16
refused "auto, naive or fixed:FILE" $chip --mapping fixed:
refused "has no mapping for operator 'layer[0].query'" --chip tpu_v5e --workload bert_base --mapping fixed:best.toml
refused "would both write" $chip --save-mapping same.txt -o same.txt
[ -e same.txt ] && fail "a refused run left a file"
"$SYSTOLE" simulate $chip --save-mapping nowhere/best.toml >out 2>err
[ $? -eq 4 ] || fail "a file that cannot be written does not exit with 4"

[ "$failures" -eq 0 ]
