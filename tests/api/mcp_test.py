"""feedrate serve --mcp as an agent's program meets it: its tools answer what the commands print.

    mcp_test.py PROGRAM SOURCE_FOLDER
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, SOURCE = sys.argv[1:3]
SCENARIOS = os.path.join(SOURCE, "scenarios")
FILE = os.path.join(SCENARIOS, "caltech256_p3.json")
BASELINE = os.path.join(SOURCE, ".ci", "baseline.json")
HOST = os.path.join(SCENARIOS, "hosts/epyc_vm_2_cores.json")
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18")
TOOLS = ["run", "sweep", "advise", "optimize", "scale", "cases", "fit", "diagnose", "check", "schema"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def printed(*arguments):
    """What a command prints as JSON, whatever its verdict."""
    done = subprocess.run([PROGRAM, *arguments, "--format", "json"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def request(identity, method, params=None):
    message = {"jsonrpc": "2.0", "id": identity, "method": method}
    if params is not None:
        message["params"] = params
    return message


class Server:
    """A server; `version` None: before initialize."""

    def __init__(self, *flags, version=VERSIONS[-1]):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--mcp", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=SOURCE,
            # Whoever runs the tests may ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.last = 0
        if version is not None:
            self.info = self.ask("initialize", {"protocolVersion": version})["result"]
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        line = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def reply(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, params=None):
        self.last += 1
        self.send(request(self.last, method, params))
        reply = self.reply()
        assert (reply["jsonrpc"], reply["id"]) == ("2.0", self.last), reply
        return reply

    def call(self, name, arguments=None):
        params = {"name": name}
        if arguments is not None:
            params["arguments"] = arguments
        return self.ask("tools/call", params)["result"]

    def end(self):
        """What was written beside the replies that were read, and the exit status."""
        out, err = self.process.communicate(timeout=60)
        return out, err, self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        out, err, status = self.end()
        if reason[0] is None:
            assert (out, err, status) == ("", "", 0), (out, err, status)


def text_of(result):
    (content,) = result["content"]
    assert content["type"] == "text"
    return content["text"]


def problems_of(result):
    assert result["isError"]
    error = json.loads(text_of(result))
    assert error["kind"] == "error"
    return [(problem["key"], problem["message"]) for problem in error["error"]["problems"]]


class Start(unittest.TestCase):
    def test_versions(self):
        for asked in (*VERSIONS, "2019-01-01"):
            with self.subTest(asked), Server(version=asked) as server:
                agreed = asked if asked in VERSIONS else VERSIONS[-1]
                self.assertEqual(server.info["protocolVersion"], agreed)
                self.assertEqual(server.info["serverInfo"]["name"], "feedrate")
                self.assertEqual(server.info["capabilities"], {"tools": {}})
                self.assertEqual(server.ask("ping")["result"], {})
                result = server.call("diagnose", {"readings": {"gpu": 35, "cpu": 13}})
                self.assertEqual("structuredContent" in result, agreed == VERSIONS[-1])
                annotated = "annotations" in server.ask("tools/list")["result"]["tools"][0]
                self.assertEqual(annotated, agreed != VERSIONS[0])

    def test_the_scenario_in_the_instructions_runs(self):
        with Server() as server:
            text = server.info["instructions"]
            scenario = json.loads(text[text.index("\n{") :])
            self.assertFalse(server.call("run", {"scenario": scenario})["isError"])

    def test_tools_and_their_schemas(self):
        with Server() as server:
            tools = server.ask("tools/list")["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], TOOLS)
        for tool in tools:
            schema = tool["inputSchema"]
            self.assertEqual(schema["type"], "object")
            self.assertFalse(schema["additionalProperties"])
            self.assertGreater(len(tool["description"]), 40)
            for hidden in ("ask", "allow_files"):
                self.assertNotIn(hidden, schema["properties"])
        by_name = {tool["name"]: tool["inputSchema"] for tool in tools}
        self.assertEqual(by_name["fit"]["required"], ["free"])
        self.assertNotIn("exact", by_name["advise"]["properties"]["options"]["properties"])
        try:
            import jsonschema
        except ImportError:
            return
        for tool in tools:
            jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        for name, arguments, _ in QUESTIONS:
            jsonschema.validate({"scenario": {}, **arguments}, by_name[name])
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate({**arguments, "allow_files": "/"}, by_name[name])

    def test_schema(self):
        with Server() as server:
            manual = subprocess.run(
                [PROGRAM, "schema", "scenario"], capture_output=True, text=True, check=True
            ).stdout
            self.assertEqual(text_of(server.call("schema", {"topic": "scenario"})), manual)
            for wrong in ({}, {"topic": 3}, {"topic": "scenaro"}, None):
                (key, message), *others = problems_of(server.call("schema", wrong))
                self.assertEqual((key, others), ("/topic", []))
                self.assertIn("scenario, host", message)


# Each with the arguments of its tool beside the file, and those of its command.
QUESTIONS = [
    ("run", {"set": {"num_workers": 3}, "options": {"replications": 20}},
     ["--set", "num_workers=3", "--replications", "20"]),
    ("sweep", {"vary": {"num_workers": [1, 2, 4]}, "deadline": "30 min"},
     ["--vary", "num_workers=1,2,4", "--deadline", "30 min"]),
    ("advise", {"set": {"num_workers": 1}, "target": "80%", "budget": "2 USD"},
     ["--set", "num_workers=1", "--target", "80%", "--budget", "2 USD"]),
    ("optimize", {"over": {"num_workers": "1:8:1", "instances": [1, 2]}, "minimize": "time"},
     ["--over", "num_workers=1:8:1", "--over", "instances=1,2", "--minimize", "time"]),
    ("scale", {"to": 16, "value_of_hour": "40 USD/h", "strong": True},
     ["--to", "16", "--value-of-hour", "40 USD/h", "--strong"]),
    ("cases", {}, []),
    ("fit", {"free": ["collate"]}, ["--free", "collate"]),
    ("diagnose", {"readings": {"gpu": 35, "cpu": "13 %"}}, ["--gpu", "35", "--cpu", "13 %"]),
    ("check", {"baseline": read(BASELINE), "baseline_file": BASELINE, "max_increase": "time=5%"},
     ["--baseline", BASELINE, "--max-increase", "time=5%"]),
]  # fmt: skip


class Tools(unittest.TestCase):
    def test_each_answers_what_its_command_prints(self):
        self.assertEqual([name for name, _, _ in QUESTIONS], TOOLS[:-1])
        folders = ("--allow-files", SCENARIOS, "--allow-files", os.path.dirname(BASELINE))
        with Server(*folders) as server:
            for name, arguments, flags in QUESTIONS:
                with self.subTest(name):
                    own = printed(name, FILE, *flags)
                    for given in ({"file": FILE}, {"file": FILE, "scenario": read(FILE)}):
                        result = server.call(name, {**given, **arguments})
                        self.assertFalse(result["isError"])
                        self.assertEqual(text_of(result), own)
                        self.assertEqual(result["structuredContent"], json.loads(own))

    def test_host(self):
        own = json.loads(printed("run", FILE, "--host", HOST))
        with Server() as server:
            for host in (read(HOST), json.loads(read(HOST))):
                arguments = {"scenario": json.loads(read(FILE)), "file": FILE, "host": host}
                self.assertEqual(server.call("run", arguments)["structuredContent"], own)

    def test_wrong_questions_are_results(self):
        wrong = [
            ("run", None, None, 'the key "scenario" or "file"'),
            ("run", {"scenario": 3}, "/scenario", "expected an object"),
            ("run", {"scenario": {}, "vary": {"num_workers": [1]}}, "/vary", "belongs to sweep"),
            ("run", {"scenario": {}, "ask": "sweep"}, "/ask", "the tool is the question"),
            ("advise", {"scenario": {}, "options": {"exact": True}}, "/options/exact", "belongs"),
            ("fit", {"scenario": {}}, None, 'the key "free"'),
            ("fit", {"scenario": read(FILE), "free": []}, "free", "expected a key"),
            ("sweep", {"scenario": read(FILE)}, None, "vary KEY=VALUES"),
            ("optimize", {"scenario": read(FILE), "over": "num_workers=1:2"}, "over", "FROM:TO"),
            ("scale", {"scenario": read(FILE), "to": 1e9}, "/to", "100000"),
            ("scale", {"scenario": read(FILE), "vary": "instances=1"}, "vary", "other than"),
            ("diagnose", {"readings": {"gpus": 3}}, "/readings/gpus", 'did you mean "gpu"'),
            ("diagnose", {"readings": {}}, "readings", "what monitors show"),
        ]  # fmt: skip
        with Server() as server:
            for name, arguments, key, message in wrong:
                with self.subTest(name, arguments=arguments):
                    found = problems_of(server.call(name, arguments))
                    self.assertIn(key, [one for one, _ in found])
                    self.assertIn(message, " ".join(text for _, text in found))


class Files(unittest.TestCase):
    """A question is a stranger's, and names files only where the command line says so."""

    def test_none_is_read_without_a_folder(self):
        with Server() as server, tempfile.TemporaryDirectory() as folder:
            secret = os.path.join(folder, "secret.json")
            with open(secret, "w", encoding="utf-8") as file:
                json.dump({"name": "hunter2"}, file)
            step = {"loader": {"batch_size": 1}, "job": {"step": {"times": secret}}}
            set_times = {"scenario": read(FILE), "set": {"/job/step/times": secret}}
            vary_times = {"scenario": read(FILE), "vary": {"/job/step/times": [secret]}}
            self.assertNotIn("hunter2", text_of(server.call("sweep", vary_times)))
            for arguments in ({"file": secret}, {"scenario": {"include": secret}}, set_times,
                              {"scenario": step}, {"scenario": {}, "file": "/etc/passwd",
                                                   "host": "/etc/passwd"}):  # fmt: skip
                result = server.call("run", arguments)
                self.assertTrue(result["isError"])
                self.assertNotIn("hunter2", text_of(result))
                self.assertNotIn("root:", text_of(result))
            for arguments in ({"file": secret}, {"scenario": {"include": secret}}):
                message = " ".join(text for _, text in problems_of(server.call("run", arguments)))
                self.assertIn("none may be read here without --allow-files", message)
            for folders in ([folder], folder, [], None):
                arguments = {"file": secret, "allow_files": folders}
                found = problems_of(server.call("run", arguments))
                self.assertIn("/allow_files", [key for key, _ in found])

    def test_below_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            base = json.loads(read(FILE))
            for name, content in (("base.json", base), ("job.json", {"include": "base.json"})):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    json.dump(content, file)
            with Server("--allow-files", folder) as server:
                job = os.path.join(folder, "job.json")
                self.assertEqual(text_of(server.call("run", {"file": job})), printed("run", job))
                for outside in (FILE, os.path.join(folder, "../x.json"), "/etc/passwd"):
                    message = problems_of(server.call("run", {"file": outside}))[0][1]
                    self.assertIn("expected a file below an allowed folder", message)


