"""Counts the instructions of fits of small tables, on sorted columns and on ranks.

    cargo build --release --package ternwood-cli --no-default-features
    python benches/small_trees.py [COMMAND]

A limit on the number of leaves makes small training sets grow on ranks. A limit of a million changes no
tree, so the difference between the two fits is that of the two searches. Counts are those of the whole
command under callgrind, with one thread. Prints a table.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = Path(__file__).resolve().parents[1] / "target/release/ternwood"
FEATURES = 20
TABLES = [(rows, depth) for rows in (150, 1_000, 4_000) for depth in ("4", "none")]


def two_normals(rows):
    """Make the rows of two normal classes, those of `crates/ternwood/benches/support/mod.rs`."""
    state = 1

    def unit():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 11) / 2**53

    columns = [
        [sum(unit() for _ in range(4)) - 2 + (-0.3 if row % 2 else 0.3) for row in range(rows)]
        for _ in range(FEATURES)
    ]
    return zip(*columns, strict=True)


def write(path, rows):
    lines = [",".join([*(f"x{i}" for i in range(FEATURES)), "y"])]
    for number, values in enumerate(two_normals(rows)):
        lines.append(",".join([*map(repr, values), "ab"[number % 2]]))
    path.write_text("\n".join(lines) + "\n")


def instructions(command, folder, depth, *options):
    """Count the instructions of a fit; return them with the tree."""
    fit = [command, "fit", "rows.csv", "--target", "y", "--output", "model.json", "--force", "--quiet"]
    tree = ["--zone", "none", "--max-depth", depth, "--threads", "1", *options]
    callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*callgrind, *fit, *tree], cwd=folder, capture_output=True, text=True, check=True)
    show = [command, "show", "model.json", "--full"]
    shown = subprocess.run(show, cwd=folder, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]), shown.stdout.split("\n\n")[1]


def main(command):
    print("| rows | depth | sorted columns | ranks | difference |\n|---:|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for rows, depth in TABLES:
            write(Path(folder, "rows.csv"), rows)
            by_sorting, tree = instructions(command, folder, depth)
            on_ranks, same = instructions(command, folder, depth, "--max-leaf-nodes", "1000000")
            if tree != same:
                raise SystemExit(f"{rows} rows, depth {depth}: the limit on leaves changed the tree")
            limit = "no limit" if depth == "none" else depth
            print(f"| {rows:,} | {limit} | {by_sorting:,} | {on_ranks:,} | {on_ranks - by_sorting:+,} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else COMMAND)
