"""Rows on a Dask cluster make the model of all rows at once, to the byte."""

from __future__ import annotations

import inspect
import os
import pickle
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Timer
from time import sleep, time
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from conftest import SOAK
from dask import delayed
from dask.utils import key_split
from distributed import Client, LocalCluster
from sklearn.base import clone

from ternwood import TernaryTreeClassifier
from ternwood import dask as ternwood_dask
from ternwood._ternwood import Coordinator
from ternwood.dask import DaskTernaryTreeClassifier, Tasks


@pytest.fixture(scope="module")
def client():
    """Two processes of one thread each, as on a cluster."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def quick_client():
    """One worker in this process, soon started and soon stopped; the current client."""
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def cuts_of(n_rows: int, seed: int) -> list[tuple[int, int]]:
    """Divide rows into random partitions, one of them empty."""
    random = np.random.default_rng(seed)
    places = random.integers(0, n_rows + 1, size=int(random.integers(1, 12)))
    places = np.sort(np.append(places, places[0]))
    ends = [0, *places.tolist(), n_rows]
    return [(ends[index], ends[index + 1]) for index in range(len(ends) - 1)]


def cut_frame(frame: pd.DataFrame, cuts: list[tuple[int, int]]) -> Any:
    """Return a dask dataframe with these partitions."""
    parts = [delayed(frame.iloc[first:last]) for first, last in cuts]
    return dd.from_delayed(parts, meta=frame.iloc[:0], verify_meta=False)


def table(n: int = 900, seed: int = 0) -> pd.DataFrame:
    """Return numbers with ties, gaps, texts, booleans and categories, three classes and weights."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "size": np.round(classes + random.normal(size=n), 1),
            "count": random.integers(0, 9, n),
            "ward": random.choice(["north", "south", "west"], n).astype(object),
            "smoker": random.random(n) < 0.2 + 0.2 * classes,
            "grade": pd.Categorical(
                random.choice(["low", "mid", "high"], n), ["low", "mid", "high"]
            ),
            "weight": np.round(random.random(n), 2),
        }
    )
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    frame.loc[random.random(n) < 0.1, "ward"] = None
    frame["label"] = np.array(["ill", "well", "unsure"])[classes]
    return frame


def local_json(frame: pd.DataFrame, weight: str | None = None, **params: Any) -> str:
    X = frame.drop(columns=["label", "weight"])
    weights = None if weight is None else frame[weight]
    return TernaryTreeClassifier(**params).fit(X, frame["label"], weights).to_json()


@pytest.mark.parametrize("seed", range(4))
def test_frames_make_the_model_of_all_rows(client: Client, seed: int) -> None:
    frame = table(seed=seed)
    rows = cut_frame(frame, cuts_of(len(frame), seed))
    weight = "weight" if seed % 2 else None
    zone = ["margin", "quality_plateau", "spread", "class_overlap"][seed]
    params: dict[str, Any] = {"zone": zone, "max_depth": 5, "leaves": "smoothed"}
    clf = DaskTernaryTreeClassifier(client=client, **params)
    clf.fit(rows if weight else rows.drop(columns="weight"), "label", weight)
    assert clf.to_local().to_json() == local_json(frame, weight, **params)


@pytest.mark.parametrize("seed", range(4))
def test_arrays_make_the_model_of_all_rows(client: Client, seed: int) -> None:
    random = np.random.default_rng(seed)
    X = np.round(random.normal(size=(700, 4)), 1)
    X[random.random(X.shape) < 0.05] = np.nan
    X[:, 3] = random.integers(0, 5, len(X))
    y = (X[:, 0] > random.normal(size=len(X))).astype(int) + 7
    weights = random.integers(0, 3, len(X)).astype(float) if seed % 2 else None
    params: dict[str, Any] = {"categorical_features": [3] if seed > 1 else None, "max_depth": 4}
    chunks = tuple(last - first for first, last in cuts_of(len(X), seed))
    clf = DaskTernaryTreeClassifier(client=client, class_weight={7: 1, 8: 2.5}, **params)
    clf.fit(
        da.from_array(X, chunks=(chunks, 2)),
        da.from_array(y, chunks=300),
        None if weights is None else da.from_array(weights, chunks=(chunks,)),
    )
    local = TernaryTreeClassifier(class_weight={7: 1, 8: 2.5}, **params).fit(X, y, weights)
    assert clf.to_local().to_json() == local.to_json()
    assert clf.classes_.dtype == local.classes_.dtype


