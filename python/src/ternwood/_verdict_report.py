"""The report on verdicts that a person can sign."""

from __future__ import annotations

import hashlib
import os
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from numpy.typing import NDArray

from . import _labels, _ternwood
from ._answers import Answers, class_ids
from ._files import ModelFile
from ._report import TernaryReport
from ._whole_file import write_named

if TYPE_CHECKING:
    from ._calibration_rows import CalibrationRows
    from ._verdict_classifier import VerdictClassifier


class VerdictReport(TernaryReport):
    """The figures of a verdict, and a page of them to print and sign.

    A dict like that of :func:`ternwood.metrics.ternary_report`, which prints as a table and
    displays itself in a notebook.

    Attributes
    ----------
    html : str
        The page: second looks, decided accuracy, recall, precision and misses class by class with
        exact intervals, what the flags cost, the promise and the rows it rests on, and which data
        and model these are. One document, without scripts and with nothing to load.
    """

    def __init__(self, figures: TernaryReport, html: str) -> None:
        super().__init__(figures)
        self.html = html

    def __reduce__(self) -> tuple[Any, ...]:
        return VerdictReport, (TernaryReport(self), self.html)

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


def signed_report(
    clf: VerdictClassifier,
    figures: TernaryReport,
    rows: CalibrationRows,
    *,
    notes: list[str],
    compared: str | None,
    set_here: bool,
) -> VerdictReport:
    """Add the page to the figures of a classifier on rows, which may have set its verdict.

    `compared` says whether the rows can be told from those of training.
    """
    classes, found = clf.classes_, clf._verdicts_on(rows.probabilities, rows.covered)
    truth, predicted, _ = class_ids(
        classes.take(rows.class_ids), found.classes, labels=np.asarray(classes)
    )
    decided = np.ascontiguousarray(found.verdicts, dtype=np.bool_)
    about_the_rows = _about_the_rows(clf.estimator_, truth, classes)
    if compared is not None:
        about_the_rows.append(("compared with training", compared))
    html = _ternwood.verdict_report(
        Answers(truth, predicted, decided),
        _labels.to_names(classes),
        clf.verdict_policy_._document,
        f"Verdicts of {type(clf.estimator_).__name__}",
        about=(about_the_rows, _about(clf.estimator_)),
        notes=notes,
        uncovered=rows.count_uncovered(),
        set_here=set_here,
    )
    return VerdictReport(figures, html)


def _about_the_rows(
    estimator: Any, class_ids: NDArray[np.uint32], classes: NDArray[Any]
) -> list[tuple[str, str]]:
    counts = np.bincount(class_ids, minlength=len(classes))
    listed = ", ".join(f"{label} {count}" for label, count in zip(classes, counts, strict=True))
    facts = [("rows", str(len(class_ids))), ("classes", listed)]
    features = getattr(estimator, "n_features_in_", None)
    return facts if features is None else [*facts, ("features", str(features))]


def _about(estimator: Any) -> list[tuple[str, str]]:
    facts = [("classifier", " ".join(repr(estimator).split()))]
    if isinstance(estimator, ModelFile):
        facts = [*estimator._model.metadata_in_words(), *facts]
    seed = estimator.get_params(deep=False).get("random_state")
    if seed is not None:
        facts.append(("seed", str(seed)))
    if isinstance(estimator, ModelFile):  # the bytes that `save` writes
        facts.append(("SHA-256", hashlib.sha256(estimator._file()).hexdigest()))
    versions = f"ternwood {_ternwood.__version__}, scikit-learn {sklearn.__version__}"
    return [*facts, ("measured by", versions)]
