"""The module feedrate against the program: the same bytes, the same table, the same complaints.

    python_test.py PROGRAM LIBRARY SOURCE_FOLDER
"""

import concurrent.futures
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, LIBRARY, SOURCE = sys.argv[1:4]
os.environ["FEEDRATE_LIBRARY"] = LIBRARY
sys.path.insert(0, os.path.join(SOURCE, "src/api/python"))
sys.dont_write_bytecode = True
import feedrate  # noqa: E402

SCENARIOS = os.path.join(SOURCE, "scenarios")
FILE = os.path.join(SCENARIOS, "caltech256_p3.json")
HOST = os.path.join(SCENARIOS, "hosts/epyc_vm_2_cores.json")


def printed(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Run(unittest.TestCase):
    def test_every_shipped_scenario(self):
        names = [name for name in sorted(os.listdir(SCENARIOS)) if name.endswith(".json")]
        self.assertGreater(len(names), 30)
        for name in names:
            with self.subTest(name):
                path = os.path.join(SCENARIOS, name)
                own = json.loads(printed("run", path, "--format", "json"))["result"]
                self.assertEqual(feedrate.run(path, allow_files=SCENARIOS), own)
                scenario = read(path)
                if "include" not in scenario:
                    self.assertEqual(feedrate.run(scenario), own)
                else:
                    for of in (path, scenario):
                        with self.assertRaisesRegex(feedrate.Error, "none may be read here"):
                            feedrate.run(of)

    def test_settings_host_and_options(self):
        own = printed(
            "run", FILE, "--host", HOST, "--set", "num_workers=3", "--set", "cpu_quota=4",
            "--replications", "20", "--seed", "7", "--format", "json",
        )  # fmt: skip
        own = json.loads(own)["result"]
        settings = {"num_workers": 3, "cpu_quota": 4}
        for host in (HOST, read(HOST)):
            got = feedrate.run(FILE, set=settings, host=host, replications=20, seed=7)
            self.assertEqual(got, own)

    def test_threads(self):
        alone = feedrate.run(FILE)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for got in pool.map(feedrate.run, [FILE] * 16):
                self.assertEqual(got, alone)


class Sweep(unittest.TestCase):
    def same_as_csv(self, rows, *arguments):
        table = list(csv.DictReader(io.StringIO(printed("sweep", *arguments, "--format", "csv"))))
        self.assertEqual(len(rows), len(table))
        for row, line in zip(rows, table):
            shared = [name for name in line if name in row]
            # Not nested in the answer: figures of stages, bands and interruptions.
            self.assertGreater(len(shared), 30)
            for name in shared:
                value, text = row[name], line[name]
                if isinstance(value, bool):
                    self.assertEqual(int(value), int(text), name)
                elif isinstance(value, (int, float)):
                    self.assertEqual(value, float(text), name)
                else:
                    self.assertEqual(value or "", text, name)

    def test_a_table_of_the_csv(self):
        rows = feedrate.sweep(FILE, vary={"num_workers": range(1, 5), "batch_size": "32,64"})
        self.assertEqual([row["set.num_workers"] for row in rows], [1, 1, 2, 2, 3, 3, 4, 4])
        self.same_as_csv(rows, FILE, "--vary", "num_workers=1:4:1", "--vary", "batch_size=32,64")
        self.assertEqual(sum(row["fastest"] for row in rows), 1)
        for row in rows:
            self.assertNotIn("meets_constraints", row)

    def test_instances_and_limits(self):
        condition = "gpu>=A10G, region=us-east-1, price<2"
        rows = feedrate.sweep(FILE, instances=condition, deadline="30 min", budget="2 USD", jobs=2)
        self.same_as_csv(
            rows, FILE, "--instances", condition, "--deadline", "30 min", "--budget", "2 USD"
        )
        for row in rows:
            if row["problem"] == "":
                self.assertEqual(
                    row["meets_constraints"], row["total_s"] <= 1800 and row["money_usd"] <= 2
                )

    def test_a_point_without_a_result_says_why(self):
        rows = feedrate.sweep(FILE, vary={"instance": ["ml.p3.2xlarge", "no.such"]})
        self.assertEqual(rows[0]["problem"], "")
        self.assertIn("no.such", rows[1]["problem"])
        self.assertNotIn("total_s", rows[1])


class Questions(unittest.TestCase):
    def same(self, got, *arguments):
        done = subprocess.run(
            [PROGRAM, *arguments, "--format", "json"], capture_output=True, text=True
        )
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(got, json.loads(done.stdout))

    def test_each_is_its_command(self):
        # The same name in the answers of both.
        file = os.path.relpath(FILE)
        own = dict(allow_files=os.path.dirname(file) or ".")
        self.same(
            feedrate.advise(file, {"num_workers": 1}, target="80%", deadline="1 h", **own),
            "advise", file, "--set", "num_workers=1", "--target", "80%", "--deadline", "1 h",
        )  # fmt: skip
        self.same(
            feedrate.optimize(
                file, {"num_workers": range(1, 5), "instances": "1,2"}, minimize="time", seed=2
            ),
            "optimize", file, "--over", "num_workers=1:4:1", "--over", "instances=1,2",
            "--minimize", "time", "--seed", "2",
        )  # fmt: skip
        self.same(
            feedrate.scale(file, {"num_workers": [2, 4]}, to=8, strong=True, deadline="1 h"),
            "scale", file, "--vary", "num_workers=2,4", "--to", "8", "--strong",
            "--deadline", "1 h",
        )  # fmt: skip
        self.same(feedrate.cases(file, replications=5), "cases", file, "--replications", "5")
        self.same(feedrate.fit(file, "collate"), "fit", file, "--free", "collate")
        self.same(
            feedrate.diagnose({"gpu": 35, "cpu": "13 %"}, file, threshold="low=20%"),
            "diagnose", file, "--gpu", "35", "--cpu", "13 %", "--threshold", "low=20%",
        )  # fmt: skip
        self.same(feedrate.diagnose({"gpu": 35}), "diagnose", "--gpu", "35")

    def test_a_check_of_several_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, workers in (("a", 2), ("b", 4), ("c", 8)):
                scenario = read(FILE)
                scenario["name"] = name
                scenario.setdefault("loader", {})["num_workers"] = workers
                with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as out:
                    json.dump(scenario, out)
            files = [os.path.join(folder, name + ".json") for name in "ab"]
            baseline = os.path.join(folder, "baseline.json")
            printed("check", *files, "--baseline", baseline, "--update")
            files[1] = os.path.join(folder, "c.json")
            self.same(
                feedrate.check(files, baseline, max_increase="time=5%", allow_files=folder),
                "check", *files, "--baseline", baseline, "--max-increase", "time=5%",
            )  # fmt: skip
            passed = feedrate.check(files[0], baseline)
            self.assertEqual(passed["level"], "pass")
            self.assertEqual([row["scenario.key"] for row in passed.rows()], ["a.json"])
            gone = ["check", files[0], "--baseline", baseline, "--strict"]
            os.remove(os.path.join(folder, "b.json"))
            self.same(feedrate.check(files[0], baseline, strict=True, allow_files=folder), *gone)
            # The way from the baseline to the scenario is the entry's name, however both are given.
            os.mkdir(os.path.join(folder, "in"))
            os.symlink(folder, os.path.join(folder, "in", "link"))
            before = os.getcwd()
            try:
                os.chdir(os.path.join(folder, "in"))
                for path, own in (("../a.json", "../baseline.json"), ("link/a.json", baseline)):
                    answer = feedrate.check(path, own)
                    self.assertEqual(answer["level"], "pass")
                    self.assertEqual(answer["scenarios"][0]["scenario"]["key"], "a.json")
            finally:
                os.chdir(before)
            with self.assertRaises(feedrate.Error):
                feedrate.check([files[0], files[0]], baseline)
            here = feedrate.check(os.path.relpath(files[0]), baseline, threshold="money_usd < 0.0001")
            self.assertEqual(here["level"], "fail")
            self.assertEqual(here["scenarios"][0]["scenario"]["key"], "a.json")

    def test_errors(self):
        for wrong in (
            lambda: feedrate.advise(FILE, target="2"),
            lambda: feedrate.optimize(FILE),
            lambda: feedrate.scale(FILE, to=0),
            lambda: feedrate.fit(FILE, []),
            lambda: feedrate.diagnose({}),
            lambda: feedrate.check(FILE, FILE),
            lambda: feedrate.check(FILE, "no such baseline.json"),
            lambda: feedrate.check([], {}),
        ):
            with self.assertRaises(feedrate.Error) as raised:
                wrong()
            self.assertEqual(raised.exception.status, 2)
            self.assertTrue(raised.exception.problems)


class Locale(unittest.TestCase):
    def test_a_program_with_a_decimal_comma(self):
        """The library shares its process, and its locale, with a program that chose another."""
        with tempfile.TemporaryDirectory() as folder:
            name = "de_DE.UTF-8"
            try:
                command = ["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, name)]
                subprocess.run(command, check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("no localedef")
            script = (
                "import json, locale, sys, feedrate\n"
                "if len(sys.argv) > 3: locale.setlocale(locale.LC_ALL, sys.argv[3])\n"
                "assert len(sys.argv) < 4 or locale.localeconv()['decimal_point'] == ','\n"
                "vary = {'efficiency': '0.1:0.9:0.2', 'instances': [1, 2]}\n"
                "for name in (sys.argv[1], {'scenario': 3}, '/nowhere'):\n"
                "    try: print(json.dumps([feedrate.run(name, host=sys.argv[2]),\n"
                "                           feedrate.sweep(name, vary=vary)]))\n"
                "    except feedrate.Error as error: print(error)\n"
            )
            environment = {**os.environ, "LOCPATH": folder, "PYTHONPATH": sys.path[0]}

            def said(*more):
                return subprocess.run(
                    [sys.executable, "-c", script, FILE, HOST, *more],
                    env=environment, check=True, capture_output=True,
                ).stdout  # fmt: skip

            self.assertGreater(len(said()), 10000)
            self.assertEqual(said(name), said())


class Wrong(unittest.TestCase):
    def problems(self, *arguments, **named):
        with self.assertRaises(feedrate.Error) as raised:
            feedrate.run(*arguments, **named)
        self.assertEqual(raised.exception.status, 2)
        self.assertTrue(str(raised.exception))
        return [(p["file"], p["line"], p["key"]) for p in raised.exception.problems]

    def test_all_at_once(self):
        scenario = {"loader": {"num_workers": "x"}, "job": {"epochz": 1}}
        found = self.problems(scenario, set={"batch_size": "many", "nothing": 1})
        self.assertEqual(
            sorted(found, key=str),
            sorted(
                [
                    (None, None, "set batch_size=many"),
                    (None, None, "set nothing=1"),
                    ("scenario", None, "/job/epochz"),
                    ("scenario", None, "/loader/num_workers"),
                ],
                key=str,
            ),
        )

    def test_files(self):
        self.assertEqual(self.problems("/nowhere.json"), [("/nowhere.json", None, None)])
        with self.assertRaises(FileNotFoundError):
            feedrate.run(FILE, host="/nowhere.json")

    def test_what_is_no_text(self):
        self.problems({"name": "\ud800"})
        self.problems({"name": "a\0b", "loader": 3})
        with self.assertRaises(ValueError):
            feedrate.run({"job": {"epochs": float("nan")}})
        with self.assertRaises(feedrate.Error):
            feedrate.sweep(FILE)


class Schema(unittest.TestCase):
    """Editors and validators take what the library takes, and refuse what it refuses."""

    def setUp(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("no jsonschema")
        self.validator = jsonschema.Draft202012Validator(
            json.loads(printed("schema", "request", "--format", "json"))
        )

    def test_requests(self):
        for more in (
            {},
            {"set": {"num_workers": 3, "persistent_workers": True}},
            {"vary": {"num_workers": [1, 2]}, "deadline": "3 h", "budget": None},
            {"vary": {"num_workers": "1:2:1", "epochs": [3]}, "budget": "4 USD"},
            {"vary": ["num_workers=1:2:1"], "options": {"jobs": 2, "exact": True}},
            {"vary": "num_workers=1:2:1", "instances": None},
            {"host": read(HOST), "options": {"seed": 3, "replications": 10}},
        ):
            request = {"file": FILE, "allow_files": [SCENARIOS], **more}
            self.validator.validate(request)
            self.assertIn(feedrate.ask(request)["kind"], ("result", "sweep"))
        for more in (
            {"sett": {}},
            {"set": 3},
            {"vary": 3},
            {"scenario": []},
            {"options": {"seed": -1}},
            {"options": {"jobs": "two"}},
            {"options": {"replications": 0}},
            {"file": 3},
        ):
            request = {"file": FILE, "allow_files": [SCENARIOS], **more}
            self.assertFalse(self.validator.is_valid(request), more)
            with self.assertRaises(feedrate.Error):
                feedrate.ask(request)


class Loading(unittest.TestCase):
    def test_a_missing_library_is_named(self):
        said = subprocess.run(
            [sys.executable, "-c", "import feedrate; feedrate.run({})"],
            env={**os.environ, "FEEDRATE_LIBRARY": "/nowhere.so", "PYTHONPATH": sys.path[0]},
            capture_output=True,
            text=True,
        ).stderr
        self.assertIn("set FEEDRATE_LIBRARY to its path: /nowhere.so", said)

    def test_an_old_python_is_named(self):
        said = subprocess.run(
            [sys.executable, "-c", "import sys; sys.version_info = (3, 7, 1); import feedrate"],
            env={**os.environ, "PYTHONPATH": sys.path[0]},
            capture_output=True,
            text=True,
        ).stderr
        self.assertIn("feedrate needs Python 3.8 or later, and this is 3.7", said)

    def test_a_relative_path_holds_where_the_program_goes_elsewhere(self):
        script = "import os, feedrate\nfeedrate._load()\nos.chdir('/')\nfeedrate.run(%r)" % FILE
        library = os.path.join(".", os.path.basename(LIBRARY))
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "FEEDRATE_LIBRARY": library, "PYTHONPATH": sys.path[0]},
            cwd=os.path.dirname(LIBRARY),
            check=True,
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
