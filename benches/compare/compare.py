"""Times ternwood against scikit-learn, LightGBM and XGBoost on the same arrays.

Contestants take turns, so that a busy moment of the machine affects all of them. Ratios are
always within one run. Writes raw.csv and README.md into the folder OUT.

    python compare.py OUT [--quick]
"""

import argparse
import csv
import gc
import os
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import contestants
import numpy as np
import workloads

ZONES = ["none", "margin", "quality_plateau", "gain_ratio", "class_overlap", "node_bootstrap"]


def seconds(work):
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class Run:
    """Collects timings: rows of (workload, contestant, repeat, seconds)."""

    def __init__(self):
        self.rows = []

    def race(self, workload, entries, repeats):
        """Times every entry up to `repeats` times, in turns. `entries`: name -> (work, its own limit or None)."""
        for repeat in range(repeats):
            for name, (work, own_repeats) in entries.items():
                if own_repeats is not None and repeat >= own_repeats:
                    continue
                elapsed = seconds(work)
                self.rows.append((workload, name, repeat, elapsed))
                print(f"{workload:28s} {name:24s} {elapsed:9.4f} s", flush=True)

    def times(self, workload, name):
        return [row[3] for row in self.rows if row[:2] == (workload, name)]

    def names(self, workload):
        return list(dict.fromkeys(row[1] for row in self.rows if row[0] == workload))

    def workloads(self):
        return list(dict.fromkeys(row[0] for row in self.rows))


def fits(run, quick):
    n = 100_000 if quick else 1_000_000
    X, y = workloads.twonorm(n)
    run.race(
        f"fit depth 4, {n:,} x 20",
        {
            "ternwood margin": (lambda: contestants.fit_ternwood(X, y, 4), None),
            "scikit-learn": (lambda: contestants.fit_sklearn(X, y, 4), 2),
            "LightGBM": (lambda: contestants.fit_lightgbm(X, y, 4), None),
            "XGBoost exact": (lambda: contestants.fit_xgboost(X, y, 4), 3),
        },
        7,
    )
    run.race(
        f"zones, {n:,} x 20",
        {
            zone: (lambda zone=zone: contestants.fit_ternwood(X, y, 4, zone), None)
            for zone in ZONES
        },
        5,
    )
    model = contestants.fit_ternwood(X, y, 4)
    cart = contestants.fit_sklearn(X, y, 4)
    run.race(
        f"predict, {n:,} x 20",
        {
            "ternwood predict_all": (lambda: model.predict_all(X), None),
            "scikit-learn predict_proba": (lambda: cart.predict_proba(X), None),
        },
        9,
    )
    n = 20_000 if quick else 100_000
    X, y = workloads.twonorm(n)
    run.race(
        f"fit unlimited, {n:,} x 20",
        {
            "ternwood margin": (lambda: contestants.fit_ternwood(X, y, None), None),
            "ternwood none": (lambda: contestants.fit_ternwood(X, y, None, "none"), None),
            "scikit-learn": (lambda: contestants.fit_sklearn(X, y, None), 2),
        },
        7,
    )
    X, y = workloads.mixed(n)
    run.race(
        f"fit depth 8, {n:,} x 100 mixed",
        {
            "ternwood margin": (lambda: contestants.fit_ternwood(X, y, 8), None),
            "ternwood none": (lambda: contestants.fit_ternwood(X, y, 8, "none"), None),
            "scikit-learn": (lambda: contestants.fit_sklearn(X, y, 8), 2),
        },
        7,
    )


def calibrated(run, quick):
    """What people run first chooses scale, depth and leaves, and is raced against one plain tree."""
    n = 100_000 if quick else 1_000_000
    X, y = workloads.twonorm(n)
    run.race(
        f"calibrated depth 4, {n:,} x 20",
        {
            "ternwood calibrated": (lambda: contestants.fit_calibrated(X, y, 4), None),
            "scikit-learn, plain": (lambda: contestants.fit_sklearn(X, y, 4), 2),
        },
        5,
    )
    run.race(
        f"calibrated, any depth, {n:,} x 20",
        {
            "ternwood calibrated": (lambda: contestants.fit_calibrated(X, y), None),
            "scikit-learn, plain depth 10": (lambda: contestants.fit_sklearn(X, y, 10), 2),
        },
        3,
    )


def tables(run, quick):
    """Missing values and categories, each beside the same fit of complete numbers."""
    n = 100_000 if quick else 1_000_000
    complete, y = workloads.twonorm(n)
    gaps = workloads.with_gaps(complete)
    run.race(
        f"fit depth 4, {n:,} x 20, 10 % missing",
        {
            "ternwood": (lambda: contestants.fit_ternwood(gaps, y, 4), None),
            "ternwood, complete": (lambda: contestants.fit_ternwood(complete, y, 4), None),
            "scikit-learn": (lambda: contestants.fit_sklearn(gaps, y, 4), 1),
            "LightGBM": (lambda: contestants.fit_lightgbm(gaps, y, 4), None),
        },
        7,
    )
    frame, codes, labels = workloads.categorical(n)
    run.race(
        f"fit depth 4, {n:,} x 20, 10 of 100 categories",
        {
            "ternwood": (lambda: contestants.fit_ternwood(frame, labels, 4), None),
            "ternwood, complete": (lambda: contestants.fit_ternwood(complete, y, 4), None),
            "ternwood, codes": (lambda: contestants.fit_ternwood(codes, labels, 4), None),
            "LightGBM": (lambda: contestants.fit_lightgbm(frame, labels, 4), None),
        },
        7,
    )
    for n in [2_000] if quick else [4_000, 50_000]:
        frame, codes, labels = workloads.categorical(n)
        run.race(
            f"calibrated depth 4, {n:,} x 20, 10 of 100 categories",
            {
                "ternwood": (lambda: contestants.fit_calibrated(frame, labels, 4), None),
                "ternwood, codes": (lambda: contestants.fit_calibrated(codes, labels, 4), None),
            },
            5,
        )


