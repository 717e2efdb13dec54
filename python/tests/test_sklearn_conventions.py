"""Does scikit-learn accept the classifier as one of its own?"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from ternwood import TernaryTreeClassifier, TernaryTreeClassifierCV, zones


@parametrize_with_checks(
    [
        TernaryTreeClassifier(),
        TernaryTreeClassifier(zone="node_bootstrap", routing="deferred"),
        TernaryTreeClassifier(zone="class_overlap", routing="hard_middle"),
        TernaryTreeClassifier(zone="none", max_features="sqrt", criterion="entropy"),
        TernaryTreeClassifier(zone=zones.QualityPlateau(tolerance=0.1), zero_gain_splits=True),
        TernaryTreeClassifierCV(),
        TernaryTreeClassifierCV(max_depth=3, class_weight="balanced"),
        TernaryTreeClassifierCV(zone_scale=0.5, zone="margin", categorical_features=None),
        TernaryTreeClassifier(missing="error", categorical_features=None),
        TernaryTreeClassifier(missing="unknown", categorical_features=[0], zone="spread"),
        TernaryTreeClassifier(zone="cost_optimal", leaves="smoothed", routing="deferred"),
    ]
)
@pytest.mark.filterwarnings("ignore::ternwood.DataWarning")  # a class may have a single row
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)
