"""Times predictions of a tree and a forest, one row at a time and in batches: in Rust, in Python, and by onnxruntime.

The models are fitted to four folds of a data set in the folder DATA (`ternwood-paper fetch`), and asked about the fifth.
Everything uses one thread. Contestants take turns in every repeat. Onnxruntime also loads each model in a process of its
own, which reports its memory. Needs the example `latency` of the crate ternwood, which `make latency` builds. Writes
README.md, raw.csv and served.csv into the folder OUT.

    python latency.py DATA OUT
"""

import argparse
import csv
import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnxruntime
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from ternwood import TernaryForestClassifier, TernaryTreeClassifier

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from paper_folder import entries_in, folds_in, table

EXAMPLE = ROOT / "target" / "release" / "examples" / "latency"
DATA_SET, REPEATS, ALONE, BATCH = "adult", 7, 200, 1000
LEAVES, TREES, LEAVES_OF_TREES, SCALE = 450, 100, 1000, 1.6
WITHOUT_ZONES = {"zone": "none", "zone_scale": 1.0, "exponent": None}


def models(X, y):
    """Yield the kind of model, ours with zones and without, and scikit-learn's."""
    size = {"max_leaf_nodes": LEAVES, "random_state": 0}
    tree, plain = TernaryTreeClassifier(**size), TernaryTreeClassifier(zone="none", **size)
    yield "tree", tree.fit(X, y), plain.fit(X, y), DecisionTreeClassifier(**size).fit(X, y)
    size = {"max_leaf_nodes": LEAVES_OF_TREES, "random_state": 0}
    forest = TernaryForestClassifier(TREES, zone_scale=SCALE, **size).fit(X, y)
    plain = TernaryForestClassifier(TREES, **WITHOUT_ZONES, **size).fit(X, y)
    yield "forest", forest, plain, RandomForestClassifier(TREES, **size).fit(X, y)
    for model in (forest, plain):
        model.set_params(n_jobs=1)


def n_nodes(model):
    trees = model.estimators_ if hasattr(model, "estimators_") else [model]
    return sum(tree.tree_.node_count for tree in trees)


def session(file):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def in_python(model, theirs, rows):
    """Return what is asked in Python: name -> function of rows."""
    onnx = session(model[0].to_onnx().SerializeToString())
    plain_onnx = session(model[1].to_onnx().SerializeToString())
    check_answers(onnx, model[0], rows)
    check_answers(plain_onnx, model[1], rows)
    return {
        "Python, predict_all": model[0].predict_all,
        "Python, predict_proba": model[0].predict_proba,
        "Python, predict_proba without zones": model[1].predict_proba,
        "scikit-learn, predict_proba": theirs.predict_proba,
        "onnxruntime": lambda rows: onnx.run(None, {"numbers": rows}),
        "onnxruntime, without zones": lambda rows: plain_onnx.run(None, {"numbers": rows}),
    }


def check_answers(onnx, model, rows):
    names = [output.name for output in onnx.get_outputs()]
    found = dict(zip(names, onnx.run(None, {"numbers": rows}), strict=True))
    np.testing.assert_array_equal(found["label"], model.predict(rows))
    np.testing.assert_array_equal(found["decided"], model.predict_decided(rows))


def seconds_per_row(ask, rows):
    gc.collect()
    start = time.process_time()
    for row in rows:
        ask(row)
    return (time.process_time() - start) / sum(len(row) for row in rows)


def in_rust(model, rows, folder, name):
    """Return a function that runs the example, and yields what it measured: name, rows at a time, seconds per row."""
    model_file, rows_file = folder / name, folder / "rows"
    model.save(model_file)
    rows_file.write_bytes(rows.astype("<f8").tobytes())
    command = [EXAMPLE, model_file, rows_file, "1"]

    def run():
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            asked, _, seconds = line.rsplit(",", 2)
            if asked == "predict, a batch":
                yield "Rust, predict", BATCH, float(seconds)
            else:
                yield f"Rust, {asked.removesuffix(', one row')}", 1, float(seconds)

    return run


def race(kind, zoned, plain, theirs, rows, folder):
    """Yield lines of raw.csv."""
    asks = in_python((zoned, plain), theirs, rows)
    rust = in_rust(zoned, rows, folder, f"{kind}.safetensors")
    one_by_one = [rows[at : at + 1] for at in range(ALONE)]
    for ask in asks.values():
        seconds_per_row(ask, [*one_by_one, rows[:BATCH]])
    for repeat in range(REPEATS):
        for name, n_rows, seconds in rust():
            yield kind, name, n_rows, repeat, seconds
        for name, ask in asks.items():
            yield kind, name, 1, repeat, seconds_per_row(ask, one_by_one)
            yield kind, name, BATCH, repeat, seconds_per_row(ask, [rows[:BATCH]])


def memory(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"this system does not tell {field}")


def serve(file, rows):
    """Load a model and ask it; print what that takes."""
    content, rows = file.read_bytes(), np.load(rows)
    before, start = memory("VmRSS"), time.process_time()
    onnx = session(content)
    found = {"load": time.process_time() - start, "memory": memory("VmRSS") - before}
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    before = memory("VmRSS")
    onnx.run(None, {"numbers": rows})
    found["memory per row"] = max(memory("VmHWM") - before, 0) / len(rows)
    print(json.dumps(found))


