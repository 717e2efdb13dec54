"""A fitted classifier in a notebook: its parameters, its verdict and its tree."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr

from ._pictures import Pictures

if TYPE_CHECKING:
    from ._verdict_policy import VerdictPolicy


class Notebook(Pictures):
    """Mixin: what a notebook shows."""

    if TYPE_CHECKING:

        @property
        def verdict_policy_(self) -> VerdictPolicy: ...

    def _repr_html_inner(self) -> str:
        box = str(estimator_html_repr(self))
        if not hasattr(self, "_model"):
            return box
        verdict = escape(str(self.verdict_policy_))
        return f"{box}<pre>{verdict}</pre>{self.plot_tree().svg}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle
