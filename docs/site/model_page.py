"""The interactive page of a model, as the site embeds it."""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from ternwood import TernaryTreeClassifierCV


def write(folder):
    """Fit a readable tree to scikit-learn's breast cancer data, and write its page."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    diagnosis = y.map({0: "malignant", 1: "benign"}).rename("diagnosis")
    X, X_new, y, y_new = train_test_split(X, diagnosis, random_state=0, stratify=diagnosis)
    tree = TernaryTreeClassifierCV(max_depth=3, random_state=0).fit(X, y)
    folder.mkdir(parents=True, exist_ok=True)
    tree.to_html(folder / "model.html", X_new, y_new, title="Malignant or benign?")
