#!/usr/bin/env python3
"""A second implementation of the physics, from a scenario's JSON to time and cost, beside feedrate's.

    tests/second_implementation/differential.py path/to/feedrate [JOBS [SEED]]

It shares no code and no intermediate numbers with the program: it reads the scenario that the
program reads, solves the loader by mean value analysis (Reiser and Lavenberg, 1980; the cores as a
load-dependent station), the epoch, the ring and the bill by closed forms, and compares. Jobs are
drawn at random within what both describe: files on a shared disk, with a page cache or without, or
streamed over connections under a store's limits; PyTorch's loader; decoding on cores; the GPU's step,
gradients accumulated over some of them and exchanged in one ring; one hourly price.

Two statements are held:
  bounds   exact, for every job: no resource does more than it can, and nothing takes longer than all
           of it done one after the other.
  values   the time within TOLERANCE, beyond the two ends of an epoch that the closed form leaves out
           (a round of batches and a step); the bill to the second that the time says.
"""
import copy
import decimal
import json
import math
import random
import subprocess
import sys
import tempfile

TOLERANCE = 0.02
# Where the loader and the GPU are about as fast as each other, either waits for the other's
# variation, which a mean value analysis knows nothing of.
BALANCE = 0.25
NETWORK = 12.5e9  # bytes per second of an instance


def workers_rate(customers, delay, disk, cpu, cores):
    """Samples per second of so many workers: a delay, a shared disk, and `cores` shared alike.

    Mean value analysis with a load-dependent station loses digits where cores are nearly all busy, so
    it is done with more digits than it can lose.
    """
    with decimal.localcontext() as context:
        context.prec = 50 + 4 * customers
        delay, disk, cpu = decimal.Decimal(delay), decimal.Decimal(disk), decimal.Decimal(cpu)
        at_disk_before = decimal.Decimal(0)  # customers at the disk, with one customer fewer in all
        with_at_cores = [decimal.Decimal(1)] + [decimal.Decimal(0)] * customers  # probability of j there
        for n in range(1, customers + 1):
            disk_time = disk * (1 + at_disk_before)
            demand = [cpu / min(j, cores) * with_at_cores[j - 1] for j in range(1, n + 1)]
            cores_time = sum(j * share for j, share in enumerate(demand, 1))
            rate = n / (delay + disk_time + cores_time)
            at_disk_before = rate * disk_time
            above = [rate * share for share in demand]
            with_at_cores = [1 - sum(above)] + above + with_at_cores[n + 1:]
        return float(rate)


def ring(gradient, ranks, busbw, latency):
    if ranks <= 1:
        return 0.0
    return 2.0 * (ranks - 1) / ranks * gradient / busbw + 2.0 * (ranks - 1) * latency


