# `systole sweep --resume` with more values or axes than the database was made with: finished points are kept, the result is
# that of one sweep, and whatever would lose a point is refused.
set -u

. "$(dirname "$0")/../support/cli.sh"

rm -rf ./*
run=(sweep --chip tiny_4x4 --gemm 16x16x16)

sweep() { # DB ARGUMENT...
    local db=$1
    shift
    "$SYSTOLE" "${run[@]}" "$@" --out "$db" >out 2>err
}

# The rows of finished points get a mark that a point which is run again would lose.
mark() { python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE points SET verified = -1 WHERE status = \"ok\"")
db.commit()' "$1"; }
marked() { python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM points WHERE verified = -1").fetchone()[0])' "$1"; }

# grows NAME KEPT OLD-ARGUMENT... -- NEW-ARGUMENT...: KEPT points stay; the bytes are those of one sweep
grows() {
    local name=$1 kept=$2 old=()
    shift 2
    while [ "$1" != -- ]; do
        old+=("$1")
        shift
    done
    shift
    rm -f old.db grown.db whole.db
    sweep old.db "${old[@]}" || fail "$name: old: $(cat err)"
    cp old.db marked.db
    sweep whole.db "$@" || fail "$name: whole: $(cat err)"
    cp old.db grown.db
    sweep grown.db "$@" --resume || fail "$name: grown: $(cat err)"
    grep -q "grown.db grows from .* to .* points; $kept are kept" err || fail "$name: says $(cat err)"
    cmp whole.db grown.db || fail "$name: other bytes than in one go"
    mark marked.db
    sweep marked.db "$@" --resume --quiet || fail "$name: marked: $(cat err)"
    [ -s err ] && fail "$name: --quiet says $(cat err)"
    [ "$(marked marked.db)" = "$kept" ] || fail "$name: $(marked marked.db) points were kept, not $kept"
    cp grown.db again.db
    sweep again.db "$@" --resume && [ ! -s err ] && cmp grown.db again.db || fail "$name: the second --resume: $(cat err)"
}
grows "a value more" 2 --axis array.rows=8,16 -- --axis array.rows=8,16,32
grows "values in front" 4 --axis array.rows=8,16 --axis dataflow=ws,os -- --axis array.rows=2..32 --axis dataflow=is,ws,os
grows "axes turned round" 4 --axis array.rows=8,16 --axis dataflow=ws,os -- --axis dataflow=os,ws,is --axis array.rows=16,8
grows "a filter less" 2 --axis array.rows=8,16 --axis array.cols=8,16 --filter "array.rows == array.cols" \
    -- --axis array.rows=8,16 --axis array.cols=8,16
grows "linked keys let go" 2 --axis array.rows,array.cols=8,16 -- --axis array.rows=8,16 --axis array.cols=8,16,32
grows "an axis more" 2 --axis array.rows=8,16 -- --axis array.rows=8,16 --axis dataflow=ws,os,is
grows "an option that becomes an axis" 2 --dataflow os --axis array.rows=8,16 -- --axis array.rows=8,16 --axis dataflow=os,is

# A point that failed stays as it was, a sweep that was stopped half-way grows as well
failing=(--axis "vmem.capacity=300 B,64 KiB")
sweep failing.db --axis tile=16x16x16 "${failing[@]}"
[ $? = 1 ] || fail "a failing sweep: $(cat err)"
sweep failing_whole.db --axis tile=4x4x4,16x16x16 "${failing[@]}"
sweep failing.db --axis tile=4x4x4,16x16x16 "${failing[@]}" --resume
[ $? = 1 ] && grep -q "failing.db grows from 2 to 4 points; 2 are kept" err || fail "failing and grown: $(cat err)"
cmp failing.db failing_whole.db || fail "failing and grown: other bytes"
axes=(--axis array.rows=1..24:1 --axis dataflow=ws,os)
rm whole.db
sweep whole.db "${axes[@]}"
sweep half.db --axis array.rows=1..16:1 --axis dataflow=ws,os --shard 1/3 # an unfinished one
sweep half.db "${axes[@]}" --resume || fail "unfinished: $(cat err)"
cmp whole.db half.db || fail "unfinished and grown: other bytes"

# Shards: of a whole database each runs its part of what is new; a part of a smaller sweep is refused
small=(--axis array.rows=1..8:1 --axis dataflow=ws,os)
sweep small.db "${small[@]}"
for i in 1 2 3; do
    cp small.db part-$i.db
    sweep part-$i.db "${axes[@]}" --shard $i/3 --resume || fail "shard $i: $(cat err)"
done
"$SYSTOLE" sweep merge merged.db part-*.db >out && cmp whole.db merged.db || fail "shards of a grown sweep: other bytes"
"$SYSTOLE" sweep show part-1.db --format csv | wc -l >lines
[ "$(cat lines)" = $((1 + 16 + 10)) ] || fail "shard 1 has $(cat lines) lines" # 16 to 47 are new; 18, 21, ... 45 are its own
rm -f piece.db
sweep piece.db "${small[@]}" --shard 1/2
cp piece.db before.db

refused() { # TEXT DB ARGUMENT...: exit 2 with TEXT, and the database is what it was
    local text=$1 db=$2 code
    shift 2
    cp "$db" kept.db
    sweep "$db" "$@" --resume
    code=$?
    [ $code = 2 ] || fail "$*: exit $code"
    [ -s out ] && fail "$*: wrote to standard output"
    grep -qF -- "$text" err || fail "$*: says $(cat err)"
    cmp "$db" kept.db || fail "$*: changed the database"
}
refused "holds 8 of 16 points of a smaller sweep, and a sweep that grows is divided anew (merge its shards with" \
    piece.db "${axes[@]}" --shard 1/3
refused "small.db: holds another sweep: its axes or filters differ, and array.rows=1 dataflow=ws of it is no point of this one; values and axes may be added, what is there has to stay (give another --out)" \
    small.db --axis array.rows=2..16 --axis dataflow=ws,os
refused "and array.rows=1 dataflow=os of it is no point of this one" small.db "${axes[@]}" \
    --filter "dataflow != os"
refused "it has an axis dataflow, this one has not" small.db --axis array.rows=1..16:1 --dataflow ws
refused "the chip, the workload or another option differs: nothing there, \`--from host\` here" small.db "${axes[@]}" --from host
run=(sweep --chip tiny_4x4 --gemm 16x16x8)
refused "the chip, the workload or another option differs: \`--gemm 16x16x16\` there, \`--gemm 16x16x8\` here" small.db \
    "${axes[@]}"

# Files that have changed, and another version
"$SYSTOLE" info chips >out
cp "$SYSTOLE_SOURCE_DIR/configs/chips/tiny_4x4.toml" chip.toml
mine=(--chip ./chip.toml --gemm 16x16x16)
"$SYSTOLE" sweep "${mine[@]}" --axis array.rows=8,16 --out mine.db >out 2>err || fail "own chip: $(cat err)"
sed -i 's/^clock = .*/clock = "3 GHz"/' chip.toml
grep -q '^clock = "3 GHz"' chip.toml || fail "the chip file has no clock at the beginning of a line"
run=(sweep "${mine[@]}")
refused "a file of the chip or of the workload has changed since" mine.db --axis array.rows=8,16,32
rm chip.toml
"$SYSTOLE" sweep --chip tiny_4x4 --gemm 16x16x16 --axis array.rows=8,16,32 --out mine.db --resume >out 2>err
[ $? = 2 ] && grep -q "a file of the chip or of the workload has changed since" err || fail "a chip that is gone: $(cat err)"
python3 -c 'import sqlite3
db = sqlite3.connect("small.db")
db.execute("UPDATE meta SET value = \"9.9.9\" WHERE key = \"version\"")
db.commit()'
run=(sweep --chip tiny_4x4 --gemm 16x16x16)
refused "it was made by systole 9.9.9" small.db "${axes[@]}"

exit $((failures > 0))
