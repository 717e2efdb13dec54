"""Do the README's code and pictures, and the tables of wishes, keep what they say?"""

import re
import runpy
from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, train_test_split

import ternwood

ROOT = Path(__file__).resolve().parents[2]


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def examples(page):
    return re.findall(r"```python\n(.*?)```", read(page), re.DOTALL)


@pytest.mark.parametrize("code", examples("python/README.md"))
def test_examples_of_the_package_run(code, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    assert "with probability" in capsys.readouterr().out
    assert names["clf"].score(names["X"], names["y"]) > 0.9


def test_the_examples_of_the_readme_run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in examples("README.md"):
        exec(code, names)
    printed = capsys.readouterr().out
    assert printed.startswith("undecided below a probability of 0.8")
    assert "Flagged" in printed
    assert names["clf"].score(names["X_new"], names["y_new"]) > 0.9
    assert {path.name for path in tmp_path.iterdir()} == {"page.html"}
    assert "rule in 0" in str(names["sure"].verdict_policy_)


def test_the_first_example_is_ten_lines():
    lines = [line for line in examples("README.md")[0].splitlines() if line]
    assert len(lines) == 10


def test_the_readme_has_less_than_150_lines():
    assert len(read("README.md").splitlines()) < 150


def test_the_pictures_are_those_that_the_package_draws():
    drawn = runpy.run_path(str(ROOT / "docs/site/pictures.py"))
    for name, draw in drawn["PICTURES"].items():
        assert (drawn["FOLDER"] / name).read_text(encoding="utf-8") == draw(), name


def wishes():
    """Read what the table of wishes says for every one."""
    table = read("docs/guide/verdicts.md").split("| you want | say |\n|---|---|\n")[1]
    return re.findall(r"^\| (.*?) \| `(.*)` \|$", table.split("\n\n")[0], re.MULTILINE)


@pytest.mark.parametrize(("wish", "code"), wishes(), ids=[wish for wish, _ in wishes()])
def test_the_table_of_wishes_is_true(wish, code):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X, X_held_out, y, y_held_out = train_test_split(X, y, random_state=0, test_size=0.4)
    names = {name: getattr(ternwood, name) for name in ternwood.__all__} | {
        "GridSearchCV": GridSearchCV,
        "RandomForestClassifier": RandomForestClassifier,
        "clf": ternwood.TernaryTreeClassifierCV().fit(X, y),
        "X_held_out": X_held_out,
        "y_held_out": y_held_out,
    }
    made = eval(code, names)
    fitted = made if code.endswith("(X_held_out, y_held_out)") else made.fit(X, y)
    decided = getattr(fitted, "best_estimator_", fitted).predict_decided(X_held_out)
    assert 0 < decided.mean() <= 1


def test_the_example_of_a_forest_runs(capsys):
    code, *_ = examples("docs/scikit-learn.md")
    names = {}
    exec(code, names)
    assert "(out of bag, approximate)" in capsys.readouterr().out
    assert names["decided"].shape == (5,)


def test_the_page_on_tables_shows_what_is_printed(capsys):
    (code,) = examples("docs/tables.md")
    names = {}
    exec(code, names)
    printed = capsys.readouterr().out.splitlines()
    assert "\n".join(printed[:2]) in read("docs/tables.md")
    assert "Flagged as not covered: " in printed[1]
    assert printed[-1] == "{'ward': ['K9']}"
