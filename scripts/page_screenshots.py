"""Takes the pictures of docs/page.md: the page of `ternwood demo`, wide and narrow, light and dark.

    .venv-browser/bin/python scripts/page_screenshots.py PATH/TO/ternwood

Needs Playwright and a chromium, as `make test-browser` does.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).parents[1] / "docs" / "page"


def opened(browser: Browser, page: Path, size: tuple[int, int], scheme: str) -> Page:
    width, height = size
    opened = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    opened.goto(page.as_uri())
    return opened


def main() -> None:
    command = sys.argv[1]
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        subprocess.run([command, "demo", "--out", folder, "--force"], check=True, capture_output=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        file = Path(folder) / "page.html"
        for scheme in ("light", "dark"):
            page = opened(browser, file, (1400, 860), scheme)
            page.screenshot(path=PICTURES / f"wide-{scheme}.png")
            narrow = opened(browser, file, (400, 1500), scheme)
            narrow.screenshot(path=PICTURES / f"narrow-{scheme}.png")
        page = opened(browser, file, (1400, 900), "light")
        slider = page.locator("#threshold")
        slider.fill(str(int(slider.get_attribute("max")) // 2))
        page.locator("#choose").screenshot(path=PICTURES / "choose.png")
        page.locator('#tree g[data-node="0"]').click()
        page.locator("#node").screenshot(path=PICTURES / "node.png")
        browser.close()


if __name__ == "__main__":
    main()
