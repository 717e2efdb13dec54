"""Fits a table three times as large as the memory that the command may have, and writes what it took.

Parquet files of 10 million rows and 20 columns (1.6 GB of numbers) are made part by part, fitted by the
command with its address space limited (RLIMIT_AS: an allocation beyond it fails), and removed. The model is
compared with that of the same command without a limit. Peak memory is what the kernel reports of the
process when it ends. Writes README.md into the folder OUT.

    python more_rows.py OUT [--parts 40]
"""

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# Their folder has to be known first.
sys.path.insert(0, str(Path(__file__).resolve().parent / "compare"))
import workloads
from compare import machine

COMMAND = Path(__file__).resolve().parents[1] / "target" / "release" / "ternwood"
ROWS_OF_A_PART, COLUMNS = 250_000, 20
FIT = "--target y --zone margin --max-depth 6 --quiet --force".split()


def make(folder, n_parts):
    """Write the parts; return the bytes of their numbers."""
    for part in range(n_parts):
        X, y = workloads.twonorm(ROWS_OF_A_PART, COLUMNS, part)
        columns = {f"x{column}": X[:, column] for column in range(COLUMNS)} | {"y": y}
        pq.write_table(pa.table(columns), folder / f"part-{part:03}.parquet", compression="none")
    return n_parts * ROWS_OF_A_PART * COLUMNS * 8


def run(arguments, address_space=None):
    """Run the command; return its seconds, its seconds of CPU time, and its peak memory in bytes."""

    def limit():
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    begun = time.perf_counter()
    process = subprocess.Popen([COMMAND, *map(str, arguments)], preexec_fn=limit)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"the command failed: {arguments}")
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - begun, cpu_seconds, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--parts", type=int, default=40)
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory(prefix="ternwood-") as name:
        folder = Path(name)
        (folder / "table").mkdir()
        size = make(folder / "table", options.parts)
        allowed = size // 3
        memory = f"{allowed // 3 // 1_000_000}MB"  # threads reserve addresses too
        expected = None
        for words, more, address_space in [
            ("all in memory", ["--memory", "100GB"], None),
            ("in pieces, temporary file", ["--memory", memory, "--scratch", folder], allowed),
        ]:
            model = folder / "model.json"
            fit = ["fit", folder / "table", *FIT, "-o", model, *more]
            seconds, cpu_seconds, peak = run(fit, address_space)
            expected = expected or model.read_bytes()
            if model.read_bytes() != expected:
                raise SystemExit(f"{words}: not the same model")
            limit = "none" if address_space is None else f"{address_space / 1e6:.0f} MB"
            times = f"{seconds:.1f} | {cpu_seconds:.1f}"
            lines.append(f"| {words} | {limit} | {peak / 1e6:.0f} MB | {times} |")
            print(lines[-1], flush=True)
    load, _, _ = os.getloadavg()
    text = f"""# A table larger than memory

Machine: {machine()}. Python {platform.python_version()}. Written by `make bench-more-rows`.

{options.parts * ROWS_OF_A_PART:,} x {COLUMNS} rows in {options.parts} Parquet files, {size / 1e6:.0f} MB of numbers, fitted
to depth 6 by `ternwood fit`. The limit is one of address space (RLIMIT_AS), a third of the numbers: an allocation
beyond it fails. `--memory` was {memory}. All models have the same bytes. CPU time is that of all threads; where it is
less than the seconds, the command waited, for the disk or for other programs: {load:.1f} processes were running or
waiting when it ended, itself included.

| | limit | peak memory | seconds | CPU seconds |
|---|---|---|---|---|
"""
    text += "\n".join(lines) + "\n"
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "README.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
