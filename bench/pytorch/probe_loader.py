#!/usr/bin/env python3
"""What a PyTorch loader costs on this host, in the loader and not in a loop beside it.

Prints a line for each series:  series QUANTITY UNIT WORK KEY=VALUE;… TIME TIME …   (seconds, each
for WORK units; - where there are no settings). bench/README.md lists the quantities.
"""
import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
import warnings

import samples
import torch.utils.data
from torch.utils.data import DataLoader


class Timed(torch.utils.data.Dataset):
    """Records each __getitem__: CPU seconds of the process that ran it."""

    def __init__(self, dataset, times):
        self.dataset = dataset
        self.times = times

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        start = time.thread_time()
        sample = self.dataset[index]
        self.times[index] = time.thread_time() - start
        return sample


class TimedCollate:
    """Collates as the loader would, in shared memory inside a worker, and records the time."""

    def __init__(self, times):
        self.times = times
        self.done = multiprocessing.Value("i", 0)

    def __call__(self, batch):
        start = time.thread_time()
        made = torch.utils.data.default_collate(batch)
        took = time.thread_time() - start
        with self.done.get_lock():
            at = self.done.value
            self.done.value += 1
        if at < len(self.times):
            self.times[at] = took
        return made


def series(quantity, unit, work, at, times):
    where = ";".join(f"{key}={value:.12g}" for key, value in at.items()) or "-"
    print("series", quantity, unit, f"{work:.12g}", where, *(f"{t:.9g}" for t in times), flush=True)


def alone(dataset, count, seconds):
    """Samples in the parent, one after the other, files in the page cache; at least eight, whatever
    they take. Their times."""
    for i in range(min(count, 8)):
        dataset[i]
    times = []
    for i in range(count):
        if i >= 8 and sum(times) > seconds:
            break
        start = time.perf_counter()
        dataset[i]
        times.append(time.perf_counter() - start)
    series("getitem", "samples", 1, {}, times)
    return times


def epochs_that_fit(cost, batch, counts, cores, seconds):
    """Rounds over all counts of workers, and batches of an epoch: so many for each worker and so
    many more. Fewer of them where samples that take `cost` would not be loaded in the time."""
    for rounds, each, more in ((5, 16, 12), (3, 16, 12), (2, 16, 12), (1, 16, 12), (1, 8, 6)):
        takes = sum((each * w + more) * batch * cost / min(w, cores) for w in counts)
        if (rounds + 1) * takes <= seconds:
            return rounds, each, more
    return 1, 4, 4