class Protocol(unittest.TestCase):
    def error(self, server, line, code, identity=None):
        server.send(line)
        reply = server.reply()
        self.assertEqual((reply["error"]["code"], reply["id"]), (code, identity), line)
        self.assertNotIn("result", reply)
        return reply["error"]["message"]

    def test_what_is_no_message(self):
        with Server() as server:
            for line in ("{", "nonsense", '{"jsonrpc": "2.0", "id": 1, "id": 2}', '"\\ud800"',
                         "[" * 1000, '{"a": 1e999}', "\x00"):  # fmt: skip
                self.error(server, line, -32700)
            for message in ({}, 3, {"jsonrpc": "1.0", "method": "ping"}, {"jsonrpc": "2.0"}, [],
                            {"jsonrpc": "2.0", "method": 3}, [1],
                            {"jsonrpc": "2.0", "id": None, "method": "ping"},
                            {"jsonrpc": "2.0", "id": {}, "method": "ping"}):  # fmt: skip
                self.error(server, json.dumps(message), -32600)
            self.error(server, '{"id": 7, "method": "ping"}', -32600, 7)
            self.assertEqual(server.ask("ping")["result"], {})

    def test_methods_and_params(self):
        with Server() as server:
            self.error(server, request(1, "tools/cal"), -32601, 1)
            self.error(server, request(2, "resources/list"), -32601, 2)
            for number, params in enumerate((None, {}, [], 3, {"name": 3}, {"name": "rn"},
                                             {"name": "run", "arguments": []},
                                             {"name": "run", "arguments": "{}"})):  # fmt: skip
                self.error(server, request(number, "tools/call", params), -32602, number)
            message = self.error(server, request("a", "tools/call", {"name": "optimise"}), -32602, "a")
            self.assertIn('did you mean "optimize"', message)
            self.error(server, request(3, "tools/list", {"cursor": "x"}), -32602, 3)
            self.error(server, request(4, "initialize", {}), -32602, 4)

    def test_identities_come_back_as_they_are(self):
        with Server() as server:
            for text in ("0", "-3", "12345678901234567890", '"a\\"b"', '""', "1.50"):
                server.send('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % text)
                line = server.process.stdout.readline()
                self.assertIn('"id": %s,' % text, line)

    def test_initialize_comes_first(self):
        with Server(version=None) as server:
            self.assertEqual(server.ask("ping")["result"], {})
            self.error(server, request(1, "tools/list"), -32600, 1)
            self.error(server, request(2, "tools/call", {"name": "run"}), -32600, 2)
            self.error(server, [request(3, "ping")], -32600)

    def test_notifications_and_replies_are_not_answered(self):
        with Server() as server:
            for message in ({"jsonrpc": "2.0", "method": "notifications/cancelled",
                             "params": {"requestId": 1}},
                            {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "run"}},
                            {"jsonrpc": "2.0", "method": "nothing"},
                            {"jsonrpc": "2.0", "id": 9, "result": {}}, "", "  \r"):  # fmt: skip
                server.send(message)
            self.assertEqual(server.ask("ping")["result"], {})

    def test_batches(self):
        for version in VERSIONS:
            with self.subTest(version), Server(version=version) as server:
                batch = [request(1, "ping"), {"jsonrpc": "2.0", "method": "nothing"},
                         request("b", "nothing"), request(3, "tools/list")]  # fmt: skip
                if version == VERSIONS[-1]:
                    self.error(server, batch, -32600)
                    continue
                server.send(batch)
                replies = server.reply()
                self.assertEqual([reply["id"] for reply in replies], [1, "b", 3])
                server.send([{"jsonrpc": "2.0", "method": "nothing"}])  # no reply
                self.error(server, [], -32600)
                self.error(server, [request(1, "ping")] * 65, -32600)

    def test_a_line_without_an_end_is_the_last(self):
        done = subprocess.run(
            [PROGRAM, "serve", "--mcp"],
            input=json.dumps(request(1, "ping")),
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(done.stdout, '{"jsonrpc": "2.0", "id": 1, "result": {}}\n')


class Bounds(unittest.TestCase):
    def test_a_message(self):
        with Server() as server:
            server.send('{"jsonrpc": "2.0", "id": 1, "method": "%s"}' % ("x" * 5_000_000))
            reply = server.reply()
            self.assertEqual((reply["error"]["code"], reply["id"]), (-32600, None))
            self.assertIn("at most 4000000 bytes", reply["error"]["message"])
            self.assertEqual(server.ask("ping")["result"], {})

    def test_points_of_a_sweep(self):
        arguments = {"scenario": read(FILE), "vary": {"num_workers": "1:201:1"}}
        with Server() as server:
            self.assertIn(
                ("vary", "expected at most 200 points, got 201"),
                problems_of(server.call("sweep", arguments)),
            )
        with Server("--max-points", "2") as server:
            arguments["vary"] = {"num_workers": [1, 2]}
            self.assertFalse(server.call("sweep", arguments)["isError"])

    def test_seconds(self):
        slow = {"scenario": read(FILE), "options": {"replications": 100000, "exact": True}}
        with Server("--time-limit", "500 ms") as server:
            start = time.monotonic()
            result = server.call("run", slow)
            self.assertLess(time.monotonic() - start, 20)
            error = json.loads(text_of(result))
            self.assertTrue(result["isError"])
            self.assertEqual(error["status"], 3)
            self.assertIn("no answer within 0.5 s", error["error"]["message"])
            self.assertFalse(server.call("diagnose", {"readings": {"gpu": 1}})["isError"])

    def test_seconds_of_a_batch(self):
        slow = {"scenario": read(FILE), "options": {"replications": 100000, "exact": True}}
        call = {"name": "run", "arguments": slow}
        with Server("--time-limit", "500 ms", version="2025-03-26") as server:
            start = time.monotonic()
            server.send([request(n, "tools/call", call) for n in range(64)])
            replies = server.reply()
            self.assertLess(time.monotonic() - start, 20)
            messages = [json.loads(text_of(one["result"]))["error"]["message"] for one in replies]
            self.assertEqual(len(messages), 64)
            self.assertIn("no answer within 0.5 s", messages[0])
            for message in messages[1:]:
                self.assertIn("with those before it in its batch", message)

    def test_flags(self):
        for flags in (["--max-points", "0"], ["--max-points", "30001"], ["--time-limit", "0 s"],
                      ["--time-limit", "3 days"], ["--time-limit", "x"],
                      ["--allow-files", "/nowhere"], ["x.json"]):  # fmt: skip
            done = subprocess.run(
                [PROGRAM, "serve", "--mcp", *flags], input="", capture_output=True, text=True
            )
            self.assertEqual((done.returncode, done.stdout), (2, ""), flags)
        done = subprocess.run([PROGRAM, "serve"], input="", capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--mcp", done.stderr)


class Ends(unittest.TestCase):
    def test_a_client_that_reads_no_more(self):
        server = Server()
        server.process.stdout.close()
        # One alone: the server may be gone before a second could be sent.
        server.send(request(1, "ping"))
        self.assertEqual(server.process.wait(timeout=20), 0)
        server.process.stdin.close()
        self.assertEqual(server.process.stderr.read(), "")
        server.process.stderr.close()

    def test_signals(self):
        slow = {"scenario": read(FILE), "options": {"replications": 100000, "exact": True}}
        for one in (signal.SIGINT, signal.SIGTERM):
            server = Server()
            call = {"name": "run", "arguments": slow}
            server.send(request(1, "tools/call", call))
            time.sleep(0.3)
            server.process.send_signal(one)
            # With its question: nobody holds the other end any more.
            out, _, status = server.end()
            self.assertEqual((out, status), ("", -one))

    def test_without_a_catalogue(self):
        done = subprocess.run(
            [PROGRAM, "serve", "--mcp"],
            input="",
            capture_output=True,
            text=True,
            env={**os.environ, "FEEDRATE_PRICING": "/nowhere"},
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("FEEDRATE_PRICING", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
