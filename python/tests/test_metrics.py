"""Do the metrics agree with hand calculations and with scikit-learn?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

from ternwood import metrics

#         row     0  1  2  3  4  5  6  7  8  9
TRUTH = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
FOUND = np.array([0, 0, 1, 0, 1, 1, 0, 2, 1, 2])
VERDICT = np.array([1, 1, 1, 0, 1, 1, 0, 1, 0, 0])


def test_rates_by_hand():
    # Decided: 0 1 2 4 5 7, only 2 is wrong. Undecided: 3 6 8 9, and 3 and 9 are right.
    assert metrics.decided_accuracy(TRUTH, FOUND, VERDICT) == 5 / 6
    assert metrics.undecided_rate(VERDICT) == 0.4
    assert metrics.undecided_accuracy(TRUTH, FOUND, VERDICT) == 0.5
    assert metrics.efficiency(TRUTH, FOUND, VERDICT, 0.7) == pytest.approx((5 / 6 - 0.7) / 0.4)
    assert metrics.ternary_confusion_matrix(TRUTH, FOUND, VERDICT).tolist() == [
        [2, 1, 0, 1],
        [0, 2, 0, 1],
        [0, 0, 1, 2],
    ]


rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=30
)


@given(rows)
def test_metrics_agree_with_those_of_scikit_learn(rows):
    truth, found, decided = (np.array(column) for column in zip(*rows, strict=True))
    matrix = metrics.ternary_confusion_matrix(truth, found, decided, labels=range(4))
    assert matrix[:, -1].sum() == (~decided).sum()
    if decided.any():
        sure_truth, sure_found = truth[decided], found[decided]
        expected = accuracy_score(sure_truth, sure_found)
        assert metrics.decided_accuracy(truth, found, decided) == expected
        macro = f1_score(sure_truth, sure_found, average="macro", zero_division=0)
        assert metrics.decided_f1(truth, found, decided) == pytest.approx(macro)
        plain = confusion_matrix(sure_truth, sure_found, labels=range(4))
        assert (matrix[:, :-1] == plain).all()
    else:
        assert np.isnan(metrics.decided_accuracy(truth, found, decided))
        assert np.isnan(metrics.decided_f1(truth, found, decided))
    report = metrics.report(truth, found, decided.astype(int))
    u = report["undecided_rate"]
    parts = (1 - u) * np.nan_to_num(report["decided_accuracy"])
    parts += u * np.nan_to_num(report["undecided_accuracy"])
    assert parts == pytest.approx(accuracy_score(truth, found))


@pytest.mark.parametrize("kind", [str, float, bool, np.int8])
def test_labels_may_be_of_any_type(kind):
    truth, found = (TRUTH > 0).astype(kind), (FOUND > 0).astype(kind)
    assert metrics.decided_accuracy(truth, found, VERDICT) == 5 / 6
    assert metrics.decided_accuracy(truth.tolist(), found.tolist(), VERDICT.tolist()) == 5 / 6


def test_the_confusion_matrix_follows_the_order_of_labels():
    words, answers = np.array(["a", "b", "c"])[TRUTH], np.array(["a", "b", "c"])[FOUND]
    plain = metrics.ternary_confusion_matrix(words, answers, VERDICT)
    turned = metrics.ternary_confusion_matrix(words, answers, VERDICT, labels=["c", "b", "a"])
    assert (turned[:, :-1] == plain[::-1, :-1][:, ::-1]).all()
    with pytest.raises(ValueError, match=r"not in labels: \['c'\]"):
        metrics.ternary_confusion_matrix(words, answers, VERDICT, labels=["a", "b"])
    with pytest.raises(ValueError, match="labels has a class more than once: a"):
        metrics.ternary_confusion_matrix(words, answers, VERDICT, labels=["a", "b", "c", "a"])


def test_confidences_by_hand():
    right = np.array([1, 1, 0, 0, 1])
    confidence = [0.6, 0.9, 0.6, 0.8, 0.6]
    ones = np.ones(5, dtype=int)
    coverage, risk, thresholds = metrics.risk_coverage_curve(ones, right, confidence)
    assert coverage.tolist() == [0.2, 0.4, 1.0]
    assert risk.tolist() == [0.0, 0.5, 0.4]
    assert thresholds.tolist() == [0.9, 0.8, 0.6]
    assert metrics.accuracy_at_coverage(ones, right, confidence, 0.7) == 2 / 3.5
    # (0/1 + 1/2 + (1 + 1/3)/3 + (1 + 2/3)/4 + 2/5) / 5
    expected = (0 + 1 / 2 + 4 / 9 + 5 / 12 + 2 / 5) / 5
    assert metrics.aurc(ones, right, confidence) == pytest.approx(expected)


def test_a_report_is_a_dict_and_a_table():
    report = metrics.report(TRUTH, FOUND, VERDICT, confidence=VERDICT / 2, cart_accuracy=0.7)
    assert report["accuracy"] == 0.7
    assert report["efficiency"] == metrics.efficiency(TRUTH, FOUND, VERDICT, 0.7)
    assert report["aurc"] == metrics.aurc(TRUTH, FOUND, VERDICT / 2)
    counts = {"rows": 4, "decided_right": 2, "decided_wrong": 1, "review": 1}
    rates = {"coverage": 3 / 4, "decided_recall": 2 / 3, "decided_precision": 1.0}
    assert report["classes"][0] == counts | rates
    table = str(report).splitlines()
    assert "decided accuracy      0.8333" in table
    cells = [line.split() for line in table]
    assert ["0", "4", "2", "1", "1", "0.6667", "1.0000"] in cells
    everything = metrics.report(TRUTH, FOUND, np.ones(10))
    assert np.isnan(everything["undecided_accuracy"])
    assert "undecided accuracy         -" in str(everything)


def test_cart_may_predict_a_class_that_is_neither_true_nor_predicted():
    cart = np.where(TRUTH == 2, 7, TRUTH)
    sure = np.linspace(0.9, 0.5, 10)
    report = metrics.report(TRUTH, FOUND, VERDICT, cart_pred=cart, cart_confidence=sure)
    assert report["efficiency"] == metrics.efficiency(TRUTH, FOUND, VERDICT, 0.7)
    assert report["aurc_cart"] == metrics.aurc(TRUTH, cart, sure)
    assert list(report["classes"]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.decided_accuracy([0, 1], [0], [1, 1]), "inconsistent numbers"),
        (lambda: metrics.decided_accuracy([0, 1], [0, 1], [1]), "inconsistent numbers"),
        (lambda: metrics.decided_accuracy([0, 1], [0, 1], [1, 2]), "decided must be True"),
        (lambda: metrics.undecided_rate([-1, 1]), "decided must be True"),
        (lambda: metrics.aurc([0, 1], [0, 1], [0.5, np.nan]), "confidence contains NaN"),
        (lambda: metrics.aurc([0, 1], [0, 1], [0.5]), "inconsistent numbers"),
        (lambda: metrics.accuracy_at_coverage([0], [0], [0.5], 1.5), "coverage is 1.5"),
        (lambda: metrics.report([0, 1], [0, 1], [1]), "inconsistent numbers"),
        (lambda: metrics.report([0], [0], [1], cart_pred=[0]), "cart_confidence together"),
        (lambda: metrics.report([0], [0], [1], cost_wrong=1), "cost_wrong together"),
    ],
)
def test_bad_input_is_a_value_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_without_rows_metrics_are_nan():
    assert np.isnan(metrics.undecided_rate([]))
    assert np.isnan(metrics.decided_accuracy([], [], []))
    assert np.isnan(metrics.aurc([], [], []))
    assert len(metrics.risk_coverage_curve([], [], [])[0]) == 0


def test_labels_of_different_types_are_errors():
    for metric in (metrics.aurc, metrics.risk_coverage_curve):
        with pytest.raises(ValueError, match="Mix of label"):
            metric(["0", "1"], [0, 1], [0.5, 0.6])