def test_pruning_and_deep_trees(client: Client) -> None:
    frame = table(3000, seed=5)
    rows = cut_frame(frame.drop(columns="weight"), cuts_of(len(frame), 5))
    for params in ({"ccp_alpha": 0.002}, {"class_weight": "balanced", "criterion": "entropy"}):
        clf = DaskTernaryTreeClassifier(client=client, **params).fit(rows, "label")
        assert clf.to_local().to_json() == local_json(frame, **params)


@pytest.mark.parametrize("column", ["ward", "grade", "smoker", "label", "size"])
def test_partitions_that_lack_a_value(client: Client, column: str) -> None:
    """Sorted by one column, no partition has all of its values; one may have none at all."""
    frame = table(seed=6).sort_values(column, kind="stable", na_position="first")
    cuts = [(0, 40), (40, 300), (300, 300), (300, 650), (650, len(frame))]
    rows = cut_frame(frame.drop(columns="weight"), cuts)
    clf = DaskTernaryTreeClassifier(client=client, max_depth=4).fit(rows, "label")
    assert clf.to_local().to_json() == local_json(frame, max_depth=4)


def test_categories_that_only_some_partitions_know(client: Client) -> None:
    """A frame that reads its categories file by file has other data types in every partition."""
    frame = table(seed=7).drop(columns="weight").astype({"ward": "category"})
    parts = [frame.iloc[:400], frame.iloc[400:]]
    parts = [
        part[part["ward"] != gone] for part, gone in zip(parts, ["north", "west"], strict=True)
    ]
    parts = [
        part.assign(ward=part["ward"].cat.remove_unused_categories(), smoker=smoker)
        for part, smoker in zip(parts, [True, False], strict=True)
    ]
    whole = dd.from_delayed([*map(delayed, parts)], meta=frame.iloc[:0], verify_meta=False)
    clf = DaskTernaryTreeClassifier(client=client, max_depth=4).fit(whole, "label")
    merged = pd.concat(parts)
    merged["ward"] = pd.Categorical(merged["ward"], ["south", "west", "north"])
    local = TernaryTreeClassifier(max_depth=4).fit(merged.drop(columns="label"), merged["label"])
    assert clf.to_local().to_json() == local.to_json()


