"""A training loop with PyTorch's DataLoader whose GPU is a sleep, to be observed from outside.

What a sample costs is set: CPU work (compression), a wait, a read of a disk past the page cache, or a request to a store. It logs steps as PyTorch's
ImageNet example does, and runs for a time, not for an epoch, so that no queue runs empty at its end.
"""
import argparse
import contextlib
import datetime
import mmap
import multiprocessing
import os
import time
import urllib.request
import zlib

import torch
import torch.distributed
from torch.utils.data import DataLoader, Dataset

BLOCK = bytes((i * 2654435761 >> 13) & 0xFF for i in range(20_000))


def work_of(milliseconds):
    """How many blocks take so long in CPU time on this machine, alone."""
    count = 0
    begin = time.process_time()
    while time.process_time() - begin < 0.5:
        zlib.compress(BLOCK, 6)
        count += 1
    return max(1, round(count * milliseconds / 500.0))


class Samples(Dataset):
    def __init__(self, blocks, wait, store, file, size, lock):
        self.blocks, self.wait, self.store, self.file, self.size = blocks, wait, store, file, size
        self.lock = multiprocessing.Lock() if lock else contextlib.nullcontext()

    def __len__(self):
        return 10_000_000

    def __getitem__(self, index):
        if self.wait > 0:
            time.sleep(self.wait)
        if self.file:
            self.read_cold(index)
        if self.store:
            with urllib.request.urlopen(self.store) as answer:
                answer.read()
        with self.lock:
            for _ in range(self.blocks):
                zlib.compress(BLOCK, 6)
        return torch.full((3, 64, 64), float(index % 7))


    def read_cold(self, index):
        """The sample's part of the file, past the page cache."""
        if not hasattr(self, "buffer"):  # of each worker
            self.buffer = mmap.mmap(-1, self.size)  # a page's address, which such reads ask for
        file = os.open(self.file, os.O_RDONLY | os.O_DIRECT)
        try:
            at = index % (os.fstat(file).st_size // self.size) * self.size
            os.preadv(file, [self.buffer], at)
        finally:
            os.close(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--step-ms", type=float, required=True)
    parser.add_argument("--blocks", type=int, required=True, help="of CPU work a sample")
    parser.add_argument("--wait-ms", type=float, default=0.0, help="of a read, a sample")
    parser.add_argument("--file", default="", help="that samples are read from, past the page cache")
    parser.add_argument("--sample-bytes", type=int, default=65536, help="of that file")
    parser.add_argument("--store", default="", help="URL that each sample is fetched from")
    parser.add_argument("--lock", action="store_true", help="work under a lock that all workers share")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--log", required=True)
    args = parser.parse_args()
    # torchrun says who a process is. A rank of several ends each step with the others.
    rank, ranks = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if ranks > 1:
        torch.distributed.init_process_group("gloo")
    gradient = torch.zeros(1)
    data = Samples(args.blocks, args.wait_ms / 1e3, args.store, args.file, args.sample_bytes, args.lock)
    loader = DataLoader(data, batch_size=args.batch, num_workers=args.workers)
    # The first rank logs, as ranks usually do.
    with open(args.log if rank == 0 else os.devnull, "w", buffering=1) as log:
        now = datetime.datetime.now(datetime.timezone.utc)
        log.write(f"started {now.isoformat(timespec='microseconds')}\n")
        begin = end = time.monotonic()
        for step, _ in enumerate(loader):
            got = time.monotonic()
            time.sleep(args.step_ms / 1e3)
            if ranks > 1:
                # The last step is that of all: whoever's time is up says so with its gradient.
                gradient[0] = float(time.monotonic() - begin > args.seconds)
                torch.distributed.all_reduce(gradient)
            done = time.monotonic()
            log.write(f"Epoch: [0][{step}/100000]\tTime {done - end:.6f} (0)\tData {got - end:.6f} (0)\n")
            end = done
            if (ranks > 1 and gradient.item() > 0.0) or (ranks == 1 and done - begin > args.seconds):
                break


if __name__ == "__main__":
    main()
