"""Does the code in the README and on the pages run?"""

import re
from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, train_test_split

import ternwood

ROOT = Path(__file__).resolve().parents[2]


def examples(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("code", examples("python/README.md"))
def test_examples_of_the_package_run(code, capsys):
    names = {}
    exec(code, names)
    assert "with probability" in capsys.readouterr().out
    assert names["clf"].score(names["X"], names["y"]) > 0.9


def test_the_example_of_the_readme_runs(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (code,) = examples("README.md")
    names = {}
    exec(code, names)
    printed = capsys.readouterr().out
    assert printed.startswith("undecided below a probability of 0.8")
    assert "with probability" in printed
    assert names["clf"].score(names["X_new"], names["y_new"]) > 0.9
    assert {path.name for path in tmp_path.iterdir()} == {"tree.svg", "model.json", "page.html"}
    assert ternwood.load("model.json").to_json() == names["clf"].to_json()


def wishes():
    """Read what the README's table says for every wish."""
    (table,) = re.findall(r"\| you want \| say \|\n\|---\|---\|\n(.*?)\n\n", readme(), re.DOTALL)
    return re.findall(r"\| (.*?) \| `(.*)` \|", table)


def readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("wish", "code"), wishes(), ids=[wish for wish, _ in wishes()])
def test_the_table_of_the_readme_is_true(wish, code, cancer):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
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
    decided = getattr(fitted, "best_estimator_", fitted).predict_verdict(X_held_out)
    assert 0 < decided.mean() <= 1


def test_the_example_of_a_forest_runs(capsys):
    (code,) = examples("docs/scikit-learn.md")
    names = {}
    exec(code, names)
    assert "(out of bag, approximate)" in capsys.readouterr().out
    assert names["decided"].shape == (5,)


def test_the_example_of_a_pipeline_runs():
    (code,) = examples("docs/exports.md")
    names = {}
    exec(code, names)
    outputs = [output.name for output in names["onnx_model"].graph.output]
    assert outputs == ["label", "probabilities", "decided"]


def test_the_page_on_tables_shows_what_is_printed(capsys):
    (code,) = examples("docs/tables.md")
    names = {}
    exec(code, names)
    printed = capsys.readouterr().out.splitlines()
    page = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
    assert "\n".join(printed[:2]) in page
    assert "Flagged because ward 'K9' did not occur" in printed[1]
    assert printed[-1] == "{'ward': ['K9']}"