def served(name, model, rows, folder):
    """Load the model in another process. Returns a line of served.csv."""
    file, rows_file = folder / "model.onnx", folder / "rows.npy"
    file.write_bytes(model.to_onnx(force_large=True).SerializeToString())
    np.save(rows_file, rows[:BATCH])
    command = [sys.executable, __file__, "--serve", file, rows_file]
    found = []
    for _ in range(3):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    medians = {key: statistics.median(run[key] for run in found) for key in found[0]}
    return {"model": name, "nodes": n_nodes(model), "bytes": file.stat().st_size, **medians}


def machine():
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores"


def microseconds(seconds):
    number = 1e6 * seconds
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def table_of(kind, lines):
    """Medians, and ratios to the first contestant that was asked for as many rows at a time."""
    medians = {}
    for of_kind, name, n_rows, _, seconds in lines:
        if of_kind == kind:
            medians.setdefault(name, {}).setdefault(n_rows, []).append(seconds)
    medians = {
        name: {n_rows: statistics.median(times) for n_rows, times in of_name.items()}
        for name, of_name in medians.items()
    }
    bases = {}
    for of_name in medians.values():
        bases = of_name | bases
    text = [
        f"| | one row (µs) | ratio | {BATCH:,} rows (µs per row) | ratio |",
        "|---|---|---|---|---|",
    ]
    for name, of_name in medians.items():
        cells = [
            f"{microseconds(of_name[n_rows])} | {of_name[n_rows] / bases[n_rows]:.3g}"
            if n_rows in of_name
            else " | "
            for n_rows in (1, BATCH)
        ]
        text.append(f"| {name} | {' | '.join(cells)} |")
    return text


def report(lines, services, sizes, refusal, load):
    packages = ("ternwood", "scikit-learn", "onnxruntime", "numpy")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    text = [
        "# Latency of predictions\n",
        f"Machine: {machine()}. Python {platform.python_version()}; {versions}. One thread; data set {DATA_SET}; medians "
        f"of {REPEATS} repeats. Written by `make latency`; every timing is in `raw.csv`.\n",
        f"Python, scikit-learn and onnxruntime are timed in seconds of the processor, Rust by the clock: the median of "
        f"groups of ten rows, the fastest of ten batches. Other programs hardly change the former, but make "
        f"batches in Rust look slow, those of forests most: compare them on an idle machine only. Load average before the run: {load:.1f}.\n",
        "Every contestant is asked about the same rows, one at a time or in batches. Ratios are relative to "
        "`Model::predict_row` for one row, and to `Model::predict` for batches: 2 means twice as slow. In Rust and "
        "where nothing else is said, models have zones and answer with class, probabilities and verdict. "
        "*The first row after loading* lays the nodes out for fast walks; later predictions find that done.\n",
    ]
    for kind, size in sizes.items():
        text += [f"## A {kind}\n", size + "\n", *table_of(kind, lines), ""]
    text += [
        "## Served by onnxruntime\n",
        f"Each file was loaded by a process of its own, three times (medians). Memory is what the process grew by while "
        f"loading, and at its peak for {BATCH:,} rows at a time, per row.\n",
        "| model | nodes | file (MB) | load (s) | memory (MB) | per row (kB) |",
        "|---|---|---|---|---|---|",
    ]
    for line in services:
        text.append(
            f"| {line['model']} | {line['nodes']:,} | {line['bytes'] / 1e6:.1f} | {line['load']:.2f} "
            f"| {line['memory'] / 1e6:.0f} | {line['memory per row'] / 1e3:.1f} |"
        )
    text += ["", f"Without `force_large=True`, the last one is refused: *{refusal}*"]
    return "\n".join(text) + "\n"


def main():
    if sys.argv[1:2] == ["--serve"]:
        serve(*map(Path, sys.argv[2:]))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(3)
    load = os.getloadavg()[0]
    entry = next(entry for entry in entries_in(options.data) if entry["name"] == DATA_SET)
    X, y = table(options.data / entry["file"])
    test = folds_in(options.data)[entry["openml_id"]] == 0
    X, y, rows = X[~test], y[~test], np.ascontiguousarray(X[test])
    lines, services, sizes = [], [], {}
    with tempfile.TemporaryDirectory(prefix="ternwood-") as name:
        folder = Path(name)
        for kind, zoned, plain, theirs in models(X, y):
            trees = f"{TREES} trees of at most {LEAVES_OF_TREES:,} leaves" if kind == "forest" else "One tree"
            sizes[kind] = f"{trees}: {n_nodes(zoned):,} nodes with zones, {n_nodes(plain):,} without."
            for line in race(kind, zoned, plain, theirs, rows, folder):
                lines.append(line)
                print(*line, flush=True)
            services.append(served(f"{kind} with zones", zoned, rows, folder))
            services.append(served(f"{kind} without zones", plain, rows, folder))
        grown = TernaryForestClassifier(TREES, zone_scale=SCALE, random_state=0).fit(X, y)
        services.append(served("fully grown forest with zones", grown, rows, folder))
        try:
            refusal = "nothing"
            grown.to_onnx()
        except ValueError as error:
            refusal = str(error)
    text = report(lines, services, sizes, refusal, load)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "README.md").write_text(text)
    with (options.out / "raw.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "contestant", "rows", "repeat", "seconds per row"])
        writer.writerows(lines)
    with (options.out / "served.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(services[0]))
        writer.writeheader()
        writer.writerows(services)
    print(text)


if __name__ == "__main__":
    main()
