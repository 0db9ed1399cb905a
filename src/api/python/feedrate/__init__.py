"""feedrate from Python: will these GPUs be fed, how long will the job take, what will it cost?

    import feedrate

    result = feedrate.run("scenario.json", set={"num_workers": 8})
    rows = feedrate.sweep("scenario.json", vary={"num_workers": [1, 2, 4, 8]})
    advice = feedrate.advise("scenario.json", deadline="3 h")

A scenario is a dict, or the path of a file. Everything returned is what the command of that name
prints with `--format json`; `feedrate schema result`, `sweep`, `advice`, `optimum`, `scale`, `cases`
and `diagnosis` explain it. It is a dict (of sweep a list of dicts) that a notebook shows as a table and a
chart: .rows(), .frame() for pandas, .chart().

Needs nothing beside Python 3.8 and libfeedrate.so: the library that the environment variable
FEEDRATE_LIBRARY names, else one beside this file, else one that the system's loader finds. May be used by several threads at a time: the simulator runs without the interpreter's lock.
"""

import ctypes
import glob
import json
import os
import sys

if sys.version_info < (3, 8):
    raise ImportError("feedrate needs Python 3.8 or later, and this is %d.%d" % sys.version_info[:2])

from .chart import Chart
from .results import Answer, Table, as_number

__all__ = [
    "Answer",
    "Chart",
    "Error",
    "Table",
    "advise",
    "ask",
    "cases",
    "check",
    "diagnose",
    "fit",
    "optimize",
    "run",
    "scale",
    "sweep",
]

_NAMES = ("libfeedrate.so", "libfeedrate.so.0")
_library = None


class Error(ValueError):
    """The request is wrong, or the simulator failed.

    problems: list of {"file", "line", "key", "message"}: the file is the scenario's name, "host" or
        "request"; the line is None where the file was given as a dict; the key is a JSON pointer,
        or the setting that is wrong.
    status: the exit status that the program would have had: 2 for input, 3 for a failure.
    """

    def __init__(self, message, problems=(), status=2):
        super().__init__(message)
        self.problems = list(problems)
        self.status = status


def _candidates():
    named = os.environ.get("FEEDRATE_LIBRARY")
    if named:
        # The library finds its prices from its own path, also where the program has gone elsewhere.
        return [os.path.abspath(named) if os.sep in named else named]
    here = os.path.dirname(os.path.abspath(__file__))
    # PREFIX/lib/python3/dist-packages/feedrate: the library is in PREFIX/lib, or in a folder of the architecture there.
    lib = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    folders = [here, lib, *sorted(glob.glob(os.path.join(glob.escape(lib), "*-linux-*")))]
    beside = [os.path.join(folder, name) for folder in folders for name in _NAMES]
    return [path for path in beside if os.path.exists(path)] + list(_NAMES)


def _load():
    global _library
    if _library is not None:
        return _library
    reasons = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as reason:
            reasons.append(str(reason))
            continue
        # c_void_p: with c_char_p the pointer would be lost, and could not be given back.
        library.feedrate_run.argtypes = [ctypes.c_char_p]
        library.feedrate_run.restype = ctypes.c_void_p
        library.feedrate_free.argtypes = [ctypes.c_void_p]
        library.feedrate_free.restype = None
        _library = library
        return library
    raise ImportError(
        "libfeedrate.so cannot be loaded; set FEEDRATE_LIBRARY to its path: " + "; ".join(reasons)
    )


def ask(request):
    """The answer to a request (`feedrate schema request`), an Answer; raises Error."""
    text = json.dumps(request, allow_nan=False).encode("utf-8")
    library = _load()
    answer = library.feedrate_run(text)
    if answer is None:
        raise MemoryError("feedrate_run")
    try:
        found = json.loads(ctypes.string_at(answer).decode("utf-8"))
    finally:
        library.feedrate_free(answer)
    if found["kind"] == "error":
        error = found["error"]
        raise Error(error["message"], error["problems"], found["status"])
    return Answer(found)


def _path(value):
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else None


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _read(path):
    try:
        return _text(path)
    except (OSError, UnicodeDecodeError) as reason:
        # Not the reason's own text, which is in the process's language.
        message = "expected a readable file: %s" % type(reason).__name__
        problem = {"file": path, "line": None, "key": None, "message": message}
        raise Error("%s: %s" % (path, message), [problem]) from None


def _request(scenario, set, host, allow_files, **options):
    path = _path(scenario)
    request = {} if scenario is None else {"scenario": scenario}
    if path is not None:
        request = {"scenario": _read(path), "file": path}
    if allow_files is not None:
        folders = [allow_files] if _path(allow_files) is not None else allow_files
        request["allow_files"] = [os.fspath(folder) for folder in folders]
    if set:
        request["set"] = dict(set)
    if host is not None:
        path = _path(host)
        if path is not None:
            host = _text(path)
        request["host"] = host
    request["options"] = {key: value for key, value in options.items() if value is not None}
    return request


