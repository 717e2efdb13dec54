"""A fitted classifier in a notebook: its parameters, its verdict and its tree."""

from __future__ import annotations

from html import escape
from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr

from ._pictures import Pictures
from ._ternwood import READABLE_LEAVES

# The levels of tests that are drawn of a tree that is too large to be read.
_LEVELS = 3


class Notebook:
    """Mixin: what a notebook shows."""

    def _repr_html_inner(self) -> str:
        box = str(estimator_html_repr(self))
        policy = getattr(self, "verdict_policy_", None)
        if policy is None:  # not fitted
            return box
        tree = getattr(self, "estimator_", self)
        picture = _picture(tree) if isinstance(tree, Pictures) else ""
        gain = getattr(tree, "depth_gain_", None)
        words = [str(policy)] + ([] if gain is None else [str(gain)])
        text = "".join(f"<pre>{escape(line)}</pre>" for line in words)
        return f"{box}{text}{picture}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def _picture(tree: Any) -> str:
    """Draw a tree; of a large one the first levels."""
    leaves, depth = tree.get_n_leaves(), tree.get_depth()
    if leaves <= READABLE_LEAVES:
        return str(tree.plot_tree().svg)
    note = f"{_LEVELS} of {depth} levels of tests, {leaves} leaves; plot_tree() draws more"
    return f"{tree.plot_tree(max_depth=_LEVELS).svg}<p>{note}</p>"
