#!/usr/bin/env python3
"""What PyTorch reaches on a GPU, to hold feedrate's own probes against: copies, memory, matrix products (one series
of them sustained), launches, preprocessing and JPEG decoding.

Writes a measurements file, every sample in it, again after each series:
    bench/pytorch/gpu_reference.py --output reference.measurements.json
    feedrate calibrate --import reference.measurements.json --output reference.json
"""
import argparse
import json
import os
import platform
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("PyTorch is not installed for this python (Debian: apt-get install python3-torch "
             "python3-torchvision; choose another python)")

import devices

MEBIBYTE = 1 << 20
LONGEST_S = 0.5  # of what is queued at once: long work needs no company to be timed
QUEUED_AT_MOST = 512  # launches: the queue of a stream holds about a thousand


class Gpu:
    """Times work by the GPU's own clock, without the host's part in it."""

    def __init__(self, device):
        self.device = device
        torch.cuda.set_device(device)
        self.host_s = 2e-5  # of a launch
        self.late = False  # a sample began before all of it was queued
        self.began, self.ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def finish(self):
        torch.cuda.synchronize(self.device)

    def queued(self, work, times):
        """Seconds of `times` in a row behind a kernel that spins while they are queued, and whether it did until
        all of them were."""
        torch.cuda._sleep(int((0.001 + 3.0 * times * self.host_s) * 2e9))  # cycles: no GPU's clock is faster
        self.began.record()
        start = time.perf_counter()
        for _ in range(times):
            work()
        self.host_s = max(self.host_s, (time.perf_counter() - start) / times)
        self.ended.record()
        held = not self.began.query()
        self.ended.synchronize()
        return self.began.elapsed_time(self.ended) / 1e3, held

    def sample(self, work, times):
        """Seconds of `times` in a row, without the host's part where so many can be queued at once."""
        for _ in range(3):
            took, held = self.queued(work, times)
            if held:
                return took
        self.late = True
        return took

    def most_queued(self, work):
        """How many of it fit the queue: some start several kernels each."""
        self.host_s = 2e-5
        took, _ = self.queued(work, 1)
        times = max(1, min(QUEUED_AT_MOST, int(LONGEST_S / max(took, 1e-9))))
        while times > 1 and not any(self.queued(work, times)[1] for _ in range(2)):
            times //= 2
        return times

    def pinned(self, size):
        return torch.empty(size, dtype=torch.uint8, pin_memory=True).fill_(1)


class Host:
    """The same calls without a GPU, to rehearse the script: what it times is the CPU."""

    def __init__(self, device):
        self.device = device
        self.late = False

    def finish(self):
        pass

    def sample(self, work, times):
        start = time.perf_counter()
        for _ in range(times):
            work()
        return time.perf_counter() - start

    def pinned(self, size):
        return torch.empty(size, dtype=torch.uint8).fill_(1)


