"""Why a forest is unsure of a row: its undecided trees, by feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._deciding import deciding_values
from ._explanation import value_as_given

if TYPE_CHECKING:
    from ._table import Feature
    from ._ternwood import ExplainedForestRow


class Alternative(NamedTuple):
    """Another value of a feature, and the forest's answer with it, all else unchanged.

    Attributes
    ----------
    value : float or str
        The value: a number, or the name of a category.
    probabilities : ndarray of shape (n_classes,)
        The class probabilities.
    """

    value: float | str
    probabilities: NDArray[np.float64]


class UnsureFeature(NamedTuple):
    """A feature whose value some trees cannot place.

    Attributes
    ----------
    feature : str
        The feature.
    trees : int
        How many trees are undecided because of it: those that the row meets within a zone of this
        feature, or with a value that the test does not know. A tree may have several such
        features.
    value : float, str or None
        The row's value: a number, the name of a category, or None if missing.
    threshold, half_width : float or None
        The medians of the thresholds near which the value lies, and of their half-widths; None
        where no number was compared.
    thresholds, thresholds_above : int
        The number of these thresholds, and how many of them lie above the value.
    words : str
        The reason in words, such as "2 of 3 thresholds lie above glucose 126.4".
    effect : str or None
        Which way the feature pulls, and how far, such as "the probability of healthy would rise
        to 75 % at 124.5 and fall to 61 % at 129.4"; None without alternatives.
    alternatives : list of Alternative
        The predictions behind `effect`. Of a number one value below and one above: the typical
        edges of the zones that it lies in, or where the training rows end; a side without such a
        value is left out. Of a category the two others with the least and the greatest
        probability of the predicted class.
    """

    feature: str
    trees: int
    value: float | str | None
    threshold: float | None
    half_width: float | None
    thresholds: int
    thresholds_above: int
    words: str
    effect: str | None
    alternatives: list[Alternative]


class ForestExplanation:
    """What the trees of a forest say of one row. Prints as a short report.

    Attributes
    ----------
    prediction : class label
        The predicted class.
    probabilities : ndarray of shape (n_classes,)
        The class probabilities.
    decided : bool
        False if the row is undecided, by the forest's ``verdict_policy_``.
    sentence : str or None
        Why the row is undecided, and what would decide it; or why it is decided although some
        trees are not. None if all are decided.
    would_decide : list of DecidingValue
        The values of single features that would decide the row, all else unchanged: of a number
        the nearest below and above, of a category every one. Empty for a decided row.
    n_trees : int
        The number of trees.
    undecided_trees : int
        How many of them are undecided, by their zones.
    decided_trees : dict
        How many are decided for each class.
    reasons : list of UnsureFeature
        The features that make trees undecided, those of most trees first.
    """

    def __init__(
        self,
        row: ExplainedForestRow,
        classes: NDArray[Any],
        features: Sequence[Feature],
        unseen: dict[int, str],
    ) -> None:
        self.prediction = classes[row.class_id]
        self.probabilities = np.array(row.probabilities)
        self.decided = row.decided
        self.sentence = row.sentence
        self.n_trees = row.n_trees
        self.undecided_trees = row.undecided_trees
        self.decided_trees = dict(zip(classes.tolist(), row.decided_trees, strict=True))
        self.reasons = [_reason(reason, features, unseen) for reason in row.reasons]
        self.would_decide = deciding_values(row.would_decide, classes, features)
        self._of_trees = row.of_trees
        self._report = str(row).rstrip("\n")

    def __str__(self) -> str:
        return self._report

    def __repr__(self) -> str:
        verdict = "decided" if self.decided else "undecided"
        trees = f"{self.undecided_trees} of {self.n_trees} trees undecided"
        return f"<ForestExplanation: {self.prediction}, {verdict}, {trees}>"


def _reason(
    reason: dict[str, Any], features: Sequence[Feature], unseen: dict[int, str]
) -> UnsureFeature:
    number = reason["feature"]
    value = value_as_given(number, reason["value"], features, unseen)
    names = features[number].categories

    def alternative(of: dict[str, Any]) -> Alternative:
        value = of["value"] if names is None else names[int(of["value"])]
        return Alternative(value, np.array(of["probabilities"]))

    alternatives = [alternative(of) for of in reason["alternatives"]]
    shown = {"feature": features[number].name, "value": value, "alternatives": alternatives}
    return UnsureFeature(**reason | shown)
