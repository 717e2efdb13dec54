"""A dict of figures that prints as a table."""

from __future__ import annotations

from typing import Any

_NAMES = {
    "rows": "rows",
    "decided": "decided",
    "undecided": "undecided",
    "accuracy": "accuracy",
    "undecided_rate": "undecided rate",
    "decided_accuracy": "decided accuracy",
    "chow_accuracy": "  by Chow's rule",
    "chow_cart_accuracy": "  by Chow's rule on CART",
    "undecided_accuracy": "undecided accuracy",
    "decided_f1": "decided F1 (macro)",
    "efficiency": "efficiency",
    "aurc": "AURC",
    "aurc_zone": "  by zone distance",
    "aurc_cart": "  of CART",
    "expected_cost": "cost per row",
    "chow_cost": "  by Chow's rule",
    "chow_cart_cost": "  by Chow's rule on CART",
    "u_over_b": "flags per Bayes error",
}

_COLUMNS = {
    "rows": "rows",
    "decided_right": "decided right",
    "decided_wrong": "decided wrong",
    "review": "review",
    "decided_recall": "recall",
    "decided_precision": "precision",
}


class TernaryReport(dict[str, Any]):
    """The figures of predictions with verdicts: a dict that prints as a table."""

    def __str__(self) -> str:
        shown = {key: name for key, name in _NAMES.items() if key in self}
        width = max(len(name) for name in shown.values())
        figures = [f"{name:<{width}}  {_number(self[key]):>8}" for key, name in shown.items()]
        labels = [str(label) for label in self["classes"]]
        first = max([len("class"), *map(len, labels)])
        table = [f"{'class':<{first}}  " + "  ".join(_COLUMNS.values())]
        for label, counts in zip(labels, self["classes"].values(), strict=True):
            cells = (
                f"{_number(counts[column]):>{len(heading)}}" for column, heading in _COLUMNS.items()
            )
            table.append(f"{label:<{first}}  " + "  ".join(cells))
        return "\n".join([*figures, "", *table])


def _number(value: float | tuple[float, float]) -> str:
    if isinstance(value, tuple):
        return f"{_number(value[0])} to {_number(value[1])}"
    if isinstance(value, int):
        return str(value)
    return "-" if value != value else f"{value:.4f}"
