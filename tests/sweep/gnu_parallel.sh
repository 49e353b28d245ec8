# Shards on GNU parallel, as docs/clusters.md shows them: a job is killed and retried, and the merged database is that of
# one undivided sweep. Skipped (77) without GNU parallel.
set -u

command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q GNU || { echo "no GNU parallel"; exit 77; }

failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

rm -rf ./*
export HOME="$PWD" # where parallel keeps its notes
mkdir -p .parallel && touch .parallel/will-cite
sweep=(sweep --chip edge_16x16 --gemm 64x64x64 --axis array.rows=1..24:1 --axis array.cols=4..32:4 --axis dataflow=ws,os)
"$SYSTOLE" "${sweep[@]}" --out whole.db >out || fail "undivided: exit $?"

# The first job that finds no mark leaves one and is killed half-way: parallel starts it again.
cat >shard.sh <<'SH'
shard=$1
shift
"$@" --shard "$shard/4" --workers 1 --out "part-$shard.db" --resume &
process=$!
if [ "$shard" = 2 ] && [ ! -e killed ]; then
    touch killed
    sleep 0.2
    kill -KILL $process
fi
wait $process
SH
parallel --jobs 2 --retries 3 bash shard.sh {} "$SYSTOLE" "${sweep[@]}" ::: 1 2 3 4 >out 2>err || fail "parallel: exit $?: $(cat err)"
[ -e killed ] || fail "no job was killed"
"$SYSTOLE" sweep merge merged.db part-*.db >out || fail "merge: exit $?"
cmp whole.db merged.db || fail "the merged database differs"

exit $((failures > 0))
