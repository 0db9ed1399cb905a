#!/usr/bin/env python3
"""What a PyTorch loader costs on this host, in the loader and not in a loop beside it.

Prints a line for each series:  series QUANTITY UNIT WORK KEY=VALUE;… TIME TIME …   (seconds, each
for WORK units; - where there are no settings). bench/README.md lists the quantities. With --rounds
it measures once for each line on its standard input, prints "round done" behind each, and ends with
its input. With --device cuda the parent holds a CUDA context, as a training program does, and what
follows the workers is timed too: pinning a batch, and copying it to the GPU.
"""
import argparse
import itertools
import multiprocessing
import os
import random
import resource
import statistics
import sys
import tempfile
import threading
import time
import warnings

import samples
import torch.utils.data

import devices
import loaders


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

    def __init__(self, times, collate):
        self.times = times
        self.collate = collate
        self.done = multiprocessing.Value("i", 0)

    def __call__(self, batch):
        start = time.thread_time()
        made = self.collate(batch)
        took = time.thread_time() - start
        with self.done.get_lock():
            at = self.done.value
            self.done.value += 1
        if at < len(self.times):
            self.times[at] = took
        return made


def series(quantity, unit, work, at, times):
    where = ";".join(f"{key}={value}" if isinstance(value, str) else f"{key}={value:.12g}"
                     for key, value in at.items()) or "-"
    print("series", quantity, unit, f"{work:.12g}", where, *(f"{t:.9g}" for t in times), flush=True)


def bytes_read():
    """What this process has read from files so far; None where the system does not say."""
    try:
        with open("/proc/self/io", encoding="ascii") as counters:
            return int(counters.readline().split()[1])
    except (OSError, ValueError, IndexError):
        return None


def alone(dataset, count, seconds, each=1):
    """Items of `each` samples in the parent, one after the other, files in the page cache; at least
    eight, whatever they take. Their times."""
    for i in range(min(count, 8)):
        dataset[i]
    times = []
    before = bytes_read()
    for i in range(count):
        if i >= 8 and sum(times) > seconds:
            break
        start = time.perf_counter()
        dataset[i]
        times.append(time.perf_counter() - start)
    if alone.at is None:
        # One number for all rounds, which are one series. A dataset that maps its files or holds
        # its samples reads nothing that is counted.
        read = (bytes_read() or 0) - (before or 0)
        of_one = read / len(times) / each if before is not None and times else 0
        alone.at = {"bytes": of_one} if of_one > 1000 else {}
        if isinstance(dataset, samples.Images):
            alone.at |= {"pixels": dataset.mean_pixels(len(times)), "format": "jpeg"}
    series("getitem", "samples", each, alone.at, times)
    return times


alone.at = None


def epoch_that_fits(cost, batch, counts, cores, seconds):
    """Batches of an epoch, so many for each worker and so many more: fewer of them where samples that
    take `cost` would not be loaded in the time by every count of workers."""
    for each, more in ((16, 12), (12, 9), (8, 6), (6, 5)):
        takes = sum((each * w + more) * batch * cost / min(w, cores) for w in counts)
        if takes <= seconds:
            return each, more
    return 4, 4


def in_loader(source, batch, workers, batches):
    """The loader at full speed: CPU seconds of each item and of each collate, in the order of the
    epoch, the time of an item once all workers run, and what starting and ending workers took."""
    count = batch * batches
    timed = Timed(samples.Cycled(source.dataset, count), multiprocessing.RawArray("d", count))
    collate = TimedCollate(multiprocessing.RawArray("d", batches), source.collate)
    loader = source.loader(timed, batch, workers, collate)
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


def handover(source, batch, repeats, cost):
    """What the main process does for a batch that is ready, and to give it back; items take `cost`."""
    loader = source.loader(samples.Cycled(source.dataset, batch * repeats), batch, 1)
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


