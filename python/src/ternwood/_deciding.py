"""Values of single features that would decide an undecided row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._table import Feature


class DecidingValue(NamedTuple):
    """Another value of one feature with which an undecided row would be decided.

    Attributes
    ----------
    feature : str
        The feature.
    value : float or str
        The value: a number, or the name of a category. A number has few digits: it lies further
        from the row's value than ``nearest``, by at most a tenth of the way or a thousandth of its
        size.
    nearest : float or str
        The number nearest to the row's, in this direction, that decides. Of a category the value
        itself.
    prediction : class label
        The class that the model predicts with the value.
    probability : float
        The probability of that class.
    """

    feature: str
    value: float | str
    nearest: float | str
    prediction: Any
    probability: float


def deciding_values(
    found: Sequence[dict[str, Any]], classes: NDArray[Any], features: Sequence[Feature]
) -> list[DecidingValue]:
    """Return the values with names of features, categories and classes."""

    def of(value: dict[str, Any]) -> DecidingValue:
        feature = features[value["feature"]]
        names = feature.categories
        number, nearest = value["value"], value["nearest"]
        if names is not None:
            number, nearest = names[int(number)], names[int(nearest)]
        prediction = classes[value["class_id"]]
        return DecidingValue(feature.name, number, nearest, prediction, value["probability"])

    return [of(value) for value in found]
