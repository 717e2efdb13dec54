"""Counts the instructions of the hot loops under callgrind and compares them with the committed counts.

    python benches/instructions.py [--record]

Exits with 1 if a loop takes over 2 % more instructions than recorded.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benches/instructions.tsv"
WORKLOADS = [
    "grow-depth-4",
    "grow-to-the-end",
    "grow-few-values",
    "zone-margin",
    "zone-plateau",
    "zone-overlap",
    "zone-bootstrap",
    "predict",
    "predict-forest",
    "predict-forest-crisp",
    "training-rows",
]
TOLERANCE = 1.02


def count(workload):
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        "--toggle-collect=*measured*",
        ROOT / "target/release/examples/workload",
        workload,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    lines = RECORD.read_text().splitlines()[1:] if RECORD.exists() else []
    recorded = {name: int(n) for name, n in (line.split("\t") for line in lines)}
    counts = {}
    for workload in WORKLOADS:
        counts[workload] = count(workload)
        ratio = f"{counts[workload] / recorded[workload]:.3f}" if workload in recorded else "new"
        print(f"{workload:22s}{counts[workload]:15,d}{ratio:>8s}", flush=True)
    if "--record" in sys.argv:
        rows = "".join(f"{name}\t{n}\n" for name, n in counts.items())
        RECORD.write_text("workload\tinstructions\n" + rows)
        return 0
    worse = [name for name, n in counts.items() if n > TOLERANCE * recorded.get(name, n)]
    if worse:
        print("more instructions than recorded: " + ", ".join(worse))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
