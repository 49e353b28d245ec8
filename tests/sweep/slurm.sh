# A job array on a real Slurm of one node, started here and stopped again: its tasks take their shards from Slurm's
# variables, one of them is killed and requeued, and the merged database is that of one undivided sweep.
# Skipped (77) where Slurm is not installed or this is not root.
set -u

for program in slurmctld slurmd sbatch squeue scontrol munged; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "no $program (apt-get install slurm-wlm)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "not root, so no Slurm can be started"; exit 77; }
PATH=$PATH:/usr/sbin

failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

rm -rf ./*
work=$(mktemp -d /tmp/systole_slurm_XXXXXX) # short: paths of sockets may have 107 characters
chmod 755 "$work"
daemons=()

stop_all() {
    for process in "${daemons[@]}"; do
        kill "$process" 2>/dev/null
    done
    wait 2>/dev/null
    [ $failures = 0 ] || tail -n 20 "$work"/*.log
    rm -rf "$work"
}
trap stop_all EXIT

# MUNGE with a key and a socket of its own
mkdir "$work/munge" "$work/state" "$work/spool"
dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 2>/dev/null
chmod 600 "$work/munge/key"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" >"$work/munged.log" 2>&1 &
daemons+=($!)

read -r port_ctld port_d < <(python3 -c 'import socket
s = [socket.socket() for _ in range(2)]
for one in s: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in s))')
host=$(hostname -s)
cat >"$work/slurm.conf" <<CONF
ClusterName=systole
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmctldPort=$port_ctld
SlurmdPort=$port_d
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MinJobAge=3600
SchedulerParameters=sched_min_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"

for ((i = 0; i < 100; ++i)); do
    [ -S "$work/munge/socket" ] && break
    sleep 0.1
done
slurmctld -D >"$work/slurmctld.out.log" 2>&1 &
daemons+=($!)
slurmd -D >"$work/slurmd.out.log" 2>&1 &
daemons+=($!)
for ((i = 0; i < 300; ++i)); do
    sinfo --noheader --format=%T 2>/dev/null | grep -q idle && break
    sleep 0.2
done
sinfo --noheader --format=%T 2>/dev/null | grep -q idle || { fail "Slurm did not start"; exit 1; }

sweep=(sweep --chip edge_16x16 --gemm 64x64x64 --axis array.rows=1..24:1 --axis array.cols=4..32:4 --axis dataflow=ws,os)
"$SYSTOLE" "${sweep[@]}" --out whole.db >out || fail "undivided: exit $?"

# What docs/clusters.md shows. Task 2 is killed once, half-way, as if its node had died, and goes on where it was.
cat >job.sh <<SH
#!/bin/bash
cd "$PWD"
if [ "\$SLURM_ARRAY_TASK_ID" = 2 ] && [ ! -e killed ]; then
    touch killed
    "$SYSTOLE" ${sweep[*]} --workers 1 --out part-2.db --resume &
    sleep 0.2
    kill -KILL \$!
    wait
    scontrol requeue "\${SLURM_ARRAY_JOB_ID}_2"
    sleep 60
fi
"$SYSTOLE" ${sweep[*]} --workers 1 --out "part-\$SLURM_ARRAY_TASK_ID.db" --resume
SH
job=$(sbatch --parsable --array=1-4 --requeue --output="$PWD/task-%a.log" --open-mode=append job.sh) || fail "sbatch: exit $?"
for ((i = 0; i < 600; ++i)); do
    left=$(squeue --noheader --jobs="$job" --states=PENDING,RUNNING,COMPLETING,REQUEUED 2>/dev/null | wc -l)
    [ "$left" = 0 ] && break
    # A task that is requeued waits two minutes by itself
    scontrol update "jobid=${job}_2" starttime=now >/dev/null 2>&1
    sleep 0.5
done
[ "$left" = 0 ] || fail "tasks are still there: $(squeue --jobs="$job")"
[ -e killed ] || fail "no task was killed"
for task in 1 2 3 4; do
    grep -q "systole: shard $task/4, the task of Slurm's job array" task-$task.log || fail "task $task: $(cat task-$task.log)"
done
"$SYSTOLE" sweep merge merged.db part-*.db >out || fail "merge: exit $?"
cmp whole.db merged.db || fail "the merged database differs"

exit $((failures > 0))
