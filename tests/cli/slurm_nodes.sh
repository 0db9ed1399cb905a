#!/usr/bin/env bash
# slurm_nodes.sh FOLDER: beside a Slurm of three nodes (NODES=3 slurm.sh), docs/cluster/nodes.sbatch calibrates all of
# them and observes a job that runs on all of them, the second of which loads slowly.
set -euo pipefail
folder=$1
export NODES=$folder/nodes
batch=(--parsable --wait --time=5 --nodes=3 --chdir="$folder" docs/cluster/nodes.sbatch)

sbatch --output="$folder/calibrate.log" "${batch[@]}" calibrate memcpy --quick >/dev/null ||
  cat "$folder/calibrate.log"
ls "$NODES"
feedrate calibrate --join "$NODES"/*.measurements.json --output "$folder/fleet.json"

cat >"$folder/train.sh" <<'TRAIN'
wait=0.010
[ "$SLURMD_NODENAME" = node2 ] && wait=0.080
for i in $(seq 1 12); do
  sleep 0.1
  printf 'Epoch: [0][%s/100]\tTime 0.100 (0.100)\tData %s (0)\n' "$i" "$wait"
done
TRAIN
sbatch --output="$folder/observe.log" "${batch[@]}" observe --interval 100ms -- sh "$folder/train.sh" >/dev/null ||
  cat "$folder/observe.log"
ls "$NODES"
feedrate observe fit "$NODES"/*.jsonl --batch-size 8 --gpus 3 --num-workers 0 --output "$folder/job.json"
grep instances "$folder/job.json"
