#!/usr/bin/env python3
"""Measures how the workers of a torch DataLoader share what they read from: a disk, a server that
answers late, a server with a limit on bytes per second, a device that serves one reader at a time.

Samples are JPEG files of about 110 KB, read as for classification, from these sources:

  memory         the bytes lie in the process: decoding alone
  disk           files of --file-bytes, read with O_DIRECT; the JPEG is their beginning
  disk-buffered  the same through the page cache, from which all files are dropped before
  http-latency   a server on loopback that waits --latency-ms before it answers
  http-limit     the same server without the wait; a token bucket of --limit bytes per second and
                 --burst bytes over all connections
  http-paced     the same with a bucket of one piece of an answer: nothing is saved up
  lock           a lock over all workers, held for --hold-ms; the bytes lie in the process
  device         a device that serves one reader at a time, --hold-ms each, and needs no core:
                 a reader is told when its turn will be over and sleeps until then
  limit          the same for a token bucket of --limit and --burst: time not used is saved up

One loader with each number of workers, as fast as it can and, for some numbers, before a step
that sleeps. Inputs of a prediction are measured beside it: each source read alone by 1, 2 and 4
processes, decoding alone in as many, the hand-over of a batch. All of this in rounds of random
order, so that a drift of the machine meets every setting. The output is one JSON object that keeps
every epoch's times of arrival, and what the cores, the disks and the server did meanwhile.

  python3 loader_disciplines.py --output raw.json            (about two minutes a round)
  python3 loader_disciplines.py --output raw.json --quick    (does it run at all)
"""
import argparse
import http.client
import io
import json
import mmap
import multiprocessing
import os
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
import warnings

import probe_loader
import samples
import torch
from torch.utils.data import DataLoader

page = 4096
fewer = ("memory", "disk-buffered", "http-paced")  # to compare with; not before a step
piece = 32 * 1024  # of an answer: what the server takes tokens for at a time


# --- sources: source[i] is a file object that holds a JPEG ---------------------------------------

class Memory:
    def __init__(self, bodies):
        self.bodies = bodies

    def __len__(self):
        return len(self.bodies)

    def __getitem__(self, index):
        return io.BytesIO(self.bodies[index])

    def prepare(self):
        """Before each epoch."""


