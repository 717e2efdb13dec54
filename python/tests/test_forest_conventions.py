"""Does scikit-learn accept the forest as one of its own, in place of its own?"""

import inspect

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from ternwood import TernaryForestClassifier, VerdictClassifier, zones


def expected_failures(estimator):
    """Bags are draws of rows: one row of weight 2 is drawn as one, two rows are drawn as two.

    scikit-learn expects the same failure of its own forests.
    """
    forest = getattr(estimator, "estimator", estimator)
    weights = "check_sample_weight_equivalence_on_dense_data"
    return {weights: "bags are draws of rows"} if forest.bootstrap else {}


@parametrize_with_checks(
    [
        TernaryForestClassifier(n_estimators=7),
        TernaryForestClassifier(n_estimators=5, zone="none", exponent="off", criterion="entropy"),
        TernaryForestClassifier(
            n_estimators=5, bootstrap=False, zone_scale=0.4, exponent=1.5, max_features=None
        ),
        TernaryForestClassifier(
            n_estimators=5,
            class_weight="balanced_subsample",
            max_samples=0.8,
            missing="error",
            categorical_features=None,
        ),
        TernaryForestClassifier(n_estimators=5, zone=zones.Margin(), max_leaf_nodes=6),
        VerdictClassifier(TernaryForestClassifier(n_estimators=7, random_state=0), cv="oob"),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore::ternwood.VerdictWarning")
@pytest.mark.filterwarnings("ignore::ternwood.DataWarning")  # a class may have a single row
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


# What only our forest has, and what only scikit-learn's has.
OURS = {"zone", "zone_scale", "exponent", "categorical_features", "missing", "uncovered"}
THEIRS = {"monotonic_cst"}


def test_parameters_and_defaults_are_those_of_scikit_learn():
    ours = inspect.signature(TernaryForestClassifier).parameters
    theirs = inspect.signature(RandomForestClassifier).parameters
    assert set(ours) - set(theirs) == OURS
    assert set(theirs) - set(ours) == THEIRS
    for name in set(ours) & set(theirs):
        assert ours[name].default == theirs[name].default, name
        assert ours[name].kind == theirs[name].kind, name
