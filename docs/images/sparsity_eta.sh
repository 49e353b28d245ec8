#!/bin/sh
# Draws docs/images/sparsity_eta.svg: eta of 2:4 sparsity over K and M on two chips, from simulated runs.
#
#   docs/images/sparsity_eta.sh [SYSTOLE]       from the top folder; needs gnuplot-nox; a few minutes
#
# eta = dense cycles / sparse cycles / 2, of C[M,4096] = A[M,K] * B[K,4096] that starts and ends in HBM. The numbers stay
# in docs/images/sparsity_eta.csv; with that file newer than SYSTOLE only the drawing is done again.
set -eu
systole=${1:-build/release/systole}
out=docs/images
data=$out/sparsity_eta.csv
n=4096

cycles() { # of the run with these options
    "$systole" simulate "$@" --format csv |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cycles") c = i } NR == 2 { print $c }'
}

if [ ! -e "$data" ] || [ "$systole" -nt "$data" ]; then
    echo "chip,dtype,m,n,k,dense_cycles,sparse_cycles,eta" >"$data.partial"
    for chip in tpu_v5e,bf16 npu_200t,int8; do
        for m in 1 16 128 1024 8192; do
            for k in 64 128 256 512 1024 2048 4096 8192; do
                set -- --chip "${chip%,*}" --dtype "${chip#*,}" --gemm "${m}x${n}x$k"
                dense=$(cycles "$@")
                sparse=$(cycles "$@" --sparsity 2:4)
                eta=$(awk "BEGIN { printf \"%.4f\", $dense / $sparse / 2 }")
                echo "$chip,$m,$n,$k,$dense,$sparse,$eta" >>"$data.partial"
            done
        done
    done
    mv "$data.partial" "$data"
fi

gnuplot <<PLOT
set terminal svg size 1000,440 font "sans,12"
set output "$out/sparsity_eta.svg"
set datafile separator ","
set multiplot layout 1,2
set logscale x 2
set xlabel "K"
set ylabel "eta"
set yrange [0.45:1.15]
set key below horizontal
set grid
do for [chip in "tpu_v5e npu_200t"] {
    set title chip . (chip eq "tpu_v5e" ? ", bf16" : ", int8") . ", N = $n, from HBM" noenhanced
    plot for [m in "1 16 128 1024 8192"] "$data" \
        using (strcol(1) eq chip && strcol(3) eq m ? column(5) : NaN):8 with linespoints pt 7 ps 0.5 title "M = " . m, \
        0.75 with lines dt 2 lc "gray40" title "assumed 0.75"
}
unset multiplot
PLOT
