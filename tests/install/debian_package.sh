# The package that cpack makes: its fields, and the program in it, run without being installed.
set -eu

fail() {
    echo "FAILED: $*"
    exit 1
}

rm -rf packages extracted
"$CPACK" -G DEB --config "$BUILD/CPackConfig.cmake" -B packages >cpack.log 2>&1 || { cat cpack.log; fail cpack; }
set -- packages/systole_"$VERSION"*.deb
[ $# -eq 1 ] && [ -f "$1" ] || fail "not one package: $*"
package=$1

field() { dpkg-deb -f "$package" "$1"; }
[ "$(field Package)" = systole ] || fail "Package: $(field Package)"
[ "$(field Section)" = science ] || fail "Section: $(field Section)"
field Version | grep -q "^$VERSION" || fail "Version: $(field Version)"
for library in libc6 libstdc++6 libsystemc libfmt; do
    field Depends | grep -qF "$library" || fail "Depends has no $library: $(field Depends)"
done
field Description | head -n 1 | grep -q systolic || fail "Description: $(field Description)"

dpkg-deb -x "$package" extracted
for file in bin/systole share/systole/configs/chips/tiny_4x4.toml include/systole/sim/engine/run.h \
    share/doc/systole/copyright share/doc/systole/docs/extending.md; do
    [ -f "extracted/usr/$file" ] || fail "no $file"
done
[ -n "$(find extracted/usr -name systoleConfig.cmake)" ] || fail "no CMake package"
[ -z "$(find extracted ! -user "$(id -u)" -o -perm /022 ! -type l)" ] || fail "files that others may write"

unset SYSTOLE_CONFIG_DIR
extracted/usr/bin/systole simulate --chip tiny_4x4 --gemm 8x8x8 --verify --engine flat >out || fail "simulate"
grep -q 'product equal to the reference' out || fail "the product"
extracted/usr/bin/systole info chips | grep -q tpu_v5e || fail "info chips"