@pytest.fixture
def at_round(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Do something before a round is asked."""
    doings: dict[int, Any] = {}
    ask = Tasks.sent
    asked = [0]

    def sent(tasks: Tasks, name: str, value: Any) -> Any:
        asked[0] += name == "question"
        doings.pop(asked[0], lambda: None)()
        return ask(tasks, name, value)

    monkeypatch.setattr(Tasks, "sent", sent)
    return doings


def processes(client: Client) -> list[int]:
    """Wait until both workers are there, and return their numbers."""
    deadline = time() + 60
    while time() < deadline:
        # One that was just killed may still be on the list.
        alive = client.run(os.getpid, on_error="ignore")
        if len(alive) == 2:
            return list(alive.values())
        sleep(0.1)
    raise AssertionError("a worker that was killed did not come back")


# `make soak-dask` kills more often.
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
@pytest.mark.parametrize("seed", range(max(2, SOAK)))
def test_a_worker_killed_at_any_moment(
    client: Client, at_round: Any, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Between two rounds or in the middle of one; what the worker had is computed again."""
    random = np.random.default_rng(seed)
    # Hardly any node is so small that the client finishes it: there are many rounds.
    monkeypatch.setattr(ternwood_dask, "Coordinator", partial(Coordinator, fetched_rows=20))
    frame = table(2000, seed=8)
    rows = cut_frame(frame.drop(columns="weight"), cuts_of(len(frame), 3)).persist()
    victim = int(random.choice(processes(client)))
    # The even ones die before the question is asked, the others a little later.
    kill = Timer(0.05 * random.random() * (seed % 2), os.kill, [victim, signal.SIGKILL])
    at_round[int(random.integers(1, 12))] = kill.start
    clf = DaskTernaryTreeClassifier(client=client, max_depth=6).fit(rows, "label")
    kill.join()
    assert len(clf.rounds_) > 12
    assert clf.to_local().to_json() == local_json(frame, max_depth=6)
    assert victim not in processes(client)


def test_workers_that_come_and_go(quick_client: Client, at_round: Any) -> None:
    frame = table(seed=9)
    rows = cut_frame(frame.drop(columns="weight"), cuts_of(len(frame), 4))
    cluster, seen = quick_client.cluster, []

    def scale(n_workers: int) -> None:
        cluster.scale(n_workers)
        quick_client.wait_for_workers(n_workers)
        if n_workers == 1:
            first = next(iter(quick_client.scheduler_info()["workers"]))
            quick_client.retire_workers([first])
            quick_client.wait_for_workers(1)
        seen.append(n_workers)

    at_round.update({2: lambda: scale(2), 4: lambda: scale(1)})
    clf = DaskTernaryTreeClassifier(max_depth=5).fit(rows, "label")
    assert seen == [2, 1]
    assert clf.to_local().to_json() == local_json(frame, max_depth=5)


def test_two_fits_at_once(client: Client) -> None:
    frame = table(seed=10)
    rows = cut_frame(frame.drop(columns="weight"), cuts_of(len(frame), 5)).persist()

    def fit(depth: int) -> str:
        clf = DaskTernaryTreeClassifier(client=client, max_depth=depth).fit(rows, "label")
        return clf.to_local().to_json()

    depths = [2, 5, 5]
    with ThreadPoolExecutor(3) as pool:
        models = list(pool.map(fit, depths))
    assert models == [local_json(frame, max_depth=depth) for depth in depths]


def test_tasks_have_names_and_leave_nothing_behind(quick_client: Client) -> None:
    frame = table(seed=11)
    rows = cut_frame(frame.drop(columns="weight"), cuts_of(len(frame), 6))
    clf = DaskTernaryTreeClassifier(max_depth=3).fit(rows, "label")
    scheduler = quick_client.cluster.scheduler
    names = {name for name in scheduler.task_prefixes if name.startswith("ternwood_")}
    topics = {round_.topic for round_ in clf.rounds_}
    assert {"describe", "fetch"} <= topics
    steps = {"read", "note", "agree", "agreement", "hold", "question"}
    assert {f"ternwood_{name}" for name in steps | topics} <= names
    deadline = time() + 30
    while scheduler.tasks and time() < deadline:  # the client lets go of results a little later
        sleep(0.01)
    assert not scheduler.tasks
    assert all(round_.question_bytes and round_.answer_bytes for round_ in clf.rounds_)
    assert clf.rounds_[-1].n_nodes == clf.to_local().tree_.node_count


def test_predictions_are_lazy_and_those_of_the_local_tree(client: Client) -> None:
    frame = table(seed=12).drop(columns="weight")
    rows = cut_frame(frame, cuts_of(len(frame), 7))
    clf = DaskTernaryTreeClassifier(client=client, max_depth=4).fit(rows, "label")
    local, X = clf.to_local(), frame.drop(columns="label")
    prediction, verdict = clf.predict(rows), clf.predict_decided(rows)
    assert isinstance(prediction, dd.Series)
    assert {"ternwood_predict"} <= {key_split(key) for key in prediction.__dask_keys__()}
    # Beside the rows they belong to, and with the types that were announced.
    both = dd.concat([rows, prediction, verdict], axis=1).compute()
    assert (both["prediction"].to_numpy() == local.predict(X)).all()
    assert (both["verdict"] == local.predict_decided(X)).all()
    assert both["verdict"].dtype == verdict.dtype == np.bool_
    proba = clf.predict_proba(rows)
    assert list(proba.columns) == ["ill", "unsure", "well"]
    assert (proba.compute().to_numpy() == local.predict_proba(X)).all()


def test_predictions_of_arrays(client: Client) -> None:
    random = np.random.default_rng(13)
    X = random.normal(size=(500, 3))
    y = X[:, 0] > 0
    rows = da.from_array(X, chunks=((200, 0, 300), 2))
    clf = DaskTernaryTreeClassifier(client=client, zone="spread").fit(rows, da.from_array(y))
    local = clf.to_local()
    for method in ("predict", "predict_proba", "predict_decided"):
        lazy, expected = getattr(clf, method)(rows), getattr(local, method)(X)
        assert isinstance(lazy, da.Array)
        assert key_split(lazy.name) == "ternwood_predict"
        assert (lazy.shape, lazy.dtype) == (expected.shape, expected.dtype)
        assert (lazy.compute() == expected).all()


def broken(column: str, value: Any, row: int = 700) -> pd.DataFrame:
    frame = table(seed=14).drop(columns="weight")
    frame.loc[row, column] = value
    return frame


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("size", np.inf, r"(?s)partition 1: .*infinity.*row 200, column 'size' \(index 0\)"),
        ("label", None, "partition 1: Input y contains NaN: 1 row has no label, .* row 200"),
    ],
)
def test_errors_name_partition_and_row(client: Client, column: str, value: Any, says: str) -> None:
    frame = broken(column, value)
    rows = cut_frame(frame, [(0, 500), (500, 900)])
    with pytest.raises((TypeError, ValueError), match=says):
        DaskTernaryTreeClassifier(client=client).fit(rows, "label")


