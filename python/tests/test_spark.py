"""Does Spark give the answers of the model in memory, and the tree? Run by `make test-spark`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ternwood import TernaryForestClassifier, TernaryTreeClassifier, TernaryTreeClassifierCV, zones

if "TERNWOOD_SPARK" not in os.environ:
    pytest.skip("Spark is asked by `make test-spark`", allow_module_level=True)
if shutil.which("java") is None:
    reason = "there is no Java (Debian: apt-get install default-jre-headless)"
    pytest.skip(reason, allow_module_level=True)
pytest.importorskip("pyspark", reason="pyspark is not installed")

from ternwood.spark import add_predictions, fit

# Spark's own Python calls what is deprecated.
pytestmark = pytest.mark.filterwarnings("default")

# From here on, different integers are the same float.
LARGE = 2**53


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two tasks at once, in batches of a hundred rows."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
    }
    builder = SparkSession.builder.master("local[2]").appName("ternwood")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def table(n: int = 700, seed: int = 0) -> pd.DataFrame:
    """Return numbers with gaps, texts, booleans and large integers, and three classes."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "id": np.arange(n),
            "size": classes + random.normal(size=n),
            "count": random.integers(0, 9, n),
            "ward": random.choice(["north", "süd", "west"], n).astype(object),
            "smoker": random.random(n) < 0.2 + 0.2 * classes,
            "code": pd.array(LARGE + random.integers(0, 4, n), dtype="Int64"),
        }
    )
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    frame.loc[random.random(n) < 0.1, "ward"] = None
    frame["label"] = np.array(["ill", "well", "unsure"])[classes]
    return frame


SCHEMA = "id long, size double, count long, ward string, smoker boolean, code long, label string"


def in_spark(spark: Any, frame: pd.DataFrame, schema: str = SCHEMA, partitions: int = 3) -> Any:
    """Return a Spark frame of some partitions; NaN and NA become null."""
    plain = frame.astype(object).where(frame.notna(), None)
    rows = [tuple(row) for row in plain.itertuples(index=False)]
    return spark.createDataFrame(rows, schema).repartitionByRange(partitions, frame.columns[0])


def check(answers: Any, frame: pd.DataFrame, clf: Any, prefix: str = "") -> None:
    """Compare every answer with that of the model in memory, to the bit."""
    rows = {row.id: row for row in answers.collect()}
    expected = clf.predict_all(frame[list(clf.feature_names_in_)])
    assert len(rows) == len(frame)
    for index, number in enumerate(frame["id"]):
        row = rows[number]
        assert row[f"{prefix}prediction"] == expected.classes[index]
        found = [row[f"{prefix}probability_{label}"] for label in clf.classes_.tolist()]
        assert found == expected.probabilities[index].tolist()
        assert row[f"{prefix}verdict"] is bool(expected.decided[index])


FEATURES = ["size", "count", "ward", "smoker"]


@pytest.mark.parametrize(
    "clf",
    [
        TernaryTreeClassifier(max_depth=6),
        TernaryTreeClassifier(max_depth=6, zone="spread", routing="deferred"),
        TernaryTreeClassifierCV(random_state=0),
        TernaryForestClassifier(5, random_state=0),
    ],
    ids=["margin", "spread", "calibrated", "forest"],
)
def test_answers_are_those_of_the_model(spark: Any, clf: Any) -> None:
    train, new = table(), table(500, seed=1)
    # A category that the model does not know, and rows on the edges of the zones.
    new.loc[7, "ward"] = "east"
    clf.fit(train[FEATURES], train["label"])
    if hasattr(clf, "tree_"):
        edges = np.concatenate([clf.tree_.threshold, clf.tree_.threshold + 1e-12])
        edges = edges[np.isfinite(edges)]
        new.loc[new.index[: len(edges)], "size"] = edges[: len(new)]
    answers = add_predictions(in_spark(spark, new), clf)
    assert answers.columns[: len(new.columns)] == list(new.columns)
    check(answers, new, clf)


def test_probabilities_and_labels_keep_their_types(spark: Any) -> None:
    frame = table()
    labels = {
        "long": frame["count"] % 2,
        "boolean": frame["count"] > 4,
        "double": frame["count"] % 2 * 1.0,
    }
    for kind, y in labels.items():
        clf = TernaryTreeClassifier(max_depth=2).fit(frame[["size", "smoker"]], y)
        types = dict(add_predictions(in_spark(spark, frame), clf).dtypes)
        assert types["prediction"] == {"long": "bigint"}.get(kind, kind)
        assert types["verdict"] == "boolean"
        found = {name for name, type_ in types.items() if name.startswith("probability_")}
        assert len(found) == len(clf.classes_)
        assert {types[name] for name in found} == {"double"}


def test_whole_numbers_too_large_for_floats(spark: Any) -> None:
    """As categories they are told apart, also where values are missing; as numbers they round."""
    frame = table(seed=2)
    frame["label"] = np.where(frame["code"] % 2 == 1, "odd", "even")
    rows = frame.copy()
    rows.loc[rows.index % 7 == 0, "code"] = pd.NA
    clf = TernaryTreeClassifier(categorical_features=["code"]).fit(
        frame[["code"]].astype("int64"), frame["label"]
    )
    answers = add_predictions(in_spark(spark, rows), clf).collect()
    assert len(answers) == len(rows)
    for row in answers:
        assert row.code is None or row.prediction == ("odd" if row.code % 2 else "even")
    assert all(not row.verdict for row in answers if row.code is None)
    as_numbers = TernaryTreeClassifier(max_depth=2).fit(
        frame[["code"]].astype("float64"), frame["label"]
    )
    check(add_predictions(in_spark(spark, frame), as_numbers), frame, as_numbers)
    gaps = rows.assign(code=rows["code"].astype("Float64").astype(float))
    check(add_predictions(in_spark(spark, rows), as_numbers), gaps, as_numbers)


