"""Answers in a notebook: tables, data frames, HTML and charts of what the simulator said.

    results_test.py LIBRARY SOURCE_FOLDER
"""

import contextlib
import html.parser
import io
import json
import math
import os
import pickle
import shutil
import sys
import tempfile
import types
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

LIBRARY, SOURCE = sys.argv[1:3]
os.environ["FEEDRATE_LIBRARY"] = LIBRARY
sys.path.insert(0, os.path.join(SOURCE, "src/api/python"))
sys.dont_write_bytecode = True
import feedrate  # noqa: E402

FILE = os.path.join(SOURCE, "scenarios/caltech256_p3.json")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert(1)</script>\"'&\x1b[31m\x00\u202e"


def answers():
    scenario = json.loads(feedrate._text(FILE))
    return {
        "run": feedrate.run(FILE, {"num_workers": 1}),
        "sweep": feedrate.sweep(FILE, {"num_workers": [1, 2, 4], "batch_size": [32, 64]}),
        "advise": feedrate.advise(FILE, {"num_workers": 1}),
        "optimize": feedrate.optimize(FILE, {"num_workers": "1:8:1", "instances": [1, 2]}),
        "scale": feedrate.scale(FILE, {"num_workers": [2, 4]}, to=4),
        "cases": feedrate.cases(FILE),
        "fit": feedrate.fit(FILE, "collate"),
        "diagnose": feedrate.diagnose({"gpu": 35, "cpu": 13}),
        "ask run": feedrate.ask({"scenario": scenario, "set": {"num_workers": 1}}),
        "ask sweep": feedrate.ask({"scenario": scenario, "vary": {"num_workers": [1, 2, 4], "batch_size": [32, 64]}}),
    }


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def texts(chart):
    return [one.text for one in xml.fromstring(str(chart)).iter(SVG + "text")]


class Tables(unittest.TestCase):
    def test_an_answer_stays_the_dict_of_its_json(self):
        for name, answer in answers().items():
            with self.subTest(name):
                plain = json.loads(json.dumps(answer))
                self.assertEqual(answer, plain)
                self.assertEqual(pickle.loads(pickle.dumps(answer)), plain)

    def test_rows_are_plain_and_hold_what_the_answer_holds(self):
        of = answers()
        for name, answer in of.items():
            with self.subTest(name):
                rows = answer.rows()
                self.assertIs(type(rows), list)
                self.assertGreater(len(rows), 0)
                self.assertTrue(all(type(row) is dict for row in rows))
                json.dumps(rows)
        self.assertEqual(of["run"].rows(), of["run"]["stages"])
        self.assertEqual(of["ask run"].rows(), of["ask run"]["result"]["stages"])
        self.assertEqual(of["run"].rows("cost.lines"), of["run"]["cost"]["lines"])
        first = of["advise"]["remedies"][0]
        row = of["advise"].rows()[0]
        self.assertEqual(row["after.total_s"], first["after"]["total_s"])
        self.assertEqual(row["set.num_workers"], int(first["set"]["num_workers"]))
        curves = of["scale"]["curves"]
        self.assertEqual(
            [(row["curves"], row["curves.set"], row["total_s"]) for row in of["scale"].rows()],
            [
                (i, "num_workers = %d" % (2 * i + 2), row["total_s"])
                for i, curve in enumerate(curves)
                for row in curve["rows"]
            ],
        )

    def test_every_list_of_objects_is_a_table(self):
        def counted(value):
            if isinstance(value, dict):
                return sum(map(counted, value.values()))
            if not isinstance(value, list) or not value or not isinstance(value[0], dict):
                return 0
            return len(value) + sum(map(counted, value))

        for name, answer in answers().items():
            if name != "sweep":
                with self.subTest(name):
                    self.assertEqual(sum(map(len, answer.tables().values())), counted(answer))

    def test_a_table_that_is_not_there(self):
        with self.assertRaisesRegex(ValueError, "no table 'bill'; expected one of .*cost.lines"):
            feedrate.run(FILE).rows("bill")
        self.assertEqual(feedrate.Answer({"kind": "advice", "remedies": []}).rows(), [])


class Frames(unittest.TestCase):
    def test_without_pandas_it_says_what_to_do(self):
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "pip install pandas; rows\\(\\) has the same"):
                feedrate.run(FILE).frame()

    def test_with_a_pandas_that_only_takes_notes(self):
        class DataFrame:
            def __init__(self, rows, columns):
                self.rows, self.columns = rows, columns

        fake = types.SimpleNamespace(DataFrame=DataFrame)
        with unittest.mock.patch.dict(sys.modules, {"pandas": fake}):
            for answer in answers().values():
                frame = answer.frame()
                self.assertEqual(frame.rows, answer.rows())
                self.assertEqual(set(frame.columns), {key for row in frame.rows for key in row})

    def test_with_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        for name, answer in answers().items():
            with self.subTest(name):
                self.assertIsInstance(answer.frame(), pandas.DataFrame)
                self.assertEqual(len(answer.frame()), len(answer.rows()))


