"""Times the reading of a 1 GB CSV file (and the same rows as Parquet) against polars and pandas.

    python reading.py RUN_FOLDER [BYTES]

Each reader runs in a process of its own, in turns, so that all see the same machine. Seconds are those
of the call that reads the file; memory is the peak of the process. Needs polars, pandas and pyarrow, and
the example `describe` of ternwood-table, which `make bench-reading` builds.
"""

import csv
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import make_table

ROOT = Path(__file__).resolve().parents[2]
DESCRIBE = ROOT / "target/release/examples/describe"
ROUNDS = 5

PEER = """
import json, resource, sys, time
import {module} as reader
start = time.perf_counter()
table = reader.{call}
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps(dict(seconds=seconds, peak=peak, version=reader.__version__)))
"""
CALLS = {
    ("csv", "polars"): ("polars", "read_csv(sys.argv[1])"),
    ("csv", "pandas"): ("pandas", "read_csv(sys.argv[1])"),
    ("csv", "pandas with pyarrow"): ("pandas", "read_csv(sys.argv[1], engine='pyarrow')"),
    ("parquet", "polars"): ("polars", "read_parquet(sys.argv[1])"),
    ("parquet", "pandas"): ("pandas", "read_parquet(sys.argv[1])"),
}


def measure(command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def contestants(path):
    kind = path.suffix[1:]
    yield "ternwood", [str(DESCRIBE), "--json", str(path)]
    for (of_kind, name), (module, call) in CALLS.items():
        if of_kind == kind:
            yield name, [sys.executable, "-c", PEER.format(module=module, call=call), str(path)]


def run(paths):
    rows = []
    for path in paths:
        path.read_bytes()  # into the cache of the operating system, for all of them
        for turn in range(ROUNDS):
            for name, command in contestants(path):
                found = measure(command)
                rows.append({"file": path.suffix[1:], "contestant": name, "turn": turn, **found})
                print(path.suffix[1:], name, round(found["seconds"], 3), flush=True)
    return rows


def summary(rows, size):
    lines = [
        "# Reading a large table",
        "",
        f"A CSV file of {size / 1e9:.2f} GB (18 columns of numbers, one of names, one of dates) and the same"
        f" rows as Parquet, both in the cache of the operating system. {os.cpu_count()} cores, Python"
        f" {platform.python_version()}. {ROUNDS} turns. Written by `make bench-reading`; every timing is"
        " in `raw.csv`.",
        "",
        "ternwood looks at every value to tell what a column is; polars looks at the first 100 rows."
        " Memory is the peak of the process; the numbers that the table holds take"
        f" {rows[0]['numbers'] / 1e6:.0f} MB.",
        "",
        "| file | reader | median (s) | best (s) | speed relative to polars | peak (MB) | peak / numbers |",
        "|---|---|---|---|---|---|---|",
    ]
    numbers = rows[0]["numbers"]
    for kind in dict.fromkeys(row["file"] for row in rows):
        of_kind = [row for row in rows if row["file"] == kind]
        polars = statistics.median(r["seconds"] for r in of_kind if r["contestant"] == "polars")
        for name in dict.fromkeys(row["contestant"] for row in of_kind):
            mine = [row for row in of_kind if row["contestant"] == name]
            seconds = [row["seconds"] for row in mine]
            median, peak = statistics.median(seconds), max(row["peak"] for row in mine)
            label = f"{name} {mine[0]['version']}"
            lines.append(
                f"| {kind} | {label} | {median:.2f} | {min(seconds):.2f} | {polars / median:.2f}"
                f" | {peak / 1e6:.0f} | {peak / numbers:.2f} |"
            )
    return "\n".join(lines) + "\n"


def main():
    folder, size = Path(sys.argv[1]), int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**9
    with tempfile.TemporaryDirectory() as scratch:
        table, columns = Path(scratch) / "table.csv", Path(scratch) / "table.parquet"
        make_table.make(table, size)
        copy = "import sys, polars; polars.read_csv(sys.argv[1], try_parse_dates=True).write_parquet(sys.argv[2])"
        subprocess.run([sys.executable, "-c", copy, str(table), str(columns)], check=True)
        rows = run([table, columns])
    folder.mkdir(parents=True, exist_ok=True)
    fields = ["file", "contestant", "version", "turn", "seconds", "peak"]
    with open(folder / "raw.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fields, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (folder / "README.md").write_text(summary(rows, size))
    print((folder / "README.md").read_text())


if __name__ == "__main__":
    main()
