"""Writes what committed runs found into README.md, or checks it there.

    python3 scripts/readme_results.py --write | --check

Needs only the standard library.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
START, END = "<!-- results: start -->\n", "<!-- results: end -->\n"

# What is compared, the run, the heading above the table, and the line of the table.
LINES = (
    ("a calibrated tree of depth 4, beside CART of the same depth", "beyond", "## Depth 4", "seed 42"),
    ("a calibrated tree of depth 8, beside CART of the same depth", "beyond", "## Depth 8", "seed 42"),
    ("a forest, beside scikit-learn's with its defaults", "forests", "*against the default*", "all seeds"),
    ("a forest, beside the better of two settings of scikit-learn's", "forests", "*against the better", "all seeds"),
    ("gaps and categories as they are, beside codes and medians", "tables", "## All", "native, seed 42"),
)


def table():
    lines = [
        "| | data sets | ranking of errors (AURC) | log-loss | accuracy, points |",
        "|---|---:|---:|---:|---:|",
        *(line(*wanted) for wanted in LINES),
        "",
        "Ratios on public data sets with the paper's folds, below 1 is better; every data set, also those where nothing is gained:",
        " · ".join(f"[runs/{run}](runs/{run}/README.md)" for run in ("beyond", "forests", "tables")) + ".",
        "",
        reproduced(),
    ]
    return "\n".join(lines) + "\n"


def line(words, run, heading, label):
    """Find the line of a run's table, and show its ratios."""
    text = (ROOT / "runs" / run / "README.md").read_text(encoding="utf-8")
    below = text[text.index(heading) :]
    cells = re.search(rf"^\| {re.escape(label)} \| (.*) \|$", below, re.MULTILINE)[1].split(" | ")
    # The number of data sets stands in the heading of the section.
    data_sets = re.findall(r"^## .*?(\d+) data sets", text[: text.index(heading) + 80], re.MULTILINE)[-1]
    aurc, log_loss = cells[:2]
    gain = next(cell for cell in cells if cell[0] in "+-")
    return f"| {words} | {data_sets} | {aurc} | {log_loss} | {gain} |"


def reproduced():
    text = (ROOT / "docs/reproduction.md").read_text(encoding="utf-8")
    cells, agree = re.search(r"\*\*all\*\* \| same data, same method \| (\d+) \| (\d+) \|", text).groups()
    return (
        f"Of {cells} published figures that rest on the same data and method, {agree} are reproduced in all printed digits "
        "([why not the others](docs/reproduction.md))."
    )


def main():
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(START)
    shown, after = rest.split(END)
    if "--write" in sys.argv:
        README.write_text(before + START + table() + END + after, encoding="utf-8")
        return 0
    if shown != table():
        print("README.md does not show the committed runs; `make results-readme` writes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
