"""Does our class without zones pass scikit-learn's own tests of its tree?"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn
from sklearn.utils.fixes import parse_version

PLUGIN = Path(__file__).parent / "in_place_of_scikit_learn"
PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn.md"

# Which tests fail, by the difference that they meet. A name stands for all its parameters.
DIFFERENCES = {
    "sparse input": [
        "test_apply_path_readonly_all_trees",
        "test_explicit_sparse_zeros",
        "test_memory_layout",
        "test_min_weight_fraction_leaf_on_sparse_input",
        "test_min_weight_fraction_leaf_with_min_samples_leaf_on_sparse_input",
        "test_min_weight_leaf_split_level",
        "test_public_apply_sparse_trees",
        "test_sparse_criteria",
        "test_sparse_input",
        "test_sparse_parameters",
    ],
    "several outputs": [
        "test_class_weight_errors",
        "test_class_weights",
        "test_classes_shape",
        "test_multioutput",
        "test_prune_tree_classifier_are_subtrees",
    ],
    "float32": ["test_almost_constant_feature", "test_big_input"],
    "ties": [
        "test_importances_gini_equal_squared_error",
        "test_missing_values_best_splitter_missing_both_classes_has_nan",
    ],
    "internals": [
        "test_build_pruned_tree_infinite_loop",
        "test_build_pruned_tree_py",
        "test_huge_allocations",
        "test_pickle",
    ],
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("in_place")
    found = folder / "outcomes.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "stand_in", "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONPATH": str(PLUGIN), "STAND_IN_OUTCOMES": str(found)}
    environment.pop("SCIPY_ARRAY_API", None)
    run = subprocess.run(
        [*command, "--pyargs", "sklearn.tree.tests.test_tree"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.exists(), run.stdout + run.stderr
    return json.loads(found.read_text(encoding="utf-8"))


def without_parameters(name):
    return name.partition("[")[0]


def test_only_tests_that_meet_a_named_difference_fail(outcomes):
    known = {name for names in DIFFERENCES.values() for name in names}
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    assert {name for name in failed if without_parameters(name) not in known} == set()
    # The oldest scikit-learn that we support has an older form of this test, which passes.
    if parse_version(sklearn.__version__) < parse_version("1.7"):
        known.remove("test_almost_constant_feature")
    assert {without_parameters(name) for name in failed} == known
    assert sum(outcome == "passed" for outcome in outcomes.values()) > 50


def test_a_checkerboard_is_learned(outcomes):
    assert outcomes["test_xor"] == "passed"


def test_the_page_names_the_differences():
    of_trees, _, _ = PAGE.read_text(encoding="utf-8").partition("## Forests")
    rows = re.findall(r"^\| ([\w ]+) \|", of_trees, re.MULTILINE)
    assert rows == ["difference", *DIFFERENCES]
