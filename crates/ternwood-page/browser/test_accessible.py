"""axe-core finds nothing to complain about."""

import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = "axe-core@4.10.3"


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core from npm. It is large and under another licence, so it is fetched and not kept here."""
    if given := os.environ.get("AXE_CORE"):
        return Path(given).read_text()
    folder = tmp_path_factory.mktemp("axe")
    try:
        done = subprocess.run(["npm", "pack", AXE], cwd=folder, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as problem:
        pytest.skip(f"no axe-core: {problem}")
    if done.returncode != 0:
        pytest.skip(f"no axe-core: npm pack failed: {done.stderr.strip()[-200:]}")
    with tarfile.open(next(folder.glob("*.tgz"))) as package:
        return package.extractfile("package/axe.min.js").read().decode()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["check_up", "visits"])
def test_axe_finds_no_violation(
    request: pytest.FixtureRequest, opened: Callable[..., Page], axe: str, name: str, scheme: str
) -> None:
    folder = request.getfixturevalue(name)
    file = folder / ("with-rows.html" if name == "check_up" else "page.html")
    page = opened(file, color_scheme=scheme, bypass_csp=True)
    page.locator('#tree g[data-node="0"]').click()
    page.locator("#nodes summary").click()
    if name == "check_up":
        page.locator("#threshold").fill("3")
        page.set_input_files("#file", folder / "new.csv")
        page.wait_for_selector("#answers a[download]")
    page.evaluate(axe)
    found = page.evaluate("axe.run().then((result) => result.violations)")
    told = [f"{it['id']}: {it['help']}: {node['target']} {node['failureSummary']}" for it in found for node in it["nodes"]]
    assert told == []
