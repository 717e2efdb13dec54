"""Decision trees that know where they are unsure.

Every split of a CART tree gets an *uncertainty zone*: a half-width around its threshold,
computed from the split's own rows. A row within a zone is *undecided*, and its prediction
blends both subtrees; every other row is *decided*. The verdict qualifies the prediction and
never withholds it.

- :class:`TernaryTreeClassifier` is the paper's method, a scikit-learn classifier.
- :class:`TernaryTreeClassifierCV` makes the best probabilities of a single tree.
- :class:`TernaryForestClassifier` is a forest of such trees, in place of scikit-learn's.
- :class:`VerdictClassifier` gives any classifier a verdict: by cost, by a budget of flags, or
  with promises, of all answers or class by class.
- :func:`rows_needed` says how many rows promises need.
- :mod:`ternwood.zones` has the estimators of the half-widths and their settings.
- :func:`load` reads a saved model.
- :func:`register_onnx_converters` lets skl2onnx convert pipelines that end in these classifiers.
- :mod:`ternwood.metrics` measures predictions with verdicts.
- :mod:`ternwood.dask` fits and predicts rows on a Dask cluster (with dask and distributed).
- :mod:`ternwood.spark` answers for Spark frames and fits them (with pyspark).
- :mod:`ternwood.plotting` draws decision surfaces and risk-coverage curves (with matplotlib).
"""

from . import metrics, zones
from ._classifier import TernaryTreeClassifier
from ._classifier_cv import TernaryTreeClassifierCV
from ._data_warning import DataWarning
from ._deciding import DecidingValue
from ._explanation import Explanation, Explanations, Hinge, Outcome, Step
from ._figure import Figure
from ._files import from_json, load
from ._forest import TernaryForestClassifier
from ._forest_explanation import Alternative, ForestExplanation, UnsureFeature
from ._forest_trees import Disagreement
from ._page import Page
from ._predictions import Predictions
from ._rows_check import RowsCheck
from ._rows_needed import RowsNeeded, rows_needed
from ._rules import Condition, Rule, Rules
from ._ternwood import CategoryCut, __version__
from ._tree import Tree
from ._verdict_classifier import VerdictClassifier
from ._verdict_policy import VerdictPolicy
from ._verdict_report import VerdictReport
from ._verdict_table import VerdictTable
from ._verdict_warning import VerdictWarning
from .onnx_converters import register_onnx_converters

__all__ = [
    "Alternative",
    "CategoryCut",
    "Condition",
    "DataWarning",
    "DecidingValue",
    "Disagreement",
    "Explanation",
    "Explanations",
    "Figure",
    "ForestExplanation",
    "Hinge",
    "Outcome",
    "Page",
    "Predictions",
    "RowsCheck",
    "RowsNeeded",
    "Rule",
    "Rules",
    "Step",
    "TernaryForestClassifier",
    "TernaryTreeClassifier",
    "TernaryTreeClassifierCV",
    "Tree",
    "UnsureFeature",
    "VerdictClassifier",
    "VerdictPolicy",
    "VerdictReport",
    "VerdictTable",
    "VerdictWarning",
    "__version__",
    "from_json",
    "load",
    "metrics",
    "register_onnx_converters",
    "rows_needed",
    "zones",
]
