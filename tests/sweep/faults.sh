# A sweep that is killed 50 times at random moments, itself or one of its workers, ends with the database of one that was
# left alone, byte for byte; so do shards on GNU parallel whose jobs are killed.
# Long: SYSTOLE_TEST_SEED chooses other moments.
set -u

failures=0
RANDOM=${SYSTOLE_TEST_SEED:-20260705}

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

rm -rf ./*
sweep=(sweep --chip edge_16x16 --gemm 64x64x64 --axis array.rows=1..64:1 --axis array.cols=2..32:2 --axis dataflow=ws,os,is)
"$SYSTOLE" "${sweep[@]}" --out whole.db >out || fail "undisturbed: exit $?"

# A fraction of a second, that differs each time.
nap() { sleep "0.$((RANDOM % 3))$((RANDOM % 10))$((RANDOM % 10))"; }

parents=0
workers=0
interrupts=0
for ((round = 0; parents + workers + interrupts < 50 && round < 400; ++round)); do
    "$SYSTOLE" "${sweep[@]}" --workers 2 --out killed.db --resume >out 2>err &
    process=$!
    nap
    case $((RANDOM % 4)) in
        0 | 1) kill -KILL $process 2>/dev/null && parents=$((parents + 1)) ;;
        2) kill -INT $process 2>/dev/null && interrupts=$((interrupts + 1)) ;;
        3)
            for worker in $(ps -o pid= --ppid $process); do
                kill -KILL "$worker" 2>/dev/null && workers=$((workers + 1))
                break
            done
            nap
            kill -KILL $process 2>/dev/null && parents=$((parents + 1))
            ;;
    esac
    wait $process 2>/dev/null
    code=$?
    case $code in
        137 | 130) ;;                                    # killed, interrupted
        0) rm -f killed.db ;;                            # done before it could be killed: from the start
        1) grep -q "lost" err || fail "exit 1: $(cat err)" ;; # a worker was killed twice on one point
        *) fail "exit $code: $(cat err)" ;;
    esac
done
[ $((parents + workers + interrupts)) -ge 50 ] || fail "only $parents + $workers + $interrupts kills in $round rounds"
"$SYSTOLE" "${sweep[@]}" --workers 2 --out killed.db --resume >out 2>err || fail "the last run: exit $?: $(cat err)"
cmp whole.db killed.db || fail "the result differs after $parents kills, $workers of workers, $interrupts interrupts"
[ -z "$(find . -name '*-journal' -o -name '*.partial')" ] || fail "files are left: $(ls)"
echo "$parents kills, $workers of workers, $interrupts interrupts in $round rounds"

# What was finished before a kill is not run again: its rows keep the mark that is put on them here.
"$SYSTOLE" "${sweep[@]}" --out marked.db >out 2>err &
process=$!
for ((i = 0; i < 2000; ++i)); do
    [ "$(python3 -c 'import sqlite3
try: print(sqlite3.connect("file:marked.db?mode=ro", uri=True).execute("SELECT count(*) > 50 FROM points").fetchone()[0])
except sqlite3.Error: print(0)' 2>/dev/null)" = 1 ] && break
    sleep 0.02
done
kill -KILL $process
wait $process 2>/dev/null
python3 -c 'import sqlite3
db = sqlite3.connect("marked.db")
db.execute("UPDATE points SET cycles = -1")
print(db.execute("SELECT count(*) FROM points").fetchone()[0])
db.commit()' >before
"$SYSTOLE" "${sweep[@]}" --out marked.db --resume >out || fail "resume: exit $?"
python3 -c 'import sqlite3
print(sqlite3.connect("marked.db").execute("SELECT count(*) FROM points WHERE cycles = -1").fetchone()[0])' >after
cmp before after || fail "$(cat before) points were finished, $(cat after) of them are as they were"
[ "$(cat before)" -gt 0 ] || fail "nothing was finished before the kill"

# A sweep that grows and is killed while its points get their new places: it is the old one still, or the new one.
larger=("${sweep[@]/1..64:1/1..68:1}") # rows behind the others,
larger=("${larger[@]/2..32:2/1,2..32:2}") # columns in front of them
"$SYSTOLE" "${larger[@]}" --out larger.db >out || fail "the larger sweep: exit $?"
back=0
for ((round = 0; round < 12; ++round)); do
    cp whole.db grown.db
    "$SYSTOLE" "${larger[@]}" --out grown.db --resume >out 2>err &
    process=$!
    for ((i = 0; i < 20000; ++i)); do
        [ -e grown.db-journal ] && break
        read -rt 0.001 <> <(:) # a nap without a process
    done
    [ $round -lt 6 ] || sleep "0.$((6 * round - 20))" # at once, and then later each time
    kill -KILL $process
    wait $process 2>/dev/null
    points=$("$SYSTOLE" sweep show grown.db --format json --limit 1 | python3 -c 'import json, sys
show = json.load(sys.stdin)
print(show["total_points"], show["stored"] >= 3072)')
    case $points in
        "3072 True") back=$((back + 1)) ;;
        "3468 True") ;;
        *) fail "a kill while the sweep grew left $points points" ;;
    esac
done
[ $back -gt 0 ] || fail "none of $round kills came while the sweep grew"
"$SYSTOLE" "${larger[@]}" --out grown.db --resume >out 2>err || fail "the grown sweep: exit $?: $(cat err)"
cmp larger.db grown.db || fail "the grown sweep: the result differs"
echo "$back of $round kills came before the points had their new places"

exit $((failures > 0))
