#!/usr/bin/env python3
"""Runs a real torch DataLoader over its settings and writes what it measured as a scenario with
cases:  feedrate validate PROFILE --measured FILE  predicts them.

Without --device a step is a sleep of the given length in the training loop: no GPU is needed, and
it does not overlap the loop itself, as a loop that waits for its step. With --device cuda a model
learns on the GPU, over workers, batch sizes, ways to copy a batch and to wait for a step; the step's
length is then the profile's (step_time.py). --device cpu rehearses that without a GPU.
"""
import argparse
import hashlib
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

import devices
import training

least_step_ms = 0.001  # a job without any step is no job to feedrate


def numbers(text, kind, least=0):
    try:
        values = [kind(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers with commas between, got {text!r}")
    if min(values) < least:
        wanted = f"of at least {least}" if least else "that are not negative"
        raise argparse.ArgumentTypeError(f"expected numbers {wanted}, got {text!r}")
    return values


def words(text, known):
    values = text.split(",")
    for value in values:
        if value not in known:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(known)}, got {value!r}")
    return list(dict.fromkeys(values))


class Sleeping:
    """A loader in front of steps that are sleeps."""

    def __init__(self, arguments, dataset, cost, cores):
        self.arguments = arguments
        self.batches = arguments.batches or 48
        self.batch = arguments.batch_size[0]
        self.dataset = samples.Cycled(dataset, self.batch * self.batches)
        self.cost, self.cores = cost, cores

    def settings(self):
        return [(workers, prefetch, step_ms) for workers in self.arguments.workers
                for prefetch in (self.arguments.prefetch if workers else [None])
                for step_ms in self.arguments.step_ms]

    def expected(self, setting):
        workers, _, step_ms = setting
        loader = self.cost * self.batch / max(1, min(workers, self.cores))
        return self.batches * max(loader, step_ms / 1e3)

    def epoch(self, setting):
        """Wall time of one epoch, from making its iterator to the end of its last step."""
        workers, prefetch, step_ms = setting
        options = {"prefetch_factor": prefetch} if workers else {}
        loader = DataLoader(self.dataset, batch_size=self.batch, num_workers=workers, **options)
        start = time.perf_counter()
        for made in loader:
            if step_ms:
                time.sleep(step_ms / 1e3)
            del made
        return time.perf_counter() - start

    def name(self, setting):
        workers, prefetch, step_ms = setting
        ahead = "" if prefetch is None else f", prefetch {prefetch}"
        return f"{workers} worker{'' if workers == 1 else 's'}{ahead}, step {step_ms:g} ms"

    def changes(self, setting):
        workers, prefetch, step_ms = setting
        made = {"num_workers": workers, "/job/step/fixed": f"{max(step_ms, least_step_ms):g} ms"}
        if prefetch is not None:
            made["prefetch_factor"] = prefetch
        return made

    def bottleneck_is_gpu(self, measured, setting):
        """Whether the steps alone take longer than the loader alone; None within 10 % of each other,
        or where the loader alone was not measured."""
        workers, prefetch, step_ms = setting
        alone = measured.get((workers, prefetch, 0.0))
        if not alone:
            return None
        ratio = self.batches * step_ms / 1e3 / statistics.median(alone)
        return None if 0.9 < ratio < 1.1 else ratio > 1.0

    def title(self):
        return f"torch DataLoader, {len(self.dataset)} samples in batches of {self.batch}"

    def job(self):
        return {"epochs": 2, "asynchronous_step": False, "step": {"fixed": f"{least_step_ms} ms"}}

    def cluster(self):
        """No GPU that a batch is copied to."""
        return {"pageable_bandwidth": "1000 TB/s", "copy_latency": "0 s", "price": "0 USD/h"}


def canary_of(program):
    """{name: seconds} of feedrate's small fixed pieces of work: how fast the machine is just now."""
    return json.loads(subprocess.run([program, "calibrate", "--canary", "--time-limit", "200 ms"],
                                     check=True, capture_output=True, text=True).stdout)


class Output:
    """The scenario, written anew as each epoch ends: a run that is cut keeps what it had."""

    def __init__(self, arguments, runs, dataset):
        self.file, self.runs = arguments.output, runs
        first = samples.bytes_of(dataset[0])
        files = getattr(dataset, "files", [])
        stored = sum(map(os.path.getsize, files)) / len(files) if files else first
        batch = arguments.batch_size[0]
        count = len(getattr(runs, "dataset", dataset))
        self.scenario = {
            "name": runs.title(),
            "about": {"source": source_of(arguments),
                      "expectation": "epoch times of a profile that was made before"},
            "dataset": {"samples": max(count, batch), "bytes_per_sample": f"{stored:.0f} B",
                        "bytes_on_gpu_per_sample": f"{first} B"},
            # The second epoch is the one that is measured: files come from the page cache.
            "source": {"service": "local"},
            "disk": {"bandwidth": "1 GB/s", "page_cache": "1000 TB"},
            "cluster": runs.cluster(),
            "loader": {"kind": "pytorch", "batch_size": batch, "pin_memory": False},
            "preprocess": [{"operation": "getitem"}],
            "job": runs.job(),
        }

    def write(self, measured, canary):
        if canary:
            self.scenario["about"]["canary"] = canary
        self.scenario["cases"] = list(cases(self.runs, measured))
        with open(self.file + ".part", "w") as file:
            json.dump(self.scenario, file, indent=1)
            file.write("\n")
        os.replace(self.file + ".part", self.file)


def source_of(arguments):
    profile = ""
    if arguments.profile:
        with open(arguments.profile, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        profile = (f"; predicted by {os.path.basename(arguments.profile)}, whose SHA-256 before the "
                   f"first epoch was {digest}")
    device = f", {devices.described(arguments.device)}" if arguments.device else ""
    return (f"bench/pytorch/validate.py on {os.uname().nodename}, {time.strftime('%Y-%m-%d')}, "
            f"Linux {os.uname().release}, torch {samples.torch.__version__}{device}{profile}")


def cases(runs, measured):
    for setting in runs.settings():
        times = measured[setting]
        if not times:
            continue
        yield {"name": runs.name(setting), "set": runs.changes(setting), "metric": "epoch_s",
               "measured": statistics.median(times), "repeats": [round(t, 5) for t in times]}
        gpu = runs.bottleneck_is_gpu(measured, setting)
        if gpu is not None:
            yield {"name": runs.name(setting), "set": runs.changes(setting),
                   "metric": "bottleneck is gpu", "measured": int(gpu), "tolerance": 0}


def measure(runs, arguments, output):
    """Turns of all settings in random order, so that a drift of the machine does not look like a
    setting's; a canary before each epoch. Epochs that would end too late are left out."""
    chosen = runs.settings()
    measured = {setting: [] for setting in chosen}
    canary, left_out, failed = {}, 0, set()
    order = random.Random(1)
    output.write(measured, canary)
    start = time.perf_counter()
    for turn in range(arguments.repeat):
        sung = {}
        order.shuffle(chosen)
        for done, setting in enumerate(chosen):
            if setting in failed:
                continue
            expected = max([runs.expected(setting), *measured[setting]])
            if time.perf_counter() - start + expected > arguments.seconds:
                left_out += 1
                continue
            for name, took in canary_of(arguments.feedrate).items() if arguments.feedrate else ():
                sung.setdefault(name, []).append(took)
            try:
                took = runs.epoch(setting)
            except RuntimeError as error:  # a worker was killed (a small /dev/shm), no GPU memory
                failed.add(setting)
                print(f"{runs.name(setting)}: left out: {str(error).splitlines()[0]}", file=sys.stderr,
                      flush=True)
                continue
            measured[setting].append(took)
            means = {name: statistics.mean(times) for name, times in sung.items()}
            output.write(measured, {n: canary.get(n, []) + [mean] for n, mean in means.items()})
            print(f"{turn + 1}/{arguments.repeat}: {done + 1}/{len(chosen)} {runs.name(setting)}: "
                  f"{took:.4g} s", file=sys.stderr, flush=True)
        for name, times in sung.items():
            canary.setdefault(name, []).append(statistics.mean(times))
    if left_out:
        print(f"{left_out} of {arguments.repeat * len(chosen)} epochs were left out: --seconds "
              f"{arguments.seconds:g}", file=sys.stderr)
    return measured


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    samples.add_arguments(parser)
    parser.add_argument("--output", required=True, help="the scenario that is written")
    parser.add_argument("--batch-size", type=lambda t: numbers(t, int, 1), metavar="N,N,…",
                        help="default: 16; with --device 64,256")
    parser.add_argument("--batches", type=int, help="of an epoch (default: 48; with --device as many "
                        "as --epoch-seconds asks for)")
    parser.add_argument("--workers", type=lambda t: numbers(t, int), metavar="N,N,…",
                        help="default: 0,1,2,4; with --device 2,4,8,16")
    parser.add_argument("--prefetch", type=lambda t: numbers(t, int, 1), metavar="N,N,…",
                        help="default: 2,4; with --device 2")
    parser.add_argument("--step-ms", type=lambda t: numbers(t, float), default=[0, 15, 30, 60],
                        metavar="MS,MS,…", help="sleeps; default: 0,15,30,60")
    parser.add_argument("--repeat", type=int, default=3, help="epochs of each setting")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="for all epochs: those that would end later are left out")
    parser.add_argument("--profile", help="the profile that will predict: its digest is written "
                        "before the first epoch")
    parser.add_argument("--feedrate", help="the program, to time its canary before each epoch")
    train = parser.add_argument_group("training for real")
    train.add_argument("--device", help="cuda, cuda:1, or cpu for a rehearsal")
    train.add_argument("--model", choices=training.MODELS, default="resnet50")
    train.add_argument("--amp", action="store_true", help="mixed precision (bfloat16)")
    train.add_argument("--channels-last", action="store_true", help="memory format of the model")
    train.add_argument("--side", type=int, default=224, help="of the square images, pixels")
    train.add_argument("--copies", type=lambda t: words(t, training.COPIES), metavar="KIND,…",
                       default=["pageable", "pinned", "non_blocking"],
                       help=f"some of {', '.join(training.COPIES)}; default: the first three")
    train.add_argument("--steps", type=lambda t: words(t, training.STEPS), metavar="KIND,…",
                       default=list(training.STEPS), help="async: the loop goes on; item: it waits, "
                       "as loss.item() does; default: both")
    train.add_argument("--epoch-seconds", type=float, default=4.0,
                       help="about so long is an epoch (default: 4)")
    arguments = parser.parse_args()
    limits = [arguments.repeat, arguments.side, 1 if arguments.batches is None else arguments.batches]
    if min(limits) < 1:
        parser.error("--batches, --repeat and --side: expected at least 1")
    if min(arguments.seconds, arguments.epoch_seconds) <= 0:
        parser.error("--seconds and --epoch-seconds: expected more than 0")
    if arguments.profile and not os.path.isfile(arguments.profile):
        parser.error(f"--profile: there is no file {arguments.profile!r}")
    if arguments.device:
        arguments.device = devices.chosen("validate.py", arguments.device)
    elif arguments.batch_size and len(arguments.batch_size) > 1:
        parser.error("--batch-size: expected one without --device")
    trains = arguments.device is not None
    arguments.batch_size = arguments.batch_size or ([64, 256] if trains else [16])
    arguments.workers = arguments.workers or ([2, 4, 8, 16] if trains else [0, 1, 2, 4])
    arguments.prefetch = arguments.prefetch or ([2] if trains else [2, 4])
    return arguments


def main():
    arguments = parsed()
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    warnings.filterwarnings("ignore", message=".*pin_memory.*")  # of a rehearsal
    samples.torch.manual_seed(1)
    if arguments.device:
        devices.start(arguments.device)
        if arguments.device.type == "cpu":
            print("--device cpu: a rehearsal, no GPU is in the loop", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="feedrate-validate-") as scratch:
        dataset = samples.chosen(arguments, scratch, 256, arguments.side)
        start = time.perf_counter()
        for i in range(len(dataset)):
            dataset[i]  # files into the page cache
        cost = (time.perf_counter() - start) / len(dataset)
        cores = len(os.sched_getaffinity(0))
        if arguments.device:
            runs = training.Training(arguments, arguments.device, dataset, cost, cores)
        else:
            runs = Sleeping(arguments, dataset, cost, cores)
        measured = measure(runs, arguments, Output(arguments, runs, dataset))
    if not any(measured.values()):
        sys.exit(f"validate.py: no epoch fitted into --seconds {arguments.seconds:g}")


if __name__ == "__main__":
    main()
