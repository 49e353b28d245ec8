#!/bin/sh
# Compiles every header of the product by itself: a header that needs another included before it fails.
# usage: headers_compile_alone.sh ROOT COMPILER FLAGS
set -eu

cd "${1:?root}"
export COMPILER="${2:?compiler}" FLAGS="${3:?flags}"

headers=$(find sim pe dataflow memory -name '*.h' | LC_ALL=C sort)
[ -n "$headers" ] || { echo "no headers found under $1" >&2; exit 1; }

# The header is included from standard input, as a compiler given a header as main file warns about #pragma once.
# shellcheck disable=SC2016
echo "$headers" | xargs -P "$(nproc)" -n 1 sh -c '
    printf "#include \"%s\"\n" "$0" | "$COMPILER" $FLAGS -I. -x c++ -fsyntax-only - || { echo "$0: does not compile alone"; exit 1; }
'
echo "$(echo "$headers" | wc -l) headers compile alone"
