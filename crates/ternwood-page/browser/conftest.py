"""Pages in a real browser: Debian's chromium, driven by Playwright. Without a browser all tests are skipped."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[3]
DATA = ROOT / "docs" / "cli" / "data"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
# The patients that the demo holds back.
PATIENTS = 1000
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def ternwood(*arguments: object) -> str:
    """Run the command."""
    command = [TARGET / "ternwood", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no browser: there is no chromium on the path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Watched:
    """A page, and everything it should not have done."""

    page: Page
    problems: list[str] = field(default_factory=list)


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page; at the end no request may have left it and no error may be on its console."""
    watched: list[Watched] = []

    def open_page(file: Path, **options: object) -> Page:
        context = browser.new_context(**options)
        watch = Watched(context.new_page())
        page, problems = watch.page, watch.problems
        page.on("console", lambda message: message.type == "error" and problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        allowed = (file.as_uri(), "blob:")
        page.on("request", lambda request: request.url.startswith(allowed) or problems.append(f"request: {request.url}"))
        page.goto(file.as_uri())
        watched.append(watch)
        return page

    yield open_page
    for watch in watched:
        watch.page.context.close()
        assert watch.problems == []


@pytest.fixture(scope="session")
def check_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a calibrated tree of invented patients, its page, and rows held back."""
    folder = tmp_path_factory.mktemp("check-up")
    ternwood("demo", "--out", folder, "--force")
    ternwood("page", folder / "model.json", "--data", folder / "new.csv", "-o", folder / "with-rows.html")
    return folder


@pytest.fixture(scope="session")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with categories and missing values, and its page."""
    folder = tmp_path_factory.mktemp("visits")
    ternwood("fit", DATA / "visits.csv", "--target", "ill", "-o", folder / "model.json", "--quiet")
    ternwood("page", folder / "model.json", "-o", folder / "page.html")
    return folder


@pytest.fixture(scope="session")
def wordy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a tree of fifty classes, whose names are long."""
    folder = tmp_path_factory.mktemp("wordy")
    names = ["mean concentration of something in capillary blood (mmol/l)", "a_name_without_any_space_" * 3, "width"]
    lines = []
    for row in range(3000):
        kind = row * 7 % 50
        values = (kind % 10 + row * 13 % 17 / 10, kind // 10 * 3 + row * 11 % 19 / 8, row % 23)
        lines.append(",".join([*map(str, values), f"the species that has the number {kind:02} in the catalogue"]))
    header = ",".join([*(f'"{name}"' for name in names), "species"])
    (folder / "table.csv").write_text("\n".join([header, *lines]) + "\n")
    ternwood("fit", folder / "table.csv", "--target", "species", "--zone", "gain_ratio", "--max-depth", 7, "-o", folder / "model.json", "-q")
    ternwood("page", folder / "model.json", "--data", folder / "table.csv", "-o", folder / "page.html", "-q")
    return folder


def read(path: Path) -> object:
    return json.loads(path.read_text())
