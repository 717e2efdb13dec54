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


def read(path: Path) -> object:
    return json.loads(path.read_text())
