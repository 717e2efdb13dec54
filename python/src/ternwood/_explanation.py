"""One row's path through the tree, with the reasons for its prediction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ._deciding import deciding_values
from ._table import Feature, Recoded

if TYPE_CHECKING:
    from ._ternwood import ExplainedRow, Model


class Step(NamedTuple):
    """One test on a row's path.

    Attributes
    ----------
    node : int
        The node of the test.
    feature : str
        The feature tested.
    value : float, str or None
        The row's value of that feature: a number, the name of a category, or None if missing.
    position : float
        What is compared with the threshold: the number itself, or the category's place among
        class shares. NaN if nothing is, because the value is missing or unknown.
    threshold, half_width : float
        The threshold and the half-width of its zone, for a category that of its own error. NaN
        where there is none.
    side : {"below", "within", "above"}
        Where the value lies; an unknown one is within.
    zone_counts : bool
        False if the zone is ignored: under crisp routing, or below a deferred split.
    unknown : bool
        Whether the test never saw a value like it: a missing one, or its category.
    share : float
        The share of the row that arrives here: 1 unless a split above sent it both ways.
    """

    node: int
    feature: str
    value: float | str | None
    position: float
    threshold: float
    half_width: float
    side: str
    zone_counts: bool
    unknown: bool
    share: float


class Outcome(NamedTuple):
    """What the model would answer.

    Attributes
    ----------
    prediction : class label
        The class.
    probabilities : ndarray of shape (n_classes,)
        The class probabilities.
    decided : bool
        The verdict.
    """

    prediction: Any
    probabilities: NDArray[np.float64]
    decided: bool


class Hinge(NamedTuple):
    """An unsure test, and what the answer would be if the row were clearly on one side.

    Attributes
    ----------
    step : Step
        The test.
    below, above : Outcome
        The answer of the tree with the test's node replaced by its left or right child.
    """

    step: Step
    below: Outcome
    above: Outcome


class Explanation:
    """One row's path through the tree. Prints as a short report.

    Attributes
    ----------
    prediction : class label
        The predicted class.
    probabilities : ndarray of shape (n_classes,)
        The class probabilities.
    decided : bool
        False if the row is undecided.
    sentence : str or None
        Why the row is undecided, and what would decide it; or why it is decided although a test
        is unsure. None for a decided row of which every test is sure.
    would_decide : list of DecidingValue
        The values of single features that would decide the row, all else unchanged: of a number
        the nearest below and above, of a category every one. Empty for a decided row.
    hinges : list of Hinge
        The unsure tests that matter most, at most three: those that would change the confidence
        in the prediction most if the row were clearly on one side.
    steps : list of Step
        The tests, in preorder.
    leaves : list of (int, float)
        The leaves reached, with their weights in the prediction.
    """

    def __init__(
        self,
        row: ExplainedRow,
        classes: NDArray[Any],
        features: Sequence[Feature],
        unseen: dict[int, str],
    ) -> None:
        self.prediction = classes[row.class_id]
        self.probabilities = np.array(row.probabilities)
        self.decided = row.decided
        self.sentence = row.sentence
        self.steps = [_step(step, features, unseen) for step in row.steps]
        self.hinges = [_hinge(hinge, self.steps, classes) for hinge in row.hinges]
        self.would_decide = deciding_values(row.would_decide, classes, features)
        self.leaves = row.leaves
        self._report = str(row).rstrip("\n")

    def __str__(self) -> str:
        return self._report

    def __repr__(self) -> str:
        verdict = "decided" if self.decided else "undecided"
        return f"<Explanation: {self.prediction}, {verdict}, {len(self.steps)} tests>"


def _step(step: dict[str, Any], features: Sequence[Feature], unseen: dict[int, str]) -> Step:
    """Make a step with the name of its feature, and with the row's value as it was given."""
    number = step["feature"]
    value = value_as_given(number, step["value"], features, unseen)
    return Step(**step | {"feature": features[number].name, "value": value})


def value_as_given(
    number: int, value: float, features: Sequence[Feature], unseen: dict[int, str]
) -> float | str | None:
    """Return a row's value of a feature as it was before it was made a number."""
    categories = features[number].categories
    if number in unseen:
        return unseen[number]
    if np.isnan(value):
        return None
    return value if categories is None else categories[int(value)]


def _hinge(hinge: dict[str, Any], steps: Sequence[Step], classes: NDArray[Any]) -> Hinge:
    def outcome(of: dict[str, Any]) -> Outcome:
        prediction = classes[of["class_id"]]
        return Outcome(prediction, np.array(of["probabilities"]), of["decided"])

    return Hinge(steps[hinge["step"]], outcome(hinge["below"]), outcome(hinge["above"]))


# Of a tree, or of a forest: as a user sees it, and as the extension module gives it.
_Row = TypeVar("_Row")
_Explained = TypeVar("_Explained")


class Explanations(Sequence[_Row]):
    """The explanations of several rows, in order. Prints as one report."""

    def __init__(self, rows: Sequence[_Row]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[_Row]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> _Row: ...
    @overload
    def __getitem__(self, index: slice) -> Explanations[_Row]: ...
    def __getitem__(self, index: int | slice) -> _Row | Explanations[_Row]:
        if isinstance(index, slice):
            return Explanations(self._rows[index])
        return self._rows[index]

    def __str__(self) -> str:
        if len(self._rows) == 1:
            return str(self._rows[0])
        return "\n\n".join(f"row {index}: {row}" for index, row in enumerate(self._rows))

    def __repr__(self) -> str:
        return f"<Explanations of {len(self._rows)} rows>"


def explained(
    model: Model,
    rows: Recoded,
    explain: Callable[[list[float], list[tuple[int, str]]], _Explained],
    explanation: Callable[[_Explained, NDArray[Any], Sequence[Feature], dict[int, str]], _Row],
    classes: NDArray[Any],
) -> Explanations[_Row]:
    """Explain rows one by one: as the extension module does, in terms of the caller's labels."""
    features = [Feature(*feature) for feature in model.features()]

    def of_row(number: int, row: list[float]) -> _Row:
        unseen = rows.unseen_in(number)
        return explanation(explain(row, list(unseen.items())), classes, features, unseen)

    return Explanations([of_row(*row) for row in enumerate(rows.matrix.tolist())])
