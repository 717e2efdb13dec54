"""Writes the newest committed runs, of trees and of forests, into the README, or checks them there.

    python summary.py --write | --check

Needs only the standard library.
"""

import csv
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START, END = "<!-- bench: start -->\n", "<!-- bench: end -->\n"


def newest_runs():
    """Find the newest run of trees, and the newest of forests."""
    found = [sorted((ROOT / "benches/runs").glob(f"{name}2*/raw.csv")) for name in ("", "forests-")]
    return [runs[-1].parent for runs in found if runs]


def timings(run):
    """workload -> contestant -> seconds"""
    times = {}
    with open(run / "raw.csv", newline="") as file:
        for row in csv.DictReader(file):
            of_workload = times.setdefault(row["workload"], {})
            of_workload.setdefault(row["contestant"], []).append(float(row["seconds"]))
    return times


# What the README leaves out: other tables have it.
LEFT_OUT = ("growth", "zones", "tree, ")
PEERS_OF_FORESTS = ("scikit-learn", "LightGBM")


def lines(run):
    for workload, contestants in timings(run).items():
        if workload.startswith(LEFT_OUT):
            continue
        (ours, own), *others = contestants.items()
        own_median = statistics.median(own)
        for name, times in others:
            is_of_forests = run.name.startswith("forests")
            if name.startswith("ternwood") or (is_of_forests and name not in PEERS_OF_FORESTS):
                continue
            median = statistics.median(times)
            ratio = f"{median / own_median:.1f}"
            yield f"| {workload} | {ours}: {own_median:.3f} s | {name}: {median:.3f} s | {ratio} |"


def table(runs):
    head = ["| task | ternwood | other | ratio of medians |", "|---|---|---|---|"]
    links = [f"[{where}]({where}/README.md)" for where in (run.relative_to(ROOT) for run in runs)]
    rows = [line for run in runs for line in lines(run)]
    end = f"\n2 threads; all measurements are in {' and '.join(links)}."
    return "\n".join([*head, *rows, end]) + "\n"


def main():
    runs = newest_runs()
    if not runs:
        print("there is no committed run")
        return 0
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, rest = text.split(START)
    shown, after = rest.split(END)
    if "--write" in sys.argv:
        readme.write_text(before + START + table(runs) + END + after)
        return 0
    if shown != table(runs):
        print("README.md does not show the newest runs; `make bench-readme` writes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
