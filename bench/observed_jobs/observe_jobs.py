#!/usr/bin/env python3
"""Observes real PyTorch loops, makes a scenario of each observation, and asks it for settings that were not observed.

  bench/observed_jobs/observe_jobs.py measure --program build/feedrate -o DIR   runs, observes and measures (some minutes)
  bench/observed_jobs/observe_jobs.py table --program build/feedrate DIR        fits and predicts again from what DIR holds
"""
import argparse
import contextlib
import datetime
import gzip
import http.server
import json
import multiprocessing
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import throttle

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"

# Of all CPUs, used by programs that are no part of the job.
disturbed = 0.1

# What is observed, and what limits it: of the fitted scenario's bottleneck the stage.
JOBS = {
    "one worker": dict(workers=1, batch=16, step=20.0, cpu=6.0, limit="decode"),
    "workers beyond the cores": dict(workers=2 * (os.cpu_count() or 1), batch=16, step=15.0, cpu=6.0, limit="decode"),
    "slow reads": dict(workers=2, batch=16, step=20.0, cpu=1.0, wait=8.0, limit="disk"),
    "throttled disk": dict(workers=2, batch=16, step=20.0, cpu=1.0, sample=65536, limit_mib=10.0, limit="disk"),
    "slow store": dict(workers=2, batch=16, step=20.0, cpu=1.0, store=8.0, limit="disk"),
    "slow GPU": dict(workers=2, batch=16, step=120.0, cpu=3.0, limit="gpu"),
    # As many threads that never wait, of programs that are no part of the job.
    "busy neighbours": dict(workers=1, batch=16, step=5.0, cpu=3.0, neighbours=(os.cpu_count() or 1) + 1, limit="decode"),
    "reads beside them": dict(workers=2, batch=16, step=5.0, cpu=1.0, wait=20.0, neighbours=(os.cpu_count() or 1) + 1, limit="disk"),
    "started by another": dict(workers=1, batch=16, step=20.0, cpu=6.0, launcher=True, limit="decode"),
    # The work of a sample under a lock that all workers share: one after the other, as reads of a device that serves one.
    "a lock": dict(workers=2, batch=16, step=20.0, cpu=6.0, lock=True, limit="disk", says="a lock lets through"),
    # torchrun starts the ranks, which wait for each other in each step.
    "two ranks": dict(workers=1, batch=8, step=20.0, cpu=5.0, ranks=2, limit="decode"),
}


