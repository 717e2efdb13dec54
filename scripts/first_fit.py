"""What `ternwood fit` makes of a table when nothing else is said, beside the paper's method.

    python3 scripts/first_fit.py TERNWOOD ../shared/openml runs/choosing/first_fit.md

Runs the command TERNWOOD on three public data sets: `evaluate --cv 5` measures the trees of `fit` and, with
`--zones margin`, those of `fit --zone margin`, in both cases without any other option. Writes a table, and what
the command warns of.
"""

import json
import subprocess
import sys
from pathlib import Path

SETS = ["31_credit-g", "1590_adult", "37_diabetes"]
FITS = {"`fit`": [], "`fit --zone margin`": ["--zones", "margin"]}


def measured(command, table, options):
    """The figures of CART and of the trees of `fit`, and the warnings."""
    line = [command, "evaluate", str(table), "--target", "class", "--cv", "5", "--format", "json", *options]
    run = subprocess.run(line, capture_output=True, text=True, check=True)
    warnings = [said.removeprefix("warning: ") for said in run.stderr.splitlines() if said.startswith("warning: ")]
    return json.loads(run.stdout)["methods"], warnings


def shown(figure):
    return "–" if figure is None else f"{figure:.3f}"


def main(command, folder, output):
    names = ["accuracy", "undecided_rate", "decided_accuracy", "log_loss"]
    lines = [
        "| data | grown by | accuracy | flagged | decided accuracy | log-loss | CART's log-loss | it warns |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for name in SETS:
        for fit, options in FITS.items():
            (cart, tree), warnings = measured(command, Path(folder) / f"{name}.arff.gz", options)
            figures = [shown(tree[figure]) for figure in names] + [shown(cart["log_loss"])]
            said = "; ".join(warning.split(":")[0] for warning in warnings) or "–"
            data = name.split("_")[1]
            lines.append(f"| {data} | {fit} | {' | '.join(figures)} | {said} |")
    Path(output).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
