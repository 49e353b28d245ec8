# --plot and --html: files whole or not at all, the same bytes every time, errors with the exit code they deserve.
set -u

. "$(dirname "$0")/../support/cli.sh"

run() { "$SYSTOLE" compare --chip edge_16x16 --workload bert_base_attention "$@" >out.txt 2>err.txt; }

# refused EXIT WORDS ARGUMENTS...: that exit code, those words, and no new file.
refused() {
    local code=$1 words=$2 before
    shift 2
    before=$(ls -A)
    run "$@"
    local exit=$?
    [ $exit -eq "$code" ] || fail "$*: exit $exit, wanted $code"
    grep -qF -- "$words" err.txt || fail "$*: says '$(cat err.txt)', wanted '$words'"
    [ "$(ls -A)" = "$before" ] || fail "$*: left $(ls -A)"
}

rm -rf -- ./* .[!.]*
run || fail "without pictures: $(cat err.txt)"
cp out.txt plain.txt
run --plot a.svg --html a.html || fail "with pictures: $(cat err.txt)"
cmp -s out.txt plain.txt || fail "pictures change the result"
[ -s err.txt ] && fail "says $(cat err.txt)"
cp a.svg first.svg
run --plot a.svg || fail "again"
cmp a.svg first.svg || fail "two runs give two pictures"
run --plot a.png || fail "a PNG"
head -c 4 a.png | grep -q PNG || fail "a.png is no PNG"
python3 - <<'PYTHON' || fail "a.svg is no XML with the labels"
import xml.dom.minidom
text = " ".join("".join(node.data for node in one.childNodes if node.nodeType == node.TEXT_NODE)
                for tag in ("text", "tspan") for one in xml.dom.minidom.parse("a.svg").getElementsByTagName(tag))
for part in ("Roofline", "Cycle stack", "Waterfall", "HBM ridge", "VMEM", "PCIe", "T_math", "simulated"):
    assert part in text, part
PYTHON
run --html b.html || fail "a report alone"
run --html a.html || fail "a report again"
grep -q 'http-equiv="Content-Security-Policy"' a.html || fail "a.html is no report"
sed 's/a\.html/b.html/' a.html | cmp - b.html || fail "two runs give two reports" # the command line names the file

refused 2 'must end in .svg or .png' --plot a.pdf
refused 2 "--html: 'page.pdf' must end in .html or .htm" --html page.pdf
refused 2 'must end in .html or .htm' --html page
run --html page.htm && test -s page.htm || fail "a report named .htm"
refused 2 'must end in .svg or .png' --plot svg
refused 2 '--plot writes a file' --plot -
refused 2 '--html writes a file' --html -
refused 2 'empty' --html ''
refused 2 'would both write' --plot same.svg --html same.svg
refused 2 'would both write' -o same.svg --plot same.svg
refused 4 'nowhere/a.svg' --plot nowhere/a.svg
refused 4 'nowhere/a.html' --html nowhere/a.html

# The roofline alone, of a data sheet.
"$SYSTOLE" roofline --chip h100 --workload llama3_8b_ffn >plain.txt || fail "roofline"
"$SYSTOLE" roofline --chip h100 --workload llama3_8b_ffn --plot h100.svg >out.txt 2>err.txt || fail "roofline --plot"
cmp -s out.txt plain.txt || fail "roofline --plot changes the result"
grep -q 'HBM ridge 295.2' h100.svg || fail "h100.svg has no ridge"
grep -q 'simulated' h100.svg && fail "h100.svg speaks of a simulation"
"$SYSTOLE" roofline --chip h100 --gemm 8x8x8 --plot h100.gif >out.txt 2>err.txt
[ $? -eq 2 ] || fail "roofline --plot h100.gif: not exit 2"
"$SYSTOLE" roofline --chip h100 --gemm 8x8x8 --plot h100.svg -o h100.svg >out.txt 2>err.txt
[ $? -eq 2 ] || fail "roofline --plot and -o into one file: not exit 2"

# gnuplot missing: said before the run, with the package. The report needs none.
program=$SYSTOLE
mkdir -p empty
without_gnuplot() {
    PATH=$PWD/empty "$program" compare --chip edge_16x16 --gemm 8x8x8 "$@" >out.txt 2>err.txt
}
without_gnuplot --plot missing.svg
[ $? -eq 4 ] || fail "without gnuplot: not exit 4"
grep -q gnuplot-nox err.txt || fail "without gnuplot: says '$(cat err.txt)'"
[ -s out.txt ] && fail "without gnuplot: prints a result"
[ -e missing.svg ] && fail "without gnuplot: leaves a picture"
without_gnuplot --html alone.html || fail "--html needs gnuplot"

# A gnuplot that fails: its words, and the picture that was there stays.
printf '#!/bin/sh\necho "no fonts today" >&2\nexit 1\n' >empty/gnuplot
chmod +x empty/gnuplot
printf 'old' >kept.svg
PATH=$PWD/empty "$program" compare --chip edge_16x16 --gemm 8x8x8 --plot kept.svg >out.txt 2>err.txt
[ $? -eq 4 ] || fail "a failing gnuplot: not exit 4"
grep -q 'no fonts today' err.txt || fail "a failing gnuplot: says '$(cat err.txt)'"
[ "$(cat kept.svg)" = old ] || fail "a failing gnuplot: the old picture is gone"
[ -z "$(find . -name '.*.tmp')" ] || fail "temporary files: $(find . -name '.*.tmp')"

[ $failures -eq 0 ]
