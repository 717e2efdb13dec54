"""The pictures of the README and of the landing page.

    python docs/site/pictures.py

`python/tests/test_readme.py` fails if they are no longer what this draws.
"""

from pathlib import Path

from sklearn.datasets import load_breast_cancer

from ternwood import TernaryTreeClassifier

FOLDER = Path(__file__).resolve().parents[1] / "pictures"


def split():
    """Draw one split with its zone: the first of scikit-learn's breast cancer data."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    tree = TernaryTreeClassifier(zone="gain_ratio", max_depth=1).fit(X[["mean concave points"]], y)
    return tree.plot_tree(X[["mean concave points"]], y).svg


PICTURES = {"split.svg": split}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")