class Examples(unittest.TestCase):
    def test_the_python_of_the_documents_runs(self):
        class DataFrame:
            def __init__(self, rows, columns):
                pass

        count = 0
        before = os.getcwd()
        for document in ("docs/api.md", "docs/guide/export.md"):
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
                shutil.copytree(os.path.join(SOURCE, "scenarios"), os.path.join(folder, "scenarios"))
                os.mkdir(os.path.join(folder, ".ci"))
                shutil.copy(os.path.join(SOURCE, ".ci", "baseline.json"), os.path.join(folder, ".ci"))
                os.chdir(folder)
                try:
                    fake = types.SimpleNamespace(DataFrame=DataFrame)
                    with unittest.mock.patch.dict(sys.modules, {"pandas": fake}):
                        names = {}
                        blocks = feedrate._text(os.path.join(SOURCE, document)).split("```python\n")[1:]
                        for block in blocks:
                            exec(compile(block.split("```")[0], document, "exec"), names)
                            count += 1
                finally:
                    os.chdir(before)
        self.assertGreaterEqual(count, 3)


class Shown(unittest.TestCase):
    def test_every_answer_has_a_table_in_html(self):
        for name, answer in answers().items():
            with self.subTest(name):
                shown = Tags(answer._repr_html_())
                rows = len(answer.rows())
                self.assertEqual(shown.tags.count("tr"), 1 + rows)
                self.assertLessEqual(set(shown.tags), {
                    "table", "thead", "tbody", "tr", "th", "td", "p",
                    "svg", "rect", "line", "text", "polyline", "circle",
                })  # fmt: skip

    def test_what_was_asked_directly_is_shown_as_its_function_shows_it(self):
        of = answers()
        self.assertEqual(of["ask run"]._repr_html_(), of["run"]._repr_html_())
        self.assertEqual(
            Tags(of["ask sweep"].table()._repr_html_()).text[:7],
            [
                "set.num_workers", "set.batch_size", "result.bottleneck.stage", "result.time.total_s",
                "result.cost.money_usd", "result.gpu_busy", "\n",
            ],
        )  # fmt: skip
        drawn = xml.fromstring(str(of["ask sweep"].chart()))
        self.assertEqual(len(list(drawn.iter(SVG + "polyline"))), 2)
        self.assertEqual(len(list(drawn.iter(SVG + "circle"))), 6)
        own = of["sweep"].chart()
        self.assertEqual(
            [dot.attrib for dot in drawn.iter(SVG + "circle")],
            [dot.attrib for dot in xml.fromstring(str(own)).iter(SVG + "circle")],
        )
        self.assertIn("<svg", of["ask sweep"]._repr_html_())

    def test_a_sweep_asked_directly_with_a_point_that_cannot_run_is_a_table(self):
        scenario = json.loads(feedrate._text(FILE))
        answer = feedrate.ask({"scenario": scenario, "vary": {"instance": ["ml.p3.2xlarge", "no.such"]}})
        shown = Tags(answer.table()._repr_html_())
        self.assertEqual(shown.tags.count("tr"), 3)
        self.assertEqual(shown.text[-6:-1], ["no.such", "–", "–", "–", "–"])
        self.assertIn("ml.p3.2xlarge", texts(answer.chart()))

    def test_long_tables_end(self):
        shown = feedrate.Table({"a": i} for i in range(1000))._repr_html_()
        self.assertIn("940 more rows", shown)

    def test_strangers_names_are_text(self):
        table = feedrate.Table([{HOSTILE: HOSTILE, "x": 1.0}], HOSTILE)
        for drawn in (table._repr_html_(), str(table.chart(HOSTILE, "x"))):
            self.assertNotIn("<script", drawn)
            self.assertFalse({"\x1b", "\x00", "\u202e"} & set(drawn))
        xml.fromstring(str(table.chart(HOSTILE, "x")))
        scenario = json.loads(feedrate._text(FILE))
        scenario["preprocess"][0]["operation"] = HOSTILE.replace("\x00", "")
        scenario["cases"] = [{**scenario["cases"][0], "name": "<b>&", "set": {}}]
        shown = feedrate.cases(scenario)._repr_html_()
        self.assertNotIn("<b>", shown)
        self.assertIn("&lt;b&gt;&amp;", shown)


