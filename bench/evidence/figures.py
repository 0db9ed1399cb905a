"""How good predictions and their intervals are."""
import math
import random

from learn import LEVELS, NORMAL, median


def spans(point, row, drawn):
    """Low and high at 50, 80 and 90 %: as the program drew them with the model's error, else its
    own interval and that error together. drawn: {(file, name): ends by level}."""
    ends = drawn.get((point.file, point.name))
    if not ends:
        ends = [tuple(point.median * math.exp(side * math.hypot(
            point.own(side) * NORMAL[level] / NORMAL[2], row.half_width(level))) for side in (-1, 1))
                for level in range(len(LEVELS))]
    if not point.metric.startswith("gpu_busy"):
        return list(ends)
    # Nothing is busy for longer than always.
    return [(low, min(high, 1.0)) for low, high in ends]


def inside(point, span):
    # A share that is cut off at 1 holds a measured 1.
    return span[0] <= point.measured <= span[1] * (1 + 1e-12)


def score(point, span, level=2):
    """Gneiting and Raftery's interval score of ln(measured): less is better."""
    low, high, y = math.log(span[0]), math.log(span[1]), math.log(point.measured)
    alpha = 1.0 - LEVELS[level]
    return high - low + 2.0 / alpha * (max(0.0, low - y) + max(0.0, y - high))


def error(predicted, measured):
    return predicted / measured - 1.0


def within(errors, limit):
    return sum(abs(e) <= limit for e in errors) / len(errors)


def share_between(hits, seed=1, draws=2000):
    """A share and its 90 % interval, studies drawn anew (hits: {study: [bool]})."""
    names = sorted(hits)
    drawn = random.Random(seed)
    shares = []
    for _ in range(draws):
        chosen = [hits[names[int(drawn.random() * len(names))]] for _ in names]
        shares.append(sum(map(sum, chosen)) / sum(map(len, chosen)))
    shares.sort()
    every = [h for of in hits.values() for h in of]
    return sum(every) / len(every), shares[int(0.05 * draws)], shares[int(0.95 * draws) - 1]


def sign_test(points):
    """Studies whose middle residual is above, below, and how likely so uneven a split is."""
    by = {}
    for p in points:
        by.setdefault(p.study, []).append(p.residual)
    centres = [median(of) for of in by.values()]
    up, down = sum(c > 1e-12 for c in centres), sum(c < -1e-12 for c in centres)
    n, k = up + down, min(up, down)
    p = min(1.0, 2.0 * sum(math.comb(n, i) for i in range(k + 1)) / 2.0 ** n) if n else 1.0
    return up, down, p