def transfers(source, batch, repeats, cost, device):
    """Of batches that a worker has made and that lie in shared memory: seconds of pinning one as the
    pinning thread does, of copying one to the device as it is, and of copying a pinned one. Items
    take `cost`."""
    loader = source.loader(samples.Cycled(source.dataset, batch * 2 * repeats), batch, 1)
    wait = 2.5 * batch * cost + 0.05
    times = {"pin": [], "worker": [], "pinned": []}

    def timed(into, work):
        start = time.perf_counter()
        made = work()
        devices.finish(device)
        times[into].append(time.perf_counter() - start)
        return made

    threads = torch.get_num_threads()
    for number, made in enumerate(loader):
        if number % 8 == 0:
            time.sleep(wait)  # so that no worker is in the way
        parts = samples.tensors_of(made)
        # In turn, because a batch that was just pinned lies in the caches.
        if number % 2:
            timed("worker", lambda: [part.to(device) for part in parts])
        else:
            torch.set_num_threads(1)  # the pinning thread has one
            pinned = timed("pin", lambda: [part.pin_memory() for part in parts])
            torch.set_num_threads(threads)
            timed("pinned", lambda: [part.to(device, non_blocking=True) for part in pinned])
    return {name: found[1:] for name, found in times.items()}  # the first one allocates


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


class Probe:
    """Measures in rounds: a share of every series in each, in random order."""

    def __init__(self, source, batch, quick, seconds, rounds, device=None):
        self.device = device
        self.source = source
        self.dataset = source.dataset
        # Items that the loader collates, and the samples that they are.
        self.batch = 1 if source.own_batches else batch
        self.samples = self.batch * source.each
        self.quick = quick
        self.left = seconds
        self.rounds = rounds
        self.done = 0
        self.random = random.Random(1)
        source.start_here()
        item = self.dataset[0]
        made = source.collate(item if source.own_batches else [item] * self.batch)
        self.size = samples.bytes_of(made)
        source.told.append(loaders.transport_of(made))
        self.hand = self.alone = None  # seconds: of a batch handed over, of a sample by one worker

    def plan(self):
        """What a round holds, once it is known what a sample costs."""
        few = min(len(self.dataset), 16 if self.quick else 256)
        times = alone(self.dataset, few, self.left / self.rounds / 10, self.source.each)
        self.few, self.cost = len(times), statistics.median(times)
        cores = len(os.sched_getaffinity(0))
        counts = sorted({1, cores, 2 * cores} | {2**k for k in range(1, 8) if 2**k < cores})
        share = self.left / self.rounds
        # Workers have to start, and all run while others do: half of the time is for the samples.
        self.each, self.more = epoch_that_fits(self.cost, self.batch, counts, cores, 0.5 * share)
        self.repeats = min(max(int(0.1 * share / (2.5 * self.batch * self.cost + 0.05)), 5), 24)
        if self.quick:
            counts, self.each, self.more, self.repeats = [1, 2], 4, 4, 5
        else:
            # A process's first loader is slower than all later.
            in_loader(self.source, self.batch, 1, self.each + self.more)
        self.parts = [(f"{w} workers", self.workers, w) for w in counts]
        self.parts += [("handover", self.handover, None), ("inline", self.inline, None)]
        if self.device is not None:
            self.parts.append(("transfers", self.transfers, None))
        self.turns = {name: 0 for name, _, _ in self.parts}

    def round(self):
        start = time.perf_counter()
        first = self.done == 0
        if first:
            self.plan()
        else:
            alone(self.dataset, self.few, self.left / max(self.rounds - self.done, 1) / 20,
                  self.source.each)
        self.measured = {}  # workers -> what each epoch measured
        self.take_turns(start)
        self.tell_workers()
        if first:
            self.device_reads()
        self.done += 1
        self.left = max(self.left - (time.perf_counter() - start), 0)

    def take_turns(self, start):
        """Those that had fewest turns first, others at random; what no time is left for waits for
        the next round, and the last one leaves nothing out that was never measured. Where there is
        time for all again, workers run more epochs."""
        share = self.left / max(self.rounds - self.done, 1)
        last = self.done + 1 >= self.rounds
        parts = self.random.sample(self.parts, len(self.parts))
        parts.sort(key=lambda part: self.turns[part[0]])
        for number, (name, measure, argument) in enumerate(parts):
            late = not self.quick and time.perf_counter() - start > share
            if number > 0 and late and not (last and self.turns[name] == 0):
                continue
            measure(argument)
            self.turns[name] += 1
        took = time.perf_counter() - start
        for again in (2, 3):
            if self.quick or again * took > share:
                return
            for _, measure, workers in parts:
                if workers:
                    measure(workers)

    def workers(self, workers):
        batches = self.each * workers + self.more
        got = in_loader(self.source, self.batch, workers, batches)
        self.measured.setdefault(workers, []).append(got)

    def tell_workers(self):
        """What the workers of this round measured; cpu is the seconds of a core-second, with so many
        of them. A worker that has a core to itself is never idle, and the main process does its part
        beside it: both together are what a sample costs, of this round where it was measured, so
        that a drift meets both sides alike."""
        batch, size, items = self.batch, self.size, self.source.each
        for workers, got in sorted(self.measured.items()):
            at = {"users": workers}
            each = [one["each"] for one in got]
            kept = [steady(one, batch, workers) for one in got]
            series("getitem_in_loader", "samples", items, at, [t for times, _ in kept for t in times])
            series("collate", "bytes", size, {"bytes": size, **at}, [t for _, c in kept for t in c])
            series("throughput", "samples", items, {"batch": self.samples, **at}, each)
            series("worker_startup", "workers", workers, at, [one["startup"] for one in got])
            series("worker_shutdown", "workers", workers, at, [one["shutdown"] for one in got])
            if workers == 1:
                series("worker_warmup", "workers", 1, {"users": 1, "batch": self.samples},
                       [max(t, 0.0) for one in got for t in warm_ups(one, batch, 1)])
                self.alone = statistics.median(each)
            if self.hand is not None and self.alone is not None:
                work = self.alone + self.hand / batch
                series("cpu", "core-seconds", 1, at, [t / work for t in each])

    def handover(self, _):
        _, times = handover(self.source, self.batch, self.repeats, self.cost)
        series("handover", "batches", 1, {"bytes": self.size}, times)
        self.hand = statistics.median(times)

    def transfers(self, _):
        found = transfers(self.source, self.batch, self.repeats, self.cost, self.device)
        at = {"bytes": self.size}
        series("pin", "bytes", self.size, at, found["pin"])
        for memory in "worker", "pinned":
            series("to_gpu", "bytes", self.size, {**at, "memory": memory}, found[memory])

    def inline(self, _):
        got = in_loader(self.source, self.batch, 0, self.repeats)
        series("collate_inline", "bytes", self.size, {"bytes": self.size}, got["collate"][1:])

    def device_reads(self):
        if isinstance(self.dataset, loaders.Flowing):
            return
        cold = cold_reads(self.dataset, self.few)
        if cold:
            series("device_reads", "reads", cold[0], {"samples": self.few}, [cold[1]])
        else:
            print("remark device reads of a sample: not measured (no list of files, or nothing was "
                  "read from a disk)", flush=True)


