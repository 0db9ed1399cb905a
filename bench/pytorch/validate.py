#!/usr/bin/env python3
"""Runs a real torch DataLoader over workers, prefetch factors and step times, and writes what it
measured as a scenario with cases:  feedrate validate PROFILE --measured FILE  predicts them.

A step is a sleep of the given length in the training loop, so no GPU is needed; it does not
overlap the loop itself, as a loop that waits for its step.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import samples
from torch.utils.data import DataLoader


def numbers(text, kind):
    try:
        values = [kind(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers with commas between, got {text!r}")
    if min(values) < 0:
        raise argparse.ArgumentTypeError(f"expected numbers that are not negative, got {text!r}")
    return values


def epoch(dataset, batch, workers, prefetch, step_s):
    """Wall time of one epoch, from making its iterator to the end of its last step."""
    options = {"prefetch_factor": prefetch} if workers else {}
    loader = DataLoader(dataset, batch_size=batch, num_workers=workers, **options)
    start = time.perf_counter()
    for made in loader:
        if step_s:
            time.sleep(step_s)
        del made
    return time.perf_counter() - start


def settings_of(arguments):
    for workers in arguments.workers:
        for prefetch in arguments.prefetch if workers else [None]:
            for step_ms in arguments.step_ms:
                yield workers, prefetch, step_ms


def canary_of(program):
    """{name: seconds} of feedrate's small fixed pieces of work: how fast the machine is just now."""
    return json.loads(subprocess.run([program, "calibrate", "--canary", "--time-limit", "200 ms"], check=True,
                                     capture_output=True, text=True).stdout)


def measure(dataset, arguments):
    """{setting: [epoch times]} and {piece of work: [mean of each turn]}, in turns of random order, so
    that a drift of the machine does not look like a setting's; a canary before each epoch."""
    chosen = list(settings_of(arguments))
    measured = {setting: [] for setting in chosen}
    canary = {}
    order = random.Random(1)
    for turn in range(arguments.repeat):
        sung = {}
        order.shuffle(chosen)
        for done, (workers, prefetch, step_ms) in enumerate(chosen):
            for name, took in canary_of(arguments.feedrate).items() if arguments.feedrate else ():
                sung.setdefault(name, []).append(took)
            took = epoch(dataset, arguments.batch_size, workers, prefetch, step_ms / 1e3)
            measured[workers, prefetch, step_ms].append(took)
            print(f"\r{turn + 1}/{arguments.repeat}: {done + 1}/{len(chosen)}", end="",
                  file=sys.stderr, flush=True)
        for name, times in sung.items():
            canary.setdefault(name, []).append(statistics.mean(times))
    print(file=sys.stderr)
    return measured, canary


def bottleneck_is_gpu(measured, setting, steps):
    """Whether the steps alone take longer than the loader alone; None within 10 % of each other,
    or where the loader alone was not measured."""
    workers, prefetch, step_ms = setting
    alone = measured.get((workers, prefetch, 0.0))
    if alone is None:
        return None
    ratio = steps * step_ms / 1e3 / statistics.median(alone)
    return None if 0.9 < ratio < 1.1 else ratio > 1.0


least_step_ms = 0.001  # a job without any step is no job to feedrate


def case_name(setting):
    workers, prefetch, step_ms = setting
    ahead = "" if prefetch is None else f", prefetch {prefetch}"
    return f"{workers} worker{'' if workers == 1 else 's'}{ahead}, step {step_ms:g} ms"


def cases(measured, steps):
    for setting in sorted(measured, key=lambda s: (s[0], s[1] or 0, s[2])):
        workers, prefetch, step_ms = setting
        changes = {"num_workers": workers, "/job/step/fixed": f"{max(step_ms, least_step_ms):g} ms"}
        if prefetch is not None:
            changes["prefetch_factor"] = prefetch
        times = measured[setting]
        yield {"name": case_name(setting), "set": changes, "metric": "epoch_s",
               "measured": statistics.median(times), "repeats": [round(t, 5) for t in times]}
        gpu = bottleneck_is_gpu(measured, setting, steps)
        if gpu is not None:
            yield {"name": case_name(setting), "set": changes, "metric": "bottleneck is gpu",
                   "measured": int(gpu), "tolerance": 0}


def scenario(dataset, arguments, measured, canary):
    first = samples.bytes_of(dataset[0])
    files = getattr(dataset.dataset, "files", [])
    stored = sum(map(os.path.getsize, files)) / len(files) if files else first
    steps = -(-len(dataset) // arguments.batch_size)
    return {
        "name": f"torch DataLoader, {len(dataset)} samples in batches of {arguments.batch_size}",
        "about": {"source": f"bench/pytorch/validate.py on {os.uname().nodename}, "
                            f"{time.strftime('%Y-%m-%d')}, Linux {os.uname().release}, "
                            f"torch {samples.torch.__version__}",
                  "expectation": "epoch times of a profile that was made before",
                  **({"canary": canary} if canary else {})},
        "dataset": {"samples": len(dataset), "bytes_per_sample": f"{stored:.0f} B",
                    "bytes_on_gpu_per_sample": f"{first} B"},
        # The second epoch is the one that is measured: files from the page cache, and no GPU that a
        # batch is copied to.
        "source": {"service": "local"},
        "disk": {"bandwidth": "1 GB/s", "page_cache": f"{2 * stored * len(dataset):.0f} B"},
        "cluster": {"pageable_bandwidth": "1000 TB/s", "copy_latency": "0 s", "price": "0 USD/h"},
        "loader": {"kind": "pytorch", "batch_size": arguments.batch_size, "pin_memory": False},
        "preprocess": [{"operation": "getitem"}],
        "job": {"epochs": 2, "asynchronous_step": False, "step": {"fixed": f"{least_step_ms} ms"}},
        "cases": list(cases(measured, steps)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    samples.add_arguments(parser)
    parser.add_argument("--output", required=True, help="the scenario that is written")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--batches", type=int, default=48, help="of an epoch")
    parser.add_argument("--workers", type=lambda t: numbers(t, int), default=[0, 1, 2, 4])
    parser.add_argument("--prefetch", type=lambda t: numbers(t, int), default=[2, 4])
    parser.add_argument("--step-ms", type=lambda t: numbers(t, float), default=[0, 15, 30, 60])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--feedrate", help="the program, to time its canary before each epoch")
    arguments = parser.parse_args()
    if min(arguments.batch_size, arguments.batches, arguments.repeat) < 1:
        parser.error("--batch-size, --batches and --repeat: expected at least 1")
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    samples.torch.manual_seed(1)
    with tempfile.TemporaryDirectory(prefix="feedrate-validate-") as scratch:
        dataset = samples.chosen(arguments, scratch, 256)
        dataset = samples.Cycled(dataset, arguments.batch_size * arguments.batches)
        for i in range(min(len(dataset.dataset), len(dataset))):
            dataset[i]  # files into the page cache
        made = scenario(dataset, arguments, *measure(dataset, arguments))
    with open(arguments.output, "w") as file:
        json.dump(made, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
