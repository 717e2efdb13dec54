"""Numbers from the committed run of the paper's experiments, formatted for docs/reproduction.md.

Needs only the standard library.
"""

import csv
from functools import cache
from pathlib import Path

RUN = Path(__file__).resolve().parents[1] / "runs" / "paper"


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Table:
    """A table of the run, looked up by row labels."""

    def __init__(self, name):
        self.rows = rows(RUN / "tables" / f"{name}.csv")

    def row(self, *labels):
        found = [row for row in self.rows if list(row.values())[: len(labels)] == list(labels)]
        if len(found) != 1:
            raise SystemExit(f"{len(found)} rows have the labels {labels}, not one")
        return found[0]

    def number(self, *labels, column, decimals=4):
        return f"{float(self.row(*labels)[column]):.{decimals}f}"


@cache
def table(name):
    return Table(name)


def markdown(name):
    """A table as written by the run, without its heading."""
    text = (RUN / "tables" / f"{name}.md").read_text()
    return text.split("\n", 2)[2].strip()


def agreement():
    """The rows of the run's summary that count the cells of all tables."""
    lines = (RUN / "summary.md").read_text().splitlines()
    start = lines.index("| table | what is compared | cells | all printed digits agree |")
    return "\n".join([*lines[start : start + 2], *(line for line in lines if line.startswith("| **all** |"))])


def cart():
    """How our CART differs from scikit-learn's, counted over all data sets."""
    sets = rows(RUN / "cart_differences.csv")
    differ = [row for row in sets if row["ours"] != row["scikit_learn"]]
    total = {cause: sum(int(row[cause]) for row in sets) for cause in ("tie", "rounding", "gain_0", "unexplained")}
    answered = sum(int(row["rows_answered_differently"]) > 0 for row in sets)
    rounding = [row["dataset"] for row in sets if int(row["rounding"])]
    return {"sets": len(sets), "differ": len(differ), "answered": answered, "rounded_sets": rounding, **total}


def flagged(dataset, zone):
    """The share of rows flagged with sums in row order, and with pairwise sums."""
    share = {
        row["sums"]: row["undecided_rate"]
        for row in rows(RUN / "last_bit.csv")
        if (row["dataset"], row["zone"]) == (dataset, zone)
    }
    return share["in row order"], share["pairwise"]


def finding(figure):
    return table("findings").row(figure)["value"]


def rounded(figure):
    return f"{float(finding(figure)):.3f}"


def percent(figure):
    return f"{100 * float(finding(figure)):.1f} %"


def eta(method, routing):
    """The efficiency computed from the means over data sets."""
    return table("table_efficiency").number(method, routing, column="efficiency_of_means", decimals=3)


def mean_eta(method):
    """The mean of the data sets' efficiencies."""
    return table("table_efficiency").number(method, "prob.", column="mean_efficiency", decimals=3)


def loss(method, routing):
    return table("all_methods").number(method, routing, column="log_loss", decimals=3)


def area(method, routing):
    return table("all_methods").number(method, routing, column="aurc", decimals=4)


def flags_per_error(task, method):
    return table("breiman_generated").number(task, method, column="ub", decimals=2)


def contest(sets, method, column):
    won, tied, lost = table("equal_coverage").row(sets, method, "prob.")[column].split("/")
    return f"{won} won, {tied} tied, {lost} lost"


def contests(sets):
    """The comparison at equal coverage, on some of the data sets."""
    lines = [
        "| zones (probabilistic) | data sets | zone vs. Chow on CART | Chow, blended, vs. zone "
        "| Chow, blended, vs. Chow on CART |",
        "|---|---:|---:|---:|---:|",
    ]
    for method in ("Margin", "Quality-Plateau", "Node-Bootstrap", "Class-Overlap", "Gain-Ratio"):
        row = table("equal_coverage").row(sets, method, "prob.")
        cells = [row[c] for c in ("zone_vs_chow_cart", "chow_own_vs_zone", "chow_own_vs_chow_cart")]
        lines.append(f"| {method} | {row['sets_with_flags']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def advice(method, size):
    """The results of a method on data sets of one size class."""
    return table("advice_by_rows").row(method, size)


def gain(method, size):
    row = advice(method, size)
    return f"{100 * float(row['gain_over_cart']):+.1f} points ({row['win_tie_loss_vs_cart']})"


def losses(method, size):
    return advice(method, size)["win_tie_loss_vs_cart"].split("/")[2]


def data_sets(method, size):
    return advice(method, size)["data_sets"]


def percent_of(method, size):
    return f"{100 * float(advice(method, size)['undecided_rate']):.0f} %"
