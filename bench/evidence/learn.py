"""The model's own error, learned from studies: robust, and with the study as the unit.

A residual is r = ln(measured / predicted) = bias + u + e: u is common to a study, e is each point's.
Both follow Student's t with the same degrees of freedom. Studies are the unit: a study of many points
weighs by their root, and each centre is a vote of studies; a class borrows from all others with the
weight of a few studies, so that a class of two does not believe its two. What the program's own interval holds already is taken off:
of a miss of r beside an own half-width of h, √(r² − h²) is left for the model's error.
"""
import math
from dataclasses import dataclass

from corpus import CLASSES, NINETY

BORROWED = 6.0  # studies that the rest of the corpus weighs in a class
LEAST = 0.005  # nothing is known better than half a percent
KNOWN = ("nothing", "fitted", "profile")
DEGREES = (2, 3, 4, 5, 6, 8, 10, 15, 30)
# Student's t: 75 %, 90 % and 95 % by degrees of freedom: half-widths of 50, 80 and 90 %.
STUDENT = {2: (0.8165, 1.8856, 2.9200), 3: (0.7649, 1.6377, 2.3534), 4: (0.7407, 1.5332, 2.1318), 5: (0.7267, 1.4759, 2.0150),
           6: (0.7176, 1.4398, 1.9432), 8: (0.7064, 1.3968, 1.8595), 10: (0.6998, 1.3722, 1.8125),
           15: (0.6912, 1.3406, 1.7531), 30: (0.6828, 1.3104, 1.6973)}
NORMAL = (0.6745, 1.2816, NINETY)
LEVELS = (0.5, 0.8, 0.9)


@dataclass
class ClassError:
    name: str
    bias: float
    between: float
    within: float
    degrees: int
    points: int
    studies: int
    median_abs: float  # |measured / predicted - 1|
    factor: float  # nine of ten within times or over this
    reach: float = 1.0  # by so much of what is drawn for a stage, times of jobs vary

    def half_width(self, level):
        return math.hypot(self.between, self.within) * STUDENT[self.degrees][level]


def quantile(values, share):
    """Of (value, weight)."""
    values = sorted(values)
    wanted = share * sum(weight for _, weight in values)
    for value, weight in values:
        wanted -= weight
        if wanted <= 1e-12:
            return value
    return values[-1][0]


def median(values):
    values = sorted(values)
    half = len(values) // 2
    return (values[half] + values[~half]) / 2


def left_over(point):
    """The part of a point's miss that the program's own interval does not explain, in ln."""
    off = point.residual
    return math.sqrt(max(0.0, off * off - point.own(off) ** 2))


def groups_of(studies, chosen):
    """Points that are chosen, study by study: {id: points} → [points]."""
    groups = [[p for p in points if chosen(p)] for points in studies.values()]
    return [group for group in groups if group]


def centre_of(groups, parent):
    """Of the studies' middle residuals the middle; few studies are held to their parent's."""
    if not groups:
        return parent
    own = median([median([p.residual for p in group]) for group in groups])
    return (len(groups) * own + BORROWED * parent) / (len(groups) + BORROWED)


def quantiles_of(groups):
    """Half-widths at LEVELS; the bias is covered, not taken off. A study of many points weighs more than one of few, by their root."""
    spread = [(left_over(p), len(group) ** -0.5) for group in groups for p in group]
    return [max(LEAST, quantile(spread, level)) for level in LEVELS]


def towards(own, parent, count):
    return [math.exp((count * math.log(a) + BORROWED * math.log(b)) / (count + BORROWED))
            for a, b in zip(own, parent)]


def share_within(groups):
    """How much of the scale is each point's own: from studies that have several."""
    inner = [(abs(p.residual - median([q.residual for q in group])), len(group) ** -0.5)
             for group in groups if len(group) > 2 for p in group]
    outer = [(abs(p.residual), len(group) ** -0.5) for group in groups for p in group]
    if not inner:
        return 0.5
    return min(0.9, max(0.1, quantile(inner, 0.8) / max(LEAST, quantile(outer, 0.8))))


