"""What every engine that fits rows in partitions does before and after it asks them."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from . import _recipe
from ._agreement import Agreement
from ._classifier import TernaryTreeClassifier
from ._partition_rows import no_rows
from ._recipe import TrainingLabels
from ._table import Kind
from ._ternwood import Coordinator, Model


def recipe_for(clf: TernaryTreeClassifier, agreement: Agreement) -> str:
    """Return the recipe of a classifier for these classes and features."""
    labels = TrainingLabels(agreement.classes, agreement.classes)
    names = agreement.feature_names or [f"x{index}" for index in range(len(agreement.kinds))]
    return _recipe.write(clf, clf._scaled_zone(), labels, names, clf._automatic())


def refuse_unsupported(clf: TernaryTreeClassifier, feature_names: list[str] | None) -> None:
    """Refuse what cannot be fitted in partitions, before anything is computed."""
    kinds = [Kind()] * clf.n_features_in_
    unknown = Agreement(np.array([0, 1]), feature_names, kinds)
    # The classes are not known yet, nor are their weights.
    Coordinator(no_rows(unknown), recipe_for(clone(clf).set_params(class_weight=None), unknown))


def finish(clf: TernaryTreeClassifier, model: Model, agreement: Agreement) -> None:
    """Make a classifier a fitted one."""
    clf._model, clf.classes_ = model.with_uncovered(clf.uncovered), agreement.classes
    clf._warn_of_untested(model.feature_names())
