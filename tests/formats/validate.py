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
