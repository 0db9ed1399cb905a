"""documents.py PROGRAM: what commands write is what `feedrate schema TOPIC` says that they write.

Every topic of what a command writes has a call here. The document must meet the schema and hold no key
that the schema does not name, and each key must begin a line of the manual. A topic that is neither
here nor among those of other tests fails.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
JOB = "scenarios/caltech256_p3.json"

# The calls of each topic; "@" is a file that the call writes and that is the document.
CALLS = {
    "baseline": [["check", JOB, "--baseline", "@", "--update", "--mean"]],
    "result": [["run", JOB], ["run", JOB, "--mean"]],
    "sweep": [["sweep", JOB, "--vary", "num_workers=2,4"],
              ["sweep", JOB, "--vary", "instances=1,2,4", "--deadline", "1h", "--mean"],
              ["sweep", JOB, "--vary", "num_workers=0,2", "--vary", "region=us-east-1,nowhere"]],
    "comparison": [["compare", JOB, "scenarios/dali_threads.json"]],
    "search": [["feeds", JOB], ["run", JOB, "--find", "smallest num_workers in 1..16 with gpu_busy >= 50%"]],
    "check": [["check", JOB, "--baseline", ".ci/baseline.json"],
              ["check", JOB, "--baseline", ".ci/baseline.json", "--set", "num_workers=1"]],
    "advice": [["advise", JOB], ["advise", "scenarios/hyundai_p3_16xlarge.json", "--mean"]],
    "diagnosis": [["diagnose", "tests/formats/screens/top_iostat.txt"],
                  ["diagnose", "tests/formats/screens/sar_dmon.txt", JOB]],
    "optimum": [["optimize", JOB, "--over", "num_workers=1:8:1"],
                ["optimize", JOB, "--over", "num_workers=1:8:1", "--budget", "0.01 USD"]],
    "cases": [["cases", JOB, "scenarios/dali_threads.json"]],
    "validation": [["validate", "scenarios/hosts/h100_vm_16_cores.json", "--measured",
                    "bench/measurements/h100_vm_16_cores/pytorch.json"]],
    "fit": [["fit", "scenarios/loader_disciplines_lock.json", "--free", "/loader/handover"],
            ["fit", JOB, "--free", "read_cv"]],
    "scale": [["scale", JOB], ["scale", "scenarios/small_files_s3.json", "--deadline", "2h"]],
    "catalog": [["catalog", "list"], ["catalog", "list", "gpus>=8"]],
    "showback": [["showback", "scenarios/teams/*.json", "--by", "team"]],
}
# What a tool of feedrate serve answers, and the document in it.
ANSWERS = {
    "error": [{"name": "run", "arguments": {"scenario": {"name": "x", "loader": {"num_workers": -1}}}}],
}
# Files in the repository that are of a topic.
FILES = {"host": "scenarios/hosts/*.json", "measurements": "bench/measurements/*/*.json",
         "pricing": "pricing/**/*.json"}
# Files that people or other programs write, and what is no whole document of one call: other tests.
ELSEWHERE = {"scenario", "request", "observation", "share"}


def feedrate(words, may_fail=False):
    done = subprocess.run([PROGRAM, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in ((0, 1, 2) if may_fail else (0, 1)):
        sys.exit(f"feedrate {' '.join(words)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def document_of(words):
    words = [str(path) for word in words for path in (sorted(ROOT.glob(word)) if "*" in word else [word])]
    if "@" in words:
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/document.json"
            feedrate([file if word == "@" else word for word in words])
            return json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    return json.loads(feedrate([*words, "--format", "json"]))


def answer_of(call):
    """The document with which a server answers a tool's call."""
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
             {"jsonrpc": "2.0", "method": "notifications/initialized"},
             {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}]
    done = subprocess.run([PROGRAM, "serve", "--mcp"], input="".join(json.dumps(line) + "\n" for line in lines), cwd=ROOT,
                          capture_output=True, text=True, check=False)
    return json.loads(json.loads(done.stdout.splitlines()[-1])["result"]["content"][0]["text"])


def unexplained(value, schema, root, at=""):
    """Pointers of keys that the schema does not name, where it names any."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    for choice in schema.get("oneOf", schema.get("anyOf", [])):
        if choice.get("type") != "null":
            yield from unexplained(value, choice, root, at)
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from unexplained(item, schema.get("items", {}), root, f"{at}/{index}")
    elif isinstance(value, dict) and "properties" in schema:
        for key, item in value.items():
            if key in schema["properties"]:
                yield from unexplained(item, schema["properties"][key], root, f"{at}/{key}")
            else:
                yield f"{at}/{key}"
    elif isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
        for key, item in value.items():
            yield from unexplained(item, schema["additionalProperties"], root, f"{at}/{key}")


def names(schema):
    """Every key that a schema names."""
    for key, inner in schema.get("properties", {}).items():
        yield key
        yield from names(inner)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            yield from names(schema[part])


def main():
    refused = subprocess.run([PROGRAM, "schema"], capture_output=True, text=True, check=False).stderr
    topics = re.search(r"expected ([a-z|]+)", refused).group(1).split("|")
    known = {**CALLS, **ANSWERS, **FILES}
    wrong = [f"{topic}: no call here writes one" for topic in topics if topic not in known and topic not in ELSEWHERE]
    wrong += [f"{topic}: feedrate schema does not know it" for topic in known if topic not in topics]
    checked = 0
    for topic, calls in known.items():
        schema = json.loads(feedrate(["schema", topic, "--format", "json"]))
        jsonschema.Draft202012Validator.check_schema(schema)
        manual = feedrate(["schema", topic])
        explained = {line.split()[0] for line in manual.split("\n") if line.strip()}
        if topic != "baseline":  # with limits and kinds
            wrong += [f"{topic}: the manual has no {name}" for name in names(schema) if name not in explained]
        if topic in FILES:
            files = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(ROOT.glob(calls))]
            for path, document in files:
                if topic == "measurements" and document.get("kind") != topic:
                    continue
                for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
                    wrong.append(f"{path.name}: {error.json_path}: {error.message[:200]}")
                checked += 1
            continue
        for call in calls:
            words = call if isinstance(call, list) else [json.dumps(call)]
            document = answer_of(call) if topic in ANSWERS else document_of(words)
            for error in jsonschema.Draft202012Validator(schema).iter_errors(document):
                wrong.append(f"{topic}: {' '.join(words)}: {error.json_path}: {error.message[:200]}")
            for pointer in unexplained(document, schema, schema):
                wrong.append(f"{topic}: {' '.join(words)}: {pointer} is not explained")
            checked += 1
    print("\n".join(wrong[:60]) or f"{checked} documents of {len(known)} topics meet their schemas")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
