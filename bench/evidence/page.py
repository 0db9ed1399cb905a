"""docs/accuracy.md and its plots."""
import math
import textwrap

import plots
from corpus import CLASSES, OWN
from figures import error, inside, score, share_between, sign_test, spans, within
from learn import LEVELS, median, quantile, row_of

PAGE = "docs/accuracy.md"
NAMES = {"storage": "storage", "cpu": "CPU", "copies": "copies", "gpu": "GPU",
         "scale_out": "scale-out", "any": "start-up"}
KNOWN = {"nothing": "nothing measured there", "fitted": "numbers fitted on the same job",
         "profile": "a profile of the host"}
RULES = ("least of the stages", "in proportion")


def percent(value, digits=0):
    text = f"{value * 100:.{digits}f}"
    return ("−" + text[1:] if text.startswith("-") and float(text) else text.lstrip("-")) + " %"


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "|".join(
        " --- " if i == 0 else " ---: " for i in range(len(columns))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


class Judged:
    """A point, and what was said of it without its study."""

    def __init__(self, point, rows, drawn, pooled):
        self.p = point
        self.row = row_of(rows, point)
        self.spans = spans(point, self.row, drawn)
        self.held = [inside(point, span) for span in self.spans]
        own = point.band or (point.predicted,) * 3
        self.own = own[0], own[2]
        self.pooled = point.median / pooled, point.median * pooled

    @property
    def error(self):
        return error(self.p.predicted, self.p.measured)

    @property
    def width(self):
        return math.sqrt(self.spans[2][1] / self.spans[2][0])


def pooled_factor(studies, out):
    """The simplest thing that holds: one quantile of all other studies' errors."""
    left = [(abs(p.residual), 1.0 / len(s.points)) for k, s in studies.items() if k != out for p in s.points]
    count = sum(w for _, w in left)
    return math.exp(quantile(left, min(1.0, 0.9 * (count + 1) / count)))


def hits(judged, level=2):
    by = {}
    for one in judged:
        by.setdefault(one.p.study, []).append(one.held[level])
    return by


def summary_row(name, judged):
    errors = [one.error for one in judged]
    share, low, high = share_between(hits(judged))
    up, down, p = sign_test([one.p for one in judged])
    bias = math.exp(median([one.p.residual for one in judged])) - 1
    return [name, len(judged), len({one.p.study for one in judged}), percent(median([abs(e) for e in errors]), 1),
            percent(within(errors, 0.1)), percent(within(errors, 0.25)),
            f"{percent(bias, 1)} ({up} up, {down} down, p = {p:.2f})",
            f"{percent(share)} ({percent(low)} … {percent(high)})",
            f"× {median([one.width for one in judged]):.2f}",
            f"{mean([score(one.p, one.spans[2]) for one in judged]):.2f}"]


def mean(values):
    return sum(values) / len(values)


COLUMNS = ["", "points", "studies", "median error", "within 10 %", "within 25 %",
           "bias", "in the 90 % interval", "its half-width", "score"]


def chosen(judged):
    """All that others measured, by class, by what was known; then what was measured here."""
    own = [one for one in judged if one.p.study.startswith(OWN)]
    judged = [one for one in judged if not one.p.study.startswith(OWN)]
    yield "published by others", judged
    for kind in (*CLASSES, "any"):
        of = [one for one in judged if one.p.kind == kind]
        if of:
            yield f"bound by {NAMES[kind]}" if kind != "any" else "start-up", of
        alone = [one for one in of if one.p.bound_by == "all_reduce"]
        if alone:
            yield "– of these, jobs", [one for one in of if one not in alone]
            yield "– of these, all-reduces alone", alone
    for known, words in KNOWN.items():
        of = [one for one in judged if one.p.known == known]
        if of:
            yield words, of
    if own:
        yield "this project's own benchmarks", own


def floor_rows(judged):
    """Median errors as they are, and with the middle miss of each study of three points or more taken off."""
    by = {}
    for one in judged:
        by.setdefault(one.p.study, []).append(math.log(one.p.predicted / one.p.measured))
    middle = {study: median(of) for study, of in by.items() if len(of) > 2}
    for name, of in chosen(judged):
        of = [one for one in of if one.p.study in middle]
        if len(of) < 20:
            continue
        left = [math.expm1(math.log(one.p.predicted / one.p.measured) - middle[one.p.study]) for one in of]
        yield [name, len(of), percent(median([abs(one.error) for one in of]), 1),
               percent(median([abs(e) for e in left]), 1)]


def coverage_rows(judged):
    rows = []
    for level, nominal in enumerate(LEVELS):
        share, low, high = share_between(hits(judged, level))
        rows.append((nominal, share, low, high))
    return rows


def rivals(judged):
    """Intervals of others over the same points."""
    own = mean([one.own[0] <= one.p.measured <= one.own[1] for one in judged])
    pooled = mean([one.pooled[0] <= one.p.measured <= one.pooled[1] for one in judged])
    return [
        ["this program, with the model's error", percent(mean([one.held[2] for one in judged])),
         f"× {median([one.width for one in judged]):.2f}", f"{mean([score(one.p, one.spans[2]) for one in judged]):.2f}"],
        ["its inputs' errors alone", percent(own),
         f"× {median([math.sqrt(one.own[1] / one.own[0]) for one in judged]):.2f}",
         f"{mean([score(one.p, one.own) for one in judged]):.2f}"],
        ["times or over one number for all", percent(pooled),
         f"× {median([math.sqrt(one.pooled[1] / one.pooled[0]) for one in judged]):.2f}",
         f"{mean([score(one.p, one.pooled) for one in judged]):.2f}"]]


def rule_rows(judged):
    for name, of in chosen(judged):
        for rule in RULES:
            both = [one for one in of if rule in one.p.rules]
            if not both:
                continue
            ours = median([abs(one.error) for one in both])
            theirs = median([abs(error(one.p.rules[rule], one.p.measured)) for one in both])
            nearer = mean([abs(math.log(one.p.predicted / one.p.measured)) <
                           abs(math.log(one.p.rules[rule] / one.p.measured)) - 1e-6 for one in both])
            further = mean([abs(math.log(one.p.predicted / one.p.measured)) >
                            abs(math.log(one.p.rules[rule] / one.p.measured)) + 1e-6 for one in both])
            verdict = "better" if ours < 0.9 * theirs else ("**worse**" if ours > 1.1 * theirs else "no better")
            yield [name, rule, len(both), percent(ours, 1), percent(theirs, 1), percent(nearer),
                   percent(further), verdict]


def missed(studies, judged):
    rows = []
    for key, study in studies.items():
        of = [one for one in judged if one.p.study == key]
        if not of:
            continue
        off = math.exp(median([abs(math.log(one.p.measured / one.p.predicted)) for one in of]))
        ups = sum(one.p.measured > one.p.predicted for one in of)
        why = next((document["about"]["expectation"] for _, document in study.files
                    if document["about"].get("expectation")), "") if off > 1.2 else ""
        notes = [one.p.note for one in of if one.p.note and abs(one.error) > 0.05]
        rows.append((off, [key, NAMES[of[0].p.kind], len(of), f"× {off:.2f}",
                           "too low" if ups > len(of) / 2 else "too high",
                           percent(mean([one.held[2] for one in of])),
                           percent(of[0].p.noise, 1) if of[0].p.noise else "", why or (notes[0] if notes else "")]))
    rows.sort(key=lambda row: (-row[0], row[1][0]))
    return [row for _, row in rows]


def bound_rows(published):
    """What was to be reached (leave one study out, of what others published), what is, and whether."""
    def errors(of):
        return median([abs(one.error) for one in of])
    kinds = {kind: [one for one in published if one.p.kind == kind] for kind in CLASSES}
    floors = {name: left for name, _, _, left in floor_rows(published)}
    held = mean([one.held[2] for one in published])
    shares = [mean([one.held[2] for one in of]) for of in kinds.values() if len(of) >= 20]
    bias = math.exp(median([one.p.residual for one in published])) - 1
    ours, alone, pooled = (float(row[3]) for row in rivals(published))
    verdicts = {}
    for row in rule_rows(published):
        verdicts.setdefault(row[0], []).append(row[-1])
    beaten = [name for name, of in verdicts.items() if "better" not in of]

    def row(what, wanted, value, met, why=""):
        return [what, wanted, value, "met" if met else "**missed**", why]

    yield row("90 % intervals hold", "85 to 95 %", percent(held), 0.85 <= held <= 0.95)
    yield row("– of each class of 20 points or more", "80 to 97 %",
              f"{percent(min(shares))} to {percent(max(shares))}", 0.8 <= min(shares) and max(shares) <= 0.97)
    yield row("bias, either way", "under 2 %", percent(bias, 1), abs(bias) < 0.02)
    yield row("interval score, beside one number for all", "clearly less", f"{ours:.2f}, {pooled:.2f}", ours < 0.9 * pooled)
    yield row("interval score, beside inputs' errors alone", "half", f"{ours:.2f}, {alone:.2f}", ours <= 0.5 * alone,
              "" if ours <= 0.5 * alone else "The widths that hold what studies show are wider than inputs' alone, and most of a score is width")
    for name, of, bar, floor in (("all", published, 0.06, "published by others"), ("CPU", kinds["cpu"], 0.09, "bound by CPU"),
                                 ("scale-out", kinds["scale_out"], 0.06, "bound by scale-out")):
        if not of:
            continue
        met = errors(of) <= bar
        yield row(f"median error, {name}", f"{percent(bar)} at most", percent(errors(of), 1), met, "" if met else
                  f"{floors[floor]} is left where each study's own median error is known beforehand and taken off")
    yield row("nearer than the rule of thumb", "each class", f"all but {', '.join(beaten)}" if beaten else "each", not beaten)


def freezes(frozen, studies):
    """All studies that one program predicted before any was looked at: what it said then, together."""
    by = {}
    for one in frozen:
        by.setdefault((one["date"], one["commit"]), []).append(one)
    for (date, commit), group in by.items():
        points = [(one["study"], case, p) for one in group for case, p in then_of(one, studies)]
        for name, of in (("all", points), ("– NCCL alone", [p for p in points if p[1]["bound_by"] == "all_reduce"]),
                         ("– the others", [p for p in points if p[1]["bound_by"] != "all_reduce"])):
            if not of or (name != "all" and len(of) == len(points)):
                continue
            held = [p["band"][0] <= case["measured"] <= p["band"][2] for _, case, p in of if p["band"]]
            yield [f"{date}, {commit}" if name == "all" else name, len({study for study, _, _ in of}), len(of),
                   percent(median([abs(error(p["predicted"], case["measured"])) for _, case, p in of]), 1),
                   share_of(held, of)]


def share_of(held, points):
    """How many of the points that had an interval lay in it, and how many that was where some had none."""
    if not held:
        return "–"
    return percent(mean(held)) + (f" of {len(held)}" if len(held) < len(points) else "")


def then_of(one, studies):
    """Points of a frozen study that were predictions then, as (case of today, what was said)."""
    cases = studies[one["study"]].cases if one["study"] in studies else {}
    return [(cases[one["part"], p["name"]], p) for p in one["points"]
            if p["role"] == "predicted" and (one["part"], p["name"]) in cases]


def frozen_rows(frozen, studies):
    """What was said then, of points that were predictions then; today's errors of those that still are."""
    for one in frozen:
        then = then_of(one, studies)
        if not then:
            continue
        held = [p["band"][0] <= case["measured"] <= p["band"][2] for case, p in then if p["band"]]
        now = [abs(error(case["predicted"], case["measured"])) for case, _ in then
               if case["role"] == "predicted"]
        name = ": ".join(filter(None, (one["study"], one["part"])))
        yield [name, one["date"], f'{one["version"]}, {one["commit"]}', len(then),
               percent(median([abs(error(p["predicted"], case["measured"])) for case, p in then]), 1),
               share_of(held, then), len(then) - len(now) or "",
               percent(median(now), 1) if now else "–"]


def pages(studies, tables, drawn, whole, frozen, lacking):
    judged = []
    for key, study in studies.items():
        pooled = pooled_factor(studies, key)
        judged += [Judged(point, tables[key], drawn, pooled) for point in study.points]
    published = [one for one in judged if not one.p.study.startswith(OWN)]
    by_others = {one.p.study for one in published}
    fitted = sum(s.fitted for s in studies.values())
    identities = sum(s.identities for s in studies.values())
    cover = coverage_rows(published)
    total = summary_row("all", published)
    text = f"""# How accurate feedrate is

{len(published)} measurements that others published in {len(by_others)} studies, each predicted with what the other studies taught: the median
error is {total[3]}, {total[4]} lie within 10 % and {total[5]} within 25 %; the 90 % intervals hold {total[7]}, and
half of them are narrower than times or over {median([one.width for one in published]):.2f}.

`bench/evidence/judge --write` makes this page, its plots and the table of the model's error; `.ci/nightly evidence` holds what is
committed to what the program makes. The studies are [scenarios](../scenarios/published/README.md) with their sources: `feedrate cases FILE`
judges each. What a study taught of the numbers in `bench/evidence/priors.json` is left out with it; what is engineering judgement
(`src/resolve/assumptions.hpp`) stays, though some of it names a study that stands here: the hand-over and how it varies (MLPerf
Storage v1.0), how reading varies (MLPerf Storage), how making a batch varies (Lotus), a pickled batch (imread), tensors of a batch one by one (RF-DETR), spawned workers (SPDL),
a host's share of its line (s3-benchmark). Likewise the form of some laws was chosen with studies in view: trees of NVSwitches, TCP beside
sockets, networks without RDMA writes, how much of a step scaling out is off by, how cores lose that are busy beside one another, and how steps
lose beside other GPUs of an instance. The studies that were predicted before they were looked at, below, have none of that.
Not counted: {fitted} points that a number was fitted on and {identities} that follow from such a one by arithmetic.
Of {len(lacking) + len(studies)} studies, {len(lacking)} ({percent(len(lacking) / max(1, len(lacking) + len(studies)))}) cannot be expressed as a scenario;
[what is missing](../bench/evidence/not_expressed.json) stands beside each.

## What was to be reached

{table(["", "wanted", "is", "", "what stands in the way"], list(bound_rows(published)))}
A median error of at most what is left once each study's own is taken off would need to know each machine, plugin and way of measuring
beforehand: no model of this kind gets below that without a measurement of the job.

## By what bound the job, and by what was known of it

{table(COLUMNS, [summary_row(name, of) for name, of in chosen(judged)])}
Errors are those of the headline, as shares of what was measured. The bias is the median of measured over the middle of the draws, how many
studies lie above and below it, and how probable so uneven a split is if there were none. The interval's share is given with its own 90 %
interval, studies drawn anew; its half-width is a factor (median). The score is Gneiting and Raftery's (2007) of the logarithm at 90 %: the width, and 20 times any distance by which it misses. Less is better.

![Predicted against measured](accuracy/predicted.svg)

![Measured over predicted, against the width of the interval](accuracy/ratios.svg)

## Do the intervals hold what they say?

{table(["interval", "holds", "90 % interval of that share"], [[percent(n), percent(s), f"{percent(lo)} … {percent(hi)}"] for n, s, lo, hi in cover])}
![Coverage](accuracy/coverage.svg)

{table(["90 % intervals", "hold", "half-width", "score"], rivals(published))}
The first takes the error of the inputs and the model's own together, the second what the inputs' errors and ranges do alone; the third is
one quantile of all other studies' errors, without any simulation of what is uncertain.

![Error and width by class](accuracy/classes.svg)

## How much of it is the studies' own

{table(["", "points", "median error", "after removing each study's median error"], list(floor_rows(published)))}
The last column is what is left where somebody knew beforehand by how much each study is off as a whole: by a processor, a plugin's version or
a way of measuring that its source does not state. Points scatter by so much within their studies. What lies between the two columns is
what a calibration, or one measurement of the job, takes away.

## Beside the rules of thumb

{table(["", "rule", "points", "our median error", "the rule's", "we are nearer", "it is nearer", ""], rule_rows(judged))}
*Least of the stages*: the smallest of the rates that each stage could carry alone, with the numbers that this program found for them.
*In proportion*: from a fitted point of the same study, linear in workers, GPUs or instances. Where the last column does not say *better*,
the simulation is worth no more than the rule: what it adds there is the bill, the interval and the remedies.

## Predicted before they were added

{table(["by the program of", "studies", "points", "median error", "in the 90 % interval"], list(freezes(frozen, studies))) if frozen else ""}
These are the only points that nothing in the program has seen. The first two programs, of which only their predictions are left, drew no error of
the model's own. Where only some points had an interval then, their number stands behind the share.

{table(["study", "frozen", "by", "points", "median error then", "in the interval then", "fitted since", "median error now"], frozen_rows(frozen, studies)) if frozen else "None yet."}
Points that helped to choose a number since then stand as they were predicted, and count as fitted now. A study enters the corpus only after the program's prediction of it has been committed in `bench/evidence/frozen.json`.

## All studies, the worst first

{table(["study", "bound by", "points", "typical miss", "predicted", "in the 90 % interval", "its own noise", "why"], missed(studies, judged))}
*Its own noise* is the relative standard deviation of the source's repetitions, where it shows any: no smaller error is a miss.

## The model's own error

{table(["class", "bias", "between studies", "within a study", "degrees of freedom", "points", "studies", "90 % of this", "nine of ten points", "reach"], [[r.name, percent(math.exp(r.bias) - 1, 1), percent(r.between, 1), percent(r.within, 1), r.degrees, r.points, r.studies, f"× {math.exp(r.half_width(2)):.2f}", f"× {r.factor:.2f}", f"{r.reach:.2f}"] for r in whole.values()])}
"90 % of this" is the half-width that the row alone makes, "nine of ten points" the distance that nine of ten of its class's residuals kept,
without any model of them: the one is learned of both the class and all others, so that they differ most where studies are few. The bias
is a defect that waits for its mechanism; it is listed, and the width covers it. Student's t of the logarithm, learned with the study as the unit; a class borrows from all others with the weight of six studies, and who knows more of a job is no less sure of it: rows that say otherwise share their width. What the
inputs' own errors explain of a miss is taken off first. Errors are learned of jobs' times and drawn for stages; "reach" is how much of what is
drawn for stages jobs' times vary by, found of the other studies' intervals, and what is drawn is wider by it. `src/model/class_errors.inc` is this table with its errors over their reach, which every band is drawn with.
"""
    return {PAGE: text, "summary": summary_of(published, len(by_others)),
            "docs/accuracy/predicted.svg": plots.predicted_against_measured([one.p for one in published]),
            "docs/accuracy/ratios.svg": plots.ratio_against_width(
                [(one.p, one.spans[2]) for one in published]),
            "docs/accuracy/coverage.svg": plots.coverage(
                [("#1f77b4", "with the model's error", cover),
                 ("#d62728", "inputs' errors alone", own_coverage(published))]),
            "docs/accuracy/classes.svg": plots.by_class(
                [(kind, median([abs(one.error) for one in of]), median([one.width for one in of]) - 1)
                 for kind in (*CLASSES, "any")
                 if (of := [one for one in published if one.p.kind == kind])])}


def summary_of(judged, studies):
    errors = [one.error for one in judged]
    groups = {"storage": [one for one in judged if one.p.kind == "storage"],
              "CPU": [one for one in judged if one.p.kind == "cpu"],
              "scale-out of jobs": [one for one in judged if one.p.kind == "scale_out" and one.p.bound_by != "all_reduce"],
              "NCCL alone": [one for one in judged if one.p.bound_by == "all_reduce"]}
    kinds = ", ".join(f"{name} {percent(median([abs(one.error) for one in of]), 1)} of {len(of)}"
                      for name, of in groups.items() if of)
    held = mean([one.held[2] for one in judged])
    own = mean([one.own[0] <= one.p.measured <= one.own[1] for one in judged])
    text = (f"{len(judged)} measurements that others published in {studies} studies, each predicted with what "
            f"the other studies taught: the median error is {percent(median([abs(e) for e in errors]), 1)} "
            f"({kinds}), {percent(within(errors, 0.1))} lie within 10 %. The 90 % intervals hold "
            f"{percent(held)} with the model's own error in them, {percent(own)} with that of the inputs alone. "
            "[docs/accuracy.md](docs/accuracy.md) has the plots, the rules of thumb beside them, and what is "
            "missed most.")
    return "\n".join(textwrap.wrap(text, 125, break_on_hyphens=False)) + "\n\n"


def own_coverage(judged):
    by = {}
    for one in judged:
        by.setdefault(one.p.study, []).append(one.own[0] <= one.p.measured <= one.own[1])
    share, low, high = share_between(by)
    return [(0.9, share, low, high)]

