#!/usr/bin/env python3
"""Two things that the model leaves out, measured on a GPU host: how long a training step takes beside processes that
keep the cores busy (its kernels are launched by one of them), and what starting a worker costs once CUDA is
initialised.

    bench/pytorch/laws.py crowded --busy 0,4,8,16 --output crowded.json -- --model resnet50 --amp --batch-sizes 16,64
    bench/pytorch/laws.py fork --output fork.json

What stands after -- goes to step_time.py. The file is written again after each setting.
"""
import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time

ABOUT = " ".join(__doc__.split("\n\n")[0].split())


def write(path, made):
    with open(path + ".part", "w") as file:
        json.dump(made, file, indent=1)
        file.write("\n")
    os.replace(path + ".part", path)


def burn():
    while True:
        sum(range(100000))


class Busy:
    """So many processes that compute until the end of a with statement."""

    def __init__(self, count):
        self.all = [multiprocessing.Process(target=burn, daemon=True) for _ in range(count)]

    def __enter__(self):
        for one in self.all:
            one.start()

    def __exit__(self, *_):
        for one in self.all:
            one.kill()
            one.join()


def step_times(options):
    """{batch: [seconds]} of step_time.py."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "step_time.py")
    done = subprocess.run([sys.executable, script, *options], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"laws.py: step_time.py ended with exit status {done.returncode}")
    times = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 2 and words[0].isdigit():
            times.setdefault(words[0], []).append(float(words[1]))
    return times


def crowded(arguments):
    made = {"about": ABOUT, "cores": os.cpu_count(), "step_time": arguments.options, "settings": []}
    for count in arguments.busy:
        with Busy(count):
            times = step_times(arguments.options)
        made["settings"].append({"busy_processes": count, "seconds": times})
        write(arguments.output, made)
        for batch, each in times.items():
            print(f"{count:3} busy processes, batch {batch}: {1e3 * statistics.median(each):.3f} ms", flush=True)


def fork_seconds(count):
    """Of starting a process, as the parent waits for it."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        child = os.fork()
        if child == 0:
            os._exit(0)
        times.append(time.perf_counter() - start)
        os.waitpid(child, 0)
    return times


def fork(arguments):
    import torch
    made = {"about": ABOUT, "settings": []}

    def measure(name):
        times = fork_seconds(20)
        made["settings"].append({"parent": name, "seconds": times})
        write(arguments.output, made)
        print(f"fork, {name}: {1e3 * statistics.median(times):.2f} ms", flush=True)

    measure("torch imported")
    if not torch.cuda.is_available():
        print("the rest takes a GPU", flush=True)
        return
    held = [torch.zeros(1 << 28, device="cuda")]
    measure("CUDA initialised, 1 GiB on the GPU")
    held.append(torch.empty(4 << 30, dtype=torch.uint8, pin_memory=True))
    measure("and 4 GiB pinned")


def counts(text):
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected numbers such as 0,4,8, got {text!r}")


def main():
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=ABOUT)
    parser.add_argument("experiment", choices=["crowded", "fork"])
    parser.add_argument("--output", required=True)
    parser.add_argument("--busy", type=counts, default=[0, 4, 8, 16, 24], metavar="N,N,…")
    arguments = parser.parse_args(words[:cut])
    arguments.options = words[cut + 1:]
    crowded(arguments) if arguments.experiment == "crowded" else fork(arguments)


if __name__ == "__main__":
    main()