def in_loader(dataset, batch, workers, batches):
    """The loader at full speed: CPU seconds of each sample and of each collate, in the order of the
    epoch, the time of a sample once all workers run, and what starting and ending workers took."""
    count = batch * batches
    timed = Timed(samples.Cycled(dataset, count), multiprocessing.RawArray("d", count))
    collate = TimedCollate(multiprocessing.RawArray("d", batches))
    loader = DataLoader(timed, batch_size=batch, num_workers=workers, collate_fn=collate)
    start = time.perf_counter()
    loaded = iter(loader)
    made = time.perf_counter() - start
    arrivals = []
    for _ in range(batches):
        next(loaded)
        arrivals.append(time.perf_counter())
    start = time.perf_counter()
    if next(loaded, None) is not None:
        sys.exit("the loader gave more batches than there are")
    end = time.perf_counter() - start
    # Whole rounds of the workers, and none in which some have nothing left to do.
    skip = min(2 * workers, batches // 3)
    last = batches - 1 - workers
    last -= (last - skip) % max(workers, 1)
    each = (arrivals[last] - arrivals[skip]) / ((last - skip) * batch)
    return {"samples": list(timed.times), "collate": list(collate.times), "each": each,
            "startup": made, "shutdown": end}


def steady(got, batch, workers):
    """CPU of samples and of collates after each worker's first batch (collates are recorded in the
    order in which they end, so the first ones are the first of each worker, nearly)."""
    return got["samples"][batch * workers:], got["collate"][workers:]


def warm_ups(got, batch, workers):
    """What each worker's first batch cost more than the later ones do."""
    later, collates = map(statistics.median, steady(got, batch, workers))
    return [sum(got["samples"][w * batch:(w + 1) * batch]) - batch * later +
            got["collate"][w] - collates for w in range(workers)]


def handover(dataset, batch, repeats, cost):
    """What the main process does for a batch that is ready, and to give it back; samples take `cost`."""
    loader = DataLoader(samples.Cycled(dataset, batch * repeats), batch_size=batch, num_workers=1)
    wait = 2.5 * batch * cost + 0.05
    times = []
    loaded = iter(loader)
    size = samples.bytes_of(next(loaded))
    for _ in range(repeats - 3):
        time.sleep(wait)  # both outstanding batches are ready then
        start = time.perf_counter()
        made = next(loaded)
        del made
        times.append(time.perf_counter() - start)
    return size, times


def cold_reads(dataset, count):
    """Device reads that samples cost when none of their files is in the page cache."""
    files = getattr(dataset, "files", None)
    if files is None or not hasattr(os, "posix_fadvise"):
        return None
    for name in files[:count]:
        with open(name, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    disk = io_counter()
    start = time.perf_counter()
    for i in range(count):
        dataset[i]
    took = time.perf_counter() - start
    now = io_counter()
    if disk is None or now is None or now <= disk:
        return None
    return now - disk, took


def io_counter():
    """Reads completed by all block devices so far."""
    try:
        with open("/proc/diskstats") as lines:
            rows = [line.split() for line in lines]
    except OSError:
        return None
    disks = [row for row in rows if os.path.exists(f"/sys/block/{row[2]}")]
    return sum(int(row[3]) for row in disks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    samples.add_arguments(parser)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=120.0,
                        help="in which it should end: slow samples are loaded fewer times")
    arguments = parser.parse_args()
    if arguments.batch_size < 1:
        parser.error("--batch-size: expected at least 1")
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory(prefix="feedrate-loader-") as scratch:
        dataset = samples.chosen(arguments, scratch, 16 if arguments.quick else 256)
        measure(dataset, arguments.batch_size, arguments.quick, arguments.seconds)


def measure(dataset, batch, quick, seconds):
    times = alone(dataset, min(len(dataset), 16 if quick else 256), seconds / 20)
    few, cost = len(times), statistics.median(times)
    cores = len(os.sched_getaffinity(0))
    counts = sorted({1, cores, 2 * cores} | {2**k for k in range(1, 8) if 2**k < cores})
    rounds, each, more = epochs_that_fit(cost, batch, counts, cores, 0.75 * seconds)
    if quick:
        counts, rounds, each, more = [1, 2], 1, 4, 4
    measured = {workers: [] for workers in counts}
    if not quick:
        in_loader(dataset, batch, 1, each + more)  # a process's first loader is slower than all later
    for _ in range(rounds):  # rounds, so that a drift meets every count of workers
        for workers in counts:
            measured[workers].append(in_loader(dataset, batch, workers, each * workers + more))
    # Each waits for two batches.
    repeats = min(max(int(0.2 * seconds / (2.5 * batch * cost + 0.05)), 6), 24)
    size, hand = handover(dataset, batch, 6 if quick else repeats, cost)
    # Core-seconds of a sample: a worker that has a core to itself is never idle, and the main
    # process does its part beside it.
    work = (statistics.median(got["each"] for got in measured[1]) +
            statistics.median(hand) / batch)
    for workers, rounds in measured.items():
        at = {"users": workers}
        each = [got["each"] for got in rounds]
        kept = [steady(got, batch, workers) for got in rounds]
        series("getitem_in_loader", "samples", 1, at, [t for times, _ in kept for t in times])
        series("collate", "bytes", size, {"bytes": size, **at}, [t for _, c in kept for t in c])
        series("throughput", "samples", 1, {"batch": batch, **at}, each)
        series("cpu", "core-seconds", work, at, each)
        series("worker_startup", "workers", workers, at, [got["startup"] for got in rounds])
        series("worker_shutdown", "workers", workers, at, [got["shutdown"] for got in rounds])
    series("worker_warmup", "workers", 1, {"users": 1, "batch": batch},
           [max(t, 0.0) for got in measured[1] for t in warm_ups(got, batch, 1)])
    series("collate_inline", "bytes", size, {"bytes": size},
           in_loader(dataset, batch, 0, 5 if quick else repeats)["collate"][1:])
    series("handover", "batches", 1, {"bytes": size}, hand)
    cold = cold_reads(dataset, few)
    if cold:
        series("device_reads", "reads", cold[0], {"samples": few}, [cold[1]])
    else:
        print("remark device reads of a sample: not measured (no list of files, or nothing was read"
              " from a disk)", flush=True)


if __name__ == "__main__":
    main()
