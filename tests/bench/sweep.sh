#!/usr/bin/env bash
# How many points a sweep runs in a second of a core, and what the parent's memory does meanwhile. By hand, on a quiet
# machine:
#     SYSTOLE=build/release/systole tests/bench/sweep.sh [TOPOLOGY.csv]
# With a topology 10,000 points of it follow, on SCALE-Sim's machine.
set -eu

: "${SYSTOLE:?set it to the program}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# measured NAME ARGUMENTS...: points per second of processor time, of all processes together
measured() {
    python3 - "$@" <<'PY'
import json, os, subprocess, sys, time

name, command = sys.argv[1], sys.argv[2:]
begin = time.time()
child = subprocess.Popen(command + ["--format", "json"], stdout=subprocess.PIPE)
sizes = []
while child.poll() is None:
    with open(f"/proc/{child.pid}/statm") as statm:
        sizes.append(int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 10)
    time.sleep(0.1)
points = json.load(child.stdout)["stored"]
used = os.times()
cpu = used.children_user + used.children_system
half = sizes[len(sizes) // 2]
print(f"{name}: {points} points, {time.time() - begin:.1f} s, {points / cpu:.0f} points/s of a core; "
      f"parent {half} KiB half-way, {max(sizes)} KiB at most")
PY
}

shapes=(--axis array.rows=4..64:4 --axis array.cols=4..84:4 --axis dataflow=ws,os,is) # 16 x 21 x 3 = 1008
for gemm in 64x64x64 128x128x64; do
    measured "GEMM $gemm from HBM on edge_16x16" "$SYSTOLE" sweep --chip edge_16x16 --gemm $gemm "${shapes[@]}" \
        --out "$folder/hbm_$gemm.db"
done
measured "GEMM 256x256x256 from VMEM on tpu_v5e" "$SYSTOLE" sweep --chip tpu_v5e --gemm 256x256x256 --from vmem \
    "${shapes[@]}" --out "$folder/vmem.db"
measured "GEMM 512x512x512 on scalesim_like" "$SYSTOLE" sweep --chip scalesim_like --gemm 512x512x512 --from vmem \
    "${shapes[@]}" --out "$folder/ideal.db"
if [ $# -gt 0 ]; then
    measured "$1 on scalesim_like" "$SYSTOLE" sweep --chip scalesim_like --topology "$1" --from vmem \
        --axis array.rows=4..400:4 --axis array.cols=4..400:4 --out "$folder/network.db"
fi
