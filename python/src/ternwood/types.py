"""What methods and functions return."""

from __future__ import annotations

import json
import os
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._explain import (
    Alternative,
    Condition,
    DecidingValue,
    Explanation,
    Explanations,
    ForestExplanation,
    Hinge,
    Outcome,
    Predictions,
    Rule,
    Rules,
    Step,
    Tree,
    UnsureFeature,
)
from ._export import write_named, write_whole
from ._labels import Label
from ._ternwood import CategoryCut, convert_figure

__all__ = [
    "Alternative",
    "CategoryCut",
    "Condition",
    "DecidingValue",
    "DepthGain",
    "Disagreement",
    "DriftCheck",
    "Explanation",
    "Explanations",
    "Figure",
    "ForestExplanation",
    "Hinge",
    "Outcome",
    "Page",
    "Predictions",
    "Report",
    "RequiredRows",
    "Rule",
    "Rules",
    "Step",
    "TradeoffTable",
    "Tree",
    "UnsureFeature",
    "VerdictPolicy",
    "VerdictReport",
]


class Figure:
    """A figure as an SVG document. Displays itself in a notebook.

    Attributes
    ----------
    svg : str
        The document.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Figure: SVG of {len(self.svg)} characters>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the figure, completely or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, whose name must end in ``.svg``, ``.png`` or ``.pdf``; replaced if it
            exists. For the last two, a program that converts SVG must be at hand: one of cairo
            (``rsvg-convert``, ``cairosvg``) or a browser (``chromium``).

        Raises
        ------
        ValueError
            If the name ends in anything else.
        OSError
            If the file cannot be written, or no program can convert the figure.
        """
        ending = Path(path).suffix.lower()
        if ending in {".png", ".pdf"}:
            write_whole(path, convert_figure(self.svg, ending == ".pdf"))
        elif ending == ".svg":
            write_whole(path, self.svg.encode())
        else:
            raise ValueError(f"a picture's name must end in .svg, .png or .pdf, got {str(path)!r}")


class Page:
    """A page about a model. A notebook shows it in a frame of its own.

    Attributes
    ----------
    html : str
        The page: one document that needs no network.
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        # In a sandbox, the scripts of the page do not touch the notebook.
        sandbox = "allow-scripts allow-downloads"
        style = "width: 100%; height: 56em; border: 1px solid #8884; border-radius: 8px"
        document = escape(self.html)
        return f'<iframe sandbox="{sandbox}" srcdoc="{document}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"<Page: HTML of {len(self.html)} characters>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the page as an HTML file, completely or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, whose name must end in ``.html``; replaced if it exists.

        Raises
        ------
        ValueError
            If the name ends in anything else.
        OSError
            If the file cannot be written.
        """
        write_named(path, self.html, what="the page is HTML", ending=".html")


class DepthGain(NamedTuple):
    """What the depth with the lowest log-loss would gain over the chosen one.

    Attributes
    ----------
    words : str
        The same in words.
    depth : int
        The depth with the lowest cross-validated log-loss.
    leaves : float
        The mean number of leaves of its trees in the inner folds.
    log_loss : float
        Its cross-validated log-loss.
    gain : float
        By how much that is lower than the log-loss of the chosen depth.
    """

    words: str
    depth: int
    leaves: float
    log_loss: float
    gain: float

    def __str__(self) -> str:
        return f'{self.words}: max_depth="best"'


class Disagreement(NamedTuple):
    """How far the trees of a forest disagree about rows, by their zones.

    Attributes
    ----------
    votes : ndarray of shape (n_samples, n_classes)
        The share of all trees that are decided for each class. Together with ``undecided`` the
        shares of a row add up to 1.
    undecided : ndarray of shape (n_samples,)
        The share of all trees for which the row lies within a zone on its way, or lacks a value
        that is asked for there.
    spread : ndarray of shape (n_samples,)
        The standard deviation, over the trees, of the probability that they give to the class
        most probable for the forest.
    """

    votes: NDArray[np.float64]
    undecided: NDArray[np.float64]
    spread: NDArray[np.float64]


