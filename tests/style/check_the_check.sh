#!/bin/sh
# Feeds check.sh small trees with one violation each and looks for its complaint: a style check must be able to fail.
set -eu

check=${1:?usage: check_the_check.sh CHECK}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

fresh_tree() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/sim/base" "$tree/sim/config" "$tree/sim/engine" "$tree/sim/report" "$tree/sim/roofline" \
        "$tree/pe" "$tree/dataflow" "$tree/memory" "$tree/tests"
    printf '#pragma once\n' > "$tree/sim/base/fine.h"
    printf '#pragma once\n#include <systemc>\n#include "sim/base/fine.h"\n' > "$tree/memory/vmem_module.h"
}

# expect COMPLAINT FILE CONTENT: a tree with this file is refused, with these words at this file.
expect() {
    fresh_tree
    printf '%b' "$3" > "$tree/$2"
    if output=$(sh "$check" "$tree" 2>&1); then
        echo "not refused: $2 with: $3"
        failed=1
    elif ! echo "$output" | grep -q "^$2:[0-9]*: .*$1"; then
        echo "refused $2 in other words than '$1': $output"
        failed=1
    fi
}

fresh_tree
sh "$check" "$tree" > /dev/null || { echo "a good tree is refused"; failed=1; }

expect 'base must not include pe' sim/base/x.h '#pragma once\n#include "pe/format.h"\n'
expect 'dataflow must not include config' dataflow/x.cpp '#include "sim/config/machine.h"\n'
expect 'report must not include engine' sim/report/x.cpp '#include "sim/engine/run.h"\n'
expect 'roofline must not include kernel' sim/roofline/x.cpp '#include "memory/vmem_module.h"\n'
expect 'kernel must not include engine' pe/array_x.cpp '#include "sim/engine/run.h"\n'
expect 'in no layer' sim/base/x.cpp '#include "error.h"\n'
expect 'SystemC outside' memory/vmem.cpp '#include <systemc>\n'
expect 'SystemC outside' sim/config/x.cpp '#include <tlm_utils/simple_target_socket.h>\n'
expect 'include <systemc>' memory/x_module.cpp '#include <systemc.h>\n'
expect 'using namespace in a header' pe/x.h '#pragma once\nusing namespace std;\n'
expect 'using namespace of SystemC' sim/engine/x.cpp '    using namespace sc_core;\n'
expect 'no #pragma once' pe/x.h 'int x;\n'
expect 'tab' pe/x.cpp '\tint x;\n'
expect 'semicolon' tests/x.cpp 'TEST_CASE("a; b") {}\n'
expect '120 at most' pe/x.cpp "// $(printf '%0119d' 0)\\n"
expect 'more than 400 lines' pe/x.cpp "$(yes 'int;' | head -401 | sed 's/$/\\n/' | tr -d '\n')"

[ "$failed" = 0 ] && echo "every kind of violation is found"
exit "$failed"
