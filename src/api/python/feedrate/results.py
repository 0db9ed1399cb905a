"""Answers as they are in JSON, which can also be asked for tables, data frames, HTML and charts."""

from . import chart as _chart

_MOST_ROWS_SHOWN = 60

# Of each kind of answer: the table that is meant where none is named, which of its columns are shown
# where all would be too many ("set.": each that was varied), and what its chart draws (along, up,
# apart; along None: what was varied).
_VIEWS = {
    "result": ("stages", "stage capacity_samples_per_s utilization stall_s provenance", ("stage", "stall_s")),
    "advice": ("remedies", "number change standing effort_h sooner_s saved_usd", ("change", "sooner_s")),
    "optimum": ("winner.pareto", "", None),
    "scale": ("curves.rows", "curves.set instances total_s money_usd efficiency bottleneck", ("instances", "total_s", "curves.set")),
    "cases": ("scenarios.cases", "name metric measured predicted error", ("name", "error")),
    "fit": ("fit.unknowns", "key before value interval_low interval_high determined", None),
    "check": ("scenarios", "scenario.key scenario.name level standing", None),
    "diagnosis": ("rules", "name title verdict cause", None),
    "sweep": (
        "points",
        "set. result.bottleneck.stage result.time.total_s result.cost.money_usd result.gpu_busy",
        (None, "result.time.total_s"),
    ),
}


def as_number(text):
    """Settings are texts in answers: 8 for "8"."""
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            pass
    return text


def _is_table(value):
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _flat(value, prefix=""):
    """What a row holds, but its own tables: {"after.total_s": 3.0}."""
    row = {}
    for key, inner in value.items():
        name = prefix + key
        if isinstance(inner, dict):
            row.update(_flat(inner, name + "."))
        elif not _is_table(inner):
            row[name] = as_number(inner) if prefix.endswith("set.") else inner
    return row


def _tables(value, path, outer, found):
    for key, inner in value.items():
        name = path + key
        if isinstance(inner, dict):
            _tables(inner, name + ".", outer, found)
        elif _is_table(inner):
            rows = found.setdefault(name, [])
            for i, one in enumerate(inner):
                rows.append({**outer, **_flat(one)})
                inner_of = {**outer, name: i}
                if isinstance(one.get("set"), dict):
                    inner_of[name + ".set"] = ", ".join("%s = %s" % pair for pair in one["set"].items())
                _tables(one, name + ".", inner_of, found)


