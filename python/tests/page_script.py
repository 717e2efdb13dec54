"""The script of a page, run by node instead of a browser."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ASSETS = Path(__file__).parents[2] / "crates" / "ternwood-page" / "assets"
SCRIPTS = ["predict", "coverage", "verdict", "follow", "numbers", "words", "decide", "sentence"]
NODE = shutil.which("node")

# Reads the document of a page and rows, and writes what the page says of them.
ANSWERS = """
const { document, rows } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const model = prepared(document);
const said = rows.map((given) => {
  const unseen = new Map();
  const row = given.map((value, index) => {
    const { kind, names, fill } = model.features[index];
    if (value === null) return fill ?? NaN;
    if (kind === "number") return typeof value === "number" ? value : UNREAD;
    const text = String(value);
    const id = names.findIndex((name) =>
      name === text || (typeof value === "boolean" && name.toLowerCase() === text));
    if (id >= 0) return id;
    unseen.set(index, text);
    return kind === "ordered" ? UNREAD : names.length;
  });
  const context = explained(model, model.policy, row, unseen);
  const values = context.answer.decided ? [] : decidingValues(context);
  const found = values.map(({ feature, value, answer }) => ({
    feature: model.features[feature].name,
    value: model.features[feature].kind === "number" ? value : model.features[feature].names[value],
    class: answer.class,
    probability: answer.p[answer.class],
  }));
  return { decided: context.answer.decided, sentence: context.sentence, found };
});
console.log(JSON.stringify(said));
"""

# Reads the document of a page and cells of its first feature, and writes what they mean.
MEANINGS = """
const { document, cells } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const model = prepared(document);
const [feature] = model.features;
console.log(JSON.stringify(cells.map((cell) => {
  let found;
  try { found = readCell(model, feature, cell, "the cell"); } catch { return { infinite: true }; }
  if (found.unseen !== undefined) return { unseen: found.unseen };
  if (found.value === UNREAD) return { unreadable: true };
  if (Number.isNaN(found.value)) return null;
  return feature.kind === "number" ? found.value : feature.names[found.value];
})));
"""


def _plain(value):
    """Return a value of a table as JSON has it."""
    if value is None or (not isinstance(value, str) and pd.isna(value)):
        return None
    return bool(value) if isinstance(value, (bool, np.bool_)) else value


def page_answers(clf, rows) -> list[dict[str, Any]]:
    """Return the verdicts, reasons and deciding values that the page of a tree gives."""
    given = [[_plain(value) for value in row] for row in rows.itertuples(index=False)]
    return _said(clf, SCRIPTS, ANSWERS, {"rows": given})


def cells_read_by_page(clf, cells) -> list[Any]:
    """Return what texts mean to the page of a tree, as cells of its first feature."""
    return _said(clf, [*SCRIPTS, "csv"], MEANINGS, {"cells": cells})


def _said(clf, names, script, given) -> list[Any]:
    html = clf.to_html().html
    document = html.split('id="model">')[1].split("</script>")[0]
    scripts = [(ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in names]
    done = subprocess.run(
        [NODE, "-e", '"use strict";\n' + "".join(scripts) + script],
        input=json.dumps({"document": json.loads(document), **given}),
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    said: list[Any] = json.loads(done.stdout)
    return said
