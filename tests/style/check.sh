#!/bin/sh
# The shape of the source tree: include directions, where SystemC may be, file lengths, headers' manners.
# usage: check.sh ROOT     Prints every violation as file:line: what (cure) and exits 1 if there is one.
# POSIX shell and awk alone, so that it runs on a bare system.
set -eu

root=${1:?usage: check.sh ROOT}
cd "$root"

files=$(find sim pe dataflow memory tests \( -name '*.h' -o -name '*.cpp' \) -print | LC_ALL=C sort)
[ -n "$files" ] || { echo "no sources found under $root" >&2; exit 1; }

# Paths of the project hold no blanks (checked here, as the rest relies on it).
echo "$files" | grep ' ' && { echo "file names with blanks" >&2; exit 1; }

# shellcheck disable=SC2086
LC_ALL=C awk '
# The layer of a file; SC_MODULE files of pe/ and memory/ and the array engines belong to the kernel layer.
function layer(path,    parts, n) {
    if (path ~ /^(pe|memory)\/[^\/]*_module\.(h|cpp)$/ || path ~ /^pe\/(array|flat)_[^\/]*\.(h|cpp)$/) return "kernel"
    n = split(path, parts, "/")
    if (parts[1] == "sim") return n > 2 ? parts[2] : ""
    return parts[1]
}
function complain(line, what) {
    printf "%s:%d: %s\n", FILENAME, line, what
    bad++
}
# Layers that a layer may include besides itself.
function allow(name, list,    parts, n, i) {
    known[name] = 1
    n = split(list, parts, " ")
    for (i = 1; i <= n; i++) allowed[name, parts[i]] = 1
}
function check_include(line, target,    from, to) {
    to = layer(target)
    from = layer(FILENAME)
    if (from == "tests" || from == to) return
    if (!(to in known)) complain(line, "includes \"" target "\", which is in no layer (layers: docs/architecture.md)")
    else if (!((from, to) in allowed))
        complain(line, from " must not include " to ": \"" target "\" (move the code, or pass the value in)")
}
function end_of_file() {
    if (name == "") return
    if (is_header && !pragma_once) printf "%s:1: no #pragma once\n", name
    if (is_header && !pragma_once) bad++
    if (length_limit && lines > length_limit) {
        printf "%s:%d: more than %d lines (split it by concern)\n", name, lines, length_limit
        bad++
    }
}
BEGIN {
    allow("base", "")
    allow("pe", "base")
    allow("memory", "base")
    allow("dataflow", "base pe memory")
    lower = "base pe memory dataflow"
    allow("config", lower)
    allow("stats", lower)
    allow("workload", lower " config")
    allow("roofline", lower " config stats workload")
    allow("kernel", lower " config stats workload")
    allow("engine", lower " config stats workload roofline kernel")
    allow("report", lower " config stats workload roofline")
    allow("sweep", lower " config stats workload roofline engine")
    allow("cli", lower " config stats workload roofline engine report sweep")
}
FNR == 1 {
    end_of_file()
    name = FILENAME
    lines = 0
    pragma_once = 0
    is_header = FILENAME ~ /\.h$/
    length_limit = FILENAME ~ /^tests\// ? 0 : 400
    own_layer = layer(FILENAME)
    if (own_layer != "tests" && !(own_layer in known)) complain(1, "is in no layer (layers: docs/architecture.md)")
}
{ lines = FNR }
length($0) > 120 {
    text = $0
    gsub(/[\200-\277]/, "", text) # continuation bytes of UTF-8: count characters
    if (length(text) > 120) complain(FNR, "is " length(text) " columns wide (120 at most)")
}
/\t/ { complain(FNR, "holds a tab (indent by 4 spaces)") }
/^#pragma once/ { pragma_once = 1 }
/^TEST_CASE\("[^"]*;/ { complain(FNR, "a semicolon in the name of a test (ctest takes it for two tests)") }
is_header && /^[ \t]*using[ \t]+namespace/ { complain(FNR, "using namespace in a header (qualify the names)") }
/using[ \t]+namespace[ \t]+(sc_core|sc_dt|tlm)/ { complain(FNR, "using namespace of SystemC (write sc_core:: and tlm::)") }
/^[ \t]*#[ \t]*include[ \t]*</ {
    if ($0 ~ /<systemc\.h>/) complain(FNR, "<systemc.h> (include <systemc>)")
    if ($0 ~ /<(systemc|sysc\/|tlm)/ && own_layer != "kernel" && own_layer != "engine" && own_layer != "tests")
        complain(FNR, "SystemC outside *_module.*, pe/array_*, pe/flat_*, sim/kernel and sim/engine (keep timing cores plain C++)")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*$/, "", target)
    if (own_layer != "tests" || target ~ /^(sim|pe|dataflow|memory)\//) check_include(FNR, target)
}
END {
    end_of_file()
    if (bad) { printf "%d violation(s)\n", bad; exit 1 }
}
' $files
echo "$(echo "$files" | wc -l) files in shape"
