"""Puts the sources of the site together: pages, outputs of their code, the command's help.

    python docs/site/stage.py FOLDER TERNWOOD

FOLDER is made anew; TERNWOOD is the command. Pages of `docs/` stand at the top, those of other
folders below it, and links follow them. Where a page has the comment `<!-- output: what it is -->`
after a block of Python, the block is run and the comment becomes what it shows.
"""

import os
import re
import shutil
import sys
import textwrap
from pathlib import Path

import help_pages
import markdown
import model_page
import pages
import run_blocks

OUTPUT = re.compile(r"^<!-- output(?:: *(.*?))? *-->$")
# A line with three columns.
COLUMNS = re.compile(r"\S {2,}\S.* {2,}\S")
# What fits beside the table of contents.
WIDTH = 84


def main(folder, command):
    shutil.rmtree(folder, ignore_errors=True)
    files = pages.project_files()
    for path in filter(pages.is_page, files):
        stage_page(path, folder)
    for path in ("docs/conf.py", *(path for path in files if path.startswith("docs/site/"))):
        copy(path, folder)
    (folder / "reference/command-help.md").write_text(help_pages.all_help(command))
    model_page.write(folder / "site/static")
    mark_orphans(folder)


def stage_page(path, folder):
    """Write a page with the outputs of its code, and with links that hold in the site."""
    text = (pages.ROOT / path).read_text(encoding="utf-8")
    place = folder / pages.place_in_site(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    text = markdown.with_links(text, lambda target: moved_link(path, target, folder))
    if any(OUTPUT.match(line) for line in text.split("\n")):
        text = with_outputs(text, path, place)
    place.write_text(text, encoding="utf-8")


def moved_link(page, target, folder):
    """Say where a link of a page leads in the site; None if to a folder, which is no page there."""
    path, hash_, anchor = target.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return target
    linked = pages.linked_file(page, path)
    if (pages.ROOT / linked).is_dir():
        return None
    if not pages.is_page(linked) and str(linked) != "README.md":
        copy(linked, folder)
    there = pages.place_in_site(linked)
    return os.path.relpath(there, pages.place_in_site(page).parent) + hash_ + anchor


def copy(path, folder):
    place = folder / pages.place_in_site(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(pages.ROOT / path, place)


def with_outputs(text, path, place):
    """Run the blocks of a page and put what they show where the page wants it."""
    shown = run_blocks.outputs(text, path)
    result, number = [], 0
    for line_number, line in enumerate(text.split("\n"), start=1):
        wanted = OUTPUT.match(line)
        if wanted is None:
            result.append(line)
            continue
        number += 1
        output = last_before(line_number, shown, path)
        if output.text:
            result += printed(output.text)
        if output.picture:
            name = f"{place.stem}-{number}.svg"
            (place.parent / name).write_text(output.picture, encoding="utf-8")
            result.append(f"![{wanted[1] or ''}]({name})")
    return "\n".join(result)


def printed(text):
    """What a block printed. Where there are columns, lines are kept, and only the longest are broken, by words."""
    lines, kind = text.rstrip("\n").split("\n"), "output"
    if any(COLUMNS.search(line) for line in lines):
        lines, kind = [part for line in lines for part in broken(line)], "output columns"
    return ["```{code-block} text", f":class: {kind}", "", *lines, "```", ""]


def broken(line):
    if COLUMNS.search(line) or len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())] + "  "
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def last_before(line_number, shown, path):
    found = [output for output in shown if output.block.last_line < line_number]
    if not found or not (found[-1].text or found[-1].picture):
        raise SystemExit(f"{path}:{line_number} wants an output, but the block before it shows none")
    return found[-1]


def mark_orphans(folder):
    """Committed runs and the like are reached by links, not by the table of contents."""
    for path in folder.rglob("*.md"):
        where = path.relative_to(folder).as_posix()
        if where.startswith(("runs/", "benches/")):
            text = path.read_text(encoding="utf-8")
            title = "" if re.search(r"^# ", text, re.MULTILINE) else f"# {where}\n\n"
            path.write_text(f"---\norphan: true\n---\n\n{title}{text}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
