"""Does the code in the README and on the pages run?"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def examples(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("code", examples("python/README.md"))
def test_examples_run(code, capsys):
    names = {}
    exec(code, names)
    assert "with probability" in capsys.readouterr().out
    assert names["clf"].score(names["X"], names["y"]) > 0.9


def test_the_page_on_tables_shows_what_is_printed(capsys):
    (code,) = examples("docs/tables.md")
    names = {}
    exec(code, names)
    printed = capsys.readouterr().out.splitlines()
    page = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
    assert "\n".join(printed[:2]) in page
    assert "Flagged because ward 'K9' did not occur" in printed[1]
    assert printed[-1] == "{'ward': ['K9']}"
