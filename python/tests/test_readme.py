"""Does the code in the README run?"""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES)
def test_examples_run(code, capsys):
    names = {}
    exec(code, names)
    assert "with probability" in capsys.readouterr().out
    assert names["clf"].score(names["X"], names["y"]) > 0.9
