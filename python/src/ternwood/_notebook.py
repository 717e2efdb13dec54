"""A fitted classifier in a notebook: its parameters, its verdict and its tree."""

from __future__ import annotations

from html import escape
from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr

from ._pictures import Pictures


class Notebook:
    """Mixin: what a notebook shows."""

    def _repr_html_inner(self) -> str:
        box = str(estimator_html_repr(self))
        policy = getattr(self, "verdict_policy_", None)
        if policy is None:  # not fitted
            return box
        tree = getattr(self, "estimator_", self)
        picture = tree.plot_tree().svg if isinstance(tree, Pictures) else ""
        return f"{box}<pre>{escape(str(policy))}</pre>{picture}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle
