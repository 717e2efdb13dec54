"""Writes runs/models/README.md from the raw results beside it, or checks that it still says the same.

    python3 scripts/models_report.py --write | --check

Needs only the standard library.
"""

import csv
import json
import math
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

RUN = Path(__file__).resolve().parents[1] / "runs/models"
# Data sets of the run: at most so many of each.
RULE = {"rows": 2_000, "features": 60, "classes": 10}
FOLDS = 5
COLUMNS = (
    "openml_id,dataset,rows,columns,classes,fold,method,accuracy,aurc,log_loss,size,seconds,problem"
).split(",")
FIGURES = ("accuracy", "aurc", "log_loss", "size", "seconds")
NAMES = {
    "ternwood_tree_depth_4": "ternary tree, depth 4",
    "ternwood_tree": "ternary tree",
    "ternwood_forest": "ternary forest",
    "sklearn_tree_by_log_loss": "scikit-learn's tree, by log-loss",
    "sklearn_tree_by_accuracy": "scikit-learn's tree, by accuracy",
    "hs_tree": "HSTree (imodels)",
    "streed": "optimal tree (pystreed)",
    "ebm": "EBM (interpret)",
    "random_forest": "random forest",
}
OURS = ("ternwood_tree_depth_4", "ternwood_tree", "ternwood_forest")
SCORES = {"accuracy": "accuracy", "aurc": "AURC", "log_loss": "log-loss"}

# data set -> method -> figure -> mean over folds
Means = dict[str, dict[str, dict[str, float]]]


def raw_rows() -> list[dict[str, str]]:
    """All rows of the run."""
    with (RUN / "raw.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def means_of(rows: list[dict[str, str]]) -> Means:
    """Means over folds, of every model that ran on every fold of a data set."""
    groups: dict[str, dict[str, list[dict[str, str]]]] = {}
    for row in rows:
        groups.setdefault(row["dataset"], {}).setdefault(row["method"], []).append(row)
    means = {
        name: {
            method: {
                figure: statistics.fmean(float(row[figure]) for row in of_method)
                for figure in FIGURES
            }
            for method, of_method in methods.items()
            if len(of_method) == FOLDS and not any(row["problem"] for row in of_method)
        }
        for name, methods in groups.items()
    }
    return {name: of_set for name, of_set in means.items() if of_set}


def measured(means: Means) -> list[str]:
    """The methods that have finished a data set; an unfinished run may lack the slow ones."""
    return [method for method in NAMES if any(method in of_set for of_set in means.values())]


def by_data_set(means: Means, figure: str, methods: list[str]) -> list[list[float]]:
    """A figure of these methods, for every data set that all of them managed."""
    return [
        [of_set[method][figure] for method in methods]
        for of_set in means.values()
        if all(method in of_set for method in methods)
    ]


def goodness(figure: str, value: float) -> float:
    """Larger is better; differences beyond the sixth digit are ties."""
    return round(value if figure == "accuracy" else -value, 6)


def ranks(figure: str, values: list[float]) -> list[float]:
    """1 for the best; ties share the mean of their ranks."""
    good = [goodness(figure, value) for value in values]
    return [
        1 + sum(other > own for other in good) + (sum(other == own for other in good) - 1) / 2
        for own in good
    ]


def record(means: Means, figure: str, own: str, other: str) -> str:
    """Wins, ties and losses of one method against another, over data sets."""
    pairs = [
        (goodness(figure, a), goodness(figure, b))
        for a, b in by_data_set(means, figure, [own, other])
    ]
    wins = sum(a > b for a, b in pairs)
    losses = sum(a < b for a, b in pairs)
    return f"{wins} – {len(pairs) - wins - losses} – {losses}"


def ratio(means: Means, figure: str, own: str, other: str) -> float:
    """Geometric mean over data sets of one method's figure by another's."""
    pairs = by_data_set(means, figure, [own, other])
    # An AURC of 0 has no logarithm: it counts as one of a millionth.
    logs = [math.log(max(a, 1e-6) / max(b, 1e-6)) for a, b in pairs]
    return math.exp(statistics.fmean(logs))


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def summary(means: Means) -> str:
    """Mean figures and ranks of every method over the data sets that all of them managed."""
    methods = measured(means)
    mean_ranks = {
        figure: [
            statistics.fmean(column)
            for column in zip(
                *(ranks(figure, values) for values in by_data_set(means, figure, methods)),
                strict=True,
            )
        ]
        for figure in SCORES
    }
    values = {figure: by_data_set(means, figure, methods) for figure in FIGURES}
    rows = []
    for index, method in enumerate(methods):
        column = {figure: [line[index] for line in values[figure]] for figure in FIGURES}
        scores = [
            f"{statistics.fmean(column[figure]):.4f} ({mean_ranks[figure][index]:.1f})"
            for figure in SCORES
        ]
        size = f"{statistics.median(column['size']):,.0f}{' terms' if method == 'ebm' else ''}"
        rows.append([NAMES[method], *scores, size, f"{statistics.median(column['seconds']):.2f}"])
    head = ["", *(f"{name} (rank)" for name in SCORES.values()), "leaves", "CPU seconds"]
    return table(head, rows)


def duels(means: Means, own: str) -> str:
    """One of our models against every other."""
    others = [method for method in measured(means) if method not in OURS]
    rows = [
        [
            NAMES[other],
            *(record(means, figure, own, other) for figure in SCORES),
            *(f"{ratio(means, figure, own, other):.3f}" for figure in ("aurc", "log_loss")),
            f"{ratio(means, 'seconds', own, other):.2g}",
        ]
        for other in others
    ]
    head = [f"{NAMES[own]} against", *SCORES.values(), "AURC ratio", "log-loss ratio", "CPU ratio"]
    return table(head, rows)


def verdicts(means: Means) -> Iterator[str]:
    """Say in words who is better, for the comparisons that people ask about."""
    for own, other in [
        ("ternwood_tree", "sklearn_tree_by_log_loss"),
        ("ternwood_tree", "hs_tree"),
        ("ternwood_tree", "ebm"),
        ("ternwood_tree", "random_forest"),
        ("ternwood_forest", "ebm"),
        ("ternwood_forest", "random_forest"),
    ]:
        if other not in measured(means):
            continue
        parts = []
        for figure, name in SCORES.items():
            pairs = by_data_set(means, figure, [own, other])
            better = sum(goodness(figure, b) > goodness(figure, a) for a, b in pairs)
            parts.append(f"{name} on {better} of {len(pairs)}")
        yield f"- {NAMES[other]} beats our {NAMES[own]} in {', '.join(parts)} data sets."


def clearly_better(means: Means) -> Iterator[str]:
    """Name the data sets where EBM or a random forest has a log-loss at least a tenth below ours."""
    for own, other in [
        ("ternwood_tree", "ebm"),
        ("ternwood_tree", "random_forest"),
        ("ternwood_forest", "ebm"),
        ("ternwood_forest", "random_forest"),
    ]:
        losses = {
            name: (of_set[other]["log_loss"], of_set[own]["log_loss"])
            for name, of_set in means.items()
            if own in of_set and other in of_set
        }
        if not losses:
            continue
        far = [name for name, (theirs, ours) in losses.items() if theirs <= 0.9 * ours]
        far.sort(key=lambda name: losses[name][0] / losses[name][1])
        named = [f"{name} ({losses[name][0]:.3f} against {losses[name][1]:.3f})" for name in far]
        where = f": {', '.join(named)}" if named else ""
        of_all = f"{len(far)} of {len(losses)} data sets"
        yield f"- {NAMES[other]} beside our {NAMES[own]}, {of_all}{where}."


def unfinished(means: Means) -> str:
    """Say which methods lack data sets that others have, so that nobody takes a part for the whole."""
    counts = {method: sum(method in of_set for of_set in means.values()) for method in NAMES}
    short = [
        f"{NAMES[method]} is measured on {count}"
        for method, count in counts.items()
        if count < len(means)
    ]
    return "; ".join([f"{len(means)} data sets are measured", *short]) + "."


def every_data_set(means: Means, rows: list[dict[str, str]]) -> str:
    """Accuracy, AURC and log-loss of every method on every data set."""
    about = {row["dataset"]: row for row in rows}
    shown = []
    for name, of_set in means.items():
        size = "{rows} x {columns}, {classes}".format(**about[name])
        cells = [
            "–"
            if method not in of_set
            else " / ".join(
                f"{of_set[method][figure]:.{digits}f}"
                for figure, digits in (("accuracy", 3), ("aurc", 4), ("log_loss", 3))
            )
            for method in NAMES
        ]
        shown.append([name, size, *cells])
    return table(["data set", "rows x columns, classes", *NAMES.values()], shown)


def problems(rows: list[dict[str, str]]) -> str:
    """What failed, and why."""
    found = [row for row in rows if row["problem"]]
    if not found:
        return "None.\n"
    listed = [[NAMES[row["method"]], row["dataset"], row["fold"], row["problem"]] for row in found]
    return table(["model", "data set", "fold", "reason"], listed)


TEXT = """\
# Beside other models that people can read

Written by `make compare-models`; do not edit. The public data sets of the paper with at most {rows:,} rows,
{features} columns and {classes} classes; the rule is by size alone, so that EBM can be waited for. {done} The paper's five folds, one seed. All models get the same numbers: codes of categories, and medians in
place of missing values, though ternary trees and EBM could take them as they are. All get the same shuffled
training rows.

- *ternary tree*: `TernaryTreeClassifierCV()`, which chooses scale and depth by inner folds; also with
  `max_depth=4`. *ternary forest*: `TernaryForestClassifier()`, 100 trees.
- *scikit-learn's tree*: depth and smallest leaf chosen by log-loss, or pruning (`ccp_alpha`) by accuracy, over
  five inner folds.
- *HSTree*: `HSTreeClassifierCV()`, a tree of at most 20 leaves whose shrinkage is chosen by inner folds.
- *optimal tree*: `STreeDClassifier(max_depth=3, hyper_tune=True)`, at most 60 seconds; its probabilities are
  the shares of its leaves.
- *EBM*: `ExplainableBoostingClassifier()`, a sum of curves of single features and surfaces of pairs. *random
  forest*: `RandomForestClassifier()`, 100 trees.

Log-losses are clipped at 1e-6; AURC ranks by the largest probability. Seconds are CPU seconds of one thread
for one fit, its choices by inner folds included. The machine was shared with other work, and those
of the ternary forest were measured again on another day: they are approximate. {setup}.

## In short

{verdicts}

Where they are clearly better, by a log-loss at least a tenth lower, the clearest first:

{clearly_better}

## Means over data sets

Over the {common} data sets that all of these models finished; in brackets the mean rank among them. *leaves* is the
median of the number of leaves, of all trees together; for EBM that of terms, each of which is a curve or a surface
to look at. *CPU seconds* is the median.

{summary}
## One against one

Wins – ties – losses over data sets. Ratios are ours by theirs, geometric means: below 1 is better.

{duels}
## Every data set

Accuracy / AURC / log-loss, means over folds.

{every}
## What failed

{problems}"""


def report() -> str:
    """The text of the README."""
    rows = raw_rows()
    means = means_of(rows)
    setup = json.loads((RUN / "setup.json").read_text())
    versions = [f"{name} {version}" for name, version in setup.items() if name != "machine"]
    return TEXT.format(
        **RULE,
        done=unfinished(means),
        common=len(by_data_set(means, "accuracy", measured(means))),
        setup=f"{setup['machine']}; {', '.join(versions)}",
        verdicts="\n".join(verdicts(means)),
        clearly_better="\n".join(clearly_better(means)),
        summary=summary(means),
        duels="\n".join(duels(means, own) for own in OURS),
        every=every_data_set(means, rows),
        problems=problems(rows),
    )


def main() -> int:
    """Write or check."""
    readme = RUN / "README.md"
    if "--write" in sys.argv:
        readme.write_text(report())
        return 0
    if readme.read_text() != report():
        print(f"{readme} does not show raw.csv; `python3 scripts/models_report.py --write` does")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