class OfBatches:
    """An iterator of batches that torch does not make: its rate, and the CPU time of its samples in
    this process and in those that it has started. Nothing tells its workers apart."""

    def __init__(self, source, quick, seconds, rounds):
        self.source = source
        self.share = 1.0 if quick else seconds / rounds
        self.flow = None

    def next(self):
        if self.flow is None:
            self.flow = iter(self.source.opaque)
        for _ in range(2):
            try:
                return next(self.flow)
            except StopIteration:
                self.flow = iter(self.source.opaque)
        return sys.exit("the iterator ends before its first batch")

    def round(self):
        if self.flow is None:
            start = time.perf_counter()
            first = self.next()
            print(f"remark its first batch came after {time.perf_counter() - start:.3g} s", flush=True)
            print(f"remark {loaders.transport_of(first)}", flush=True)
        for _ in range(3):  # what it had made ahead
            self.next()
        # Processes that work ahead spend at any time: what counts is the whole window.
        window = 0.8 * self.share
        many = 0
        begun, before = time.perf_counter(), cpu_of_all()
        for turn in itertools.count():
            if turn >= 4 and time.perf_counter() - begun >= window:
                break
            many += loaders.samples_in(self.next())
        took, spent = time.perf_counter() - begun, cpu_of_all() - before
        series("getitem", "samples", many, {}, [spent])
        print(f"remark {many / took:.4g} samples/s while nothing else runs, {1e3 * spent / many:.3g} ms of "
              "CPU a sample over all of its threads and processes", flush=True)


def cpu_of_all():
    """CPU seconds of this process and of those that descend from it."""
    children = {}
    spent = {}
    tick = os.sysconf("SC_CLK_TCK")
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        # Those that it has waited for, too.
        spent[int(name)] = sum(int(field) for field in fields[11:15]) / tick
    total, left = 0.0, [os.getpid()]
    while left:
        process = left.pop()
        left += children.get(process, [])
        if process != os.getpid():
            total += spent.get(process, 0.0)
    # The clocks of this process are finer than ticks.
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return total + time.process_time() + ended.ru_utime + ended.ru_stime


