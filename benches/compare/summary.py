"""Writes the newest committed runs into README.md and docs/benchmarks.md, or checks them there.

    python summary.py --write | --check

Needs only the standard library.
"""

import csv
import re
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


# What both tables leave out: the pages of the runs have it.
LEFT_OUT = ("growth", "zones", "tree, ")
PEERS_OF_FORESTS = ("scikit-learn", "LightGBM")
# The tasks that the README shows.
IN_README = (
    "fit depth 4, 1,000,000 x 20",
    "predict, 1,000,000 x 20",
    "calibrated depth 4, 1,000,000 x 20",
    "forest of 20, 1,024 leaves, 1,000,000 x 20",
)


def tasks(run):
    """Yield a task, our contestant with its median, and the medians of others."""
    for workload, contestants in timings(run).items():
        if workload.startswith(LEFT_OUT):
            continue
        medians = {name: statistics.median(times) for name, times in contestants.items()}
        ours, *others = medians
        is_of_forests = run.name.startswith("forests")
        shown = {
            name: medians[name]
            for name in others
            if not name.startswith("ternwood") and (not is_of_forests or name in PEERS_OF_FORESTS)
        }
        if shown:
            yield workload, ours, medians[ours], shown


def short_table(runs):
    """A line for every task of the README."""
    threads = re.search(r"(\d+) threads", machine(runs))[1]
    lines = [f"Speed with {threads} threads, and how many times as long other libraries take:", ""]
    for run in runs:
        for workload, _, own, others in tasks(run):
            if workload in IN_README:
                compared = (f"{times(median, own)} × ({name})" for name, median in others.items())
                lines.append(f"- {workload}: {own:.3f} s; {', '.join(compared)}")
    return "\n".join([*lines, "", "All tasks and versions: [benchmarks](docs/benchmarks.md)."]) + "\n"


def times(median, own):
    ratio = median / own
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def long_table(runs):
    """A line for every task, and where the runs are."""
    lines = ["| task | ternwood | other libraries, and the ratio of medians |", "|---|---|---|"]
    for run in runs:
        for workload, ours, own, others in tasks(run):
            compared = (f"{name}: {median:.3f} s ({times(median, own)})" for name, median in others.items())
            lines.append(f"| {workload} | {ours.removeprefix('ternwood').strip(', ') or 'default'}: {own:.3f} s | {', '.join(compared)} |")
    links = [f"[{where}](../{where}/README.md)" for where in (run.relative_to(ROOT) for run in runs)]
    return "\n".join([*lines, "", f"{machine(runs)} All measurements: {' and '.join(links)}."]) + "\n"


def machine(runs):
    """The hardware and the versions, as the newest run names them."""
    return re.search(r"^(Machine: .*? threads\.)", (runs[0] / "README.md").read_text(), re.MULTILINE)[1]


def main():
    runs = newest_runs()
    if not runs:
        print("there is no committed run")
        return 0
    old = 0
    for page, table in (("README.md", short_table(runs)), ("docs/benchmarks.md", long_table(runs))):
        text = (ROOT / page).read_text()
        before, rest = text.split(START)
        shown, after = rest.split(END)
        if "--write" in sys.argv:
            (ROOT / page).write_text(before + START + table + END + after)
        elif shown != table:
            print(f"{page} does not show the newest runs; `make bench-readme` writes it")
            old += 1
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
