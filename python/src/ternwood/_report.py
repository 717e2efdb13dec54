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
    "undecided_accuracy": "undecided accuracy",
    "decided_f1": "decided F1 (macro)",
    "efficiency": "efficiency",
    "aurc": "AURC",
}


class TernaryReport(dict[str, Any]):
    """The figures of predictions with verdicts: a dict that prints as a table."""

    def __str__(self) -> str:
        width = max(len(name) for name in _NAMES.values())
        figures = [
            f"{name:<{width}}  {_number(self[key]):>8}"
            for key, name in _NAMES.items()
            if key in self
        ]
        columns = ["rows", "decided_right", "decided_wrong", "review"]
        headings = ["rows", "decided right", "decided wrong", "review"]
        labels = [str(label) for label in self["classes"]]
        first = max([len("class"), *map(len, labels)])
        table = [f"{'class':<{first}}  " + "  ".join(headings)]
        for label, counts in zip(labels, self["classes"].values(), strict=True):
            cells = (
                f"{counts[column]:>{len(heading)}}"
                for column, heading in zip(columns, headings, strict=True)
            )
            table.append(f"{label:<{first}}  " + "  ".join(cells))
        return "\n".join([*figures, "", *table])


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return "-" if value != value else f"{value:.4f}"
