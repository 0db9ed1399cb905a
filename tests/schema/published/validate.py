"""validate.py SCHEMA FILE: exits with 0 when the JSON file meets the JSON Schema."""
import json
import sys

import jsonschema


def refuse(text):
    raise ValueError(f"{text} is no JSON")


with open(sys.argv[1]) as schema, open(sys.argv[2], encoding="utf-8") as file:
    document = json.load(file, parse_constant=refuse)
    jsonschema.Draft202012Validator(json.load(schema)).validate(document)

# A schema cannot add: the parts of each difference make up all of it.
if isinstance(document, dict) and document.get("kind") == "check":
    for scenario in document["scenarios"]:
        for metric in ("total_s", "money_usd", "total_usd", "gpu_busy"):
            change = next(f["change"] for f in scenario["figures"] if f["metric"] == metric)
            if not scenario["parts"]:
                assert not change, (scenario["scenario"], metric, change)
                continue
            total = sum(part["change"][metric] for part in scenario["parts"])
            assert abs(total - change) <= 1e-12 * (1 + abs(change)) * 1e3, (metric, total, change)
            # Each part starts where the one before ended; the simulator's is named last, made first.
            parts = sorted(scenario["parts"], key=lambda part: "simulator" not in part["groups"])
            for before, after in zip(parts, parts[1:]):
                assert before["to"] == after["from"]

# Nor can it compare: spans of a track follow each other, every track and process has its name, and
# no section reaches beyond the next one's beginning.
if isinstance(document, dict) and "traceEvents" in document:
    reached, named, processes = {}, set(), set()
    for event in document["traceEvents"]:
        track = event["pid"], event["tid"]
        processes.add(event["pid"])
        if event["ph"] == "M":
            named.add((*track, event["name"]))
            continue
        begin = round(event["ts"] * 1000)
        end = begin + round(event.get("dur", 0) * 1000)
        line = (*track, event["name"] if event["ph"] == "C" else event["ph"])
        assert begin >= reached.get(line, 0), event
        reached[line] = end
        if event["ph"] == "X":
            assert (*track, "thread_name") in named, event
    lengths = [round(section["length_s"] * 1e9) for section in document["otherData"]["sections"]]
    assert processes == set(range(1, len(lengths) + 1))
    for track, end in reached.items():
        assert end <= sum(lengths[:track[0]]), (track, end)
