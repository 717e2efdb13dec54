"""Why a row is predicted as it is: explanations, rules and the tree as arrays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ._table import Feature, Recoded
from ._ternwood import READABLE_LEAVES, CategoryCut

if TYPE_CHECKING:
    from ._table import Feature
    from ._ternwood import ExplainedForestRow, ExplainedRow, Model


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """The nodes of a fitted tree, in preorder: one array per property, one entry per node.

    As in scikit-learn, a leaf has children -1, feature -2 and threshold -2.

    The arrays are made once per fitted model and are read-only.

    Attributes
    ----------
    feature : ndarray of int64
        The feature a split tests.
    kind : ndarray of str
        ``"threshold"`` for a test of numbers or ranks, ``"categories"``, ``"present"`` for a
        test whether there is a value (if so, left), or ``"leaf"``.
    threshold : ndarray of float64
        Numbers at or below it go left; of a ``"categories"`` split, positions. NaN if there is
        none.
    half_width : ndarray of float64
        The half-width of the zone around the threshold, after clamp and scale; 0 for a leaf,
        NaN for a ``"categories"`` split, where every category has its own.
    missing : ndarray of str
        Where a split sends missing values: ``"left"`` or ``"right"``, as learned, or
        ``"unknown"``, both ways; empty for a leaf.
    children_left, children_middle, children_right : ndarray of int64
        The children; the middle one is -1 unless the routing is ``"hard_middle"``.
    n_node_samples : ndarray of int64
        Training rows that reached the node.
    weighted_n_node_samples : ndarray of float64
        Their weight.
    n_within : ndarray of int64
        The number of them within the node's zone.
    impurity : ndarray of float64
        Their impurity.
    value : ndarray of float64 of shape (n_nodes, 1, n_classes)
        The class probabilities that the node predicts. As in scikit-learn, the second axis is
        that of the outputs, of which there is one.
    categories : tuple of CategoryCut or None
        The categories of each ``"categories"`` split, with ``names``, ``rows``, ``positions``
        and ``standard_errors`` in parallel, and the names on either side: ``left``, ``right``,
        and ``unsure`` for those within ``category_error`` standard errors of ``threshold``. A
        position is the sum over classes of ``axis`` times class share.
    max_depth : int
        The depth of the tree; 0 for a single leaf.
    n_leaves : int
        The number of leaves.
    n_features : int
        The number of features of the data.
    n_classes : ndarray of shape (1,)
        The number of classes; as in scikit-learn, of each output.
    """

    feature: NDArray[np.int64]
    kind: NDArray[np.str_]
    threshold: NDArray[np.float64]
    half_width: NDArray[np.float64]
    missing: NDArray[np.str_]
    children_left: NDArray[np.int64]
    children_middle: NDArray[np.int64]
    children_right: NDArray[np.int64]
    n_node_samples: NDArray[np.int64]
    weighted_n_node_samples: NDArray[np.float64]
    n_within: NDArray[np.int64]
    impurity: NDArray[np.float64]
    value: NDArray[np.float64]
    categories: tuple[CategoryCut | None, ...]
    max_depth: int
    n_leaves: int
    n_features: int
    n_classes: NDArray[np.int64]

    @property
    def node_count(self) -> int:
        """The number of nodes, splits and leaves."""
        return len(self.feature)

    def __repr__(self) -> str:
        return f"<Tree of {self.node_count} nodes, {self.n_leaves} of them leaves>"


class Predictions(NamedTuple):
    """Class, probabilities and verdict of every row.

    Attributes
    ----------
    classes : ndarray of shape (n_samples,)
        The most probable class; under a cost matrix, that of the least expected cost.
    probabilities : ndarray of shape (n_samples, n_classes)
        The class probabilities.
    decided : ndarray of shape (n_samples,), dtype bool
        True for decided, False for undecided.
    """

    classes: NDArray[Any]
    probabilities: NDArray[np.float64]
    decided: NDArray[np.bool_]


def predict(
    model: Model, X: NDArray[np.float64], classes: NDArray[Any], threads: int
) -> Predictions:
    """Predict every row with `model`, whose class labels are `classes`."""
    n_rows, n_classes = len(X), len(classes)
    found = Predictions(
        np.empty(n_rows, dtype=np.int64),
        np.empty((n_rows, n_classes)),
        np.empty(n_rows, dtype=np.bool_),
    )
    # The labels themselves if they fit an int64, otherwise their numbers.
    are_labels = classes.dtype == np.int64
    labels = classes.tolist() if are_labels else list(range(n_classes))
    model.predict(X, threads, labels, found)
    return found if are_labels else found._replace(classes=classes.take(found.classes))


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


class RowExplanation:
    """What explanations by a tree and by a forest share. Prints as a short report."""

    prediction: Any
    probabilities: NDArray[np.float64]
    decided: bool
    sentence: str | None
    would_decide: list[DecidingValue]
    _report: str

    def __str__(self) -> str:
        return self._report

    def mark_uncovered(self, feature: str, reason: str) -> None:
        """Make the row undecided because of a value that the training table had nowhere.

        For a classifier behind a pipeline, which may have filled such a value.
        """
        what = "has no value, and had one" if reason == "gap" else "has a category not found"
        self.decided = False
        self.sentence = f"Flagged because {feature} {what} in the training table."
        self.would_decide = []
        details = [line for line in self._report.splitlines() if line.startswith("  ")]
        head = f"{self.prediction} with probability {self.probabilities.max():.3f}, undecided"
        self._report = "\n".join([head, self.sentence, *details])


class Explanation(RowExplanation):
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


class ForestExplanation(RowExplanation):
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


def read_rules(
    document: str, classes: NDArray[Any], truth: Callable[[Any], NDArray[np.int8]]
) -> Rules:
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