class Table(list):
    """Rows, a dict each, that a notebook shows as a table.

    title: what the chart is of. shown: the columns that a notebook shows, "set." for all that
    begin so; empty: all of them.
    axes: the columns that chart() draws where none are named; None first: what was varied.
    """

    def __init__(self, rows=(), title="", shown=(), axes=None):
        super().__init__(rows)
        self.title, self.shown, self.axes = title, list(shown), axes

    def rows(self):
        """A plain list of dicts."""
        return [dict(row) for row in self]

    def columns(self):
        """Of all rows, in the order in which they come first."""
        return list(dict.fromkeys(key for row in self for key in row))

    def frame(self):
        """A pandas.DataFrame of the rows. ImportError where pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise ImportError(
                "frame() needs pandas, which is not installed here: pip install pandas; "
                "rows() has the same as a list of dicts"
            ) from None
        return pandas.DataFrame(self.rows(), columns=self.columns())

    def _varied(self):
        columns = [name for name in self.columns() if name.startswith("set.")]
        return [name for name in columns if len({str(row.get(name)) for row in self}) > 1]

    def chart(self, x=None, y=None):
        """A column over another as a Chart: lines where x holds numbers, else bars beside its texts.

        Without names: the time over the key that was varied, a line for each value of the others.
        ValueError for columns that are not there, and where there is nothing to draw.
        """
        default_x, default_y, *by = self.axes or (None, "total_s")
        varied, of_varied = self._varied(), default_x is None
        if default_x is None and varied:
            numeric = [name for name in varied if self._is_numeric(name)]
            default_x = max(numeric or varied, key=lambda name: len({str(row.get(name)) for row in self}))
        x, y = x or default_x, y or default_y
        known = self.columns()
        for name in (x, y):
            if name not in known:
                words = "nothing varies: name x and y" if name is None else "there is no column %r" % (name,)
                raise ValueError("%s; expected some of %s" % (words, ", ".join(known) or "no rows"))
        apart = [name for name in (varied if of_varied else by) if name != x]
        if not self._is_numeric(x):
            named = [
                (", ".join(_label(row.get(name)) for name in [x, *apart]), row.get(y))
                for row in self
                if row.get(x) is not None
            ]
            return _chart.bars(named, y)
        series = {}
        for row in self:
            key = ", ".join(
                "%s = %s" % (name[4:], _label(row.get(name))) if of_varied else _label(row.get(name))
                for name in apart
            )
            series.setdefault(key, []).append((row.get(x), row.get(y)))
        return _chart.lines(series, x, y)

    def _is_numeric(self, name):
        return all(_chart.is_number(row.get(name)) for row in self)

    def _repr_html_(self):
        known = self.columns()
        columns = [
            name
            for one in self.shown
            for name in known
            if name == one or (one.endswith(".") and name.startswith(one))
        ] or known
        lines = ["<table><thead><tr>%s</tr></thead><tbody>" % "".join(
            "<th>%s</th>" % _chart.escaped(name) for name in columns)]  # fmt: skip
        for row in self[:_MOST_ROWS_SHOWN]:
            lines.append("<tr>%s</tr>" % "".join("<td>%s</td>" % _cell(row.get(name)) for name in columns))
        lines.append("</tbody></table>")
        if len(self) > _MOST_ROWS_SHOWN:
            lines.append("<p>… and %d more rows</p>" % (len(self) - _MOST_ROWS_SHOWN))
        return "\n".join(lines)


def _label(value):
    return "–" if value is None else str(value)


def _cell(value):
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _chart.escaped(_chart.number(value) if isinstance(value, float) else value)


class Answer(dict):
    """An answer: the dict that its JSON is, and the tables in it.

    Every list of objects is a table, named by its keys: "stages", "cost.lines", "remedies". A table
    within the rows of another has a column of the other's name, which says in which row it stands,
    and one of that row's settings, if it has any: "curves", "curves.set".
    """

    def __init__(self, answer, kind=None):
        super().__init__(answer)
        self._kind = kind or answer.get("kind")

    def _view(self, names):
        main, shown, axes = _VIEWS.get(self._kind, ("", "", None))
        # run() gives what the answer to its request holds as "result", and the request the whole of it.
        within = "result." + main
        return (within if main not in names and within in names else main), shown, axes

    def tables(self):
        """{name: Table} of all of them."""
        found = {}
        _tables(self, "", {}, found)
        main, shown, axes = self._view(found)
        return {
            name: Table(rows, name, shown.split(), axes) if name == main else Table(rows, name)
            for name, rows in found.items()
        }

    def table(self, name=None):
        """The table of that name, or the one that the question was asked for. ValueError."""
        tables = self.tables()
        main = self._view(tables)[0]
        if (name or main) in tables:
            return tables[name or main]
        if name is None and main:
            return Table(title=main)
        raise ValueError("there is no table %r; expected one of %s" % (name, ", ".join(tables)))

    def rows(self, name=None):
        return self.table(name).rows()

    def frame(self, name=None):
        return self.table(name).frame()

    def chart(self, x=None, y=None, name=None):
        return self.table(name).chart(x, y)

    def _repr_html_(self):
        table = self.table()
        try:
            drawn = str(table.chart()) if table.axes else ""
        except ValueError:
            drawn = ""
        return drawn + table._repr_html_()
