"""Decision trees that know where they are unsure.

Every split of a CART tree gets an *uncertainty zone*: a half-width around its threshold,
computed from the split's own rows. A row within a zone is *undecided*, and its prediction
blends both subtrees; every other row is *decided*. The verdict qualifies the prediction and
never withholds it.

- :class:`TernaryTreeClassifierCV` is the tree to start with: readable, with good probabilities.
- :class:`TernaryTreeClassifier` is the paper's method, with every setting in your hands.
- :class:`TernaryForestClassifier` is a forest of such trees, in place of scikit-learn's.
- :class:`VerdictClassifier` gives any classifier a verdict: by cost, by a budget of flags, or
  with promises, of all answers or class by class.
- :func:`predict_all`, :func:`predict_decided` and :func:`explain` reach through pipelines and
  searches.
- :func:`required_rows` says how many rows promises need.
- :func:`load` reads a saved model; :class:`Scorer` reads it without scikit-learn.
- :func:`register_onnx_converters` lets skl2onnx convert pipelines that end in these classifiers.
- :mod:`ternwood.zones` has the estimators of the half-widths and their settings.
- :mod:`ternwood.metrics` measures predictions with verdicts.
- :mod:`ternwood.types` has what methods and functions return.
- :mod:`ternwood.plotting` draws decision surfaces and risk-coverage curves (with matplotlib).
- :mod:`ternwood.dask` fits and predicts rows on a Dask cluster (with dask and distributed).
- :mod:`ternwood.spark` answers for Spark frames and fits them (with pyspark).

Modules are imported when they are first used: ``import ternwood`` does not import scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._ternwood import __version__

if TYPE_CHECKING:
    from . import dask as dask
    from . import metrics, types, zones
    from . import plotting as plotting
    from . import spark as spark
    from ._base import explain, predict_all, predict_decided
    from ._calibration import VerdictWarning, required_rows
    from ._export import load, loads, register_onnx_converters
    from ._forest import TernaryForestClassifier
    from ._input import DataWarning
    from ._scorer import Scorer
    from ._tree import TernaryTreeClassifier, TernaryTreeClassifierCV
    from ._verdict import VerdictClassifier

# Where each name comes from. A test compares it with the imports above, which type checkers and
# editors read.
_NAMES = {
    "_base": ("explain", "predict_all", "predict_decided"),
    "_calibration": ("VerdictWarning", "required_rows"),
    "_export": ("load", "loads", "register_onnx_converters"),
    "_forest": ("TernaryForestClassifier",),
    "_input": ("DataWarning",),
    "_scorer": ("Scorer",),
    "_tree": ("TernaryTreeClassifier", "TernaryTreeClassifierCV"),
    "_verdict": ("VerdictClassifier",),
}
_MODULES = ("dask", "metrics", "plotting", "spark", "types", "zones")
_HOME = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "DataWarning",
    "Scorer",
    "TernaryForestClassifier",
    "TernaryTreeClassifier",
    "TernaryTreeClassifierCV",
    "VerdictClassifier",
    "VerdictWarning",
    "__version__",
    "explain",
    "load",
    "loads",
    "metrics",
    "predict_all",
    "predict_decided",
    "register_onnx_converters",
    "required_rows",
    "types",
    "zones",
]


if not TYPE_CHECKING:  # a checker would take any name for one of the package

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return import_module(f".{name}", __name__)
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found: object = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
