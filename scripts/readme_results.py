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
    ("a calibrated tree of depth 4, beside CART of the same depth", "beyond", "## Depth 4", "seed 42"),
    ("a calibrated tree of depth 8, beside CART of the same depth", "beyond", "## Depth 8", "seed 42"),
    ("the default tree of at most 32 leaves, beside the best depth", "depths", "## All", "readable, seed 42"),
    ("a forest, beside scikit-learn's with its defaults", "forests", "*against the default*", "all seeds"),
    ("a forest, beside the better of two settings of scikit-learn's", "forests", "*against the better", "all seeds"),
    ("gaps and categories as they are, beside codes and medians", "tables", "## All", "native, seed 42"),
)


def table(to_root):
    """The results, for a page from which `to_root` leads to the root."""
    links = [f"[runs/{run}]({to_root}runs/{run}/README.md)" for run in ("beyond", "depths", "forests", "tables")]
    lines = [
        "| | data sets | ranking of errors (AURC) | log-loss | accuracy, points |",
        "|---|---:|---:|---:|---:|",
        *(line(*wanted) for wanted in LINES),
        "",
        "Ratios on public data sets with the paper's folds, below 1 is better; every data set, also those where",
        f"nothing is gained: {' · '.join(links)}.",
        beside_others(to_root),
        "",
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


def beside_others(to_root):
    """Say on how many data sets stronger models have the lower log-loss."""
    means = means_of(raw_rows())
    parts = [
        f"our {words} loses to {' and to '.join(lower_losses(means, own))}"
        for own, words in (("ternwood_tree", "single tree of the best depth"), ("ternwood_forest", "forest"))
    ]
    return f"By log-loss, {', '.join(parts)} data sets ([runs/models]({to_root}runs/models/README.md))."


def lower_losses(means, own):
    """Stronger models, each with the number of data sets where its log-loss is lower."""
    for other, name in (("random_forest", "a random forest"), ("ebm", "EBM")):
        losses = by_data_set(means, "log_loss", [own, other])
        lower = sum(goodness("log_loss", theirs) > goodness("log_loss", ours) for ours, theirs in losses)
        # A run that is not finished may lack a model.
        if losses:
            yield f"{name} on {lower} of {len(losses)}"


def reproduced(to_root):
    text = (ROOT / "docs/reproduction.md").read_text(encoding="utf-8")
    cells, agree = re.search(r"\*\*all\*\* \| same data, same method \| (\d+) \| (\d+) \|", text).groups()
    return (
        f"Of {cells} published figures that rest on the same data and method, {agree} are reproduced in all printed\n"
        f"digits ([why not the others]({to_root}docs/reproduction.md))."
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
