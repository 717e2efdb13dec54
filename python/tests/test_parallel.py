"""Is the classifier safe with several threads and processes?"""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest

from ternwood import Scorer, TernaryForestClassifier, TernaryTreeClassifier
from ternwood._input import thread_count
from ternwood.types import Predictions


def fit_and_predict(X, y, seed):
    clf = TernaryTreeClassifier(zone="node_bootstrap", max_depth=4, random_state=seed, n_jobs=2)
    return clf.fit(X, y).predict_proba(X), clf.to_json()


@pytest.fixture
def expected(noisy):
    return [fit_and_predict(*noisy, seed) for seed in range(3)]


def same(found, expected):
    return all((a[0] == b[0]).all() and a[1] == b[1] for a, b in zip(found, expected, strict=True))


def test_loky_processes_give_the_same_model(noisy, expected):
    jobs = (joblib.delayed(fit_and_predict)(*noisy, seed) for seed in range(3))
    assert same(joblib.Parallel(n_jobs=2, backend="loky")(jobs), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forking_after_using_threads_works(noisy, expected):
    # This process has already fitted with threads: a pool that outlived the fit would hang here.
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.starmap_async(fit_and_predict, [(*noisy, seed) for seed in range(3)])
        assert same(found.get(timeout=120), expected)


def test_threads_give_the_same_model(noisy, expected):
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda seed: fit_and_predict(*noisy, seed), range(3)))
    assert same(found, expected)


def test_many_threads_can_share_a_model(noisy):
    X, y = noisy
    clf = TernaryTreeClassifier(max_depth=5).fit(X, y)
    probabilities = clf.predict_proba(X)
    sentence = str(clf.explain(X[:1]))
    scorer = Scorer(clf.to_json().encode())
    start = threading.Barrier(64)

    def ask(number):
        model = (clf, scorer)[number % 2]
        start.wait(timeout=60)
        return model.predict_proba(X), str(model.explain(X[:1]))

    # All at once: a lock held by one would block the others.
    with ThreadPoolExecutor(64) as threads:
        found = list(threads.map(ask, range(64)))
    assert len(found) == 64
    assert all((p == probabilities).all() and s == sentence for p, s in found)


# A fit that would take hours.
LONG_FIT = """
import os, signal, threading
import numpy as np
from ternwood import (
    TernaryForestClassifier, TernaryTreeClassifier, TernaryTreeClassifierCV, VerdictClassifier,
    zones,
)

random = np.random.default_rng(0)
X, y = random.normal(size=(200_000, 40)), random.integers(0, 2, 200_000)
hard = zones.NodeBootstrap(resamples=10_000)
clf = {clf}
try:
    {signal}
    clf.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", hasattr(clf, "classes_"), flush=True)
"""


def run_long_fit(signal_line, clf="TernaryTreeClassifier(zone=hard)", send_signal=False):
    script = LONG_FIT.format(signal=signal_line, clf=clf)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        if send_signal:
            assert process.stdout.readline() == "fitting\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        # The limit only ends a failing test.
        output, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert output == "interrupted False\n"
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT between processes")
@pytest.mark.parametrize(
    "clf",
    [
        "TernaryTreeClassifier(zone=hard)",
        "TernaryTreeClassifier(zone=hard, max_depth=1)",
        "TernaryForestClassifier(100_000, n_jobs=2, verbose=1)",
        "TernaryTreeClassifierCV(zone=hard)",
        "VerdictClassifier(TernaryTreeClassifier(zone=hard))",
        "VerdictClassifier(TernaryForestClassifier(100_000), cv='oob')",
    ],
    ids=[
        "while growing",
        "in a single zone",
        "in a forest",
        "in a cross-validation",
        "in a verdict",
        "in a verdict out of bag",
    ],
)
def test_ctrl_c_interrupts_a_fit(clf):
    run_long_fit('print("fitting", flush=True)', clf, send_signal=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT between processes")
def test_other_threads_run_during_a_fit():
    # If the fit held the GIL, this thread would not run.
    run_long_fit("threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()")


def test_other_threads_run_during_a_prediction(noisy):
    """No thread but the one that predicts would run, if it did not release the GIL by itself."""
    X, y = noisy
    model = TernaryForestClassifier(20, random_state=0).fit(X, y)._model
    found = Predictions(np.empty(len(X), np.int64), np.empty((len(X), 2)), np.empty(len(X), bool))
    start, ran = threading.Event(), []
    other = threading.Thread(target=lambda: (start.wait(), ran.append(True)))
    other.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e6)  # never taken away
    try:
        start.set()
        before = list(ran)
        for _ in range(200):
            model.predict(X, 1, [0, 1], found)
            if ran:
                break
        during = list(ran)
    finally:
        sys.setswitchinterval(interval)
        other.join()
    assert (before, during) == ([], [True])


def test_n_jobs_sets_the_number_of_threads(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = thread_count(-1)
    assert thread_count(3) == 3
    assert thread_count(-cores) == 1
    assert thread_count(-1000) == 1
    assert thread_count(None) == 1
    with joblib.parallel_config(n_jobs=3):
        assert thread_count(None) == 3
        assert thread_count(2) == 2
    monkeypatch.setenv("OMP_NUM_THREADS", str(cores + 1))
    assert thread_count(None) == cores
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert thread_count(-1) == cores
    monkeypatch.setenv("OMP_NUM_THREADS", "4,3,2")
    assert thread_count(None) == 1
