"""Random models of every kind, and rows that are hard for those who answer in their place."""

import json
import re
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

from ternwood import (
    TernaryForestClassifier,
    TernaryTreeClassifier,
    TernaryTreeClassifierCV,
    loads,
    zones,
)
from ternwood._verdict import with_policy

HOSTILE = [
    '"; DROP TABLE rows; --',
    "</script>",
    "\U0001d518\U0001f9ea",
    "it's",
    "",
    "a\nb",
    "\\",
    "%s {}",
]
ZONES = [
    "margin",
    "class_overlap",
    "spread",
    "quality_plateau",
    "gain_ratio",
    "node_bootstrap",
    "cost_optimal",
    "specified",
    "none",
]
BLENDING = ["probabilistic", "deferred"]
ROUTINGS = [*BLENDING, "hard_middle", "crisp"]


class Case(NamedTuple):
    """A model and rows to ask it about."""

    clf: object
    rows: pd.DataFrame


def check_probabilities(found, clf, rows):
    """Compare every bit; but of forests, whose trees others add up in another order, to 1e-12."""
    if not isinstance(clf, TernaryForestClassifier):
        np.testing.assert_array_equal(found, clf.predict_proba(rows))
    else:
        np.testing.assert_allclose(found, clf.predict_proba(rows), rtol=0, atol=1e-12)


def with_least_share(clf, share):
    """Return the same tree or forest, whose zones divide rows into parts of at least this share."""
    text, n = re.subn(r'"least_share":[^,]+,', f'"least_share":{share},', clf.to_json())
    assert n == 1
    return loads(text, accept_edited=True)


def case(seed, *, forest=False, extreme=True):
    """Return a random model, and rows on, beside and far from its edges."""
    random = np.random.default_rng(seed)
    table, labels = _table(random, extreme=extreme)
    with warnings.catch_warnings():
        # Such as a zone specified for a feature that no split tests.
        warnings.simplefilter("ignore", UserWarning)
        clf = _classifier(random, table, forest=forest).fit(table, labels)
    # Of its own, so that the other choices stay.
    chosen = np.random.default_rng([seed, 1])
    may_vary = forest or (
        type(clf) is TernaryTreeClassifier
        and clf.routing != "deferred"
        and clf.zone != "cost_optimal"
    )
    if may_vary and chosen.random() < 0.5:
        clf = with_least_share(clf, float(chosen.choice([0.0, 0.05, 0.1, 0.25, 0.4, 0.5])))
    rows = _rows(random, clf, table)
    policy = _policy(random, clf, rows)
    if random.random() < 0.3:
        for of_kind in policy.values():
            of_kind["uncovered"] = "judge"
    return Case(with_policy(clf, json.dumps(policy)), rows)


def more_than_all():
    """Return a tree, and a row of which rounding would send more than all to the left."""
    table = pd.DataFrame({"x": [0.1, 0.5]})
    clf = TernaryTreeClassifier(zone=zones.Specified({"x": 0.24})).fit(table, [0, 1])
    assert clf.tree_.threshold[0] == 0.3
    beside = np.nextafter(0.3 - 0.24, 1)
    assert (0.3 + 0.24 - beside) / (2 * 0.24) > 1
    return Case(clf, pd.DataFrame({"x": [0.0, beside, 0.3]}))


def _table(random, *, extreme):
    n = int(random.integers(10, 90))
    n_classes = int(random.integers(2, 5))
    codes = random.permutation(np.arange(n) % n_classes)
    names = [str(name) for name in random.permutation(HOSTILE)]
    scale = float(random.choice([1e300, 1e-300, 1e6])) if extreme else 1.0
    categories = [str(name) for name in random.permutation(HOSTILE)[: random.integers(1, 6)]]
    sizes = ["S", "it's M", '"L"', "XL"]
    table = pd.DataFrame(
        {
            names[0]: codes + random.normal(0, 1.5, n),
            names[1]: np.round(codes + random.normal(0, 2, n)) * 0.1,
            names[2]: (random.integers(-5, 5, n) + codes) + 2**53,
            names[3]: scale * (codes + random.normal(0, 1, n)),
            names[4]: [
                categories[(c + e) % len(categories)]
                for c, e in zip(codes, random.integers(0, 2, n), strict=True)
            ],
            names[5]: pd.Categorical(
                [sizes[c % 4] for c in codes + random.integers(0, 2, n)], sizes, ordered=True
            ),
            names[6]: random.random(n) < 0.3 + 0.1 * codes,
        }
    )
    for at, name in enumerate(table.columns):
        if at not in (2, 6):
            share = random.choice([0, 0, 0.1, 0.5])
            table.loc[random.random(n) < share, name] = None
    # As strings, some would be read as missing.
    table[names[4]] = table[names[4]].astype("category")
    kinds = [
        np.arange(n_classes) - 1,
        np.array(["it's", '"; DROP TABLE', "</script>", "\U0001d518"])[:n_classes],
        np.array([0.0, 1.0, 2.0, -3.0])[:n_classes],
        np.array([False, True]),
    ]
    kind = kinds[random.integers(len(kinds) if n_classes == 2 else 3)]
    return table, kind[codes]