class Disk(Memory):
    """One file a sample, read whole; only its beginning is the image."""

    def __init__(self, bodies, directory, size, direct):
        super().__init__(bodies)
        self.flags = os.O_RDONLY | (os.O_DIRECT if direct else 0)
        self.size = -(-size // page) * page
        self.names = [os.path.join(directory, f"{i:05d}") for i in range(len(bodies))]
        self.buffer = None
        self.owner = None

    def write(self):
        noise = os.urandom(self.size)  # nothing that a layer below could leave out
        for name, body in zip(self.names, self.bodies):
            if len(body) > self.size:
                sys.exit(f"--file-bytes: an image has {len(body)} bytes, more than {self.size}")
            with open(name, "wb") as file:
                file.write(body)
                file.write(noise[len(body):])
        os.sync()

    def prepare(self):
        for name in self.names:
            file = os.open(name, os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)

    def __getitem__(self, index):
        if self.owner != os.getpid():
            self.owner, self.buffer = os.getpid(), mmap.mmap(-1, self.size)  # aligned to pages
        file = os.open(self.names[index], self.flags)
        done = 0
        while done < self.size:
            got = os.readv(file, [memoryview(self.buffer)[done:]])
            if got <= 0:
                raise OSError(f"{self.names[index]}: ended after {done} bytes")
            done += got
        os.close(file)
        return io.BytesIO(self.buffer[:len(self.bodies[index])])


class Http(Memory):
    """A connection a process, kept open."""

    def __init__(self, bodies, server):
        super().__init__(bodies)
        self.server = server
        self.connection = None
        self.owner = None

    def __getitem__(self, index):
        if self.owner != os.getpid():
            self.owner = os.getpid()
            self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        self.connection.request("GET", f"/{index}")
        return io.BytesIO(self.connection.getresponse().read())


class Locked(Memory):
    def __init__(self, bodies, hold_s):
        super().__init__(bodies)
        self.hold_s = hold_s
        self.lock = multiprocessing.Lock()

    def __getitem__(self, index):
        with self.lock:
            time.sleep(self.hold_s)
        return io.BytesIO(self.bodies[index])


class Reserved(Memory):
    """Readers take their turns on a clock that all workers share; up to `saved_s` of it that nobody
    used is kept for later."""

    def __init__(self, bodies, each_s, saved_s):
        super().__init__(bodies)
        self.each_s, self.saved_s = each_s, saved_s
        self.over_at = multiprocessing.Value("d", 0.0)

    def __getitem__(self, index):
        with self.over_at.get_lock():
            now = time.monotonic()  # one clock for all processes
            over_at = max(self.over_at.value, now - self.saved_s) + self.each_s
            self.over_at.value = over_at
        if over_at > now:
            time.sleep(over_at - now)
        return io.BytesIO(self.bodies[index])


# --- the server -----------------------------------------------------------------------------------

class Bucket:
    """Tokens are bytes: `rate` of them a second come in, up to `burst` are kept. Who takes some is
    told to wait until they are there; takers are served in the order in which they come."""

    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.empty_at = time.perf_counter()  # when all that was taken will have come in
        self.lock = threading.Lock()

    def take(self, count):
        with self.lock:
            now = time.perf_counter()
            self.empty_at = max(self.empty_at, now - self.burst / self.rate) + count / self.rate
            wait = self.empty_at - now
        if wait > 0:
            time.sleep(wait)


class Server:
    """HTTP/1.1 in a process of its own, a thread a connection."""

    def __init__(self, bodies, latency_s=0.0, rate=None, burst=0):
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        self.process = multiprocessing.Process(
            target=self.run, args=(listening, bodies, latency_s, rate, burst), daemon=True)
        self.process.start()
        listening.close()

    @staticmethod
    def run(listening, bodies, latency_s, rate, burst):
        bucket = Bucket(rate, burst) if rate else None
        while True:
            connection, _ = listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=Server.answer, daemon=True,
                             args=(connection, bodies, latency_s, bucket)).start()

    @staticmethod
    def answer(connection, bodies, latency_s, bucket):
        request = b""
        with connection:
            while True:
                while b"\r\n\r\n" not in request:
                    got = connection.recv(65536)
                    if not got:
                        return
                    request += got
                index = int(request.split(b" ", 2)[1][1:])
                request = b""
                body = memoryview(bodies[index])
                if latency_s:
                    time.sleep(latency_s)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
                for at in range(0, len(body), piece if bucket else len(body)):
                    part = body[at:at + piece] if bucket else body
                    if bucket:
                        bucket.take(len(part))
                    connection.sendall(part)

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- what the machine did meanwhile ---------------------------------------------------------------

