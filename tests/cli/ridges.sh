#!/usr/bin/env bash
# The ridges of the worked examples' card, in simulated time: below one, twice the level's rate nearly halves the time;
# above it, the time hardly changes.
set -u

. "$(dirname "$0")/../support/cli.sh"

# check LEVEL SIDE GEMM KEY=VALUE OPTIONS...: KEY=VALUE doubles the level's rate. Below the ridge the least time is that of
# the level and falls to half; 1.5 leaves a quarter of it to what does not: filling, refresh, the other levels. Above, the
# level's time is hidden behind the arrays; what is left of it is the beginning and the end of the run, under a quarter.
check() {
    local level=$1 side=$2 gemm=$3 twice=$4
    shift 4
    "$SYSTOLE" simulate --chip npu_200t --gemm "$gemm" "$@" --format json --quiet >once.json || fail "$gemm $*"
    "$SYSTOLE" simulate --chip npu_200t --gemm "$gemm" "$@" --set "$twice" --format json --quiet >twice.json ||
        fail "$gemm $* --set $twice"
    python3 - "$level" "$side" <<'PYTHON' || fail "$level, $side the ridge: $gemm $*"
import json, sys
level, side = sys.argv[1:]
once, twice = (json.load(open(name))["total"] for name in ("once.json", "twice.json"))
at = once["roofline"]["levels"][level]
gain = once["cycles"] / twice["cycles"]
good = (at["intensity"] < at["ridge"] and once["roofline"]["bound"] == level and gain > 1.5 if side == "below"
        else at["intensity"] > at["ridge"] and once["roofline"]["bound"] == "compute" and gain < 1.25)
print(level, side, round(at["intensity"]), "OP/B, ridge", round(at["ridge"]), "gain", round(gain, 3))
sys.exit(not good)
PYTHON
}

# HBM: 200 TOP/s over 256 GB/s is 781 OP/B. An int8 GEMM of K = N = 8192 has 2 M N K / (M N + M K + K N) of them:
# M = 256: 482; M = 2048: 2731.
check hbm below 256x8192x8192 "hbm.bandwidth=512 GB/s"
check hbm above 2048x8192x8192 "hbm.bandwidth=512 GB/s"

# PCIe: 6,250 OP/B at the data sheet's 32 GB/s, 7,586 at what generation 4 x16 carries. With M = N and K = M / 2 both
# directions carry M^2 bytes for M^3 operations: M OP/B, and both sides are clear of both ridges.
check pcie below 4096x4096x2048 pcie.generation=5 --from host
check pcie above 10240x10240x5120 pcie.generation=5 --from host

[ "$failures" -eq 0 ] || echo "$failures failure(s)"
[ "$failures" -eq 0 ]
