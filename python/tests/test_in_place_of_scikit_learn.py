"""Do our classes without zones pass scikit-learn's own tests of its tree and its forest?"""

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


# The same of the forest.
DIFFERENCES_OF_FORESTS = {
    "sparse input": [
        "test_forest_classifier_oob",
        "test_forest_y_sparse",
        "test_read_only_buffer",
        "test_sparse_input",
    ],
    "several outputs": [
        "test_class_weight_balanced_and_bootstrap_multi_output",
        "test_classes_shape",
        "test_classifier_error_oob_score_multiclass_multioutput",
        "test_multioutput",
        "test_multioutput_string",
    ],
    "warm_start": [
        "test_class_weight_errors",
        "test_warm_start",
        "test_warm_start_clear",
        "test_warm_start_equal_n_estimators",
        "test_warm_start_oob",
        "test_warm_start_smaller_n_estimators",
    ],
    "rows that count once however often they are drawn": ["test_min_samples_split"],
    "other words": [
        "test_forest_oob_score_requires_bootstrap",
        "test_forest_oob_warning",
        "test_max_samples_bootstrap",
    ],
    "internals": [
        "test_backend_respected",
        "test_class_weights_forest",
        "test_estimators_samples",
        "test_max_samples_geq_one",
        "test_memory_layout",
        "test_min_samples_leaf",
        "test_min_weight_fraction_leaf",
        "test_oob_not_computed_twice",
        "test_validate_y_class_weight",
    ],
}


# Tests that only older versions have: one was renamed, one asked for an error where newer versions
# draw more rows than there are, as we do.
OF_OLDER_VERSIONS = {"test_class_weights", "test_large_max_samples_exception"}


def run_in_place(folder, plugin, tests, *options):
    """Run tests of scikit-learn with our class; return the outcomes of those that used it."""
    found = folder / "outcomes.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", plugin, "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONPATH": str(PLUGIN), "STAND_IN_OUTCOMES": str(found)}
    environment.pop("SCIPY_ARRAY_API", None)
    run = subprocess.run(
        [*command, "--pyargs", tests, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.exists(), run.stdout + run.stderr
    return json.loads(found.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    return run_in_place(
        tmp_path_factory.mktemp("in_place"), "stand_in", "sklearn.tree.tests.test_tree"
    )


def test_only_tests_of_forests_that_meet_a_named_difference_fail(tmp_path):
    # Most of the tests are of forests that nothing stands in for.
    chosen = "RandomForestClassifier or not (ExtraTrees or Regressor or Embedding)"
    tests = "sklearn.ensemble.tests.test_forest"
    outcomes = run_in_place(tmp_path, "stand_in_forest", tests, "-k", chosen)
    known = {name for names in DIFFERENCES_OF_FORESTS.values() for name in names}
    failed = {without_parameters(name) for name, it in outcomes.items() if it == "failed"}
    # Older versions have fewer tests.
    if parse_version(sklearn.__version__) >= parse_version("1.9"):
        assert failed == known
    else:
        assert failed - known <= OF_OLDER_VERSIONS
    assert sum(outcome == "passed" for outcome in outcomes.values()) > 30


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