def machine():
    """Seconds that all cores were busy and stolen so far; bytes read from all disks."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    tick = 1.0 / os.sysconf("SC_CLK_TCK")
    with open("/proc/diskstats") as file:
        rows = [line.split() for line in file]
    disks = [row for row in rows if os.path.exists(f"/sys/block/{row[2]}")]
    user, nice, system, _, _, irq, softirq, steal = ticks
    return {"busy_s": (user + nice + system + irq + softirq) * tick, "steal_s": steal * tick,
            "device_bytes": 512 * sum(int(row[5]) for row in disks)}


def wait_until_quiet(share):
    """Until others keep less than `share` of one core busy for a second."""
    while True:
        before = machine()["busy_s"] - own_cpu_s()
        time.sleep(1.0)
        if machine()["busy_s"] - own_cpu_s() - before < share:
            return


def own_cpu_s():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Meter:
    """Differences of the counters above."""

    def __init__(self, server):
        self.server = server
        self.start = self.now()

    def now(self):
        counters = {**machine(), "own_cpu_s": own_cpu_s()}
        if self.server:
            counters["server_cpu_s"] = self.server.cpu_s()
        return counters

    def read(self):
        return {key: round(value - self.start[key], 6) for key, value in self.now().items()}


# --- measuring ------------------------------------------------------------------------------------

class Timed(torch.utils.data.Dataset):
    """Reads and decodes; records the wall time of the read and the CPU time of both."""

    def __init__(self, source):
        self.images = samples.Images(source)
        self.read_s = multiprocessing.RawArray("d", len(source))
        self.cpu_s = multiprocessing.RawArray("d", len(source))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        cpu, start = time.thread_time(), time.perf_counter()
        body = self.images.files[index]
        self.read_s[index] = time.perf_counter() - start
        with self.images.open(body) as image:
            made = self.images.transform(image.convert("RGB")), 0
        self.cpu_s[index] = time.thread_time() - cpu
        return made


def epoch(source, arguments, workers, step_s):
    """One epoch of a fresh loader: seconds from making its iterator to each batch's arrival."""
    source.prepare()
    dataset = Timed(source)
    batches = len(dataset) // arguments.batch_size
    collate = probe_loader.TimedCollate(multiprocessing.RawArray("d", batches))
    loader = DataLoader(dataset, batch_size=arguments.batch_size, num_workers=workers, shuffle=True,
                        collate_fn=collate)
    meter = Meter(getattr(source, "server", None))
    start = time.perf_counter()
    loaded = iter(loader)
    started = time.perf_counter() - start
    arrivals = []
    for made in loaded:
        arrivals.append(round(time.perf_counter() - start, 6))
        if step_s:
            time.sleep(step_s)
        del made
    took = time.perf_counter() - start
    del loaded
    later = slice(workers, None)  # collates end in about the order of the batches
    return {"startup_s": round(started, 6), "epoch_s": round(took, 6), "arrivals_s": arrivals,
            "read_median_s": statistics.median(dataset.read_s),
            "read_mean_s": statistics.fmean(dataset.read_s),
            "cpu_median_s": statistics.median(dataset.cpu_s),
            "cpu_mean_s": statistics.fmean(dataset.cpu_s),
            "collate_median_s": statistics.median(list(collate.times)[later]), **meter.read()}


def repeat(work, indices, seconds, gate, results):
    """In a process of its own: what each call took, on the wall and of the CPU."""
    work(indices[0])  # opens a connection, touches a buffer
    gate.wait()
    wall, cpu = [], []
    start = time.perf_counter()
    for index in indices[1:]:
        at, used = time.perf_counter(), time.thread_time()
        if at - start > seconds:
            break
        work(index)
        cpu.append(time.thread_time() - used)
        wall.append(time.perf_counter() - at)
    results.put((start, time.perf_counter(), wall, cpu))


def alone(source, work, users, seconds):
    """`work` in so many processes at once, each with samples of its own."""
    source.prepare()
    order = list(range(len(source)))
    random.shuffle(order)
    gate, results = multiprocessing.Barrier(users), multiprocessing.SimpleQueue()
    team = [multiprocessing.Process(target=repeat,
                                    args=(work, order[u::users], seconds, gate, results))
            for u in range(users)]
    meter = Meter(getattr(source, "server", None))
    for process in team:
        process.start()
    got = [results.get() for _ in team]
    for process in team:
        process.join()
    calls = sum(len(wall) for _, _, wall, _ in got)
    return {"span_s": max(g[1] for g in got) - min(g[0] for g in got), "calls": calls,
            "wall_s": [[round(t, 7) for t in g[2]] for g in got],
            "cpu_s": [[round(t, 7) for t in g[3]] for g in got], **meter.read()}