def row_from(name, groups, bias, wide, inner):
    degrees = min(DEGREES, key=lambda d: abs(math.log(wide[2] / wide[0]) -
                                             math.log(STUDENT[d][2] / STUDENT[d][0])))
    # What is learned of n studies is applied to one that is none of them.
    beyond = 1.0 + 2.0 / (len(groups) + BORROWED)
    scale = wide[2] / STUDENT[degrees][2] * beyond
    every = [p for group in groups for p in group]
    off = [(abs(p.measured / p.median - 1.0), len(group) ** -0.5) for group in groups for p in group]
    ln_off = [(abs(p.residual), len(group) ** -0.5) for group in groups for p in group]
    return ClassError(name, bias, scale * math.sqrt(1.0 - inner * inner), scale * inner, degrees,
                      len(every), len(groups), quantile(off, 0.5), math.exp(quantile(ln_off, 0.9)))


def ordered(rows, name):
    """Who knows more of a job is no less sure of it. Rows of one class are learned of different studies, and where few of them
    say otherwise, neighbours that contradict each other have their common width, each weighing by its studies."""
    blocks = []
    for row in (rows[f"{name}/{known}"] for known in KNOWN if f"{name}/{known}" in rows):
        blocks.append(([row], math.log(row.half_width(2)), row.studies))
        while len(blocks) > 1 and blocks[-1][1] > blocks[-2][1]:
            (after, b, m), (before, a, n) = blocks.pop(), blocks.pop()
            blocks.append((before + after, (a * n + b * m) / (n + m), n + m))
    for members, width, _ in blocks:
        for row in members:
            factor = math.exp(width) / row.half_width(2)
            row.between *= factor
            row.within *= factor


def table(studies, out=None):
    """Rows by name, without the study `out`: any, any/KNOWN, CLASS, CLASS/KNOWN."""
    left = {key: study.points for key, study in studies.items() if key != out and study.points}
    every = groups_of(left, lambda p: True)
    inner = share_within(every)
    bias = centre_of(every, 0.0)
    wide = quantiles_of(every)
    rows = {"any": row_from("any", every, bias, wide, inner)}
    by_known = {}
    for known in KNOWN:
        groups = groups_of(left, lambda p: p.known == known)
        own = centre_of(groups, bias)
        by_known[known] = towards(quantiles_of(groups), wide, len(groups)) if groups else wide
        if groups:
            rows[f"any/{known}"] = row_from(f"any/{known}", groups, own, by_known[known], inner)
    for name in CLASSES:
        groups = groups_of(left, lambda p: p.kind == name)
        if not groups:
            continue
        of_class = centre_of(groups, bias)
        class_wide = towards(quantiles_of(groups), wide, len(groups))
        rows[name] = row_from(name, groups, of_class, class_wide, inner)
        for known in KNOWN:
            both = groups_of(left, lambda p: p.kind == name and p.known == known)
            if not both:
                continue
            own = centre_of(both, of_class)
            # What the class does and what being known does, one upon the other.
            parent = [c * k / a for c, k, a in zip(class_wide, by_known[known], wide)]
            rows[f"{name}/{known}"] = row_from(f"{name}/{known}", both, own,
                                               towards(quantiles_of(both), parent, len(both)), inner)
    for name in ("any", *CLASSES):
        ordered(rows, name)
    return rows


def drawn_beside(point, row, ends):
    """Half-width of a drawn 90 % interval, beside that of the job's errors that it was drawn for."""
    own = (point.own(1) + point.own(-1)) / 2
    return math.log(ends[1] / ends[0]) / 2 / math.hypot(row.half_width(2), own)


def let_reach(rows, points, out=None):
    """Errors are learned of whole jobs and drawn for stages. A stage twice as slow makes a job less than that, where other stages
    and constants have a part in it: rows are widened by what their intervals lack. `points`: (point, drawn_beside) by study."""
    by_row = {}
    for study, ratios in points.items():
        if study == out:
            continue
        own = {}
        for point, ratio in ratios:
            for name in {"any", point.kind, f"{point.kind}/{point.known}"}:
                own.setdefault(name, []).append(math.log(ratio))
        for name, of_study in own.items():
            by_row.setdefault(name, []).append(median(of_study))
    for name, row in rows.items():
        reach = 0.0
        for level in dict.fromkeys(("any", name.split("/")[0], name)):
            found = by_row.get(level, [])
            if found:
                reach = (len(found) * median(found) + BORROWED * reach) / (len(found) + BORROWED)
        row.reach = math.exp(reach)


def row_of(rows, point):
    """The narrowest row that there is."""
    for name in (f"{point.kind}/{point.known}", point.kind, f"any/{point.known}"):
        if name in rows:
            return rows[name]
    return rows["any"]
