"""Do the package and the page read the cells of a text table as the command does?

`testdata/cells.json` has columns of training tables, and what cells of later tables mean. The
command's reader is tested with it in `crates/ternwood-table/tests/tables/cells.rs`.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from page_script import NODE, cells_read_by_page

from ternwood import TernaryTreeClassifier

CASES = json.loads((Path(__file__).parents[2] / "testdata" / "cells.json").read_text("utf-8"))


@pytest.fixture(params=CASES, ids=lambda case: case["column"])
def case(request):
    return request.param


def fit(case):
    cells = case["training"] * 2
    y = np.arange(len(cells)) % 2
    return TernaryTreeClassifier().fit(pd.DataFrame({"x": cells}), y)


def meaning(clf, cell):
    """Return what a cell means to the package, as the table of cases writes it."""
    frame = pd.DataFrame({"x": [cell]})
    try:
        value = clf._rows(frame)[0, 0]
    except ValueError as error:
        return {"infinite" if "infinity" in str(error) else "unreadable": True}
    names = clf._model.features()[0][1]
    if np.isnan(value):
        return None
    if clf.unknown_categories(frame):
        return {"unseen": clf.unknown_categories(frame)["x"][0]}
    return value if names is None else names[int(value)]


def test_the_package_reads_cells_as_the_command_does(case):
    clf = fit(case)
    feature = json.loads(clf.to_json())["schema"]["features"][0]
    plain = {"number": {"decimal": "."}}
    assert feature.get("notation", plain) == case.get("notation", plain)
    assert clf._model.features()[0][1] == case.get("categories")
    found = [[cell, meaning(clf, cell)] for cell, _ in case["cells"]]
    assert found == case["cells"]


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_page_reads_cells_as_the_command_does(case):
    found = cells_read_by_page(fit(case), [cell for cell, _ in case["cells"]])
    assert found == [meaning for _, meaning in case["cells"]]
