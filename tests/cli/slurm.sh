#!/usr/bin/env bash
# slurm.sh FOLDER COMMAND...: runs a command beside a Slurm of this machine that lives in FOLDER (an absolute, empty
# one) and ends with the command. NODES=3: of so many nodes, node1 … node3, all of which are this machine. Exit
# status: the command's; 77 where a Slurm cannot run, with a word why.
set -uo pipefail
folder=$1
shift
export SLURM_CONF=$folder/slurm.conf
started=()

cannot() {
  echo "no Slurm here: $*" >&2
  exit 77
}
end() {
  local process
  for process in "${started[@]}"; do kill "$process" 2>/dev/null; done
  for process in "${started[@]}"; do
    for _ in {1..50}; do
      kill -0 "$process" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$process" 2>/dev/null
    wait "$process" 2>/dev/null
  done
}
trap end EXIT

PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch sinfo; do
  command -v "$program" >/dev/null || cannot "$program is not installed (apt: slurm-wlm, munge)"
done
free_port() {
  local port
  while port=$((RANDOM % 20000 + 20000)); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port" && return; }
  done
}
nodes=${NODES:-1}
unset NODES
host=$(hostname -s)
user=$(id -un) # whose jobs alone a node runs that is not root's
mkdir -p "$folder"/{state,spool}
chmod 755 "$folder"
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 400 "$folder/munge.key"
cat >"$SLURM_CONF" <<CONF
ClusterName=feedrate
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
MinJobAge=300
KillWait=2
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
for ((i = 1; i <= nodes; i++)); do
  mkdir -p "$folder/spool/node$i"
  printf 'NodeName=node%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d State=UNKNOWN\n' \
    "$i" "$host" "$(free_port)" "$(nproc)" >>"$SLURM_CONF"
done
# Nothing is put into groups; but slurmd looks for systemd unless this is said.
printf 'CgroupPlugin=cgroup/v1\n' >"$folder/cgroup.conf"

munged --foreground --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" \
  >"$folder/munged.out" 2>&1 &
started+=($!)
for _ in {1..50}; do
  [ -S "$folder/munge.socket" ] && break
  sleep 0.1
done
[ -S "$folder/munge.socket" ] || cannot "munged did not start: $(tail -n 1 "$folder/munged.out" 2>/dev/null)"
slurmctld -D >"$folder/slurmctld.out" 2>&1 &
started+=($!)
for ((i = 1; i <= nodes; i++)); do
  slurmd -D -N "node$i" >"$folder/slurmd.node$i.out" 2>&1 &
  started+=($!)
done
all_idle() { [ "$(sinfo -h -N -o %t 2>/dev/null | grep -cx idle)" = "$nodes" ]; }
for _ in {1..150}; do
  all_idle && break
  sleep 0.2
done
all_idle ||
  cannot "the nodes did not come up: $(tail -qn 1 "$folder"/slurm*.{log,out} 2>/dev/null | tail -n 1)"
"$@"
