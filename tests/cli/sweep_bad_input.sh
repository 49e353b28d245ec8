# `systole sweep` and its commands against what people type and files hold: each error names its place and a cure, the exit
# code says whose fault it is, and nothing is written.
set -u

. "$(dirname "$0")/../support/cli.sh"

refused() { # EXIT TEXT ARGUMENT...: that exit code, TEXT on standard error, nothing on standard output, no file more
    local code=$1 text=$2 before exit
    shift 2
    before=$(ls -A)
    timeout 60 "$SYSTOLE" sweep "$@" >out 2>err
    exit=$?
    [ $exit = "$code" ] || fail "$*: exit $exit, not $code"
    [ -s out ] && fail "$*: wrote to standard output"
    grep -qF -- "$text" err || fail "$*: says $(head -c 2000 err)"
    [ "$(ls -A)" = "$before" ] || fail "$*: left $(ls -A)"
}

rm -rf -- ./* .[!.]*
touch out err
run=(--chip tiny_4x4 --gemm 8x8x8)
none=(--out none.db)

# Axes
refused 2 "--axis array.rows=4,4: axis array.rows has the value 4 twice (leave one out)" "${run[@]}" --axis array.rows=4,4 "${none[@]}"
refused 2 "axis array.rows has the value 8 twice" "${run[@]}" --axis array.rows=4..8,8 "${none[@]}"
refused 2 "array.rows is in two axes, or twice in one" "${run[@]}" --axis array.rows=4 --axis array.rows=8 "${none[@]}"
refused 2 "--axis tokens=1,2: unknown axis 'tokens' (axes are keys of a chip" "${run[@]}" --axis tokens=1,2 "${none[@]}"
refused 2 "--axis bind.n=1,2: unknown axis 'bind.n'" "${run[@]}" --axis bind.n=1,2 "${none[@]}"
refused 2 "range '8..4' goes down (write 4..8)" "${run[@]}" --axis array.rows=8..4 "${none[@]}"
refused 2 "has an empty value (is there a comma too much?)" "${run[@]}" --axis array.rows=4,,8 "${none[@]}"
refused 2 "names no key" "${run[@]}" --axis =4 "${none[@]}"
refused 2 "does not arrive at 10000000 (end at 8388608, or give a step" "${run[@]}" --axis array.rows=1..10000000 "${none[@]}"
refused 2 "has more than 100000 values (take larger steps)" "${run[@]}" --axis array.rows=1..10000000:1 "${none[@]}"
refused 2 "is not FIRST..LAST with whole numbers" "${run[@]}" --axis array.rows=1..99999999999999999999 "${none[@]}"
refused 2 "--axis array.rows=1..5000:1: array.rows: 4097 is out of range (1..4096)" "${run[@]}" --axis array.rows=1..5000:1 "${none[@]}"
refused 2 "array.rows: and 901 more of its values are wrong (leave them out)" "${run[@]}" --axis array.rows=1..5000:1 "${none[@]}"
[ "$(wc -l <err)" = 4 ] || fail "904 wrong values give $(wc -l <err) lines"
refused 2 "array.rows: -4 is out of range" "${run[@]}" --axis array.rows=-4,8 "${none[@]}"

refused 2 "filter '8 / (array.rows - 4) > 1': division by zero (leave such points out with a filter before it" "${run[@]}" \
    --axis array.rows=4,8 --filter "8 / (array.rows - 4) > 1" "${none[@]}"
refused 2 "filter 'dataflow > 1'" "${run[@]}" --axis dataflow=ws,os --filter "dataflow > 1" "${none[@]}"
refused 2 "can only be compared with == and != to one of these)" "${run[@]}" --axis dataflow=ws,os --filter "dataflow > 1" "${none[@]}"
refused 2 "points cannot be ranked by 'tmie' (did you mean 'time'?" "${run[@]}" --axis array.rows=4,8 --best-by tmie --dry-run

# Numbers of workers and shards
refused 2 "--workers '-1' is below 1 (write a whole number from 1 to 4096)" "${run[@]}" --axis array.rows=4,8 --workers -1 "${none[@]}"
refused 2 "--workers '1e9' is not a whole number (write" "${run[@]}" --axis array.rows=4,8 --workers 1e9 "${none[@]}"
refused 2 "--workers '1000000000' is above 4096" "${run[@]}" --axis array.rows=4,8 --workers 1000000000 "${none[@]}"
refused 2 "--shard 0/2: '0' is below 1 (write I/N, for example 3/8)" "${run[@]}" --axis array.rows=4,8 --shard 0/2 "${none[@]}"
refused 2 "--shard 1/0: '0' is below 1" "${run[@]}" --axis array.rows=4,8 --shard 1/0 "${none[@]}"
refused 2 "--shard x: is not I/N" "${run[@]}" --axis array.rows=4,8 --shard x "${none[@]}"
(
    ulimit -n 40
    "$SYSTOLE" sweep "${run[@]}" --axis array.rows=1..64:1 --axis array.cols=1..64:1 --workers 64 --out many.db >out 2>err
)
[ $? = 4 ] && grep -q "for a worker: .* (use fewer --workers)" err || fail "too many workers: $(cat err)"
rm -f many.db*

# Databases that are none, or another's
"$SYSTOLE" sweep "${run[@]}" --axis array.rows=4,8 --axis dataflow=ws,os --out good.db >out || fail "a good sweep"
again=("${run[@]}" --axis array.rows=4,8 --axis dataflow=ws,os --resume)
mkdir folder
ln -s good.db link.db
mkfifo pipe.db
echo "no database" >text.db
head -c 8000 good.db >cut.db
cp good.db layout.db
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("layout.db")
db.execute("PRAGMA user_version = 7")
db.commit()
PY
for name in folder link.db pipe.db /dev/null; do
    refused 2 "--out $name: is a folder, a link or a device (name a plain file)" "${again[@]}" --out "$name"
    refused 2 "$name: is a folder, a link or a device (name a plain file)" merge "$name" good.db
done
for name in folder pipe.db /dev/null; do
    refused 2 "$name: is a folder or a device, no database of a sweep (name a file)" show "$name"
    refused 2 "$name: is a folder or a device" plot "$name" --html x.html
    refused 2 "$name: is a folder or a device" merge none.db "$name"
done
for name in text.db cut.db; do
    cp $name copy
    refused 2 "$name: is no database of a sweep" show $name
    refused 2 "$name: is no database of a sweep" "${again[@]}" --out $name
    refused 2 "$name: is no database of a sweep" merge none.db $name
    cmp $name copy || fail "$name was changed"
    rm copy
done
refused 2 "layout.db: was written by another version of Systole (its layout is 7, this version knows 1; read it with that version, or run the sweep again into another --out)" "${again[@]}" --out layout.db
refused 2 "missing.db: no such file" merge none.db good.db missing.db
refused 4 "nowhere/x.db: cannot be opened (is its folder there" "${run[@]}" --axis array.rows=4 --out nowhere/x.db
refused 4 "nowhere/x.db.merging: cannot be opened" merge nowhere/x.db good.db
"$SYSTOLE" sweep show link.db >out || fail "a link cannot be shown"

# Files that may not be written, for somebody who is not root
as_user=()
[ "$(id -u)" = 0 ] && as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
mkdir locked
"$SYSTOLE" sweep "${run[@]}" --axis array.rows=4,8 --shard 1/2 --out locked/half.db >out
chmod 444 locked/half.db
chmod 555 locked
if "${as_user[@]}" "$SYSTOLE" sweep show locked/half.db >out 2>err; then
    "${as_user[@]}" "$SYSTOLE" sweep "${run[@]}" --axis array.rows=4,8 --out locked/half.db --resume 2>&1 >/dev/null | cat >said
    grep -q "locked/half.db: may not be written (change its permissions" said || fail "read-only: $(cat said)"
    "${as_user[@]}" "$SYSTOLE" sweep "${run[@]}" --axis array.rows=4,8 --out locked/new.db >out 2>err
    [ $? = 4 ] && grep -q "locked/new.db: cannot be opened" err || fail "a folder that is locked: $(cat err)"
fi
chmod 755 locked

# Words in the wrong place
refused 2 "2 sweep files are named, one at most can be run (did you mean \`systole sweep show\`?" shwo good.db
refused 2 "(did you mean \`systole sweep plot\`? That word comes first)" good.db plot
refused 2 "2 sweep files are named, one at most can be run (name one)" a.toml b.toml

# Ranking and drawing what is not there
refused 2 "points cannot be ranked by 'nonsense' (there are time, utilization" show good.db --pareto time,nonsense
refused 2 "points cannot be ranked by ''" show good.db --pareto time,
refused 2 "--pareto 'time,seconds' names seconds twice (leave one out)" show good.db --pareto time,seconds
refused 2 "points cannot be ranked by 'array.rows'" show good.db --best-by array.rows
"$SYSTOLE" sweep "${run[@]}" --axis array.rows=4 --shard 2/2 --out empty.db >out || fail "an empty shard: exit $?"
refused 2 "empty.db: holds no point yet, so there is nothing to draw" plot empty.db --html x.html
"$SYSTOLE" sweep show empty.db >out && grep -q "0 of 1 points" out || fail "an empty sweep: $(cat out)"
"$SYSTOLE" sweep --chip scalesim_like --gemm 8x8x8 --from vmem --axis array.rows=4,8 --out ideal.db >out || fail "ideal.db"
refused 2 "ideal.db: area is known of no point" show ideal.db --pareto time,area
refused 2 "ideal.db: area is known of no point" plot ideal.db --value area --html x.html

# A database that somebody has changed is refused, not a crash
for change in "UPDATE meta SET value = '{}' WHERE key = 'space'" "UPDATE meta SET value = 'x' WHERE key = 'points'" \
    "UPDATE meta SET value = '-4' WHERE key = 'points'" \
    "UPDATE meta SET value = replace(value, '[\"8\"]', '[]') WHERE key = 'space'" "DROP TABLE points" "DELETE FROM meta"; do
    cp good.db changed.db
    python3 -c 'import sqlite3, sys
db = sqlite3.connect("changed.db")
db.execute(sys.argv[1])
db.commit()' "$change"
    refused 2 "changed.db: is no database of a sweep" show changed.db
    refused 2 "changed.db: is no database of a sweep" "${again[@]}" --out changed.db
done

exit $((failures > 0))
