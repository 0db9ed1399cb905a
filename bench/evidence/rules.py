"""What one would say without a simulator: the rules of thumb, point by point."""
import corpus

SCALING = ("num_workers", "gpus_per_instance", "instances", "vcpus", "connections")
BUSY = ("gpu_busy", "gpu_busy_of_total", "gpu_busy_after_first_step")
TIMES = ("total_s", "epoch_s", "step_ms", "stall_s")


def faster(point, ratio):
    """What the point's metric is where throughput is `ratio` times what was predicted."""
    if point.metric in TIMES or point.metric.endswith("_usd"):
        return point.predicted / ratio
    if point.metric in BUSY:
        return min(1.0, point.predicted * ratio)
    if point.metric == "throughput_samples_per_s":
        return point.predicted * ratio
    return None


def least_of_stages(program, root, point):
    """The least of the stages' own rates beside the predicted throughput."""
    sets = [f"--set={key}={value}" for key, value in point.set.items()]
    answer = corpus.ask(program, root,
                        ["run", point.file, *sets, *corpus.host_of(point.study, point.known), "--replications", "1", "--format", "json"])
    result = answer["result"]
    rates = [stage["capacity_samples_per_s"] for stage in result["stages"]
             if stage["capacity_samples_per_s"]]
    if not rates or not result["throughput_samples_per_s"]:
        return None
    return faster(point, min(rates) / result["throughput_samples_per_s"])


def last_word(key):
    return key.replace("/", ".").split(".")[-1]


def linear(point, cases):
    """In proportion from the nearest fitted point that differs in workers, GPUs or instances only."""
    best = None
    for base in cases:
        if base["role"] != "fitted" or base["metric"] != point.metric:
            continue
        ratio, keys = 1.0, 0
        mine, theirs = dict(point.set), dict(base["set"])
        # As many samples as make an epoch long enough to measure.
        for key in ("samples", "/dataset/samples", "dataset.samples"):
            mine.pop(key, None), theirs.pop(key, None)
        for key in set(mine) | set(theirs):
            if mine.get(key) == theirs.get(key):
                continue
            try:
                change = float(mine[key]) / float(theirs[key])
            except (KeyError, ValueError, ZeroDivisionError):
                break
            if last_word(key) not in SCALING or change <= 0.0:  # nothing is in proportion to no workers
                break
            ratio *= change
            keys += 1
        else:
            if keys and (best is None or abs(ratio) < abs(best[1])):
                best = base, ratio
    if best is None:
        return None
    base, ratio = best
    if point.metric == "throughput_samples_per_s":
        return base["measured"] * ratio
    if point.metric == "total_s":
        return base["measured"] / ratio
    return base["measured"] if point.metric in BUSY else None


def add(program, root, studies):
    """To each point: least of the stages' rates, and in proportion."""
    points = [p for study in studies.values() for p in study.points if not p.study.startswith(corpus.OWN)]
    least = corpus.together(lambda p: least_of_stages(program, root, p), points)
    of_files = {p.file: p for p in points}
    cases = {path: corpus.ask(program, root, ["cases", path, *corpus.host_of(p.study, p.known), "--format", "json"])
             for path, p in sorted(of_files.items())}
    for point, value in zip(points, least):
        if value and value > 0:
            point.rules["least of the stages"] = value
        value = linear(point, cases[point.file]["scenarios"][0]["cases"])
        if value and value > 0:
            point.rules["in proportion"] = value
