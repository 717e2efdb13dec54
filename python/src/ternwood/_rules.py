"""The rules of a tree: one per leaf, with the truth values of Kleene's logic."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ._ternwood import READABLE_LEAVES

_TRUTHS = {"true": True, "false": False, "undecided": None}


class Condition(NamedTuple):
    """What a rule asks of one feature: all its tests on the path, merged.

    Truth values are True, False and None for undecided.

    Attributes
    ----------
    words : str
        The condition in words.
    feature : str
        The feature.
    above : tuple of float or None
        The edges of a bound that numbers must be above: up to the first they are not, above the
        second they are, between them it is undecided.
    below : tuple of float or None
        The edges of a bound that numbers must be below: up to the first they are, above the
        second they are not.
    categories : dict or None
        The truth for every category of the feature; None for numbers.
    unseen : bool or None
        The truth for a category that the feature does not have; True for numbers.
    missing : bool or None
        The truth for a missing value.
    unknown : bool or None
        The truth for a value that nobody could read.
    """

    words: str
    feature: str
    above: tuple[float, float] | None
    below: tuple[float, float] | None
    categories: dict[str, bool | None] | None
    unseen: bool | None
    missing: bool | None
    unknown: bool | None

    def __str__(self) -> str:
        return self.words


class Rule(NamedTuple):
    """The path to a leaf, and what the leaf says.

    Attributes
    ----------
    words : str
        The rule in words.
    prediction : class label
        The leaf's most probable class.
    probability : float
        The probability of that class.
    rows : int
        The number of training rows.
    leaf : int
        The leaf's number in ``tree_``.
    can_be_true : bool
        False if no row makes the rule true: the zones along its path leave no room.
    probabilities : ndarray of shape (n_classes,)
        The probabilities of all classes.
    conditions : tuple of Condition
        What it asks of each feature, in the order of the path.
    """

    words: str
    prediction: Any
    probability: float
    rows: int
    leaf: int
    can_be_true: bool
    probabilities: NDArray[np.float64]
    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        return self.words


# How many rules of a tree that is too large to be read are printed.
_SHOWN = 10


class Rules(Sequence[Rule]):
    r"""The rules of a tree, in the order of its leaves. Prints as one line per rule.

    Of more than 32 rules, the 10 with the most training rows are printed;
    ``print(*rules, sep="\n")`` prints all. ``pandas.DataFrame(rules)`` makes a frame of them.
    """

    def __init__(self, rules: Sequence[Rule], truth: Callable[[Any], NDArray[np.int8]]) -> None:
        self._rules = list(rules)
        self._truth = truth

    def truth(self, X: Any, *, as_frame: bool = False) -> Any:
        """Tell which rules are true for which rows, in Kleene's three-valued logic.

        A row is decided by zones if some rule is true for it; then all others are false. For an
        undecided row no rule is true, and those are undecided that might be.

        Parameters
        ----------
        X : array-like, data frame or table of shape (n_samples, n_features)
            The rows.
        as_frame : bool, default=False
            Whether to return a pandas frame.

        Returns
        -------
        ndarray of shape (n_samples, n_rules) and dtype int8, or DataFrame
            1 for true, -1 for false, 0 for undecided: *and* is the minimum, *or* the maximum. In
            a frame, which has the index of X and a column per leaf, True, False and ``pandas.NA``
            of the data type "boolean", whose logic is Kleene's too.
        """
        truths = self._truth(X)
        if not as_frame:
            return truths
        import pandas as pd

        index = getattr(X, "index", None)
        columns = [rule.leaf for rule in self._rules]
        kleene = pd.DataFrame(truths == 1, index=index, columns=columns).astype("boolean")
        return kleene.mask(truths == 0, pd.NA)

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> list[Rule]: ...
    def __getitem__(self, index: int | slice) -> Rule | list[Rule]:
        return self._rules[index]

    def __str__(self) -> str:
        shown, note = self._printed()
        return "\n".join([*(rule.words for rule in shown), *note])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        shown, note = self._printed()
        rows = "".join(_html(rule) for rule in shown)
        heads = "<th>class</th><th>probability</th><th>rows</th><th>if</th>"
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        return table + "".join(f"<p>{escape(line)}</p>" for line in note)

    def _printed(self) -> tuple[list[Rule], list[str]]:
        """Return the rules that are printed, and a note if others are not."""
        if len(self) <= READABLE_LEAVES:
            return self._rules, []
        by_rows = sorted(self._rules, key=lambda rule: (-rule.rows, rule.leaf))
        shown, hidden = by_rows[:_SHOWN], by_rows[_SHOWN:]
        rows = sum(rule.rows for rule in hidden) / max(1, sum(rule.rows for rule in by_rows))
        note = (
            f"... and {len(hidden)} more rules, with {rows:.0%} of the rows; "
            'print(*rules, sep="\\n") prints all'
        )
        return shown, [note]


def _html(rule: Rule) -> str:
    conditions = ", ".join(map(str, rule.conditions)) or "always"
    cells = [str(rule.prediction), f"{rule.probability:.1%}", str(rule.rows), conditions]
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def read(document: str, classes: NDArray[Any], truth: Callable[[Any], NDArray[np.int8]]) -> Rules:
    """Read rules from JSON."""
    return Rules([_rule(rule, classes) for rule in json.loads(document)], truth)


def _rule(rule: dict[str, Any], classes: NDArray[Any]) -> Rule:
    probabilities = np.array(rule["probabilities"])
    return Rule(
        words=rule["words"],
        prediction=classes[int(np.argmax(probabilities))],
        probability=rule["probability"],
        rows=rule["rows"],
        leaf=rule["leaf"],
        can_be_true=rule["can_be_true"],
        probabilities=probabilities,
        conditions=tuple(map(_condition, rule["conditions"])),
    )


def _condition(condition: dict[str, Any]) -> Condition:
    categories = condition["categories"]
    return Condition(
        words=condition["words"],
        feature=condition["feature"],
        above=_edges(condition["above"]),
        below=_edges(condition["below"]),
        categories=categories and {name: _TRUTHS[truth] for name, truth in categories},
        unseen=_TRUTHS[condition["unseen"] or "true"],
        missing=_TRUTHS[condition["missing"]],
        unknown=_TRUTHS[condition["unknown"]],
    )


def _edges(edges: list[float | None] | None) -> tuple[float, float] | None:
    """Return the edges of a bound; JSON has no infinity."""
    if edges is None:
        return None
    lower, upper = edges
    return -np.inf if lower is None else lower, np.inf if upper is None else upper