def growth(run, quick):
    sizes = [10_000, 30_000, 100_000] if quick else [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]
    for n in sizes:
        X, y = workloads.twonorm(n)
        entry = {"ternwood margin": (lambda X=X, y=y: contestants.fit_ternwood(X, y, 4), None)}
        run.race(f"growth, {n:,} x 20", entry, 3)
        del X, y


def copying(n):
    """Seconds to copy a matrix of `n` rows, which measures memory bandwidth, and its size in bytes."""
    source = np.random.default_rng(0).random((n, 20))
    target = np.empty_like(source)
    target[:] = 0.0  # so that every page is already mapped
    return min(seconds(lambda: np.copyto(target, source)) for _ in range(9)), source.nbytes


ROOT = Path(__file__).resolve().parents[2]


def one_row():
    """Nanoseconds for one row at depth 4, by verdict, in Rust."""
    command = "cargo run --quiet --release --package ternwood --example one_row".split()
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return dict(line.split() for line in done.stdout.splitlines())


MEMORY_PROBE = """
import pathlib, sys
import contestants, workloads

def kilobytes(name):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])

X, y = workloads.twonorm(int(sys.argv[1]))
contestants.fit_ternwood(X[:5000].copy(), y[:5000], 4)  # warm up: one-time allocations
pathlib.Path("/proc/self/clear_refs").write_text("5")  # reset the peak
before = kilobytes("VmRSS")
contestants.fit_ternwood(X, y, 4 if sys.argv[2] == "4" else None)
print((kilobytes("VmHWM") - before) * 1024 / X.nbytes)
"""


def peak_memory(n, depth):
    """Peak extra memory of a fit in its own process, as a multiple of the input matrix."""
    command = [sys.executable, "-c", MEMORY_PROBE, str(n), str(depth)]
    here = Path(__file__).parent
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=here)
    return float(done.stdout)


def table(run, workload, against):
    lines = ["| | best (s) | median (s) | best, ratio | median, ratio |", "|---|---|---|---|---|"]
    base = run.times(workload, against)
    for name in run.names(workload):
        times = run.times(workload, name)
        lines.append(
            f"| {name} | {min(times):.4f} | {statistics.median(times):.4f} "
            f"| {min(times) / min(base):.2f} "
            f"| {statistics.median(times) / statistics.median(base):.2f} |"
        )
    return "\n".join(lines)


def machine():
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    ) if Path("/proc/cpuinfo").exists() else platform.processor()
    return f"{model}, {os.cpu_count()} cores"


def limits(run, n):
    """The time of a fit compared with the time to copy its input."""
    elapsed, n_bytes = copying(n)
    fit = min(run.times(f"fit depth 4, {n:,} x 20", "ternwood margin"))
    return (
        f"Copying the matrix of the first table takes {elapsed:.4f} s on one thread "
        f"({2 * n_bytes / elapsed / 1e9:.1f} GB/s read and written). The fit takes as long as "
        f"{fit / elapsed:.1f} copies; it must read the matrix at least once, which is half a copy."
    )


def report(run, memory, n):
    packages = ["ternwood", "scikit-learn", "lightgbm", "xgboost", "numpy"]
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    text = [
        "# ternwood and its peers\n",
        f"Machine: {machine()}. Python {platform.python_version()}; {versions}. "
        f"{contestants.THREADS} threads. Written by `make bench`; every timing is in `raw.csv`.\n",
        "Ratios are relative to the first row of each table: 40 means forty times as slow as "
        "ternwood. Every fit starts from a C-ordered float64 array, or from a pandas frame if it has "
        "categories, and includes validation.\n",
    ]
    for workload in run.workloads():
        if workload.startswith("growth"):
            continue
        text += [f"## {workload}\n", table(run, workload, run.names(workload)[0]) + "\n"]
    text += ["## Growth of the fit time (depth 4, 20 columns, margin)\n"]
    text += ["| rows | best (s) | ns per row and log2(rows) |", "|---|---|---|"]
    for workload in run.workloads():
        if workload.startswith("growth"):
            rows = int(workload.split()[1].replace(",", ""))
            best = min(run.times(workload, "ternwood margin"))
            text.append(f"| {rows:,} | {best:.4f} | {best / rows / np.log2(rows) * 1e9:.2f} |")
    text += ["\n## Compared with memory bandwidth\n", limits(run, n)]
    text += ["\n## One row at depth 4, in Rust\n"]
    text += [f"- {verdict.lower()}: {ns} ns" for verdict, ns in one_row().items()]
    text += ["\n## Peak extra memory of a fit, in multiples of the input matrix\n"]
    text += [f"- {name}: {value:.2f}" for name, value in memory.items()]
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--quick", action="store_true", help="use small data, to try the script")
    options = parser.parse_args()
    run = Run()
    fits(run, options.quick)
    calibrated(run, options.quick)
    tables(run, options.quick)
    growth(run, options.quick)
    n = 100_000 if options.quick else 1_000_000
    memory = {
        f"{n:,} x 20, depth 4": peak_memory(n, "4"),
        f"{n:,} x 20, unlimited depth": peak_memory(n, "none"),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    text = report(run, memory, n)
    with open(options.out / "raw.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["workload", "contestant", "repeat", "seconds"])
        writer.writerows(run.rows)
    (options.out / "README.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
