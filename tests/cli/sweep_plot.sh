# `systole sweep plot`: pictures and pages from a database alone, whole or not at all, and what is refused.
set -u

. "$(dirname "$0")/../support/cli.sh"

refused() { # EXIT WORDS ARGUMENT...: that exit code, those words, and no new file
    local code=$1 words=$2 before
    shift 2
    before=$(ls -A)
    "$SYSTOLE" sweep plot "$@" >out.txt 2>err.txt
    local exit=$?
    [ $exit -eq "$code" ] || fail "$*: exit $exit, wanted $code"
    [ -s out.txt ] && fail "$*: wrote to standard output"
    grep -qF -- "$words" err.txt || fail "$*: says '$(cat err.txt)', wanted '$words'"
    [ "$(ls -A)" = "$before" ] || fail "$*: left $(ls -A)"
}

rm -rf -- ./* .[!.]*
"$SYSTOLE" sweep --chip tiny_4x4 --gemm 16x16x16 --axis array.rows,array.cols=2..16 --axis dataflow=ws,os,is \
    --axis "hbm.bandwidth=2 GB/s,4 GB/s" --out a.db >out.txt 2>err.txt || fail "sweep: $(cat err.txt)"
touch out.txt err.txt

"$SYSTOLE" sweep plot a.db --plot a.svg --html a.html >out.txt 2>err.txt || fail "plot: $(cat err.txt)"
[ -s out.txt ] || [ -s err.txt ] && fail "says $(cat out.txt err.txt)"
"$SYSTOLE" sweep plot a.db --plot b.svg --html b.html || fail "again"
cmp a.svg b.svg || fail "two pictures of one sweep"
cmp a.html b.html || fail "two pages of one sweep"
"$SYSTOLE" sweep plot a.db --plot a.png --x hbm.bandwidth --y array.cols --value time || fail "a PNG"
head -c 4 a.png | grep -q PNG || fail "a.png is no PNG"
"$SYSTOLE" sweep plot a.db --plot winner.svg --winner dataflow || fail "winners"
python3 - <<'PYTHON' || fail "pictures without their words"
import xml.dom.minidom
def words(name):
    return " ".join("".join(node.data for node in one.childNodes if node.nodeType == node.TEXT_NODE)
                    for tag in ("text", "tspan") for one in xml.dom.minidom.parse(name).getElementsByTagName(tag))
for part in ("array_utilization over array.rows,array.cols", "8x8", "ws", "Speed-up", "allowed by the roofline", "Pareto"):
    assert part in words("a.svg"), part
assert "Best dataflow in seconds, over array.rows,array.cols" in words("winner.svg"), words("winner.svg")
PYTHON

# Every point is on the page, with the command that gives its numbers
python3 - <<'PYTHON' || fail "the page's points"
import json, os, shlex, subprocess
page = open("a.html", encoding="utf-8").read()
data = json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])
shown = json.loads(subprocess.run([os.environ["SYSTOLE"], "sweep", "show", "a.db", "--format", "json"], check=True,
                                  capture_output=True, text=True).stdout)
assert len(data["points"]) == 24 == len(shown["points"])
names = [metric["name"] for metric in data["metrics"]]
for mine, stored in zip(data["points"], shown["points"]):
    assert mine["command"] == stored["command"], (mine["command"], stored["command"])
    assert all(mine["values"][names.index(name)] == stored[name] for name in ("cycles", "seconds", "array_utilization"))
words = shlex.split(data["points"][17]["command"])
total = json.loads(subprocess.run([os.environ["SYSTOLE"], *words[1:], "--format", "json"], check=True,
                                  capture_output=True, text=True).stdout)["total"]
assert total["cycles"] == data["points"][17]["values"][names.index("cycles")], words
PYTHON

"$SYSTOLE" sweep --chip tiny_4x4 --gemm 4x4x4 --axis array.rows=4 --out one.db >out.txt || fail "a sweep of one point"
"$SYSTOLE" sweep plot one.db --plot one.svg --html one.html || fail "one point"
"$SYSTOLE" sweep --chip tiny_4x4 --gemm 16x16x16 --axis tile=16x16x16 --set "vmem.capacity=300 B" --out failed.db >out.txt 2>err.txt
[ $? = 1 ] || fail "a sweep that fails: $(cat err.txt)"
echo "no database" >text.db

refused 2 'say which database is drawn' --html x.html
refused 2 'say what is drawn (--plot F.svg or F.png' a.db
refused 2 'must end in .svg or .png' a.db --plot x.pdf
refused 2 '--html writes a file' a.db --html -
refused 2 'would both write' a.db --plot x.svg --html x.svg
refused 2 "a.db: --x 'dataflwo' is no axis of this sweep (did you mean 'dataflow'?" a.db --x dataflwo --html x.html
refused 2 "--y 'clock' is no axis of this sweep (its axes are" a.db --y clock --html x.html
refused 2 "(did you mean 'utilization'?" a.db --value utilisation --html x.html
refused 2 'cannot be two of --x, --y and --winner' a.db --x dataflow --winner dataflow --plot x.svg
refused 2 'failed.db: no point is good, so there is nothing to draw (1 failed;' failed.db --html x.html
refused 2 'is no database of a sweep' text.db --plot x.svg
refused 2 'missing.db' missing.db --plot x.svg
refused 4 'nowhere/x.svg' a.db --plot nowhere/x.svg
refused 4 'nowhere/x.html' a.db --html nowhere/x.html --plot x.svg

"$SYSTOLE" sweep plot --help >help.txt || fail "--help"
awk 'length($0) > 80 { bad = 1 } END { exit bad }' help.txt || fail "help of more than 80 columns"
exit $((failures > 0))
