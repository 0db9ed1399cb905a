# %% [markdown]
# # How many workers, and which machine?
# A notebook in plain Python: cells begin with `# %%`, as VS Code, Spyder and Jupytext read them.
# With the wheel installed: `pip install feedrate-*.whl`. From a clone:
# `FEEDRATE_LIBRARY=build/libfeedrate.so python3 docs/notebook.py`

# %%
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
try:
    import feedrate
except ImportError:  # not installed
    sys.path.insert(0, str(root / "src/api/python"))
    import feedrate

scenario = root / "scenarios/caltech256_p3.json"

# %% One run: a dict, the "result" of `feedrate run --format json`
result = feedrate.run(scenario, set={"num_workers": 2})
print(f"{result['instance']}: {result['time']['total_s'] / 60:.0f} min, "
      f"{result['cost']['money_usd']:.2f} USD, bottleneck {result['bottleneck']['stage']}")

# %% The last expression of a cell is shown as a table and a chart
result

# %% A sweep is a list of rows, with .frame() for pandas; here as text, with pandas and without
columns = ["set.num_workers", "set.batch_size", "total_s", "money_usd", "gpu_busy", "bottleneck"]


def text(value):
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(rows, columns):
    try:
        return feedrate.Table(rows).frame()[columns].to_string(index=False)
    except ImportError:  # no pandas
        cells = [columns] + [[text(row.get(column)) for column in columns] for row in rows]
        widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths))
                         for line in cells)


rows = feedrate.sweep(scenario, vary={"num_workers": [1, 2, 4, 8], "batch_size": [64, 128]})
print(table(rows, columns))

# %% Time over workers, a line for each batch size
rows.chart()

# %% What to change, ranked
advice = feedrate.advise(scenario, set={"num_workers": 1})
for row in advice.rows()[:3]:
    print(f"{row['change']}: {row['sooner_s'] / 60:.0f} min sooner, {row['saved_usd']:.2f} USD saved")
advice

# %% The fewest workers that keep the GPU busy
enough = min(row["set.num_workers"] for row in rows if row["gpu_busy"] > 0.9)
print(f"from {enough} workers on the GPU is busy for more than 90 % of an epoch")

# %% What the catalogue rents out, by its cost; a machine that cannot run the job says why
rows = feedrate.sweep(scenario, set={"num_workers": enough},
                      instances="gpu>=A10G, region=us-east-1, price<2", deadline="1 h")
best = sorted((row for row in rows if not row["problem"]), key=lambda row: row["money_usd"])
columns = ["set.instance", "set.purchase", "total_s", "money_usd", "meets_constraints"]
print(table(best[:5], columns))

# %% What is wrong is said at once
try:
    feedrate.run({"loader": {"num_workers": "many"}, "job": {"epochs": 0}})
except feedrate.Error as error:
    for problem in error.problems:
        print(problem["key"], problem["message"], sep=": ")
