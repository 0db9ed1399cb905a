"""The corpus: scenarios that name a study, judged by the program itself."""
import concurrent.futures
import json
import math
import os
import subprocess
from dataclasses import dataclass, field

DRAWS = 100
# What the product distinguishes; start-up times are too few for a class of their own.
CLASSES = ("storage", "cpu", "copies", "gpu", "scale_out")
CLASS_OF = {"page_cache": "storage", "all_reduce": "scale_out", "start_up": "any"}
OWN = "feedrate-"  # how the ids of studies begin that this project made itself
# Studies of jobs whose host was measured, and by what.
PROFILES = {"feedrate-epyc-vm": "scenarios/hosts/epyc_vm_2_cores.json",
            "feedrate-over-an-hour": "bench/measurements/epyc_vm_over_an_hour/host_1.json",
            "feedrate-h100-vm": "scenarios/hosts/h100_vm_16_cores.json"}
NINETY = 1.6448536269514722  # of the normal distribution, one side of 90 %


@dataclass
class Point:
    study: str
    part: str
    file: str
    name: str
    metric: str
    kind: str  # of the product's table
    bound_by: str
    known: str
    measured: float
    predicted: float
    band: tuple | None  # 5 %, 50 %, 95 %
    set: dict
    note: str
    noise: float | None
    intervals: tuple | None = None  # of 50, 80 and 90 % of the draws, where the program states them
    rules: dict = field(default_factory=dict)  # rule of thumb → what it says

    @property
    def median(self):
        return self.band[1] if self.band else self.predicted

    @property
    def residual(self):
        """ln(measured / predicted)."""
        return math.log(self.measured / self.median)

    def own(self, side):
        """Half-width of the program's own 90 % interval, in ln, above (1) or below (-1)."""
        if not self.band:
            return 0.0
        ends = math.log(self.band[2] / self.band[1]), math.log(self.band[1] / self.band[0])
        return max(0.0, ends[0 if side > 0 else 1])


@dataclass
class Study:
    id: str
    files: list = field(default_factory=list)
    points: list = field(default_factory=list)  # predictions
    cases: dict = field(default_factory=dict)  # every case as answered, by part and name
    fitted: int = 0
    identities: int = 0
    bottlenecks: int = 0
    zeros: int = 0
    about: dict = field(default_factory=dict)


def files(root):
    found = []
    for folder in ("scenarios", "scenarios/published"):
        for name in sorted(os.listdir(os.path.join(root, folder))):
            path = os.path.join(folder, name)
            if not name.endswith(".json"):
                continue
            with open(os.path.join(root, path)) as text:
                document = json.load(text)
            if "study" in document.get("about", {}):
                found.append((path, document))
    return found


def ask(program, root, arguments):
    done = subprocess.run([os.path.abspath(program), *arguments], cwd=root, capture_output=True,
                          text=True)
    if done.returncode > 1 or not done.stdout:
        raise SystemExit(f"feedrate {' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def together(work, items):
    """Results in the order of the items, two at a time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return list(pool.map(work, items))


def host_of(study, known):
    """The profile that a study is predicted from; none where nothing was measured before."""
    return ["--host", PROFILES[study]] if known == "profile" and study in PROFILES else []


def judged(program, root, path, about, tables=()):
    """about: what the file says of its study; tables: options that put tables in place of the program's."""
    more = [*host_of(about["id"], about["known"]), *tables]
    return ask(program, root, ["cases", path, "--replications", str(DRAWS), "--format", "json", *more])


def positive(case):
    """A change (relative_to) as the ratio that it is."""
    shift = 1.0 if case["error_is"] == "points" else 0.0
    values = (case["measured"], case["predicted"], *(case["band"] or ()))
    return [value + shift for value in values]


def intervals_of(case):
    """Ends by level; None where the program gives none, as for a search or a change."""
    given = case.get("intervals")
    if not given or case["error_is"] != "relative":
        return None
    ends = tuple(tuple(given[level]) for level in ("50", "80", "90"))
    return ends if all(low > 0 for low, _ in ends) else None


def points_of(answer, document, path):
    about = document["about"]["study"]
    for scenario in answer["scenarios"]:
        for case in scenario["cases"]:
            if case["role"] != "predicted" or case["error_is"] in ("bottleneck", "absolute"):
                continue
            measured, predicted, *band = positive(case)
            # A machine that is given more does not get slower; what is no number is no point.
            band = tuple(band) if len(band) == 3 and min(band) > 0 else None
            yield Point(about["id"], about.get("part", ""), path, case["name"], case["metric"],
                        CLASS_OF.get(case["bound_by"], case["bound_by"]), case["bound_by"],
                        case["known"], measured, predicted, band, case["set"], case["note"] or "",
                        about.get("noise"), intervals_of(case))


def read(program, root, tables=lambda study: ()):
    """Studies by id. `tables`: a study's id to options for judged()."""
    listed = files(root)
    def one(item):
        path, document = item
        about = document["about"]["study"]
        return judged(program, root, path, about, tables(about["id"]))
    answers = together(one, listed)
    studies = {}
    for (path, document), answer in zip(listed, answers):
        about = document["about"]["study"]
        study = studies.setdefault(about["id"], Study(about["id"], about=about))
        study.files.append((path, document))
        study.points += points_of(answer, document, path)
        for case in answer["scenarios"][0]["cases"]:
            study.cases[about.get("part", ""), case["name"]] = case
            study.fitted += case["role"] == "fitted"
            study.identities += case["role"] == "identity"
            study.bottlenecks += case["error_is"] == "bottleneck"
            study.zeros += case["error_is"] == "absolute"
        study.version = answer["feedrate"]
    return studies