def test_text_where_numbers_were_wanted(client: Client) -> None:
    rows = cut_frame(table(seed=14).drop(columns="weight"), [(0, 0), (0, 900)])
    with pytest.raises(ValueError, match=r"partition 1: column 'ward' .*'from_dtype'"):
        DaskTernaryTreeClassifier(client=client, categorical_features=None).fit(rows, "label")


def test_errors_of_predictions_name_partition_and_row(client: Client) -> None:
    X = np.arange(40.0).reshape(20, 2)
    y = da.from_array(np.arange(20) % 2, chunks=10)
    clf = DaskTernaryTreeClassifier(client=client).fit(da.from_array(X, chunks=10), y)
    X[13, 1] = np.inf
    with pytest.raises(ValueError, match=r"(?s)partition 1: .*row 3"):
        clf.predict(da.from_array(X, chunks=10)).compute()


def test_weights_that_are_negative(client: Client) -> None:
    frame = table(seed=15)
    frame.loc[620, "weight"] = -1
    rows = cut_frame(frame, [(0, 500), (500, 900)])
    with pytest.raises(ValueError, match="partition 1: sample weight of row 120 is -1"):
        DaskTernaryTreeClassifier(client=client).fit(rows, "label", "weight")


def test_partitions_that_disagree(client: Client) -> None:
    parts = [
        pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]}),
        pd.DataFrame({"a": ["b", "c"], "y": [0, 1]}),
    ]
    rows = dd.from_delayed([*map(delayed, parts)], meta=parts[0].iloc[:0], verify_meta=False)
    with pytest.raises(ValueError, match="numbers in partition 0 and categories in partition 1"):
        DaskTernaryTreeClassifier(client=client).fit(rows, "y")
    parts[1] = pd.DataFrame({"a": [3.0], "y": ["yes"]})
    rows = dd.from_delayed([*map(delayed, parts)], meta=parts[0].iloc[:0], verify_meta=False)
    with pytest.raises(ValueError, match="numbers in partition 0 and text in partition 1"):
        DaskTernaryTreeClassifier(client=client).fit(rows, "y")