class VerdictPolicy:
    """When a model calls a row undecided. Prints as a short report.

    Attributes
    ----------
    kind : {"zone", "cost", "budget", "guarantee", "promises", "catch", "costs"}
        Undecided within zones; below a probability set by a cost, by a budget of flags, by a
        promised accuracy or by promises class by class; above a probability of a class to catch;
        or where a flag is cheaper than any answer.
    threshold : float or None
        A row is undecided if the probability of its predicted class is below this; None if that
        depends on the class, or if probabilities do not decide. If ``kind`` is ``"catch"``, a row
        predicted as another class is undecided if the probability of the class to catch is above
        this.
    thresholds : dict or None
        The threshold of each predicted class; None for a class that is never decided. None if
        ``kind`` is ``"catch"``.
    parameters : dict
        What was asked for: ``cost_ratio``; ``flag_rate``, also with ``catch``; ``accuracy`` and
        ``confidence``; ``precision``, ``miss_rate`` (dicts by class) and ``confidence``; or
        ``cost_matrix`` and ``flag_cost`` (lists in the order of the classes).
    uncovered : {"undecided", "judge"}
        What becomes of rows that the training table says nothing about.
    approximate : bool
        Whether it was set with training rows, predicted out of fold ("cross-fitted, approximate")
        or, by a forest, out of bag ("out of bag, approximate"), instead of held-out rows.
    classes : dict or None
        The results on the calibration rows, by class: ``rows``, ``right`` (predicted as it,
        decided or not), ``decided``, ``decided_right`` and ``decided_for`` (decided rows of
        any class predicted as this one), ``coverage``, ``decided_recall``,
        ``decided_precision`` and ``miss_rate`` (the share of all its rows that was decided as
        another class). None if there were no rows.
    advice : list of str
        What speaks against the policy, and what to do about it: nearly all rows are flagged, or
        none; decided rows are no better than flagged ones; a class is never decided rightly, or
        mostly decided as another.
    """

    def __init__(
        self, words: str, document: str, advice: list[tuple[str, str]], classes: list[Label]
    ) -> None:
        written = json.loads(document)
        policy: dict[str, Any] = next(iter(written.values()))
        achieved: dict[str, Any] | None = policy.get("achieved")
        self.kind: str
        self.parameters: dict[str, Any]
        self.kind, self.parameters = _asked_for(policy, classes)
        threshold = policy.get("threshold")
        self.threshold: float | None = None if isinstance(threshold, list) else threshold
        self.thresholds: dict[Label, float | None] | None = None
        if threshold is not None and self.kind != "catch":
            of_classes = threshold if isinstance(threshold, list) else [threshold] * len(classes)
            self.thresholds = dict(zip(classes, of_classes, strict=True))
        self.uncovered: str = policy.get("uncovered", "undecided")
        self.approximate = achieved is not None and not achieved["source"].startswith("held_out")
        self.classes: dict[Label, dict[str, float]] | None = None
        if achieved is not None:
            tallies = zip(classes, achieved["classes"], strict=True)
            self.classes = {label: tally | _rates(tally) for label, tally in tallies}
        self.advice = [with_figures for _, with_figures in advice]
        self._words = words
        self._document = document

    @property
    def coverage(self) -> float | None:
        """The share of decided rows in the calibration set."""
        return None if self.classes is None else _share(self._sum("decided"), self._sum("rows"))

    @property
    def decided_accuracy(self) -> float | None:
        """The accuracy of the decided rows in the calibration set."""
        if self.classes is None:
            return None
        return _share(self._sum("decided_right"), self._sum("decided"))

    def _sum(self, name: str) -> float:
        return sum(tally[name] for tally in (self.classes or {}).values())

    def __str__(self) -> str:
        return "\n".join([self._words, *(f"note: {advice}" for advice in self.advice)])

    def __repr__(self) -> str:
        return f"<VerdictPolicy: {self._words.splitlines()[0]}>"


def _asked_for(policy: dict[str, Any], classes: list[Label]) -> tuple[str, dict[str, Any]]:
    """Return the kind of a policy and what was asked for, by class where it depends on that."""
    if "costs" in policy:
        costs = policy["costs"]
        return "costs", {"cost_matrix": costs["answer"], "flag_cost": costs["flag"]}
    if "flag_rate" in policy:
        return "catch", {"flag_rate": policy["flag_rate"], "catch": classes[policy["class"]]}
    [(kind, parameters)] = policy.get("rule", {"zone": {}}).items()
    for name in ("precision", "miss_rate"):
        if name in parameters:
            shares = zip(classes, parameters[name], strict=True)
            parameters[name] = {label: share for label, share in shares if share is not None}
    return kind, parameters


def _rates(tally: dict[str, int]) -> dict[str, float]:
    return {
        "coverage": _share(tally["decided"], tally["rows"]),
        "decided_recall": _share(tally["decided_right"], tally["decided"]),
        "decided_precision": _share(tally["decided_right"], tally["decided_for"]),
        "miss_rate": _share(tally["decided"] - tally["decided_right"], tally["rows"]),
    }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


