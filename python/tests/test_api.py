"""Which names does the package have, when are modules imported, and what are the defaults?"""

import ast
import inspect
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

import ternwood
from ternwood import zones
from ternwood._params import read_recipe
from ternwood._ternwood import calibrated_recipe, forest_recipe, paper_recipe, zone_kinds
from ternwood.dask import DaskTernaryTreeClassifier

# With the next version they may be removed only after a warning: see docs/versions.md.
TOP_LEVEL = {
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
}


def run(script):
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout


def test_the_top_level_has_few_names():
    assert set(ternwood.__all__) == TOP_LEVEL
    assert set(dir(ternwood)) >= TOP_LEVEL
    for name in ternwood.__all__:
        assert getattr(ternwood, name) is not None
    with pytest.raises(AttributeError, match="module 'ternwood' has no attribute 'rows_needed'"):
        _ = ternwood.rows_needed


def test_type_checkers_see_the_names_that_are_imported_lazily():
    """The imports under TYPE_CHECKING and the table of modules say the same."""
    tree = ast.parse(Path(ternwood.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    static = {alias.name: statement.module for statement in block.body for alias in statement.names}
    modules = {name for name, module in static.items() if module is None}
    assert modules == set(ternwood._MODULES)
    assert {name: module for name, module in static.items() if module} == ternwood._HOME


def test_importing_the_package_imports_neither_scikit_learn_nor_numpy():
    heavy = "sklearn", "scipy", "pandas", "joblib", "matplotlib", "dask", "onnx", "numpy"
    script = f"import sys, ternwood; print([name for name in {heavy} if name in sys.modules])"
    assert run(script) == "[]\n"
    assert run("import ternwood; print(ternwood.metrics.aurc([0], [0], [0.5]))") == "0.0\n"
    assert run("from ternwood import *; print(TernaryTreeClassifier())") == (
        "TernaryTreeClassifier()\n"
    )


def test_types_are_what_methods_return(iris):
    assert all(inspect.isclass(getattr(ternwood.types, name)) for name in ternwood.types.__all__)
    public = {
        name
        for name, value in vars(ternwood.types).items()
        if inspect.isclass(value) and value.__module__.startswith("ternwood")
    }
    assert public == set(ternwood.types.__all__)
    clf = ternwood.TernaryTreeClassifier(max_depth=2).fit(*iris)
    assert isinstance(clf.predict_all(iris[0]), ternwood.types.Predictions)
    assert not isinstance(ternwood.types, types.FunctionType)


def defaults(kind):
    return {name: it.default for name, it in inspect.signature(kind).parameters.items()}


@pytest.mark.parametrize(
    ("kind", "recipe"),
    [
        (ternwood.TernaryTreeClassifier, paper_recipe),
        (ternwood.TernaryTreeClassifierCV, calibrated_recipe),
        (ternwood.TernaryForestClassifier, forest_recipe),
        (DaskTernaryTreeClassifier, paper_recipe),
    ],
)
def test_written_defaults_are_those_of_the_library(kind, recipe):
    library = read_recipe(recipe()).arguments
    del library["random_state"]  # a recipe has a seed, a classifier need not
    found = defaults(kind)
    assert {name: found[name] for name in library} == library
    assert {name: type(found[name]) for name in library} == {
        name: type(value) for name, value in library.items()
    }


def test_written_defaults_of_zones_are_those_of_the_library():
    kinds = [kind for kind in json.loads(zone_kinds()) if isinstance(kind, dict)]
    library = {name: settings for kind in kinds for name, settings in kind.items()}
    library["gain_ratio"]["range_share"] = library["gain_ratio"].pop("scale")
    del library["specified"]
    assert {"quality_plateau", "class_overlap", "node_bootstrap"} < set(library)
    for name, settings in library.items():
        found = defaults(zones.KINDS[name])
        assert {setting: found[setting] for setting in settings} == settings
    params = json.loads(paper_recipe())["params"]
    common = {name: params["zone"][name] for name in ("scale", "max_fraction", "category_error")}
    common |= {name: params[name] for name in ("min_samples_category", "min_samples_middle")}
    assert defaults(zones.Zone) == common


def test_signatures_can_be_read_without_running_anything():
    """Editors and static documentation see literals."""
    for file in ("_tree.py", "_forest.py", "_verdict.py", "dask.py", "zones.py"):
        tree = ast.parse((Path(ternwood.__file__).parent / file).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                for default in [*node.args.defaults, *node.args.kw_defaults]:
                    assert default is None or isinstance(ast.literal_eval(default), object)
            if isinstance(node, ast.ClassDef) and file == "zones.py":
                for field in node.body:
                    plain = isinstance(field, ast.AnnAssign) and field.value is not None
                    if plain and "ClassVar" not in ast.unparse(field.annotation):
                        ast.literal_eval(field.value)
