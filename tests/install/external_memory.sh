# The example of docs/extending.md as a user builds it: from its installed copy, against the installed library alone.
set -eu

rm -rf prefix moved build
"$CMAKE" --install "$BUILD" --prefix "$PWD/prefix" >install.log
mv prefix moved # nothing may depend on where it was installed first

if grep -rlF -e "$SOURCE" -e "$BUILD" moved/lib* moved/bin moved/include --include='*.cmake' --include='*.h'; then
    echo "FAILED: the files above name the source or the build tree"
    exit 1
fi

example=moved/share/doc/systole/docs/examples/external_memory
"$CMAKE" -G "$GENERATOR" -S "$example" -B build -DCMAKE_PREFIX_PATH="$PWD/moved" -DCMAKE_CXX_COMPILER="$CXX" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >configure.log
"$CMAKE" --build build >build.log || { cat build.log; exit 1; }
build/external_memory | tee out

cycles() { sed -n "s/^$1 *\([0-9]*\) cycles, product equal to the reference\$/\1/p" out; }
built_in=$(cycles "ideal HBM of the chip file")
external=$(cycles "ideal SRAM")
[ -n "$built_in" ] && [ "$built_in" = "$external" ] || { echo "FAILED: the ideal SRAM is not as ideal"; exit 1; }
[ "$(tail -n 1 out)" = "as expected" ] || { echo "FAILED: the example is not content"; exit 1; }