def lock_share(dataset, seconds):
    """Of an item's making, what only one thread at a time does (Python's lock): two threads against
    one. None where it cannot be told."""
    if len(os.sched_getaffinity(0)) < 2:
        return None

    def rate(threads):
        counts = [0] * threads
        end = time.perf_counter() + seconds

        def run(at):
            while time.perf_counter() < end:
                dataset[counts[at] % len(dataset)]
                counts[at] += 1

        workers = [threading.Thread(target=run, args=(at,)) for at in range(threads)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return sum(counts) / (time.perf_counter() - start)

    gain = statistics.median(rate(2) / rate(1) for _ in range(3))
    # Two of which each holds it for a share s of its time are 2 times as fast up to s = 1/2.
    return min(max(1 / max(gain, 1e-9), 0.5), 1.0)


def tell(source, dataset, quick):
    """What the series do not say of it."""
    for words in source.told:
        print(f"remark {words}", flush=True)
    if dataset is None or isinstance(dataset, loaders.Flowing):
        return  # two threads of one iterator would be in each other's way
    share = lock_share(dataset, 0.05 if quick else 0.5)
    if share is not None:
        at = "at most half" if share <= 0.55 else f"about {100 * share:.0f} %"
        print(f"remark threads: {at} of a sample's time is under a lock that one thread holds at a time "
              f"(two threads against one; /loader/lock of a pool)", flush=True)


def measure(probe, rounds):
    if not rounds:
        probe.round()
    while rounds and sys.stdin.readline():
        probe.round()
        print("round done", flush=True)


def device_of(arguments):
    """The GPU that batches are copied to; None without. Its context is made now, before any loader,
    because workers that are forked from a program with one start more slowly."""
    name = arguments.device
    if name == "none" or (name == "auto" and devices.no_gpu()):
        return None
    device = devices.chosen("probe_loader.py", "cuda" if name == "auto" else name, "")
    if device.type != "cuda":
        devices.refuse("probe_loader.py", "--device: expected none, auto or cuda: nothing is pinned "
                       "for a CPU, nor copied to it")
    if not arguments.check:
        try:
            devices.start(device)
        except RuntimeError as error:
            if name != "auto":
                devices.refuse("probe_loader.py", f"--device {name}: {str(error).splitlines()[0]}")
            print(f"remark without a CUDA context: {str(error).splitlines()[0]}", flush=True)
            return None
        print(f"remark with a CUDA context in the parent process, batches to "
              f"{devices.described(device)}", flush=True)
    return device


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    samples.add_arguments(parser)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true", help="load one sample, measure nothing")
    parser.add_argument("--rounds", type=int, default=0, help="how many will be asked for")
    parser.add_argument("--seconds", type=float, default=120.0,
                        help="for all rounds: slow samples are loaded fewer times")
    parser.add_argument("--device", default="none", help="cuda: also pin and copy batches to the GPU; "
                        "auto: where PyTorch finds one; default: none")
    arguments = parser.parse_args()
    if arguments.batch_size < 1:
        parser.error("--batch-size: expected at least 1")
    device = device_of(arguments)
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory(prefix="feedrate-loader-") as scratch:
        count = 1 if arguments.check else 16 if arguments.quick else 256
        if arguments.dataset:
            source = loaders.source_of(arguments.dataset, samples.made_by(arguments.dataset))
        else:
            source = loaders.Source(samples.chosen(arguments, scratch, count))
        rounds = max(arguments.rounds, 1)
        if arguments.check:
            if source.opaque is not None:
                OfBatches(source, True, 1.0, 1).next()
            else:
                source.start_here()
                source.dataset[0]
            return
        if source.opaque is not None:
            tell(source, None, arguments.quick)
            measure(OfBatches(source, arguments.quick, arguments.seconds, rounds), arguments.rounds)
            return
        probe = Probe(source, source.batch or arguments.batch_size, arguments.quick,
                      arguments.seconds, rounds, device)
        tell(source, source.dataset, arguments.quick)
        measure(probe, arguments.rounds)


if __name__ == "__main__":
    main()
