"""The site: `make docs` stages its sources (docs/site/stage.py) and builds them with this."""

import re
import sys
from pathlib import Path

import ternwood

sys.path.insert(0, str(Path(__file__).parent / "site"))

project = "ternwood"
author = "The ternwood developers"
copyright = author
version = release = ternwood.__version__

extensions = [
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_design",
]
# Tables of committed runs begin with small headings.
suppress_warnings = ["myst.header"]
templates_path = ["site/templates"]
exclude_patterns = ["site", "**/*.rst.txt"]
highlight_language = "text"
# The command's transcripts show prompts of a shell; those of Python are doctests.
trim_doctest_flags = True

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

html_math_renderer = "mathml"

autosummary_generate = True
toc_object_entries_show_parents = "hide"
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
# As fields of their own, attributes would lose the underscore at the end of their names.
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "pydata_sphinx_theme"
html_title = "ternwood"
html_static_path = ["site/static"]
html_css_files = ["ternwood.css"]
html_favicon = "site/static/logo.svg"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "ternwood", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "start": []}


def mend_docstring(app, what, name, obj, options, lines):
    """Keep docstrings from saying what helps nobody here.

    Inherited docstrings refer to scikit-learn's guide; several parameters described together have no type.
    """
    if name == "ternwood.zones":  # its table of classes: the summary that follows has them all
        del lines[next(index for index, line in enumerate(lines) if line.startswith("====")) :]
    for index, line in enumerate(lines):
        line = line.replace(" (*object*) --", " --")
        lines[index] = re.sub(r":ref:`([^`<]*?) *<[^`]*>`", r"\1", line)


def setup(app):
    app.connect("autodoc-process-docstring", mend_docstring, priority=900)  # after napoleon