_NAMES = {
    "rows": "rows",
    "decided": "decided",
    "undecided": "undecided",
    "uncovered": "uncovered",
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

_LEGEND = (
    "review: undecided rows of the class",
    "recall: of the decided rows of the class, the share decided as it",
    "precision: of the rows decided as the class, the share that is of it",
)


class Report(dict[str, Any]):
    """The metrics of predictions with verdicts: a dict that prints as a table."""

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
        return "\n".join([*figures, "", *table, *_LEGEND])


def _number(value: float | tuple[float, float]) -> str:
    if isinstance(value, tuple):
        return f"{_number(value[0])} to {_number(value[1])}"
    if isinstance(value, int):
        return str(value)
    return "-" if value != value else f"{value:.4f}"


class VerdictReport(Report):
    """The figures of a verdict, and a page of them to print and sign.

    A dict like that of :func:`ternwood.metrics.report`, which prints as a table and
    displays itself in a notebook.

    Attributes
    ----------
    html : str
        The page: second looks, decided accuracy, recall, precision and misses class by class with
        exact intervals, what the flags cost, the promise and the rows it rests on, and which data
        and model these are. One document, without scripts and with nothing to load.
    """

    def __init__(self, figures: Report, html: str) -> None:
        super().__init__(figures)
        self.html = html

    def __reduce__(self) -> tuple[Any, ...]:
        return VerdictReport, (Report(self), self.html)

    def _repr_html_(self) -> str:
        # In a frame of its own, the style of the page does not touch the notebook.
        style = "width: 100%; height: 50em; border: 0"
        return f'<iframe srcdoc="{escape(self.html)}" style="{style}"></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the page as an HTML file, completely or not at all.

        Parameters
        ----------
        path : str or path-like
            The file, whose name must end in ``.html``; replaced if it exists.

        Raises
        ------
        ValueError
            If the name ends in anything else.
        OSError
            If the file cannot be written.
        """
        write_named(path, self.html, what="the report is HTML", ending=".html")


class TradeoffTable(dict[str, NDArray[Any]]):
    """Promises from easy to hard, and what they do: a dict of columns that prints as a table.

    ``pandas.DataFrame(table)`` makes a frame of it. Every line is a promise of its own.

    ``aim`` is the parameter of :class:`VerdictClassifier` that asks for it, ``class`` the class
    it is about, if there is one, ``share`` its value. ``carried`` says whether the rows carry the
    promise, ``refusal`` why not; ``best`` marks the best that they can carry of a promise that
    they cannot. ``threshold_`` with a class is its threshold: 0 if rows predicted as it are always
    decided, NaN if never. Where ``aim`` is ``"catch"`` (a budget aimed at ``class``, of which
    ``share`` is the size), only ``threshold_`` with that class is a number: rows predicted as
    another are undecided above this probability of it.

    Figures are shares of rows, each with the ends of an exact interval, as in ``flagged``,
    ``flagged_low`` and ``flagged_high``: ``flagged`` of all rows, ``wrong`` of the decided ones,
    ``missed_`` with a class of its rows (decided as another), ``precision_`` with a class of the
    rows decided as it; ``cost`` is per row, with the same costs in all lines.

    Notes
    -----
    Whoever chooses a line by what it shows has looked at the rows before promising, and the
    promise holds less surely than its confidence says: choose before, or promise with other rows.
    The intervals take thresholds for given that these rows have set.
    """

    def __init__(self, text: str, columns: dict[str, NDArray[Any]]) -> None:
        super().__init__(columns)
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text, dict(self))


class DriftCheck:
    """What new rows say of a classifier at work. Prints as a report.

    Attributes
    ----------
    holds : bool
        Whether nothing has changed, as far as these rows can tell; also the truth value of the
        check itself.
    rows : int
        The number of new rows.
    level : float
        The probability with which anything is called changed although nothing has.
    comparisons : list of dict
        Every comparison: ``of`` says what is compared, ``part`` of ``whole`` rows have it, with
        the exact 95 % ``interval`` of that share; ``before`` is what was known; ``p_value`` of
        the test, and ``adjusted`` because there are several (Holm); ``outcome`` is ``"changed"``,
        ``"unchanged"`` or, of a promise, ``"confirmed"``; ``rows_to_tell`` is how many rows would
        tell about a promise that is neither broken nor confirmed. Flags, uncovered rows and
        promises come first, then features, the worst first.
    uncovered : dict or None
        The uncovered rows: ``part`` of ``whole`` rows, and in ``values`` a dict for every
        ``feature`` and ``reason`` (``"gap"``, ``"new_category"`` or ``"unreadable"``) with its
        number of ``rows``. None if the training table is not known.
    untold : list of str
        What could not be compared: ``"no_calibration_rows"``, ``"approximate_flags"`` (known by
        cross-fitting only), ``"no_training_rows"``, ``"no_labels"`` or ``"nothing_promised"``.
    """

    def __init__(self, words: str, document: str) -> None:
        found: dict[str, Any] = json.loads(document)
        self.rows: int = found["rows"]
        self.level: float = found["level"]
        self.comparisons: list[dict[str, Any]] = found["comparisons"]
        self.uncovered: dict[str, Any] | None = found["uncovered"]
        self.untold: list[str] = found["untold"]
        self._words = words
        self._document = document

    @property
    def holds(self) -> bool:
        """Whether nothing has changed."""
        return not self.changed

    @property
    def changed(self) -> list[dict[str, Any]]:
        """The comparisons that say that something has changed."""
        return [found for found in self.comparisons if found["outcome"] == "changed"]

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._words.splitlines()[-1]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._words, self._document)


class RequiredRows(NamedTuple):
    """How many rows a promise needs.

    Attributes
    ----------
    promise : str
        The promise in words.
    counted : str
        Which rows count: decided calibration rows, those decided as a class (for its precision), or
        all rows of a class (for its miss rate).
    rows : int or None
        How many are needed; None if no number is enough.
    """

    promise: str
    counted: str
    rows: int | None
