"""A picture of what makes a forest undecided about one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._forest import TernaryForestClassifier
    from ._forest_explanation import ForestExplanation

_BAR = "#2f6fb0"
_PALE = "#7f8a99"


def plot_doubts(
    forest: TernaryForestClassifier,
    X: Any,
    *,
    max_features: int | None = 12,
    ax: Axes | None = None,
) -> Axes:
    """Draw which features make a forest undecided about one row.

    A bar per feature, as long as the number of trees that are undecided because of it, those of
    most trees first. A tree may be undecided because of several features. A line shows how many
    trees are undecided at all.

    Parameters
    ----------
    forest : TernaryForestClassifier
        A fitted forest.
    X : array-like, data frame or table of shape (1, n_features)
        The row.
    max_features : int or None, default=12
        The most features shown; None for all that make some tree undecided.
    ax : Axes, default=None
        Where to draw. By default a new figure.

    Returns
    -------
    Axes
        Where it was drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> from sklearn.datasets import load_iris
    >>> from ternwood import TernaryForestClassifier
    >>> from ternwood.plotting import plot_doubts
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = TernaryForestClassifier(random_state=0).fit(X, y)
    >>> ax = plot_doubts(forest, X[70:71])
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['petal width (cm) lies near 1.75', 'petal length (cm) lies near 4.8']
    """
    check_is_fitted(forest)
    if max_features is not None and max_features < 1:
        raise ValueError(f"max_features must be at least 1 or None, got {max_features}")
    rows = forest.explain(X)
    if len(rows) != 1:
        raise ValueError(f"the picture is of one row, got {len(rows)}: give X[:1] or X[[7]]")
    (row,) = rows
    shown = row.reasons[:max_features]
    if ax is None:
        import matplotlib.pyplot as plt

        height = 1.6 + 0.34 * max(1, len(shown))
        _, ax = plt.subplots(figsize=(7.5, height), layout="constrained")
    _bars(ax, row, len(shown))
    verdict = "decided" if row.decided else "undecided"
    probability = row.probabilities.max()
    title = f"{row.prediction} with probability {probability:.2f}, {verdict}"
    ax.set_title(f"{title}\n{row.undecided_trees} of {row.n_trees} trees are undecided")
    return ax


def _bars(ax: Axes, row: ForestExplanation, n_shown: int) -> None:
    shown, hidden = row.reasons[:n_shown], row.reasons[n_shown:]
    trees = [reason.trees for reason in shown]
    places = range(len(shown))
    bars = ax.barh(places, trees, color=_BAR, height=0.7)
    ax.bar_label(bars, padding=3)
    ax.set_yticks(places, [reason.words for reason in shown])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.05 * row.n_trees)
    if row.undecided_trees:
        ax.axvline(row.undecided_trees, color=_PALE, linestyle="--", linewidth=1, zorder=0)
    label = "trees that are undecided because of it"
    if hidden:
        label += f"\n{len(hidden)} more features, none in more than {hidden[0].trees} trees"
    ax.set_xlabel(label)
    ax.spines[["top", "right"]].set_visible(False)
    if not shown:
        words = "all trees are decided"
        ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center", color=_PALE)