class Reference:
    """The measurements, and how long a sample and a series of them are."""

    def __init__(self, arguments):
        self.path = arguments.output
        self.quick = arguments.quick
        self.device = devices.chosen("gpu_reference.py", arguments.device)
        self.on_gpu = self.device.type == "cuda"
        self.machine = (Gpu if self.on_gpu else Host)(self.device)
        self.sample_s = 0.001 if self.quick else 0.02
        self.series_s = 0.005 if self.quick else 0.5
        self.begun = time.perf_counter()
        self.file = {
            "kind": "measurements", "schema": 1,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "command_line": " ".join(sys.argv), "version": f"gpu_reference.py, torch {torch.__version__}",
            "host": self.host(), "probes": [], "measurements": []}

    def host(self):
        facts = {"hostname": platform.node(), "kernel": platform.release(),
                 "hardware_threads": os.cpu_count()}
        if self.on_gpu:
            facts["gpus"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
            facts["cuda"] = torch.version.cuda
        return facts

    def say(self, text):
        print(f"{time.perf_counter() - self.begun:5.1f} s  {text}", flush=True)

    def keep(self, probe, quantity, unit, work, at, how, times):
        if not self.on_gpu:
            how = {**how, "device": "cpu"}
        # What the GPU did while the host still queued is the host's pace.
        remark = {"remark": "some samples began before all was queued: the host's time is in them"}
        late, self.machine.late = self.machine.late, False
        self.file["measurements"].append({
            **(remark if late else {}), "probe": probe, "quantity": quantity, "unit": unit, "work": work,
            "at": at, "how": {**how, "library": "torch"}, "times": [float(f"{t:.9g}") for t in times]})
        middle = sorted(times)[len(times) // 2]
        where = ", ".join(f"{key} {value:g}" for key, value in at.items())
        self.say(f"{probe} {quantity}, {where}, {', '.join(how.values())}: {work / middle:.4g} {unit}/s "
                 f"({len(times)} samples)")
        self.write()

    def write(self):
        """Whole or not at all: what was measured survives a cut."""
        seen = {}
        for one in self.file["measurements"]:
            seen[one["probe"]] = True
        self.file["probes"] = [{"probe": name, "measured": True, "took": "0 s"} for name in seen]
        with open(self.path + ".part", "w") as file:
            json.dump(self.file, file, indent=1)
            file.write("\n")
        os.replace(self.path + ".part", self.path)

    def many(self, work):
        """How often in a sample, so that it lasts long enough."""
        work()
        self.machine.finish()
        most = self.machine.most_queued(work) if self.on_gpu else QUEUED_AT_MOST
        times = 1
        while times < most and self.machine.sample(work, times) < self.sample_s:
            times *= 2
        return times

    def repeat(self, probe, quantity, unit, work, at, how, once):
        """A series of what the GPU does by itself."""
        times = self.many(once)
        samples = []
        while len(samples) < 7 or sum(samples) < self.series_s:
            samples.append(self.machine.sample(once, times))
        self.keep(probe, quantity, unit, work * times, at, how, samples)

    def repeat_waited(self, probe, quantity, unit, work, at, how, once):
        """A series of what the program waits for, by its own clock."""
        samples = []
        while len(samples) < 9 or sum(samples) < self.series_s:
            self.machine.finish()
            start = time.perf_counter()
            once()
            self.machine.finish()
            samples.append(time.perf_counter() - start)
        self.keep(probe, quantity, unit, work, at, how, samples[2:])


def copies(reference):
    device = reference.device
    sizes = [1, 4] if reference.quick else [1, 16, 64, 256, 1024]
    on_gpu = torch.empty(sizes[-1] * MEBIBYTE, dtype=torch.uint8, device=device)
    pinned = reference.machine.pinned(sizes[-1] * MEBIBYTE)
    pageable = torch.empty(sizes[-1] * MEBIBYTE, dtype=torch.uint8).fill_(1)
    for mebibytes in sizes:
        size = mebibytes * MEBIBYTE
        at = {"bytes": size, "gpus": 1}
        up = {"direction": "h2d", "load": "idle"}
        reference.repeat("h2d", "copy", "bytes", size, at, {**up, "memory": "pinned"},
                         lambda: on_gpu[:size].copy_(pinned[:size], non_blocking=True))
        reference.repeat_waited("h2d", "copy", "bytes", size, at, {**up, "memory": "pageable"},
                                lambda: on_gpu[:size].copy_(pageable[:size]))
    size = sizes[-1] * MEBIBYTE
    reference.repeat("h2d", "copy", "bytes", size, {"bytes": size, "gpus": 1},
                     {"direction": "d2h", "load": "idle", "memory": "pinned"},
                     lambda: pinned.copy_(on_gpu, non_blocking=True))


def memory(reference):
    size = (4 if reference.quick else 1024) * MEBIBYTE
    origin = torch.randint(0, 255, (size,), dtype=torch.uint8, device=reference.device)
    into = torch.empty_like(origin)
    reference.repeat("gpu", "memory", "bytes", 2 * size, {"bytes": size}, {"copy": "memcpy"},
                     lambda: into.copy_(origin))


def matrices(reference, n, kind):
    make = {"device": reference.device, "dtype": kind}
    return torch.randn(n, n, **make), torch.randn(n, n, **make), torch.empty(n, n, **make)


def products(reference):
    # "high" lets fp32 matrices go through tf32; before Ampere and on CPUs it changes nothing.
    kinds = [("bf16", torch.bfloat16, "highest"), ("tf32", torch.float32, "high"), ("fp32", torch.float32, "highest")]
    for n in [128] if reference.quick else [1024, 2048, 4096, 8192]:
        for name, kind, precision in kinds:
            torch.set_float32_matmul_precision(precision)
            a, b, c = matrices(reference, n, kind)
            reference.repeat("gpu", "matmul", "flop", 2 * n**3, {"n": n}, {"precision": name},
                             lambda: torch.mm(a, b, out=c))
    torch.set_float32_matmul_precision("highest")


def sustained(reference):
    """Power and heat settle in seconds: a burst says what the GPU can, this one what it keeps up."""
    n = 128 if reference.quick else 8192
    a, b, c = matrices(reference, n, torch.bfloat16)
    times = reference.many(lambda: torch.mm(a, b, out=c))
    end = time.perf_counter() + (0.05 if reference.quick else 20.0)
    samples = []
    while time.perf_counter() < end:
        samples.append(reference.machine.sample(lambda: torch.mm(a, b, out=c), times))
    reference.keep("gpu", "matmul", "flop", 2 * n**3 * times, {"n": n},
                   {"precision": "bf16", "load": "sustained"}, samples)


def launches(reference):
    one = torch.zeros(1, device=reference.device)
    reference.repeat_waited("gpu", "launch", "launches", 1, {"in_flight": 1}, {}, lambda: one.add_(1))
    reference.repeat("gpu", "launch", "launches", 1, {"in_flight": QUEUED_AT_MOST}, {}, lambda: one.add_(1))


def preprocessing(reference):
    try:
        from torchvision.transforms import functional
    except ImportError as missing:
        reference.say(f"preprocessing is left out: {missing}")
        return
    for batch in [2] if reference.quick else [16, 64, 256]:
        whole = torch.randint(0, 255, (batch, 3, 375, 500), dtype=torch.uint8, device=reference.device)
        small = torch.randint(0, 255, (batch, 3, 224, 224), dtype=torch.uint8, device=reference.device)
        work = [("resize", 375 * 500, lambda: functional.resize(whole, [224, 224], antialias=True)),
                ("blur", 224 * 224, lambda: functional.gaussian_blur(small, [7, 7], [1.0, 1.0])),
                ("normalize", 224 * 224, lambda: functional.normalize(small.float() / 255, [0.485, 0.456, 0.406],
                                                                      [0.229, 0.224, 0.225]))]
        for name, pixels, once in work:
            reference.repeat("gpu-preprocess", name, "samples", batch, {"batch": batch, "pixels": pixels}, {}, once)


def decoding(reference, data):
    """nvJPEG through torchvision; waited for, as it uses the CPU and several streams."""
    if not reference.on_gpu:
        return
    try:
        import samples
        import torchvision
        files = samples.image_files(data)[:256]
        read = [torchvision.io.read_file(name) for name in files]
        torchvision.io.decode_jpeg(read[:2], device=reference.device)
    except (AttributeError, ImportError, RuntimeError, TypeError, ValueError) as error:
        reference.say(f"decoding on the GPU is left out: {error}")
        return
    for batch in (16, 64, 256):
        chosen = [read[i % len(read)] for i in range(batch)]
        size = sum(one.numel() for one in chosen) / batch
        reference.repeat_waited("gpu-preprocess", "decode", "samples", batch, {"batch": batch, "bytes": size}, {},
                                lambda: torchvision.io.decode_jpeg(chosen, device=reference.device))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", required=True, help="the measurements file that is written")
    parser.add_argument("--data", help="a folder of JPEG files to decode on the GPU (without: not measured)")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, cpu (a rehearsal)")
    parser.add_argument("--quick", action="store_true", help="a few small samples of everything, for tests")
    arguments = parser.parse_args()
    reference = Reference(arguments)
    copies(reference)
    memory(reference)
    products(reference)
    launches(reference)
    sustained(reference)
    preprocessing(reference)
    if arguments.data:
        decoding(reference, arguments.data)


if __name__ == "__main__":
    main()
