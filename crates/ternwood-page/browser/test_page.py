"""What people do on a page."""

import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from conftest import DATA, PATIENTS, ternwood
from playwright.sync_api import Page, expect

PATIENTS_TEXT = f"{PATIENTS:_}".replace("_", "\u202f")


def slider(page: Page, feature: str) -> object:
    return page.get_by_label(f"{feature}, slider", exact=True)


def test_a_slider_changes_the_answer_to_what_the_command_says(
    check_up: Path, opened: Callable[..., Page], tmp_path: Path
) -> None:
    page = opened(check_up / "with-rows.html")
    for glucose in ("4.5", "6.4", "6.9", "9"):
        slider(page, "glucose").fill(glucose)
        names = page.locator("#row .field .name").all_inner_texts()
        values = [page.get_by_label(name, exact=True).input_value() for name in names]
        assert dict(zip(names, values, strict=True))["glucose"] == glucose
        table = tmp_path / f"{glucose}.csv"
        table.write_text(f"{','.join(names)}\n{','.join(values)}\n")
        said = ternwood("predict", check_up / "model.json", table, "-q").splitlines()[1].split(",")
        assert page.inner_text("#answer .says b") == said[0]
        expect(page.locator("#answer .chip")).to_have_text("decided" if said[-1] == "decided" else "second look")