def test_frames_of_no_rows_and_other_columns(spark: Any) -> None:
    from pyspark.sql import functions

    frame = table()
    clf = TernaryTreeClassifier(max_depth=3).fit(frame[FEATURES], frame["label"])
    # Columns of all types pass, in any order, also those that the model does not know.
    rows = in_spark(spark, frame).select(
        "smoker",
        functions.array("size", "count").alias("list"),
        functions.current_timestamp().alias("now"),
        functions.lit("3.14").cast("decimal(10, 2)").alias("exact"),
        "ward",
        "count",
        "size",
        "id",
    )
    answers = add_predictions(rows, clf, prefix="tern_")
    check(answers, frame, clf, prefix="tern_")
    assert answers.where("id < 0").collect() == []
    assert add_predictions(rows.limit(0), clf).collect() == []
    first = answers.where("id = 0").collect()[0]
    assert str(first.exact) == "3.14"
    assert first.now is not None


def test_what_is_wrong_is_said_at_once(spark: Any) -> None:
    frame = table()
    clf = TernaryTreeClassifier(max_depth=2).fit(frame[FEATURES], frame["label"])
    rows = in_spark(spark, frame)
    with pytest.raises(ValueError, match=r"no column 'ward', which the model needs; it has: id"):
        add_predictions(rows.drop("ward"), clf)
    with pytest.raises(ValueError, match=r"already has a column 'prediction'.*prefix="):
        add_predictions(add_predictions(rows, clf), clf)
    unnamed = TernaryTreeClassifier().fit(frame[["size", "count"]].to_numpy(), frame["label"])
    with pytest.raises(ValueError, match="2 features without names, and the frame has 7 columns"):
        add_predictions(rows, unnamed)
    assert add_predictions(rows.select("size", "count"), unnamed).count() == len(frame)
    with pytest.raises(Exception, match=r"fitted"):
        add_predictions(rows, TernaryTreeClassifier())


@pytest.mark.parametrize("partitions", [1, 5])
@pytest.mark.parametrize("zone", ["margin", "quality_plateau", "class_overlap", "spread"])
def test_trees_are_those_of_one_table(spark: Any, zone: str, partitions: int) -> None:
    frame = table(seed=3)
    frame["weight"] = np.round(np.random.default_rng(3).random(len(frame)), 2)
    schema = f"{SCHEMA}, weight double"
    rows = in_spark(spark, frame, schema, partitions).drop("id", "code")
    weight = "weight" if partitions > 1 else None
    if weight is None:
        rows = rows.drop("weight")
    clf = TernaryTreeClassifier(zone=zone, max_depth=5)
    found = fit(clf, rows, "label", weight)
    clf.fit(frame[FEATURES], frame["label"], None if weight is None else frame["weight"])
    assert found.to_json() == clf.to_json()
    assert (found.predict(frame[FEATURES]) == clf.predict(frame[FEATURES])).all()


def test_partitions_without_rows_or_classes(spark: Any) -> None:
    frame = table(seed=4).drop(columns=["id", "code"]).sort_values("label", kind="stable")
    kinds = "size double, count long, ward string, smoker boolean, label string"
    rows = in_spark(spark, frame, kinds, 4).where("label <> 'unsure'")
    rows = rows.repartitionByRange(3, "label")
    kept = frame[frame["label"] != "unsure"]
    found = fit(TernaryTreeClassifier(max_depth=4), rows, "label")
    expected = TernaryTreeClassifier(max_depth=4).fit(kept[FEATURES], kept["label"])
    assert found.to_json() == expected.to_json()


def test_what_cannot_be_fitted_is_said(spark: Any) -> None:
    rows = in_spark(spark, table()).drop("code")
    with pytest.raises(ValueError, match="no column 'lable' for labels or weights"):
        fit(TernaryTreeClassifier(), rows, "lable")
    with pytest.raises(ValueError, match=r"node_bootstrap.*use 'quality_plateau'"):
        fit(TernaryTreeClassifier(zone=zones.NodeBootstrap()), rows, "label")
    with pytest.raises(ValueError, match="the frame has no rows"):
        fit(TernaryTreeClassifier(), rows.limit(0), "label")
    with pytest.raises(Exception, match=r"partition \d+: Input y contains NaN"):
        fit(TernaryTreeClassifier(), rows.selectExpr("size", "nullif(label, 'ill') label"), "label")


CONNECT = """
import numpy as np
from pyspark.sql import SparkSession
from ternwood import TernaryTreeClassifier
from ternwood.spark import add_predictions, fit

session = SparkSession.builder.remote("local[2]").getOrCreate()
a = np.random.default_rng(0).normal(size=300)
rows = [(float(x), "high" if x > 0.1 else "low") for x in a]
rows = session.createDataFrame(rows, "a double, y string")
clf = fit(TernaryTreeClassifier(max_depth=2), rows, "y")
answers = add_predictions(rows, clf).collect()
print(type(session).__module__, all(row.prediction == row.y for row in answers), len(answers))
"""


def test_spark_connect() -> None:
    """There is no context and no broadcast; the model goes along with the function."""
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    environment["PYTHONPATH"] = os.pathsep.join(os.path.abspath(path) for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", CONNECT], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "pyspark.sql.connect.session True 300"
