"""The answers of a page are those of the library."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import DATA, PATIENTS, TARGET, read, ternwood
from playwright.sync_api import Page

MODELS = 60

# Rows come as bits, and go back as bits.
ANSWERS = """(rows) => {
  const { UNREAD, answerOf, explained } = window.ternwood;
  const view = new DataView(new ArrayBuffer(8));
  const number = (bits) => {
    if (bits === "unread") return UNREAD;
    if (bits === "missing") return NaN;
    view.setBigUint64(0, BigInt("0x" + bits));
    return view.getFloat64(0);
  };
  const bits = (x) => {
    view.setFloat64(0, x);
    return view.getBigUint64(0).toString(16).padStart(16, "0");
  };
  return rows.map((row) => {
    const values = row.map(number);
    const { p, class: label, decided } = answerOf(values);
    return { p: p.map(bits), class: label, decided, sentence: explained(values).sentence };
  });
}"""


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cases")
    command = [TARGET / "examples" / "browser_cases", folder, str(MODELS), "1"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("index", range(MODELS))
def test_random_models_are_answered_to_the_last_bit(cases: Path, opened: Callable[..., Page], index: int) -> None:
    page = opened(cases / f"{index}.html")
    case = read(cases / f"{index}.json")
    found = page.evaluate(ANSWERS, [row["row"] for row in case["rows"]])
    for expected, answer in zip(case["rows"], found, strict=True):
        for name in ("p", "class", "decided"):
            assert answer[name] == expected[name], (name, expected["row"])
        # Numbers that no person would read may be printed with other digits.
        if not case["hard"]:
            assert answer["sentence"] == expected["sentence"]
    assert page.evaluate("window.hacked") is None


def dropped(page: Page, file: Path) -> str:
    """Answer a file on the page and return what can be downloaded."""
    page.set_input_files("#file", file)
    with page.expect_download() as download:
        page.click("#answers a[download]")
    return Path(download.value.path()).read_text()


def test_a_dropped_file_is_answered_like_the_command_does(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html")
    expected = ternwood("predict", check_up / "model.json", check_up / "new.csv", "--keep", "--explain", "-q")
    assert dropped(page, check_up / "new.csv") == expected
    assert f"{PATIENTS:_} rows answered".replace("_", "\u202f") in page.inner_text("#answers")


DROP = """(text) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], "new.csv"));
  for (const type of ["dragover", "drop"]) {
    document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  }
}"""


def test_a_file_is_dropped_anywhere(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html")
    page.evaluate(DROP, (check_up / "new.csv").read_text())
    page.wait_for_selector("#answers a[download]")
    assert page.get_attribute("#answers a", "download") == "new-answers.csv"


ODD = [
    "ward;glucose;age;ill",
    'heart;"6,1";44;no',
    " west ;6.15;NA;yes",
    "moon;?;51;no",
    '"quoted ""ward""";twelve;30;yes',
    "east;6.9;61;no",
]


def test_categories_gaps_and_odd_cells_are_read_like_the_command_does(
    visits: Path, opened: Callable[..., Page], tmp_path: Path
) -> None:
    names = json.loads((visits / "model.json").read_text())["schema"]["features"]
    page = opened(visits / "page.html")
    odd = tmp_path / "odd.csv"
    odd.write_text("\n".join(ODD) + "\n")
    assert {"ward", "glucose"} <= {feature["name"] for feature in names}
    for file in (DATA / "visits.csv", odd):
        expected = ternwood("predict", visits / "model.json", file, "--keep", "--explain", "-q")
        assert dropped(page, file) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("glucose\n6.1\n", "the table has no column 'age' and 'ward'; it has 'glucose'"),
        ("age,ward,glucose\nheart\n", "line 2 has 1 fields, and the header 3"),
        ("age,ward,glucose,verdict\n3,heart,6,a\n", "a column 'verdict' already"),
        ('ward,glucose\n"heart,6\n', "a quote is not closed"),
        ("", "the file is empty"),
    ],
)
def test_what_cannot_be_answered_is_said(
    visits: Path, opened: Callable[..., Page], tmp_path: Path, text: str, problem: str
) -> None:
    page = opened(visits / "page.html")
    file = tmp_path / "table.csv"
    file.write_text(text)
    page.set_input_files("#file", file)
    page.wait_for_selector("#answers .problem")
    assert problem in page.inner_text("#answers .problem")