def settings_of(job):
    """The job as it is observed, and with other workers, another batch size, another step; of a disk with a limit, another limit."""
    other = {1: 2, 2: 3}.get(job["workers"], job["workers"] // 2)
    return {
        "observed": job,
        f"{other} workers": {**job, "workers": other},
        f"batch {job['batch'] * 2}": {**job, "batch": job["batch"] * 2},
        f"step {job['step'] * 2:g} ms": {**job, "step": job["step"] * 2},
        **({f"limit {job['limit_mib'] * 2:g} MiB/s": {**job, "limit_mib": job["limit_mib"] * 2}} if "limit_mib" in job else {}),
    }


def serve(delay, port):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            time.sleep(delay)
            body = bytes(20_000)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.send(server.server_address[1])
    server.serve_forever()


def spin():
    while True:
        pass


def busy_of_machine():
    """CPU seconds that were used on this machine since it started."""
    fields = [int(field) for field in open("/proc/stat").readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def busy_of_ended():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def quietly(run, tries):
    """Runs until other programs use less than a tenth of the CPUs meanwhile; else keeps the quietest try."""
    best = None
    for _ in range(tries):
        begin, machine, ended = time.monotonic(), busy_of_machine(), busy_of_ended()
        result = run()
        others = busy_of_machine() - machine - (busy_of_ended() - ended)
        share = max(0.0, others / (time.monotonic() - begin) / os.cpu_count())
        if best is None or share < best[0]:
            best = (share, result)
        if share < disturbed:
            break
    return best


def write_samples(path):
    """A file that samples are read from, on the disk."""
    with open(path, "wb") as file:
        for _ in range(256):
            file.write(os.urandom(1 << 20))
        os.fsync(file.fileno())


def run_job(job, blocks, seconds, log, before=(), samples=None):
    # As programs are that start a rank: a Python which waits for the one that trains.
    launcher = [PYTHON, "-c", "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"] if job.get("launcher") else []
    if "ranks" in job:
        # Both streams of each rank are named: without, torchrun of PyTorch 1.13 ends with an error under Python 3.11.
        def each(stream):
            return ",".join(f"{rank}:{stream}" for rank in range(job["ranks"]))

        launcher = [PYTHON, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={job['ranks']}",
                    "--redirects", each(1), "--tee", each(2), "--log_dir", str(log.parent / "ranks")]
    program = [] if "ranks" in job else [PYTHON]
    command = [*before, *launcher, *program, str(HERE / "job.py"), "--workers", str(job["workers"]), "--batch", str(job["batch"]),
               "--step-ms", str(job["step"]), "--blocks", str(blocks), "--wait-ms", str(job.get("wait", 0.0)),
               "--seconds", str(seconds), "--log", str(log), *(["--lock"] if job.get("lock") else [])]
    server = None
    if "store" in job:
        here, there = multiprocessing.Pipe()
        server = multiprocessing.Process(target=serve, args=(job["store"] / 1e3, there), daemon=True)
        server.start()
        command += ["--store", f"http://127.0.0.1:{here.recv()}/"]
    neighbours = [multiprocessing.Process(target=spin, daemon=True) for _ in range(job.get("neighbours", 0))]
    group = contextlib.nullcontext()
    if "limit_mib" in job:
        command += ["--file", str(samples), "--sample-bytes", str(job["sample"])]
        group = throttle.throttled(samples.parent, round(job["limit_mib"] * (1 << 20)))
    for neighbour in neighbours:
        neighbour.start()
    try:
        with group as members:
            def join():
                if members:
                    members.write_text(str(os.getpid()))

            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=join)
    finally:
        for process in [*neighbours, *([server] if server else [])]:
            process.terminate()
            process.join()


def throughput(log, job):
    """Samples a second after the first 2 W steps."""
    times = [float(line.split("Time ")[1].split()[0]) for line in log.splitlines() if line.startswith("Epoch")]
    times = times[2 * job["workers"] + 1:]
    return job["batch"] * job.get("ranks", 1) * len(times) / sum(times), len(times)


def measure(args):
    sys.path.insert(0, str(HERE))
    import job as looped
    args.output.mkdir(parents=True, exist_ok=True)
    a_millisecond = looped.work_of(100.0) / 100.0
    about = {"date": datetime.date.today().isoformat(), "cpus": os.cpu_count(), "python": platform.python_version(),
             "torch": looped.torch.__version__, "seconds": args.seconds,
             "jobs": {}}
    with tempfile.TemporaryDirectory(dir=args.disk) as folder:
        samples = pathlib.Path(folder) / "samples"
        for name, job in JOBS.items():
            if args.only and name not in args.only:
                continue
            if "limit_mib" in job:
                try:
                    with throttle.throttled(folder, 1 << 20):
                        pass
                except throttle.CannotThrottle as error:
                    about.setdefault("left_out", {})[name] = str(error)
                    print(f"{name}: left out: {error}", file=sys.stderr)
                    continue
                write_samples(samples)
            slug = name.replace(" ", "_")
            blocks = max(1, round(job["cpu"] * a_millisecond))
            entry = {"job": job, "blocks": blocks, "measured": {}}
            # The observed setting again among the others: what the machine itself changes meanwhile.
            for setting, changed in [*settings_of(job).items(), ("observed again", job)]:
                log = pathlib.Path(folder) / "train.log"
                observation = pathlib.Path(folder) / "obs.jsonl"
                before = []
                if setting == "observed":
                    before = [args.program, "observe", "--interval", "200ms", "--output", str(observation), "--"]

                def once():
                    run_job(changed, blocks, args.seconds, log, before, samples)
                    return log.read_text(), observation.read_bytes() if before else b""

                others, (text, lines) = quietly(once, args.tries)
                # A time of day in a log would be taken for that of the lines after it.
                started, text = text.split("\n", 1)
                rate, steps = throughput(text, changed)
                entry["measured"][setting] = {"set": changed, "samples_per_s": rate, "steps": steps,
                                              "others": round(others, 4)}
                if setting == "observed":
                    entry["started"] = started.split()[1]
                    (args.output / f"{slug}.log.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
                    (args.output / f"{slug}.jsonl.gz").write_bytes(gzip.compress(anywhere(lines, log), mtime=0))
                print(f"{name}, {setting}: {rate:.1f} samples/s over {steps} steps, others {100 * others:.0f} %", file=sys.stderr)
            about["jobs"][name] = entry
    (args.output / "measured.json").write_text(json.dumps(about, indent=1) + "\n")


def feedrate(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(words)}: {done.stderr}")
    return done.stdout


def anywhere(lines, log):
    """The observation without this machine's paths."""
    lines = lines.replace(str(HERE).encode(), b"bench/observed_jobs").replace(str(log).encode(), log.name.encode())
    lines = lines.replace(str(log.parent).encode() + b"/", b"")
    return re.sub(rb"--file \S+/samples", b"--file samples", lines)


def table(args):
    about = json.loads((args.folder / "measured.json").read_text())
    rows, errors, quiet, right = [], [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, entry in about["jobs"].items():
            slug = name.replace(" ", "_")
            job = entry["job"]
            log = args.folder / f"{slug}.log.gz"
            start = entry["started"]
            scenario = os.path.join(folder, f"{slug}.json")
            feedrate(args.program, "observe", "fit", str(args.folder / f"{slug}.jsonl.gz"), str(log), "--start", start,
                     "--batch-size", str(job["batch"]), "--gpus", str(job.get("ranks", 1)), "-o", scenario)
            step = json.loads(feedrate(args.program, "observe", "fit", str(args.folder / f"{slug}.jsonl.gz"), str(log),
                                       "--start", start, "--batch-size", str(job["batch"]), "--gpus", str(job.get("ranks", 1)), "--format",
                                       "json"))["job"]["step"]["fixed"]
            number, unit = step.split()
            milliseconds = float(number) * {"s": 1e3, "ms": 1.0, "us": 1e-3}[unit]
            for setting, measured in entry["measured"].items():
                changed = measured["set"]
                words = ["run", scenario, "--format", "json", "--set", f"num_workers={changed['workers']}", "--set",
                         f"batch_size={changed['batch']}", "--set",
                         f"/job/step/fixed={milliseconds + changed['step'] - job['step']:.4f} ms"]
                if changed.get("limit_mib") != job.get("limit_mib"):
                    words += ["--set", f"/disk/bandwidth={changed['limit_mib'] * (1 << 20) / 1e6} MB/s"]
                result = json.loads(feedrate(args.program, *words))["result"]
                predicted = result["throughput_samples_per_s"]
                error = predicted / measured["samples_per_s"] - 1.0
                bottleneck = result["bottleneck"]["stage"]
                if setting == "observed":
                    fitted = " ".join(json.loads(pathlib.Path(scenario).read_text())["about"]["fitted"])
                    right += bottleneck == job["limit"] and job.get("says", "") in fitted
                if not setting.startswith("observed"):
                    errors.append(abs(error))
                    if max(measured["others"], entry["measured"]["observed"]["others"]) < disturbed:
                        quiet.append(abs(error))
                rows.append((name, setting, measured["samples_per_s"], predicted, error, measured["others"], bottleneck))
    print(f"{'job':26}{'setting':18}{'measured':>10}{'predicted':>11}{'error':>11}  {'others':>6}  bottleneck")
    for name, setting, seen, predicted, error, others, bottleneck in rows:
        print(f"{name:26}{setting:18}{seen:10.1f}{predicted:11.1f}{100 * error:+9.1f} %{100 * others:6.0f} %  {bottleneck}")

    def summary(of):
        return f"{100 * statistics.median(of):.1f} % in the median, {100 * max(of):.1f} % at worst, of {len(of)}"

    print(f"Settings that were not observed: {summary(errors)}.")
    if quiet and len(quiet) < len(errors):
        print(f"Where other programs used less than {100 * disturbed:.0f} % of the CPUs: {summary(quiet)}.")
    print(f"{right} of {len(about['jobs'])} bottlenecks named rightly from the observation alone.")
    for name, why in about.get("left_out", {}).items():
        print(f"Left out: {name} ({why}).")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("measure")
    one.add_argument("--program", default="build/feedrate")
    one.add_argument("--seconds", type=float, default=8.0)
    one.add_argument("--tries", type=int, default=4, help="of a run that other programs disturb")
    one.add_argument("--only", action="append", choices=list(JOBS), help="this job; more than once for several")
    one.add_argument("--disk", help="a folder on the disk that is throttled; where temporary files lie by default")
    one.add_argument("-o", "--output", type=pathlib.Path, required=True)
    one.set_defaults(do=measure)
    two = commands.add_parser("table")
    two.add_argument("--program", default="build/feedrate")
    two.add_argument("folder", type=pathlib.Path)
    two.set_defaults(do=table)
    args = parser.parse_args()
    args.do(args)


if __name__ == "__main__":
    main()