def _classifier(random, table, *, forest):
    common = {
        "missing": str(random.choice(["learn", "unknown"])),
        "max_depth": int(random.integers(1, 5)),
        "random_state": int(random.integers(1000)),
    }
    if forest:
        exponent = str(random.choice(["auto", "off"]))
        zone = str(random.choice(["spread", "class_overlap", "none"]))
        return TernaryForestClassifier(
            int(random.integers(1, 7)), zone=zone, exponent=exponent, **common
        )
    if random.random() < 0.15:
        return TernaryTreeClassifierCV(**common)
    kind = str(random.choice(ZONES))
    zone = zones.Specified({table.columns[0]: 1.0}) if kind == "specified" else kind
    routings = BLENDING if kind == "cost_optimal" else ROUTINGS
    return TernaryTreeClassifier(zone=zone, routing=str(random.choice(routings)), **common)


def _policy(random, clf, rows):
    n_classes = len(clf.classes_)
    kind = str(random.choice(["zones", "cost", "budget", "accuracy", "promises", "catch", "costs"]))
    if kind == "zones":
        return {"zones": {}}
    if kind == "cost":
        ratio = float(random.choice([0.1, 0.25, 0.4]))
        return {"confidence": {"threshold": 1 - ratio, "rule": {"cost": {"cost_ratio": ratio}}}}
    if kind == "costs":
        answer = random.integers(-2, 9, (n_classes, n_classes)).astype(float).tolist()
        flag = random.choice([0.5, 1.0, 3.0], n_classes).tolist()
        return {"costs": {"costs": {"answer": answer, "flag": flag}}}
    fields = ["rows", "right", "decided", "decided_right", "decided_for"]
    if kind == "catch":
        caught = int(random.integers(n_classes))
        achieved = {"source": "held_out", "classes": [dict.fromkeys(fields, 1)] * n_classes}
        threshold = _catch_threshold(random, clf, rows, caught)
        catch = {"class": caught, "flag_rate": 0.1, "threshold": threshold, "achieved": achieved}
        return {"catch": catch}
    rule = {
        "budget": {"budget": {"flag_rate": 0.1}},
        "accuracy": {"guarantee": {"accuracy": 0.9, "confidence": 0.9}},
        "promises": {
            "promises": {"precision": [0.9] + [None] * (n_classes - 1), "confidence": 0.9}
        },
    }[kind]
    threshold = _threshold(random, clf, rows)
    if kind == "promises":
        threshold = [
            None if random.random() < 0.2 else _threshold(random, clf, rows)
            for _ in range(n_classes)
        ]
    # A budget must have been kept, and a class that is never decided cannot have been.
    count = 0 if kind == "promises" else 1
    achieved = {"source": "held_out", "classes": [dict.fromkeys(fields, count)] * n_classes}
    return {"confidence": {"threshold": threshold, "rule": rule, "achieved": achieved}}


def _threshold(random, clf, rows):
    """Return any threshold; or, where every bit counts, one that some row just reaches."""
    if getattr(clf, "exponent_", None) in (None, "off") and random.random() < 0.5:
        return float(random.choice(clf.predict_proba(rows).max(axis=1)))
    return float(random.random())


def _catch_threshold(random, clf, rows, caught):
    """Return any threshold; or, where every bit counts, one that some row just does not exceed."""
    if getattr(clf, "exponent_", None) in (None, "off") and random.random() < 0.5:
        return float(random.choice(clf.predict_proba(rows)[:, caught]))
    return float(random.random() / 2)


def _rows(random, clf, table):
    """Rows of the table, and as many with values that are hard to place."""
    columns = {}
    for index, name in enumerate(table.columns):
        known = table[name].to_numpy(dtype=object)
        if index in (0, 1, 3):
            hard = [np.nan, 0.0, -0.0, 1e308, -1e308, 5e-324, *_edges(clf, index)]
        elif index == 2:
            hard = [2**53 + 1, 2**53 + 3, -(2**62) - 1, 2**63 - 1, 0]
        elif index == 6:
            hard = [True, False]
        elif index == 5:
            hard = ["S", None, '"L"']
        else:
            hard = [None, "never seen", *HOSTILE]
        drawn = [hard[at] for at in random.integers(len(hard), size=len(table))]
        columns[name] = [
            *known,
            *(old if random.random() < 0.5 else new for old, new in zip(known, drawn, strict=True)),
        ]
    rows = pd.DataFrame(columns)
    for index, name in enumerate(table.columns):
        rows[name] = rows[name].astype("category" if index == 4 else table[name].dtype)
    return rows


def _edges(clf, feature):
    trees = clf.estimators_ if isinstance(clf, TernaryForestClassifier) else [clf]
    for tree in trees:
        tree = tree.tree_
        for threshold, width in zip(
            tree.threshold[tree.feature == feature],
            tree.half_width[tree.feature == feature],
            strict=True,
        ):
            for edge in (threshold - width, threshold, threshold + width):
                yield from (
                    x
                    for x in (edge, np.nextafter(edge, np.inf), np.nextafter(edge, -np.inf))
                    if np.isfinite(x)
                )
