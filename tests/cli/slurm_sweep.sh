#!/usr/bin/env bash
# slurm_sweep.sh FOLDER: beside a Slurm (slurm.sh), an array of 8 tasks does a sweep with docs/cluster/sweep.sbatch;
# one of them is killed half-way and submitted again.
set -euo pipefail
folder=$1
export FOLDER=$folder/shares
sweep=("$PWD/scenarios/caltech256_p3.json" --exact --replications 1200 --vary instances=1:8:1 --vary num_workers=1:8:1)
batch=(--parsable --chdir="$folder" --output="$folder/task-%a.log" docs/cluster/sweep.sbatch "${sweep[@]}")

array=$(sbatch --array=0-7 "${batch[@]}")
# A share of 8 points: killed once a few are done.
for _ in {1..1500}; do
  [ "$(cat "$FOLDER/3.share" 2>/dev/null | wc -l)" -ge 3 ] && break
  sleep 0.02
done
scancel --signal=KILL --full "${array}_3"
for _ in {1..600}; do
  [ -n "$(squeue -h -j "$array" 2>/dev/null)" ] || break
  sleep 0.2
done
echo "killed with $(($(wc -l <"$FOLDER/3.share") - 1)) of 8 points"
if feedrate merge "$FOLDER"/*.share >/dev/null 2>"$folder/refused"; then
  echo "merge took an unfinished share"
fi
cat "$folder/refused"
SHARES=8 sbatch --wait --array=3 "${batch[@]}" >/dev/null
cat "$folder/task-3.log"
feedrate sweep "${sweep[@]}" >"$folder/one"
feedrate merge "$FOLDER"/*.share >"$folder/joined"
cmp "$folder/one" "$folder/joined" && echo equal
