# The installed program runs from anywhere, with the files that came with it, and without those of the source tree.
set -eu

rm -rf prefix elsewhere
"$CMAKE" --install "$BUILD" --prefix "$PWD/prefix" --component runtime >install.log
mkdir elsewhere
mv prefix elsewhere/systole
systole=$PWD/elsewhere/systole/bin/systole

unset SYSTOLE_CONFIG_DIR
"$systole" --version | grep -qx "systole $VERSION" || { echo "FAILED: --version"; exit 1; }
"$systole" info chips | grep -qw tiny_4x4 || { echo "FAILED: info chips"; exit 1; }
(cd / && "$systole" simulate --chip tiny_4x4 --gemm 8x8x8 >"$OLDPWD/out") || { echo "FAILED: simulate"; exit 1; }
mv elsewhere/systole/share/systole/configs/chips/tiny_4x4.toml elsewhere/systole/share/systole/configs/chips/mine.toml
"$systole" simulate --chip mine --gemm 8x8x8 >/dev/null || { echo "FAILED: a chip file that was added"; exit 1; }
if "$systole" simulate --chip tiny_4x4 --gemm 8x8x8 >/dev/null 2>&1; then
    echo "FAILED: the chip file comes from somewhere else"
    exit 1
fi
if grep -qF "$SOURCE" "$systole"; then
    echo "FAILED: the program names the source tree"
    exit 1
fi
