"""Writes what committed runs found into README.md and docs/results/index.md, or checks it there.

    python3 scripts/readme_results.py --write | --check

Needs only the standard library.
"""

import re
import sys
from pathlib import Path

from models_report import by_data_set, goodness, means_of, raw_rows

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/results/index.md")
START, END = "<!-- results: start -->\n", "<!-- results: end -->\n"

# What is compared, the run, the heading above the table, and the line of the table.
LINES = (
    ("calibrated tree vs. CART, both of depth 4", "beyond", "## Depth 4", "seed 42"),
    ("calibrated tree vs. CART, both of depth 8", "beyond", "## Depth 8", "seed 42"),
    ("default tree (at most 32 leaves) vs. tree of the best depth", "depths", "## All", "readable, seed 42"),
    ("ternary forest vs. scikit-learn's default forest", "forests", "*against the default*", "all seeds"),
    ("ternary forest vs. the better of two scikit-learn settings", "forests", "*against the better", "all seeds"),
    ("native missing values and categories vs. codes and medians", "tables", "## All", "native, seed 42"),
)


def table(to_root):
    """The results, for a page from which `to_root` leads to the root."""
    links = [f"[runs/{run}]({to_root}runs/{run}/README.md)" for run in ("beyond", "depths", "forests", "tables")]
    lines = [
        "| comparison | data sets | AURC ratio | log-loss ratio | accuracy, points |",
        "|---|---:|---:|---:|---:|",
        *(line(*wanted) for wanted in LINES),
        "",
        "Ratios below 1 favour the first of the two. AURC measures how well confidence ranks the errors. Every data set that was run is",
        f"included: {' · '.join(links)}.",
        "",
        against_stronger(to_root),
        reproduced(to_root),
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


def against_stronger(to_root):
    """Say on how many data sets stronger models have the lower log-loss."""
    means = means_of(raw_rows())
    parts = [
        f"{words} loses to {' and to '.join(lower_losses(means, own))}"
        for own, words in (("ternwood_tree", "the single tree of the best depth"), ("ternwood_forest", "the forest"))
    ]
    return f"Compared by log-loss with stronger models, {'; '.join(parts)} data sets ([runs/models]({to_root}runs/models/README.md))."


def lower_losses(means, own):
    """Stronger models, each with the number of data sets where its log-loss is lower."""
    for other, name in (("random_forest", "a random forest"), ("ebm", "EBM")):
        losses = by_data_set(means, "log_loss", [own, other])
        lower = sum(goodness("log_loss", theirs) > goodness("log_loss", ours) for ours, theirs in losses)
        # A run that is not finished may lack a model.
        if losses:
            yield f"{name} on {lower} of {len(losses)}"


def reproduced(to_root):
    """Say how many of the paper's figures are reproduced."""
    text = (ROOT / "docs/reproduction.md").read_text(encoding="utf-8")
    cells, agree = re.search(r"\*\*all\*\* \| same data, same method \| (\d+) \| (\d+) \|", text).groups()
    return (
        f"The paper: {agree} of {cells} published figures with the same data and method are reproduced in all digits\n"
        f"([the others]({to_root}docs/reproduction.md))."
    )


def main():
    old = 0
    for page in PAGES:
        path, wanted = ROOT / page, table("../" * page.count("/"))
        before, rest = path.read_text(encoding="utf-8").split(START)
        shown, after = rest.split(END)
        if "--write" in sys.argv:
            path.write_text(before + START + wanted + END + after, encoding="utf-8")
        elif shown != wanted:
            print(f"{page} does not show the committed runs; `make results-readme` writes it")
            old += 1
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