class Job:
    """A job in base units: seconds, bytes, dollars."""

    def __init__(self, draw):
        log = lambda low, high: math.exp(draw.uniform(math.log(low), math.log(high)))
        self.instances = draw.choice([1, 1, 2, 4, 16])
        self.ranks = draw.choice([1, 2, 4, 8])
        self.workers = draw.choice([1, 2, 3, 4, 8, 16])
        self.batch = draw.choice([8, 32, 64, 256])
        self.steps = draw.randint(200, 2000)
        self.epochs = draw.choice([1, 2, 5])
        self.accumulation = draw.choice([1, 1, 4])
        self.steps -= self.steps % self.accumulation
        self.bytes = round(log(1e3, 1e6))
        self.bandwidth = round(log(1e8, 1e10))
        self.latency = draw.choice([0.0, round(log(1e-5, 1e-2), 7)])
        self.cpu = round(log(1e-4, 3e-2), 7)
        self.cores = draw.choice([2, 4, 8, 16, 48, 96])
        self.fixed = round(log(1e-3, 0.3), 6)
        self.per_sample = round(log(1e-5, 1e-2), 7)
        self.gradient = round(log(1e6, 1e9))
        self.busbw = round(log(1e9, 1e11))
        self.hop = 2e-5
        self.price = round(log(0.5, 100.0), 3)
        self.streams = draw.random() < 0.4
        self.connection = round(log(1e7, 1e9))
        self.store = round(log(1e8, 1e11))
        self.requests = round(log(500, 1e5))
        self.store_shared = draw.random() < 0.5
        # What instances find in their caches in later epochs depends on who read what: one alone knows.
        self.caches = not self.streams and self.instances == 1 and draw.random() < 0.4

    @property
    def samples(self):
        return self.steps * self.batch * self.ranks * self.instances

    def source(self):
        if not self.streams:
            return {"service": "local"}
        return {"service": "http", "input_mode": "stream", "discipline": "rate-limit",
                "first_byte_latency": f"{self.latency:.7f} s",
                "bandwidth_per_connection": f"{self.connection} B/s",
                "bandwidth": f"{self.store} B/s", "requests_per_second": f"{self.requests} /s",
                "open_latency": "0 s", "line_share": 1, "shared": self.store_shared}

    def document(self):
        return {
            "name": "drawn",
            "dataset": {"samples": self.samples, "bytes_per_sample": f"{self.bytes} B", "size_cv": 0},
            "source": self.source(),
            "disk": {"kind": "other", "discipline": "shared", "bandwidth": f"{self.bandwidth} B/s",
                     "latency": f"{self.latency:.7f} s", "page_cache": "100 TB" if self.caches else "0 B"},
            "loader": {"kind": "pytorch", "num_workers": self.workers, "batch_size": self.batch,
                       "prefetch_factor": 2, "pin_memory": False, "worker_startup": "0 s",
                       "collate": "0 ms/MB", "handover": "0 s", "oversubscription": 0, "contention": 0,
                       "read_cv": 0, "make_cv": 0, "persistent_workers": True},
            "preprocess": [{"operation": "decode", "cpu": f"{self.cpu:.7f} s"}],
            "cluster": {"vcpus": self.cores, "cores": self.cores, "memory": "1 TB",
                        "network": "100 Gbit/s", "gpus_per_instance": self.ranks,
                        "instances": self.instances, "price": f"{self.price} USD/h",
                        "pinned_bandwidth": "12 GB/s"},
            "job": {"epochs": self.epochs, "startup": "0 s",
                    "gradient_accumulation": self.accumulation,
                    "step": {"fixed": f"{self.fixed} s", "per_sample": f"{self.per_sample:.7f} s", "gpus": self.ranks},
                    "allreduce": {"algorithm": "ring", "gradient_bytes": f"{self.gradient} B",
                                  "busbw": f"{self.busbw} B/s", "latency": f"{self.hop} s",
                                  "overlap": 0}},
        }

    def epoch(self, disk):
        """Seconds of an epoch that reads from the disk or does not, its ends, and its bounds."""
        step = self.fixed + self.per_sample * self.batch
        all_ranks = self.ranks * self.instances
        step += ring(self.gradient, all_ranks, self.busbw, self.hop) / self.accumulation
        delay = self.latency if disk or self.streams else 0.0
        limits = [math.inf]
        if self.streams:
            delay += self.bytes / self.connection
            share = self.instances if self.store_shared else 1
            # Requests are counted by the store, whoever sends them.
            limits = [self.store / self.bytes / share, self.requests / self.instances, NETWORK / self.bytes]
        reading = self.bytes / self.bandwidth if disk and not self.streams else 0.0
        customers = self.workers * self.ranks
        rate = min(limits + [workers_rate(customers, delay, reading, self.cpu, self.cores)])
        period = self.batch * self.ranks / rate
        # Gradients go over the same network, unless they are faster than it.
        if self.streams and self.instances > 1 and self.busbw <= NETWORK:
            exchanged = 2.0 * (all_ranks - 1) / all_ranks * self.gradient / self.accumulation
            period = max(period, (self.batch * self.ranks * self.bytes + exchanged) / NETWORK)
        of_instance = self.steps * self.batch * self.ranks
        alone = delay + reading + self.cpu
        lower = max(self.steps * step, of_instance * reading, of_instance * self.cpu / self.cores,
                    of_instance * alone / customers, of_instance / min(limits))
        return {
            "time": self.steps * max(step, period),
            "ends": self.workers * period + step,
            "lower": lower,
            "upper": self.steps * step + of_instance * (alone + 1.0 / min(limits)) + step,
            "balance": abs(math.log(step / period)),
        }

    def answer(self):
        first, later = self.epoch(True), self.epoch(not self.caches)
        sums = {key: first[key] + (self.epochs - 1) * later[key] for key in ("time", "ends", "lower", "upper")}
        balances = [first["balance"]] + [later["balance"]] * (self.epochs > 1)
        return sums | {"balance": min(balances)}


def compare(program, job, asked=None):
    """What is wrong with the program's answer, "" where nothing is, and how far off it is.

    `asked`: another job, which the program is asked about instead; then something has to be wrong.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump((asked or job).document(), file)
        file.flush()
        run = subprocess.run([program, "run", file.name, "--format", "json"], capture_output=True, text=True)
    if run.returncode != 0:
        return f"exit status {run.returncode}: {run.stderr}", 0.0
    result = json.loads(run.stdout)["result"]
    time = result["time"]["total_s"]
    mine = job.answer()
    if not mine["lower"] * (1 - 1e-6) <= time <= mine["upper"] * (1 + 1e-6):
        return f"{time:.6g} s is outside its bounds, {mine['lower']:.6g} to {mine['upper']:.6g} s", 0.0
    cost = job.instances * job.price * time / 3600.0
    second = job.instances * job.price / 3600.0  # instances are billed by whole seconds
    if abs(result["cost"]["compute_usd"] - cost) > second * (1 + 1e-6):
        return f"costs {result['cost']['compute_usd']}, and {cost:.6g} by its time", 0.0
    off = (time - mine["time"]) / mine["time"]
    allowed = TOLERANCE + mine["ends"] / mine["time"]
    if mine["balance"] > BALANCE and abs(off) > allowed:
        return f"{time:.6g} s, and {mine['time']:.6g} s by mean value analysis ({100 * off:+.1f} %)", off
    return "", off


def main():
    program = sys.argv[1]
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    wrong, errors, found, tried = 0, [], 0, 0
    for number in range(jobs):
        job = Job(draw)
        words, off = compare(program, job)
        errors.append(abs(off))
        if words:
            wrong += 1
            print(f"job {number}: {words}\n  {json.dumps(job.document())}")
        if number % 10 == 0:  # the comparison can fail: a program with everything 10 % slower is found
            slower = copy.copy(job)
            for key in ("cpu", "fixed", "per_sample", "latency", "bytes", "gradient", "hop"):
                setattr(slower, key, getattr(job, key) * 1.1)
            slower.bytes, slower.gradient = round(slower.bytes), round(slower.gradient)
            slower.store, slower.requests = job.store, round(job.requests / 1.1)
            tried += 1
            found += compare(program, job, slower)[0] != ""
    errors.sort()
    print(f"{jobs} jobs: {wrong} wrong; median difference {100 * errors[jobs // 2]:.2f} %, "
          f"nine of ten within {100 * errors[jobs * 9 // 10]:.2f} %")
    print(f"of {tried} jobs that took 10 % longer than they should, {found} were found")
    return 1 if wrong or found < 0.6 * tried else 0


if __name__ == "__main__":
    sys.exit(main())
