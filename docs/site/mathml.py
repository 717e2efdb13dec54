"""Formulas as MathML, which browsers draw themselves: no script, no font, no LaTeX."""

from docutils.nodes import SkipNode
from docutils.utils.math import latex2mathml


def inline(self, node):
    self.body.append(latex2mathml.tex2mathml(node.astext(), as_block=False))
    raise SkipNode


def displayed(self, node):
    self.body.append('<div class="formula">')
    self.body.append(latex2mathml.tex2mathml(node.astext(), as_block=True))
    self.body.append("</div>")
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