def decoding(source):
    torch.set_num_threads(1)  # as in a worker
    images = samples.Images(source)
    return lambda index: images[index]


def jobs_of(sources, arguments):
    """(what it is, how to measure it), one for each setting."""
    for name, source in sources.items():
        kinds = [(w, 0.0) for w in (arguments.few_workers if name in fewer else arguments.workers)]
        if name not in fewer:
            kinds += [(w, arguments.step_ms / 1e3) for w in arguments.step_workers]
        for workers, step_s in kinds:
            yield ({"kind": "epoch", "source": name, "workers": workers, "step_s": step_s},
                   lambda s=source, w=workers, t=step_s: epoch(s, arguments, w, t))
    for name, source in sources.items():
        if name == "memory":
            continue
        for users in arguments.readers:
            yield ({"kind": "read", "source": name, "users": users},
                   lambda s=source, u=users: alone(s, s.__getitem__, u, arguments.seconds))
    memory = sources["memory"]
    for users in arguments.readers:
        yield ({"kind": "decode", "source": "memory", "users": users},
               lambda u=users: alone(memory, decoding(memory), u, arguments.seconds))
    images = samples.Images(memory)
    yield ({"kind": "handover", "source": "memory"},
           lambda: dict(zip(("batch_bytes", "wall_s"),
                            probe_loader.handover(images, arguments.batch_size,
                                                  arguments.handovers, 0.0035))))


def by_others(row):
    """The share of a core that others used during an epoch."""
    if "epoch_s" not in row:
        return 0.0
    return (row["busy_s"] - row["own_cpu_s"] - row.get("server_cpu_s", 0.0)) / row["epoch_s"]


def measure(sources, arguments):
    rows = []
    jobs = list(jobs_of(sources, arguments))
    begin = time.perf_counter()
    for turn in range(arguments.repeat):
        if turn and (time.perf_counter() - begin) * (turn + 1) / turn > arguments.time_limit:
            print("\nno time for another round", file=sys.stderr)
            break
        random.shuffle(jobs)
        for done, (what, job) in enumerate(jobs):
            disturbed = True
            while disturbed:  # and is measured again then; all rows are kept
                if arguments.quiet:
                    wait_until_quiet(arguments.quiet)
                at = time.perf_counter() - begin
                rows.append({"round": turn, "at_s": round(at, 3), **what, **job()})
                disturbed = bool(arguments.quiet) and by_others(rows[-1]) > arguments.quiet
            print(f"\r{turn + 1}/{arguments.repeat}: {done + 1}/{len(jobs)}", end="",
                  file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return rows


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file
                     if line.startswith("model name")), "")


def numbers(text):
    try:
        values = [int(word) for word in text.split(",")]
    except ValueError:
        values = [0]
    if min(values) < 1:
        raise argparse.ArgumentTypeError(f"expected whole numbers from 1, got {text!r}")
    return values


def parsed():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, help="the JSON file that is written")
    parser.add_argument("--scratch", default=None,
                        help="a folder on the disk to be measured (default: TMPDIR)")
    parser.add_argument("--sources", default=None, help="some of the above, with commas between")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--batches", type=int, default=48, help="of an epoch")
    parser.add_argument("--workers", type=numbers, default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--few-workers", type=numbers, default=[1, 2, 4],
                        help=f"for {', '.join(fewer)}")
    parser.add_argument("--step-workers", type=numbers, default=[2, 4], help="with a step, too")
    parser.add_argument("--step-ms", type=float, default=40.0)
    parser.add_argument("--readers", type=numbers, default=[1, 2, 4])
    parser.add_argument("--file-bytes", type=int, default=2_800_000)
    parser.add_argument("--latency-ms", type=float, default=10.0)
    parser.add_argument("--limit", type=float, default=45e6, help="bytes per second")
    parser.add_argument("--burst", type=float, default=256e3, help="bytes")
    parser.add_argument("--hold-ms", type=float, default=3.0)
    parser.add_argument("--repeat", type=int, default=4, help="rounds")
    parser.add_argument("--seconds", type=float, default=0.4, help="for each read or decode alone")
    parser.add_argument("--handovers", type=int, default=12)
    parser.add_argument("--time-limit", type=float, default=1e9,
                        help="seconds after which no round is started that would not end before")
    parser.add_argument("--quiet", type=float, default=0.0, metavar="SHARE",
                        help="begin each setting when others use less than this share of a core, "
                             "and measure an epoch again in which they used more")
    parser.add_argument("--quick", action="store_true", help="a few seconds; numbers mean nothing")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.batches, arguments.repeat, arguments.seconds = 4, 1, 0.05
        arguments.workers = arguments.few_workers = arguments.readers = [1, 2]
        arguments.step_workers, arguments.handovers = [2], 6
    if min(arguments.batch_size, arguments.batches, arguments.repeat) < 1:
        parser.error("--batch-size, --batches and --repeat: expected at least 1")
    return arguments


def sources_of(arguments, scratch):
    count = arguments.batch_size * arguments.batches
    images = os.path.join(scratch, "images")
    os.mkdir(images)
    samples.generated_images(images, min(count, 256))
    bodies = []
    for name in samples.image_files(images):
        with open(name, "rb") as file:
            bodies.append(file.read())
    bodies = [bodies[i % len(bodies)] for i in range(count)]
    image_bytes = statistics.fmean(map(len, bodies))
    wanted = arguments.sources.split(",") if arguments.sources else None
    makers = {
        "memory": lambda: Memory(bodies),
        "disk": lambda: Disk(bodies, scratch, arguments.file_bytes, True),
        "disk-buffered": lambda: Disk(bodies, scratch, arguments.file_bytes, False),
        "http-latency": lambda: Http(bodies, Server(bodies, arguments.latency_ms / 1e3)),
        "http-limit": lambda: Http(
            bodies, Server(bodies, rate=arguments.limit, burst=arguments.burst)),
        "http-paced": lambda: Http(bodies, Server(bodies, rate=arguments.limit, burst=piece)),
        "lock": lambda: Locked(bodies, arguments.hold_ms / 1e3),
        "device": lambda: Reserved(bodies, arguments.hold_ms / 1e3, 0.0),
        "limit": lambda: Reserved(bodies, image_bytes / arguments.limit,
                                  arguments.burst / arguments.limit),
    }
    if wanted and not set(wanted) <= set(makers):
        sys.exit(f"--sources: expected some of {', '.join(makers)}")
    sources = {name: make() for name, make in makers.items()
               if name == "memory" or not wanted or name in wanted}
    written = [source for source in sources.values() if isinstance(source, Disk)]
    if written:
        written[0].write()
    return sources, image_bytes


def main():
    arguments = parsed()
    warnings.filterwarnings("ignore", message="This DataLoader will create")
    torch.manual_seed(1)
    random.seed(1)
    with tempfile.TemporaryDirectory(prefix="feedrate-", dir=arguments.scratch) as scratch:
        sources, image_bytes = sources_of(arguments, scratch)
        # A process's first loader is slower than all later ones.
        epoch(sources["memory"], arguments, 1, 0.0)
        made = {
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "processor": processor(), "cores": len(os.sched_getaffinity(0)),
            "kernel": os.uname().release, "torch": torch.__version__,
            "arguments": {key: value for key, value in vars(arguments).items()
                          if key not in ("output", "scratch")},
            "image_bytes": image_bytes, "rows": measure(sources, arguments),
        }
    with open(arguments.output, "w") as file:
        head = {key: value for key, value in made.items() if key != "rows"}
        file.write(json.dumps(head)[:-1] + ', "rows": [\n')  # a row a line
        file.write(",\n".join(json.dumps(row) for row in made["rows"]) + "\n]}\n")


if __name__ == "__main__":
    main()