def run(
    scenario,
    set=None,
    host=None,
    *,
    replications=None,
    seed=None,
    exact=None,
    mean=None,
    allow_files=None,
):
    """One scenario simulated: the "result" of `feedrate run --format json`, a dict.

    scenario: a dict, or the path of a file.
    set: {KEY: VALUE} as for --set.
    host: a host profile, a dict or the path of a file.
    allow_files: a folder, or several, below which files may lie that the scenario names
        ("include", recorded steps). Without it a scenario that names one is refused.
    """
    request = _request(
        scenario, set, host, allow_files, replications=replications, seed=seed, exact=exact, mean=mean
    )
    return Answer(ask(request)["result"], "result")


def _values(values):
    if isinstance(values, str):
        return values
    try:
        return list(values)
    except TypeError:
        return [values]


def _varied(keys):
    return {key: _values(values) for key, values in dict(keys or {}).items()}


def _row(answer, index):
    point = answer["points"][index]
    row = {"set." + key: as_number(value) for key, value in point["set"].items()}
    result = point["result"] or {}
    for key, value in result.items():
        if key in ("time", "cost", "monitors"):
            for name, figure in (value or {}).items():
                if not isinstance(figure, (dict, list)):
                    row[name] = figure
        elif key == "bottleneck":
            row[key] = value["stage"] if value else None
        elif not isinstance(value, (dict, list)):
            row[key] = value
    row["problem"] = "; ".join(problem["message"] for problem in point["problems"])
    row["fastest"] = bool(result) and index == answer["fastest"]
    row["cheapest"] = bool(result) and index == answer["cheapest"]
    row["pareto"] = index in answer["pareto"]
    if point["meets_constraints"] is not None:
        row["meets_constraints"] = point["meets_constraints"]
    return row


def sweep(
    scenario,
    vary=None,
    set=None,
    host=None,
    *,
    instances=None,
    deadline=None,
    budget=None,
    replications=None,
    seed=None,
    exact=None,
    mean=None,
    jobs=None,
    allow_files=None,
):
    """A scenario at every combination of the values of some keys: a Table of rows, a dict each.

    vary: {KEY: values}, where values is a list, a range, or a text such as "1:8:1" or "1:64:*2".
    instances: a filter of the catalogue, "gpu>=A10G, region=us-east-1".
    deadline, budget: "3 h", "40 USD": rows say whether they meet them.

    A row has the columns of `feedrate sweep --format csv`: "set.KEY" for what was varied,
    "total_s", "money_usd", "gpu_busy", "bottleneck" …, but not those of stages and bands;
    "problem" says why a point has no result. The whole answer, with a result for each point, is
    that of ask({"scenario": …, "vary": …}).
    """
    request = _request(
        scenario,
        set,
        host,
        allow_files,
        replications=replications,
        seed=seed,
        exact=exact,
        mean=mean,
        jobs=jobs,
    )
    request["vary"] = _varied(vary)
    answer = _asked("sweep", request, instances=instances, deadline=deadline, budget=budget)
    return Table((_row(answer, index) for index in range(len(answer["points"]))), "sweep")


def _asked(question, request, **keys):
    request["ask"] = question
    request.update((key, value) for key, value in keys.items() if value is not None)
    return ask(request)


def advise(
    scenario,
    set=None,
    host=None,
    *,
    target=None,
    deadline=None,
    budget=None,
    seed=None,
    mean=None,
    allow_files=None,
):
    """What to change: the answer of `feedrate advise`, a dict whose "remedies" are ranked.

    target: the share of the time for which the GPUs should be busy, "90%".
    The other arguments are those of sweep().
    """
    request = _request(scenario, set, host, allow_files, seed=seed, mean=mean)
    return _asked("advise", request, target=target, deadline=deadline, budget=budget)


def optimize(
    scenario,
    over=None,
    set=None,
    host=None,
    *,
    instances=None,
    deadline=None,
    budget=None,
    minimize=None,
    replications=None,
    seed=None,
    exact=None,
    mean=None,
    jobs=None,
    allow_files=None,
):
    """The best of up to a million settings: the answer of `feedrate optimize`, a dict.

    over: {KEY: values}, as vary of sweep().
    minimize: "total", "cost" or "time".
    """
    request = _request(
        scenario,
        set,
        host,
        allow_files,
        replications=replications,
        seed=seed,
        exact=exact,
        mean=mean,
        jobs=jobs,
    )
    if over is not None:
        request["over"] = _varied(over)
    return _asked(
        "optimize",
        request,
        instances=instances,
        deadline=deadline,
        budget=budget,
        minimize=minimize,
    )


