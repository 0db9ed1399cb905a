"""Finds good settings of a data loader by measuring five of two hundred candidates.

    python3 docs/tune_loader.py                 # a loader in plain Python
    python3 docs/tune_loader.py --loader torch  # PyTorch's DataLoader, where it is installed

feedrate ranks all candidates from guesses of what a sample costs. Three are measured: the one that
is ranked first, and the two that tell most of what was only guessed. fit makes numbers of the
guesses, and the candidates are ranked anew; the first of them is measured until it is one that
was measured already, or five were.

tune() knows nothing of this loader: give it your scenario, your candidates, the keys that you only
guess, and a function that measures one candidate.
"""

import argparse
import itertools
import math
import multiprocessing
import os
import pathlib
import random
import sys
import tempfile
import time
import zlib

try:
    import feedrate
except ImportError:  # from a clone
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "src/api/python"))
    import feedrate

# ---------------------------------------------------------------- the loop


CLOSE = 1.03  # times that differ by less are as good as each other


def predicted(scenario, grid, set):
    """{candidate: seconds} of all candidates; those that cannot run are left out."""
    rows = feedrate.sweep(scenario, vary=grid, set=set, mean=True)
    times = {
        tuple(row["set." + key] for key in grid): row["total_s"]
        for row in rows
        if not row["problem"]
    }
    if not times:
        raise ValueError("no candidate can run: " + rows[0]["problem"])
    return times


def guess(low_to_high):
    """The middle of "0.2 ms..50 ms": "3.16228 ms"."""
    try:
        (low, *unit), (high, *unit_of_high) = (end.split() for end in low_to_high.split(".."))
        middle = math.sqrt(float(low) * float(high))
    except ValueError:
        middle = 0.0
    if middle <= 0.0:
        raise ValueError('expected a range of positive numbers, "0.2 ms..50 ms", got %r' % (low_to_high,))
    if unit != unit_of_high:
        raise ValueError('expected the same unit at both ends, "0.2 ms..50 ms", got %r' % (low_to_high,))
    return " ".join(["%.6g" % middle, *unit])


def told(scenario, grid, set, now):
    """{candidate: how its time changes with each number that was guessed}, in logarithms."""
    change = {candidate: [] for candidate in now}
    for key, value in set.items():
        number, *unit = value.split()
        more = predicted(scenario, grid, {**set, key: " ".join(["%.6g" % (1.5 * float(number)), *unit])})
        for candidate in now:
            change[candidate].append(math.log(more.get(candidate, now[candidate]) / now[candidate]))
    return change


def volume(vectors, least=0.02):
    """What measurements with these changes tell together: the determinant of their information."""
    size = len(vectors[0])
    matrix = [
        [sum(v[i] * v[j] for v in vectors) + (least**2 if i == j else 0) for j in range(size)]
        for i in range(size)
    ]
    determinant = 1.0
    for i in range(size):  # elimination; the matrix is positive definite
        determinant *= matrix[i][i]
        for j in range(i + 1, size):
            share = matrix[j][i] / matrix[i][i]
            matrix[j] = [a - share * b for a, b in zip(matrix[j], matrix[i])]
    return determinant


def next_of(now, change, measured, first):
    """The candidate to measure next; None where no other may be as good as what was measured."""
    best = min(now, key=now.get)
    others = [candidate for candidate in now if candidate not in measured]
    if first <= len(measured):  # what may be the best as well
        others = [candidate for candidate in others if now[candidate] < CLOSE * now[best]]
    if best not in measured and (not measured or first <= len(measured)):
        return best
    known = [change[candidate] for candidate in measured]
    return max(others, key=lambda candidate: volume([*known, change[candidate]]), default=None)


def fitted(scenario, grid, free, set, measured):
    """The unknown numbers as the measurements have them."""
    cases = [
        {"name": str(candidate), "set": dict(zip(grid, candidate)), "metric": metric, "measured": value}
        for candidate, figures in measured.items()
        for metric, value in figures.items()
    ]  # fmt: skip
    one = dict(zip(grid, next(iter(measured))))  # a scenario is whole; each case has its own settings
    found = feedrate.fit(
        {**scenario, "cases": cases}, ["%s=%s" % pair for pair in free.items()], set={**set, **one}
    )
    return {row["key"]: row["set"] for row in found["fit"]["unknowns"] if row["depended_on"]}


def tune(scenario, grid, free, measure, first=3, most=5, say=lambda text: None):
    """The best candidate that was measured, and all measurements: {candidate: {figure: value}}.

    grid: {KEY: values}, whose combinations are the candidates.
    free: {KEY: "LOW..HIGH"}, the numbers that nobody measured, each with the range in which it is.
    measure: a function of {KEY: value} that runs the job so and returns its figures by their names
        in results, "total_s" among them; each more ("cpu_busy") makes fit surer.
    """
    measured, set = {}, {key: guess(ends) for key, ends in free.items()}
    while len(measured) < most:
        now = predicted(scenario, grid, set)
        pick = next_of(now, told(scenario, grid, set, now), measured, first)
        if pick is None:
            break
        measured[pick] = measure(dict(zip(grid, pick)))
        settings = ", ".join("%s = %s" % pair for pair in zip(grid, pick))
        seconds = measured[pick]["total_s"]
        say("%d. %s: predicted %.3g s, measured %.3g s" % (len(measured), settings, now[pick], seconds))
        if first <= len(measured) < most:
            set.update(fitted(scenario, grid, free, set, measured))
    return min(measured, key=lambda candidate: measured[candidate]["total_s"]), measured


# ---------------------------------------------------------------- a real loader