def test_rows_out_of_step(client: Client) -> None:
    frame = table(seed=16)
    X, y = frame[["size", "count"]], frame["label"]
    rows = cut_frame(X, [(0, 500), (500, 900)])
    labels = dd.from_delayed([delayed(y.iloc[:501]), delayed(y.iloc[501:])], meta=y.iloc[:0])
    with pytest.raises(ValueError, match=r"partition [01]: X has \d+ rows, y has .*'label'"):
        DaskTernaryTreeClassifier(client=client).fit(rows, labels)
    with pytest.raises(ValueError, match="X has 2 partitions, y has 1 partitions"):
        DaskTernaryTreeClassifier(client=client).fit(rows, dd.from_pandas(y, npartitions=1))
    array = da.from_array(X.to_numpy(), chunks=(400, 2))
    with pytest.raises(ValueError, match="X has 900 rows, but y has 899"):
        DaskTernaryTreeClassifier(client=client).fit(array, da.from_array(y[:899].to_numpy(str)))


def never_read() -> pd.DataFrame:
    raise AssertionError("read before the parameters were checked")


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"zone": "node_bootstrap"}, "node_bootstrap.*use 'quality_plateau'"),
        ({"zone": "cost_optimal"}, "cost_optimal.*use 'margin'"),
        ({"routing": "hard_middle"}, "hard_middle.*use 'probabilistic'"),
        ({"leaves": "em"}, "leaves 'em'.*use leaves 'smoothed'"),
        ({"max_leaf_nodes": 5}, "max_leaf_nodes.*max_depth"),
        ({"max_features": 1}, "max_features.*all features"),
        ({"max_depth": 0}, "max_depth"),
    ],
)
def test_what_cannot_be_had_is_refused_at_once(
    client: Client, params: dict[str, Any], says: str
) -> None:
    meta = table(5).drop(columns="weight").iloc[:0]
    rows = dd.from_delayed([delayed(never_read)()], meta=meta, verify_meta=False)
    with pytest.raises(ValueError, match=says):
        DaskTernaryTreeClassifier(client=client, **params).fit(rows, "label")


def test_what_is_no_collection_of_dask(client: Client) -> None:
    frame = table(20)
    clf = DaskTernaryTreeClassifier(client=client)
    with pytest.raises(TypeError, match=r"got DataFrame; .*TernaryTreeClassifier"):
        clf.fit(frame, "label")
    rows = dd.from_pandas(frame, npartitions=1)
    with pytest.raises(TypeError, match=r"y must be a dask array .* got ndarray"):
        clf.fit(rows, frame["label"].to_numpy())
    with pytest.raises(ValueError, match="no column 'lable'"):
        clf.fit(rows, "lable")
    with pytest.raises(ValueError, match="must have rows and columns"):
        clf.fit(da.arange(5), da.arange(5))


def test_without_a_client() -> None:
    rows = dd.from_pandas(table(20), npartitions=1)
    with pytest.raises(ValueError, match=r"distributed.Client\(\)"):
        DaskTernaryTreeClassifier().fit(rows, "label")


def test_parameters_are_those_of_the_local_classifier(client: Client) -> None:
    local = inspect.signature(TernaryTreeClassifier).parameters
    parameters = dict(inspect.signature(DaskTernaryTreeClassifier).parameters)
    assert parameters.pop("client").default is None
    assert parameters == dict(local)


def test_copies_share_the_client_and_pickles_have_none(client: Client) -> None:
    rows = cut_frame(table(seed=17).drop(columns="weight"), [(0, 300), (300, 900)])
    clf = DaskTernaryTreeClassifier(client=client, zone="spread", max_depth=3)
    copy = clone(clf.set_params(zone__scale=0.5))
    assert copy.client is client
    assert (copy.max_depth, copy.zone.scale) == (3, 0.5)
    again = pickle.loads(pickle.dumps(clf.fit(rows, "label")))
    assert again.client is None
    assert again.to_local().to_json() == clf.to_local().to_json()
    assert (again.predict(rows).compute() == clf.predict(rows).compute()).all()
