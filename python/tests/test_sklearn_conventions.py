"""Does scikit-learn accept the classifier as one of its own?"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from ternwood import TernaryTreeClassifier


@parametrize_with_checks(
    [
        TernaryTreeClassifier(),
        TernaryTreeClassifier(zone="node_bootstrap", routing="deferred"),
        TernaryTreeClassifier(zone="class_overlap", routing="hard_middle"),
        TernaryTreeClassifier(zone="none", max_features="sqrt", criterion="entropy"),
        TernaryTreeClassifier.calibrated(),
        TernaryTreeClassifier(missing="error", categorical_features=None),
        TernaryTreeClassifier(missing="unknown", categorical_features=[0], zone="spread"),
        TernaryTreeClassifier(zone="cost_optimal", leaves="smoothed", routing="deferred"),
    ]
)
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)
