"""One row's way through the tree, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._ternwood import ExplainedRow


class Step(NamedTuple):
    """One test on a row's way.

    Attributes
    ----------
    node : int
        The node that tests.
    feature : str
        The feature tested.
    value : float
        The row's value of it.
    threshold, half_width : float
        The cut and the half-width of the zone around it.
    side : {"below", "within", "above"}
        Where the value lies.
    zone_counts : bool
        Whether the zone matters here: not below a deferred split.
    share : float
        How much of the row arrives here: 1 unless a zone above sent it both ways.
    """

    node: int
    feature: str
    value: float
    threshold: float
    half_width: float
    side: str
    zone_counts: bool
    share: float


class Explanation:
    """One row's way through the tree. Prints as a short report.

    Attributes
    ----------
    prediction : class label
        The predicted class.
    probabilities : ndarray of shape (n_classes,)
        The class probabilities.
    verdict : int
        1 if the row is decided, 0 if it is undecided.
    sentence : str or None
        Why the row is undecided, or decided although it is within a zone; None for a decided
        row outside of all zones.
    steps : list of Step
        The tests, in preorder.
    leaves : list of (int, float)
        The leaves that answer, with their shares of the answer.
    """

    def __init__(
        self, row: ExplainedRow, classes: NDArray[Any], feature_names: Sequence[str]
    ) -> None:
        self.prediction = classes[row.class_id]
        self.probabilities = np.array(row.probabilities)
        self.verdict = row.verdict
        self.sentence = row.sentence
        self.steps = [Step(step[0], feature_names[step[1]], *step[2:]) for step in row.steps]
        self.leaves = row.leaves
        self._report = str(row).rstrip("\n")

    def __str__(self) -> str:
        return self._report

    def __repr__(self) -> str:
        verdict = "decided" if self.verdict else "undecided"
        return f"<Explanation: {self.prediction}, {verdict}, {len(self.steps)} tests>"


class Explanations(Sequence[Explanation]):
    """The explanations of several rows, in their order. Prints as one report."""

    def __init__(self, rows: Sequence[Explanation]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> Explanations: ...
    def __getitem__(self, index: int | slice) -> Explanation | Explanations:
        if isinstance(index, slice):
            return Explanations(self._rows[index])
        return self._rows[index]

    def __str__(self) -> str:
        if len(self._rows) == 1:
            return str(self._rows[0])
        return "\n\n".join(f"row {index}: {row}" for index, row in enumerate(self._rows))

    def __repr__(self) -> str:
        return f"<Explanations of {len(self._rows)} rows>"