class Charts(unittest.TestCase):
    def test_the_bars_are_the_numbers(self):
        chart = feedrate.run(FILE, {"num_workers": 1}).chart()
        said = texts(chart)
        for stage in feedrate.run(FILE, {"num_workers": 1})["stages"]:
            self.assertIn(stage["stage"], said)
            self.assertIn("%.4g" % stage["stall_s"], said)
        bars = list(xml.fromstring(str(chart)).iter(SVG + "rect"))[1:]
        widths = [float(bar.get("width")) for bar in bars]
        stalls = [row["stall_s"] for row in feedrate.run(FILE, {"num_workers": 1})["stages"]]
        for width, stall in zip(widths, stalls):
            self.assertAlmostEqual(width / max(widths), stall / max(stalls), delta=0.001)

    def test_a_sweep_has_a_line_for_each_value_of_the_other_key(self):
        table = feedrate.sweep(FILE, {"num_workers": [1, 2, 4, 8], "batch_size": [32, 64]})
        drawn = xml.fromstring(str(table.chart()))
        self.assertEqual(len(list(drawn.iter(SVG + "polyline"))), 2)
        self.assertEqual(len(list(drawn.iter(SVG + "circle"))), 8)
        self.assertIn("batch_size = 32", texts(table.chart()))
        highest = min(float(dot.get("cy")) for dot in drawn.iter(SVG + "circle"))
        slowest = max(range(8), key=lambda i: table[i]["total_s"])
        self.assertEqual(table[slowest]["set.num_workers"], 1)
        self.assertLess(highest, 60)
        self.assertIn("money_usd over num_workers", str(table.chart("set.num_workers", "money_usd")).replace("set.", ""))

    def test_a_sweep_over_words_has_bars(self):
        table = feedrate.sweep(FILE, {"instance": ["ml.p3.2xlarge", "no.such"]})
        self.assertIn("ml.p3.2xlarge", texts(table.chart()))

    def test_what_cannot_be_drawn(self):
        table = feedrate.sweep(FILE, {"num_workers": [1, 2]})
        for wrong, words in (
            (lambda: table.chart("nothing"), "no column 'nothing'; expected some of set.num_workers"),
            (lambda: feedrate.Table().chart(), "nothing varies: name x and y; expected some of no rows"),
            (lambda: feedrate.Table([{"a": "x", "b": math.nan}]).chart("a", "b"), "no number in b"),
            (lambda: feedrate.Table([{"a": 1, "b": None}]).chart("a", "b"), "no number in b over a"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                wrong()

    def test_one_point_zeros_and_negative_numbers(self):
        for rows in ([(1, 0)], [(1, -3), (2, 5)], [(0, 1e-9)], [(1, 1e300), (2, -1e300)], [(5, 7), (5, 8)], [(1e300, 1)], [(-1e17, 2)]):
            named = feedrate.Table({"x": x, "name": "n%d" % x, "y": y} for x, y in rows)
            for chart in (named.chart("x", "y"), named.chart("name", "y")):
                self.assertNotIn("nan", str(chart))
                xml.fromstring(str(chart))

    def test_rows_of_no_and_zero_have_bars_as_well(self):
        table = feedrate.Table([{"x": False, "y": 1.5}, {"x": True, "y": 2.5}, {"x": 0, "y": 3.5}, {"y": 4.5}])
        said = texts(table.chart("x", "y"))
        self.assertLessEqual({"False", "1.5", "True", "2.5", "0", "3.5"}, set(said))
        self.assertNotIn("4.5", said)

    def test_rows_that_lack_a_column_leave_a_gap(self):
        rows = [{"name": "a", "y": 1, "of": 1}, {"name": "b", "y": 2}, {"name": "c", "of": 2}]
        said = texts(feedrate.Table(rows, axes=("name", "y", "of")).chart())
        self.assertIn("a, 1", said)
        self.assertIn("b, –", said)
        self.assertNotIn("c, 2", said)
        rows = [{"x": 1, "y": 1, "of": 1}, {"x": 2, "y": 2}]
        self.assertIn("–", texts(feedrate.Table(rows, axes=("x", "y", "of")).chart()))

    def test_numbers_too_large_or_too_small_for_an_axis_are_refused(self):
        for rows in ([(1.7e308, 1)], [(1, 1.7e308), (2, -1.7e308)], [(1, 5e-324)]):
            with self.assertRaisesRegex(ValueError, "too large or too small in [xy]$"):
                feedrate.Table({"x": x, "y": y} for x, y in rows).chart("x", "y")

    def test_it_is_saved(self):
        chart = feedrate.run(FILE).chart()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "chart.svg")
            chart.save(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), chart._repr_svg_())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
