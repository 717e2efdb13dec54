"""Does the code on the pages of the documentation run?"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from ternwood import TernaryForestClassifier

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


@pytest.fixture(autouse=True)
def site_on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(SITE))
    yield
    for script in SITE.glob("*.py"):
        sys.modules.pop(script.stem, None)


def pages_with_python():
    """Find all pages of `docs/` that have a block of Python."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [page for page in pages if "```python\n" in page.read_text(encoding="utf-8")]


# Pages whose code needs more than a page can bring.
NEEDS = {"model-format.md": "a forest file: tested below", "more-rows.md": "a cluster"}
# Modules that not every test environment has.
OPTIONAL = {"matplotlib", "matplotlib.pyplot", "skl2onnx"}


@pytest.mark.parametrize("page", pages_with_python(), ids=lambda page: page.name)
def test_a_page_runs_from_top_to_bottom(page):
    if page.name in NEEDS:
        pytest.skip(f"the code of this page needs {NEEDS[page.name]}")
    import run_blocks

    text = page.read_text(encoding="utf-8")
    try:
        shown = run_blocks.outputs(text, page.name)
    except RuntimeError as error:
        missing = getattr(error.__cause__, "name", None)
        if isinstance(error.__cause__, ModuleNotFoundError) and missing in OPTIONAL:
            pytest.skip(f"{missing} is not installed")
        raise
    assert [output.block.language for output in shown] == ["python"] * text.count("```python\n")


def pages_with_commands():
    """Find all pages for users that have a command; transcripts have tests of their own."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = [page for page in pages if page.parent.name not in ("cli", "decisions", "notebook")]
    return [page for page in pages if "ternwood " in page.read_text(encoding="utf-8")]


@pytest.fixture(scope="module")
def program():
    built = [TARGET / profile / "ternwood" for profile in ("debug", "release")]
    found = next((path for path in built if path.exists()), None)
    if found is None:
        pytest.skip("the command is not built; `cargo build -p ternwood-cli` builds it")
    return found


@pytest.mark.parametrize("page", pages_with_commands(), ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page, program, tmp_path):
    import run_blocks

    folder = run_blocks.folder_for_commands(program, tmp_path / "data")
    for command in run_blocks.commands(page.read_text(encoding="utf-8")):
        problem = command.problem(program, folder)
        assert problem is None, f"{page.name}:{command.line}: {problem}"


def test_a_command_that_is_wrong_is_noticed(program, tmp_path):
    import run_blocks

    folder = run_blocks.folder_for_commands(program, tmp_path / "data")
    page = (
        "`ternwood fit --tolerance 0.1`, `ternwood fit\n"
        "patients.csv --target ill --forest -o x.json`\n"
        "```sh\nternwood show model.json\nternwood show no.json\n```\n"
        "```console\nternwood fit huge.csv --memory 2GB\n$ ternwood fix model.json\n```\n"
    )
    found = run_blocks.commands(page)
    assert [command.line for command in found] == [4, 5, 8, 9, 1, 1]
    problems = [command.problem(program, folder) for command in found]
    assert [problem is None for problem in problems] == [True, False, True, False, False, False]
    assert problems[4] == "`fit` has no option --tolerance"


def test_ten_lines_read_a_forest_file(monkeypatch, tmp_path):
    pytest.importorskip("safetensors", reason="the page reads a file with safetensors")
    import markdown

    X, y = load_iris(return_X_y=True)
    settings = {"zone": "none", "exponent": "off", "n_estimators": 10, "random_state": 0}
    forest = TernaryForestClassifier(**settings).fit(X, y)
    forest.save(tmp_path / "forest.safetensors")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/model-format.md").read_text(encoding="utf-8")
    *_, block = markdown.blocks(page, "python")
    names = {}
    exec(block.code, names)
    answers = [names["answer"](row) for row in X]
    np.testing.assert_allclose(answers, forest.predict_proba(X), rtol=1e-12)


def test_a_block_that_fails_is_named_with_its_page_and_line():
    import run_blocks

    with pytest.raises(RuntimeError, match=r"the block at page\.md:4 does not run"):
        run_blocks.outputs("text\n\n```python\n1 / 0\n```\n", "page.md")


def test_blocks_share_names_and_the_last_value_is_shown():
    import run_blocks

    page = "```python\na = 20\nprint('one')\n```\n\ntext\n\n```python\na + 1\n```\n"
    assert [output.text for output in run_blocks.outputs(page, "page.md")] == ["one\n", "21\n"]


def test_printed_columns_are_kept_and_long_sentences_beside_them_broken():
    import stage

    wide = "a wide table   1.000   " + "9" * 90
    sentence = " ".join(["word"] * 20)
    _, kind, _, *lines, _, _ = stage.printed(f"{sentence}\n{wide}\n")
    assert kind == ":class: output columns"
    assert lines == [sentence[:84], "  " + sentence[85:], wide]
    assert stage.printed(sentence)[1:4] == [":class: output", "", sentence]


def test_links_are_found_where_they_are_and_not_in_code():
    import markdown

    page = "[a\nb](one.md#x) ![c](two.svg)\n```\n[no](three.md)\n```\n[![d](four.png)](five.md)"
    assert list(markdown.links(page)) == [
        (2, "one.md#x"),
        (2, "two.svg"),
        (6, "five.md"),
        (6, "four.png"),
    ]


def test_anchors_are_those_of_a_forge():
    import markdown

    page = "# What `fit` does, twice\n\n## Costs\n\n## Costs\n\n```\n# no heading\n```\n"
    assert markdown.anchors(page) == {"what-fit-does-twice", "costs", "costs-1"}


def test_the_site_is_checked_for_broken_links_and_remote_resources(tmp_path):
    import check_built

    (tmp_path / "index.html").write_text(
        '<p id="here"><a href="#here">fine</a> <a href="#gone">a</a> <a href="other.html">b</a>'
        '<a href="https://example.org">a link out</a>'
        '<script src="https://example.org/x.js"></script><img src="missing.svg">'
    )
    (tmp_path / "style.css").write_text("@import url(https://example.org/font.css);")
    assert list(check_built.problems(tmp_path)) == [
        "index.html loads https://example.org/x.js",
        "index.html loads missing.svg, which does not exist",
        "index.html: #gone has no such anchor",
        "index.html: other.html does not exist",
        "style.css loads https://example.org/font.css",
    ]


def test_paths_in_the_architecture_must_exist():
    import check_sources

    text = "`grow/`, `exec.rs`\n| `python/` | `src/ternwood/`, `src/gone/` |\n`dataset/gone.rs`\n"
    assert list(check_sources.missing_paths(text)) == [
        "ARCHITECTURE.md:2: src/gone/ does not exist",
        "ARCHITECTURE.md:3: dataset/gone.rs does not exist",
    ]
