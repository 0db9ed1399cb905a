#!/usr/bin/env python3
"""What decoding JPEGs on a GPU costs, with torchvision.io.decode_jpeg(list, device="cuda").

Prints a line for each batch size:  series decode samples BATCH KEY=VALUE;… TIME TIME …   (seconds
of a batch, until the GPU is done; the copies of the JPEGs are part of it). With --rounds it measures
once for each line on its standard input and prints "round done" behind each. --device cpu rehearses
it on the CPU: its series say device=cpu, and no profile takes them for a GPU's.
"""
import argparse
import sys
import tempfile
import time

import samples
import torch

import devices


def decoder(device):
    """Decodes a list of JPEGs on the device. Before torchvision 0.19 it takes them one by one."""
    from torchvision.io import ImageReadMode, decode_jpeg

    def all_at_once(jpegs):
        return decode_jpeg(jpegs, mode=ImageReadMode.RGB, device=device)

    def one_by_one(jpegs):
        return [decode_jpeg(jpeg, mode=ImageReadMode.RGB, device=device) for jpeg in jpegs]

    return all_at_once, one_by_one


def usable(device, files):
    """JPEGs in memory that the device can decode, and how many it cannot."""
    _, one_by_one = decoder(device)
    jpegs, refused, why = [], 0, ""
    for name in files:
        with open(name, "rb") as file:
            jpeg = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8)
        try:
            one_by_one([jpeg])
            jpegs.append(jpeg)
        except RuntimeError as error:
            refused, why = refused + 1, str(error).splitlines()[0]
    return jpegs, refused, why


class Probe:
    def __init__(self, device, jpegs, batches, seconds):
        self.device, self.jpegs, self.seconds = device, jpegs, seconds
        self.batches = batches
        at_once, one_by_one = decoder(device)
        try:
            at_once(jpegs[:2])
            self.decode, self.how = at_once, "list"
        except (TypeError, RuntimeError, ValueError):
            self.decode, self.how = one_by_one, "single"
        made = self.decode(jpegs)
        self.pixels = sum(image.shape[-1] * image.shape[-2] for image in made) / len(made)
        self.bytes = sum(jpeg.numel() for jpeg in jpegs) / len(jpegs)

    def batch(self, size, start):
        return [self.jpegs[(start + i) % len(self.jpegs)] for i in range(size)]

    def time(self, jpegs):
        devices.finish(self.device)
        start = time.perf_counter()
        made = self.decode(jpegs)
        devices.finish(self.device)
        del made
        return time.perf_counter() - start

    def round(self):
        """An equal share of the time for each batch size; two samples at least."""
        for size in self.batches:
            end = time.perf_counter() + self.seconds / len(self.batches)
            self.time(self.batch(size, 0))  # makes room for as many
            times = []
            while len(times) < 2 or time.perf_counter() < end and len(times) < 1000:
                times.append(self.time(self.batch(size, size * len(times))))
            at = (f"batch={size};bytes={self.bytes:.12g};pixels={self.pixels:.12g};"
                  f"call={self.how};device={self.device.type}")
            print("series decode samples", size, at, *(f"{t:.9g}" for t in times), flush=True)


def parsed():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="a folder of JPEG files; without: generated ones")
    parser.add_argument("--device", default="cuda",
                        help="cuda, cuda:1, cpu for a rehearsal; auto: a GPU, or nothing is measured")
    parser.add_argument("--batch-sizes", default="16,64,256", metavar="N,N,…")
    parser.add_argument("--images", type=int, default=256, help="different ones, at most")
    parser.add_argument("--rounds", type=int, default=0, help="how many will be asked for")
    parser.add_argument("--seconds", type=float, default=10.0, help="for all rounds")
    arguments = parser.parse_args()
    try:
        arguments.batch_sizes = sorted({int(word) for word in arguments.batch_sizes.split(",")})
    except ValueError:
        arguments.batch_sizes = [0]
    if min(arguments.batch_sizes) < 1:
        parser.error("--batch-sizes: expected batch sizes such as 16,64")
    if arguments.images < 1:
        parser.error("--images: expected at least 1")
    return arguments


def opened(arguments, scratch):
    """The probe; where there is nothing to measure with, why."""
    if arguments.device == "auto":
        if devices.no_gpu():
            return None, devices.no_gpu()
        arguments.device = "cuda"
    device = devices.chosen("probe_gpu_decode.py", arguments.device)
    try:
        devices.start(device)
        if not arguments.data:
            samples.generated_images(scratch, min(arguments.images, 64))
        files = samples.image_files(arguments.data or scratch)[:arguments.images]
        jpegs, refused, why = usable(device, files)
    except (ImportError, RuntimeError) as error:
        return None, str(error).splitlines()[0]
    if not jpegs:
        return None, f"none of {refused} JPEGs could be decoded there ({why})"
    if refused:
        print(f"remark decode on the GPU: {refused} of {len(files)} JPEGs were left out ({why})",
              flush=True)
    if device.type != "cuda":
        print("remark decode was rehearsed on the CPU: these are not a GPU's times", flush=True)
    share = arguments.seconds / max(arguments.rounds, 1)
    return Probe(device, jpegs, arguments.batch_sizes, share), ""


def main():
    arguments = parsed()
    with tempfile.TemporaryDirectory(prefix="feedrate-decode-") as scratch:
        probe, why = opened(arguments, scratch)
        if probe is None:
            print(f"remark decode on the GPU was not measured: {why}", flush=True)
        elif not arguments.rounds:
            probe.round()
        while arguments.rounds and sys.stdin.readline():
            if probe is not None:
                probe.round()
            print("round done", flush=True)


if __name__ == "__main__":
    main()