def scale(
    scenario,
    vary=None,
    set=None,
    host=None,
    *,
    deadline=None,
    value_of_hour=None,
    to=None,
    strong=None,
    seed=None,
    mean=None,
    jobs=None,
    allow_files=None,
):
    """How many instances pay off: the answer of `feedrate scale`, a dict.

    vary: {KEY: values} of another key, each value with its own curve.
    to: the largest number of instances. strong: keep the global batch.
    """
    request = _request(scenario, set, host, allow_files, seed=seed, mean=mean, jobs=jobs)
    if vary is not None:
        request["vary"] = _varied(vary)
    return _asked(
        "scale", request, deadline=deadline, value_of_hour=value_of_hour, to=to, strong=strong
    )


def cases(
    scenario,
    set=None,
    host=None,
    *,
    replications=None,
    seed=None,
    exact=None,
    mean=None,
    allow_files=None,
):
    """The scenario's measured cases beside their predictions: the answer of `feedrate cases`."""
    request = _request(
        scenario, set, host, allow_files, replications=replications, seed=seed, exact=exact, mean=mean
    )
    return _asked("cases", request)


def fit(scenario, free, set=None, host=None, *, allow_files=None):
    """Unknown numbers found from the measured cases: the answer of `feedrate fit`, a dict.

    free: the keys that are unknown, "KEY" or "KEY=LOW..HIGH", one or a list.
    """
    return _asked("fit", _request(scenario, set, host, allow_files), free=free)


def diagnose(
    readings,
    scenario=None,
    set=None,
    host=None,
    *,
    threshold=None,
    replications=None,
    seed=None,
    exact=None,
    mean=None,
    allow_files=None,
):
    """Which rules of thumb fit what monitors show: the answer of `feedrate diagnose`, a dict.

    readings: {"gpu": 35, "cpu": 13}, by the names of the command's flags.
    scenario: simulated beside them, if given.
    """
    request = _request(
        scenario, set, host, allow_files, replications=replications, seed=seed, exact=exact, mean=mean
    )
    return _asked("diagnose", request, readings=dict(readings), threshold=threshold)


def _told_by_names(baseline, paths):
    """Names by which the way from the baseline to each file, which is its entry's name, is the real one."""
    folder = os.path.dirname(os.path.realpath(baseline))
    named = os.path.normpath(os.path.dirname(baseline))
    for path in paths:
        real = os.path.relpath(os.path.realpath(path), folder)
        mixed = os.path.isabs(path) != os.path.isabs(baseline)
        if mixed or named.split(os.sep)[0] == ".." or os.path.relpath(path, named or ".") != real:
            return os.path.realpath(baseline), [os.path.realpath(path) for path in paths]
    return baseline, paths


def check(
    scenarios,
    baseline,
    set=None,
    host=None,
    *,
    max_increase=None,
    max_change=None,
    threshold=None,
    max_price_age=None,
    hold_prices=None,
    strict=None,
    replications=None,
    seed=None,
    exact=None,
    mean=None,
    allow_files=None,
):
    """Whether a change makes jobs slower or dearer: the answer of `feedrate check`, a dict.

    scenarios: the path of a file, a list of them, or a scenario as a dict.
    baseline: the path of what `feedrate check --update` has written, or a dict. Nothing writes it
        here.
    max_increase, max_change: "cost=5%,time=10 min"; threshold: "money_usd < 120", one or a list.

    allow_files: as of run(); files of the baseline that are gone or renamed are looked for below these
        folders alone, and "strict" needs the baseline to lie there.

    "level" is "pass", "note", "warn" or "fail"; a scenario that cannot be checked stands among the
    "errors", where the command ends with status 2.
    """
    options = dict(replications=replications, seed=seed, exact=exact, mean=mean)
    own, one = _path(baseline), _path(scenarios)
    if isinstance(scenarios, dict):
        request = _request(scenarios, set, host, allow_files, **options)
    else:
        paths = [one] if one is not None else [os.fspath(path) for path in scenarios]
        if own is not None:
            own, paths = _told_by_names(own, paths)
        if len(frozenset(paths)) < len(paths):
            again = next(path for path in paths if paths.count(path) > 1)
            message = "expected each scenario once, got it again"
            problem = {"file": again, "line": None, "key": None, "message": message}
            raise Error("%s: %s" % (again, message), [problem])
        request = _request(None, set, host, allow_files, **options)
        request["scenarios"] = {path: _read(path) for path in paths}
    return _asked(
        "check",
        request,
        baseline=baseline if own is None else _read(baseline),
        baseline_file=own,
        max_increase=max_increase,
        max_change=max_change,
        threshold=threshold,
        max_price_age=max_price_age,
        hold_prices=hold_prices,
        strict=strict,
    )
