"""Writes the results of the newest committed run into the README, or checks that they are there.

    python summary.py --write | --check

Needs only the standard library.
"""

import csv
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START, END = "<!-- bench: start -->\n", "<!-- bench: end -->\n"


def newest_run():
    runs = sorted(path.parent for path in (ROOT / "benches/runs").glob("2*/raw.csv"))
    return runs[-1] if runs else None


def timings(run):
    """workload -> contestant -> seconds"""
    times = {}
    with open(run / "raw.csv", newline="") as file:
        for row in csv.DictReader(file):
            of_workload = times.setdefault(row["workload"], {})
            of_workload.setdefault(row["contestant"], []).append(float(row["seconds"]))
    return times


def table(run):
    lines = [
        "| task | ternwood | other | ratio of medians |",
        "|---|---|---|---|",
    ]
    for workload, contestants in timings(run).items():
        if workload.startswith(("growth", "zones")):
            continue
        (ours, own), *others = contestants.items()
        own_median = statistics.median(own)
        for name, times in others:
            if name.startswith("ternwood"):
                continue
            median = statistics.median(times)
            ratio = f"{median / own_median:.1f}"
            lines.append(f"| {workload} | {ours}: {own_median:.3f} s | {name}: {median:.3f} s | {ratio} |")
    where = run.relative_to(ROOT)
    lines.append(f"\nOne run with 2 threads; all measurements are in [{where}]({where}/README.md).")
    return "\n".join(lines) + "\n"


def main():
    run = newest_run()
    if run is None:
        print("there is no committed run")
        return 0
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, rest = text.split(START)
    shown, after = rest.split(END)
    if "--write" in sys.argv:
        readme.write_text(before + START + table(run) + END + after)
        return 0
    if shown != table(run):
        print("README.md does not show the newest run; `make bench-readme` writes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