CPUS = len(os.sched_getaffinity(0))
SIDE = 64  # of the image that a step takes


class Images:
    """Compressed rasters in one file, read and decoded as images are, without a library."""

    def __init__(self, path, count, side):
        self.path, self.count, self.side = path, count, side
        noise = random.Random(1).getrandbits(8 * 3 * side * side).to_bytes(3 * side * side, "big")
        self.record = zlib.compress(noise.translate(bytes(value >> 3 for value in range(256))), 6)
        with open(path, "wb") as file:
            for _ in range(count):
                file.write(self.record)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        with open(self.path, "rb") as file:
            file.seek(index * len(self.record))
            raster = zlib.decompress(file.read(len(self.record)))
        line, left = 3 * self.side, 3 * (self.side - SIDE) // 2
        top = (self.side - SIDE) // 2
        return b"".join(
            raster[(top + i) * line + left :][: 3 * SIDE].translate(BRIGHTER) for i in range(SIDE)
        )


BRIGHTER = bytes(min(255, value + value // 8) for value in range(256))


def work(images, asked, made):
    for number, indices in iter(asked.get, None):
        made.put((number, b"".join(images[index] for index in indices)))


class PlainLoader:
    """Batches from worker processes, handed out and taken in as PyTorch's DataLoader does."""

    def __init__(self, images, num_workers, batch_size, prefetch_factor):
        self.images, self.workers, self.prefetch = images, num_workers, prefetch_factor
        order = list(range(len(images)))
        random.Random(2).shuffle(order)
        self.batches = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]

    def __iter__(self):
        fork = multiprocessing.get_context("fork")
        made = fork.Queue()
        asked = [fork.SimpleQueue() for _ in range(self.workers)]
        workers = [fork.Process(target=work, args=(self.images, one, made)) for one in asked]
        for worker in workers:
            worker.daemon = True
            worker.start()
        numbers, ready = iter(range(len(self.batches))), {}

        def ask(count):
            for number in itertools.islice(numbers, count):
                asked[number % self.workers].put((number, self.batches[number]))

        try:
            ask(self.workers * self.prefetch)
            for wanted in range(len(self.batches)):
                while wanted not in ready:
                    number, batch = made.get()
                    ready[number] = batch
                ask(1)  # before the step, so that a worker is busy meanwhile
                yield ready.pop(wanted)
        finally:
            for one in asked:
                one.put(None)
            for worker in workers:
                worker.join()


def torch_loader(images, num_workers, batch_size, prefetch_factor):
    from torch.utils.data import DataLoader

    return DataLoader(
        images, batch_size=batch_size, shuffle=True, num_workers=num_workers,
        prefetch_factor=prefetch_factor, collate_fn=b"".join,
    )  # fmt: skip


LOADERS = {"plain": PlainLoader, "torch": torch_loader}

# ---------------------------------------------------------------- a job with it


class Job:
    """An epoch of steps that are sleeps, behind a loader that is real."""

    def __init__(self, folder, loader="plain", samples=512, side=256, fixed=0.01, per_sample=0.0005):
        self.images = Images(os.path.join(folder, "images"), samples, side)
        self.make, self.fixed, self.per_sample = LOADERS[loader], fixed, per_sample

    def measure(self, settings):
        before, begin = os.times(), time.perf_counter()
        for batch in self.make(self.images, **settings):
            time.sleep(self.fixed + self.per_sample * (len(batch) // (3 * SIDE * SIDE)))
        seconds, after = time.perf_counter() - begin, os.times()
        cpu = sum(after[:4]) - sum(before[:4])  # of this process and of the workers that it had
        return {"total_s": seconds, "cpu_busy": cpu / seconds / CPUS}

    def scenario(self):
        """What is known of the job. What a sample costs is not."""
        return {
            "name": "a loader to tune",
            "dataset": {
                "samples": len(self.images),
                "bytes_per_sample": "%d B" % len(self.images.record),
                "bytes_on_gpu_per_sample": "%d B" % (3 * SIDE * SIDE),
                "size_cv": 0,
            },
            "disk": {"kind": "other", "bandwidth": "10 GB/s", "latency": "0 s"},  # in memory by now
            "loader": {"kind": "pytorch", "transport": "pickled"},
            "preprocess": [{"operation": "decode"}],
            "cluster": {
                "vcpus": CPUS, "gpus_per_instance": 1,
                "price": "0 USD/h", "pageable_bandwidth": "1000 TB/s", "copy_latency": "0 s",
            },  # fmt: skip
            "job": {
                "epochs": 1, "asynchronous_step": False,
                "step": {
                    "fixed": "%.9g ms" % (1e3 * self.fixed),
                    "per_sample": "%.9g ms" % (1e3 * self.per_sample),
                },
            },  # fmt: skip
        }


FREE = {
    "/preprocess/decode/cpu": "0.1 ms..20 ms",
    "handover": "0.05 ms..10 ms",
    "worker_startup": "1 ms..100 ms",
}
GRID = {
    "num_workers": [1, 2, 3, 4, 5, 6, 8],
    "batch_size": [4, 8, 16, 32, 64, 128, 256],
    "prefetch_factor": [1, 2, 4, 8],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loader", choices=LOADERS, default="plain")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        job = Job(folder, arguments.loader)
        candidates = list(itertools.product(*GRID.values()))
        print("%d candidates" % len(candidates))
        best, measured = tune(job.scenario(), GRID, FREE, job.measure, say=print)
    print("best of %d measured: %s" % (
        len(measured), ", ".join("%s = %s" % pair for pair in zip(GRID, best))))  # fmt: skip


if __name__ == "__main__":
    main()