def test_the_way_lights_up_both_ways_where_a_test_is_unsure(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html")
    for name in page.locator("#row .field .name").all_inner_texts():
        page.get_by_label(name, exact=True).fill("0")
    assert page.locator("#tree g.leaf.lit").count() == 1
    assert page.locator("#tree .badge").count() == 0
    page.get_by_label("glucose", exact=True).fill("6.45")
    assert page.locator("#tree g.leaf.lit").count() > 1
    shares = page.locator("#tree .badge text").all_text_contents()
    assert shares and all(re.fullmatch(r"[\d.]+ %", share) for share in shares)


def test_missing_is_a_choice(visits: Path, opened: Callable[..., Page], tmp_path: Path) -> None:
    page = opened(visits / "page.html")
    field = page.locator(".field", has=page.get_by_label("glucose, slider", exact=True))
    field.get_by_role("checkbox").check()
    page.get_by_label("ward", exact=True).select_option("heart")
    names = page.locator("#row .field .name").all_inner_texts()
    age = page.get_by_label("age", exact=True).input_value()
    row = {"glucose": "", "ward": "heart", "age": age}
    assert set(names) == set(row), "the tree tests other features than it did"
    table = tmp_path / "row.csv"
    table.write_text(f"{','.join(row)}\n{','.join(row.values())}\n")
    said = ternwood("predict", visits / "model.json", table, "-q").splitlines()[1].split(",")
    assert page.inner_text("#answer .says b") == said[0]


def test_what_would_decide_a_row_decides_it(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html")
    ways = page.locator(".ways li").all_inner_texts()
    assert page.inner_text("#answer .chip") == "second look" and ways
    for way in ways:
        feature, number = re.match(r"(\w+) (-?[\d.]+) \(", way).groups()
        field = page.get_by_label(feature, exact=True)
        before = field.input_value()
        field.fill(number)
        assert page.inner_text("#answer .chip") == "decided", way
        field.fill(before)


def test_a_threshold_moves_the_figures_and_the_verdict(check_up: Path, opened: Callable[..., Page], tmp_path: Path) -> None:
    page = opened(check_up / "with-rows.html")
    page.locator("#threshold").fill("0")
    line = page.locator(".copyable code").first.inner_text()
    ratio = re.search(r"--cost-ratio (\S+)", line).group(1)
    chosen = tmp_path / "chosen.json"
    ternwood("calibrate", check_up / "model.json", "--cost-ratio", ratio, "-o", chosen, "-q")
    said = ternwood("predict", chosen, check_up / "new.csv", "-q")
    undecided = sum(line.endswith("undecided") for line in said.splitlines())
    assert f"{undecided} of {PATIENTS_TEXT} rows get a second look" in page.inner_text("#effect")
    page.click("#own-policy")
    own = ternwood("predict", check_up / "model.json", check_up / "new.csv", "-q")
    undecided = sum(line.endswith("undecided") for line in own.splitlines())
    assert f"{undecided} of {PATIENTS_TEXT} rows get a second look" in page.inner_text("#effect")
    assert f"{undecided} of {PATIENTS_TEXT} evaluation rows are flagged" in page.inner_text("#sources")


def test_the_point_is_dragged_along_the_curve(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html")
    page.locator("#curve").scroll_into_view_if_needed()
    box = page.locator("svg.curve").bounding_box()
    page.mouse.move(box["x"] + 0.95 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    for share in (0.9, 0.7, 0.5, 0.8):
        to = box["x"] + share * box["width"]
        page.mouse.move(to, box["y"] + 0.5 * box["height"])
        handle = page.locator("svg.curve .handle").bounding_box()
        assert abs(handle["x"] + handle["width"] / 2 - to) < 10, share
    page.mouse.up()
    before = page.inner_text("#effect .in-force")
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"])
    assert page.inner_text("#effect .in-force") == before, "the point was let go"


def test_a_node_tells_about_itself_by_mouse_and_by_keyboard(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html")
    page.locator('#tree g[data-node="0"]').click()
    assert "Node 0: glucose" in page.inner_text("#node")
    page.locator('#tree g[data-node="0"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    chosen = page.locator("#tree g.chosen").get_attribute("data-node")
    assert chosen != "0" and f"Node {chosen}:" in page.inner_text("#node")


def test_rules_can_be_sorted_and_filtered(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html")
    rows = page.locator("#rules-table tbody tr")
    page.get_by_role("button", name="Rows", exact=True).click()
    counts = [int(text) for text in page.locator("#rules-table tbody td:nth-child(4)").all_inner_texts()]
    assert counts == sorted(counts)
    before = rows.count()
    page.get_by_label("Filter the rules").fill("pulse")
    assert 0 < rows.filter(visible=True).count() < before


def test_it_answers_in_the_sandbox_of_a_notebook(check_up: Path, opened: Callable[..., Page], tmp_path: Path) -> None:
    html = (check_up / "with-rows.html").read_text()
    notebook = tmp_path / "notebook.html"
    # As `Page._repr_html_` in Python writes it.
    frame = f'<iframe sandbox="allow-scripts allow-downloads" srcdoc="{escape(html)}" width="1200" height="800"></iframe>'
    notebook.write_text(f'<!DOCTYPE html><meta charset="utf-8">{frame}')
    frame = opened(notebook).frame_locator("iframe")
    frame.get_by_label("glucose", exact=True).fill("9")
    expect(frame.locator("#answer .says b")).to_have_text("ill")
    expect(frame.locator("#answer .chip")).to_have_text("decided")


def test_without_scripts_the_tree_can_be_read(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html", java_script_enabled=False)
    text = page.inner_text("body")
    assert "Scripts are off" in text and "Model card" in text and "glucose below" in text
    assert page.locator("#tree figure svg g.split").first.is_visible()
    for needs_scripts in ("#ask", "#table", "#choose", "#looks"):
        assert page.locator(needs_scripts).is_hidden()


def test_a_tree_of_thousands_of_nodes_opens_branch_by_branch(opened: Callable[..., Page], tmp_path: Path) -> None:
    model, html = tmp_path / "model.json", tmp_path / "large.html"
    table = tmp_path / "noise.csv"
    lines = [f"{(37 * i) % 101},{(53 * i) % 997},{(i * i) % 89},{'ab'[(i * i * i) % 7 % 2]}" for i in range(6000)]
    table.write_text("\n".join(["x,y,z,class", *lines]) + "\n")
    ternwood("fit", table, "--target", "class", "--zone", "margin", "-o", model, "-q")
    ternwood("page", model, "-o", html)
    page = opened(html)
    nodes = page.evaluate("window.ternwood.model.nodes.length")
    assert nodes > 1000, nodes
    branch = page.locator("details.branch").first
    assert branch.get_attribute("open") is None
    number = branch.get_attribute("id").removeprefix("branch-")
    page.locator(f'#tree figure g.stub[data-node="{number}"]').first.click()
    assert branch.get_attribute("open") is not None
    # One change of the row takes as long as its way, not as the tree is large.
    took = page.evaluate("""() => {
      const slider = document.querySelector("#row input[type=range]");
      const start = performance.now();
      for (let i = 0; i < 20; i++) { slider.value = i; slider.dispatchEvent(new Event("input")); }
      return (performance.now() - start) / 20;
    }""")
    print(f"{nodes} nodes, {html.stat().st_size} bytes, {took:.1f} ms per change")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_nothing_sticks_out(
    check_up: Path, wordy: Path, opened: Callable[..., Page], width: int, scheme: str
) -> None:
    size = {"width": width, "height": 900}
    for file in (check_up / "with-rows.html", wordy / "page.html"):
        page = opened(file, viewport=size, color_scheme=scheme)
        page.locator('#tree g[data-node="0"]').first.click()
        page.locator("#threshold").fill("3")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, file


def test_all_of_many_classes_are_told(wordy: Path, opened: Callable[..., Page]) -> None:
    page = opened(wordy / "page.html")
    assert page.locator("#effect tbody tr").count() == 50
    page.locator('#tree g[data-node="0"]').first.click()
    assert page.locator("#node .tall tbody tr").count() == 50


def test_the_legend_stays_in_sight(check_up: Path, opened: Callable[..., Page]) -> None:
    page = opened(check_up / "with-rows.html", viewport={"width": 400, "height": 900})
    # The first word of the picture, before and after it is scrolled.
    for left in ("0", "figure.scrollWidth / 4", "figure.scrollWidth"):
        page.evaluate(f"() => {{ const figure = document.querySelector('figure'); figure.scrollLeft = {left}; }}")
        page.wait_for_timeout(50)
        word, figure = page.locator("figure svg text").first.bounding_box(), page.locator("figure").first.bounding_box()
        assert figure["x"] <= word["x"] and word["x"] + word["width"] <= figure["x"] + figure["width"], left


def test_the_page_is_small_and_holds_no_rows(check_up: Path) -> None:
    html = (check_up / "with-rows.html").read_text()
    model = html[html.index('id="model"') : html.rindex("<script>")]
    assert len(html.encode()) - len(model.encode()) < 200_000
    assert "filter" not in model


def test_evaluation_rows_that_were_trained_on_are_told(check_up: Path, tmp_path: Path) -> None:
    assert (DATA / "visits.csv").exists()
    html = ternwood("page", check_up / "model.json", "--title", "A <title> & more")
    assert "<title>A &lt;title&gt; &amp; more</title>" in html
