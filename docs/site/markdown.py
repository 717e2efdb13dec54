"""What the site needs to know of Markdown: fenced blocks, links, anchors of headings."""

import re
from dataclasses import dataclass

FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
# `[text](target)` and `![text](target)`; the text may be broken across lines, and hold one level of brackets.
LINK = re.compile(
    r"(!?\[(?:[^\[\]\n]|\n(?!\s*\n)|\[[^\]\n]*\](?:\([^)\n]*\))?)*\])\(([^()\s]+(?:\([^()\s]*\))?)\)"
)
HEADING = re.compile(r"^(#{1,6}) +(.*?) *#* *$")


@dataclass
class Line:
    """A line, and the language of the fenced block that it is in."""

    number: int
    text: str
    language: str | None  # None outside of blocks
    is_fence: bool = False


def lines(text):
    """Yield every line of a page with the block that it belongs to."""
    fence, language = None, None
    for number, line in enumerate(text.split("\n"), start=1):
        found = FENCE.match(line)
        if fence is None and found:
            fence, language = found[2], found[3].strip()
            yield Line(number, line, language, is_fence=True)
        elif fence is not None and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            yield Line(number, line, language, is_fence=True)
            fence, language = None, None
        else:
            yield Line(number, line, language)


@dataclass
class Block:
    """A fenced block: its language, its first line in the page, and what is in it."""

    language: str
    first_line: int
    last_line: int  # of the closing fence
    code: str


def blocks(text, language):
    """List the blocks of one language."""
    found, opened = [], None
    for line in lines(text):
        if line.is_fence and opened is None:
            opened = line
            inside = []
        elif line.is_fence:
            if opened.language == language:
                code = "\n".join(inside) + "\n"
                found.append(Block(language, opened.number + 1, line.number, code))
            opened = None
        elif opened is not None:
            inside.append(line.text)
    return found


def prose(text):
    """Cut a page into fenced blocks and what is between them: pairs of the first line and the text."""
    cut = []
    for line in lines(text):
        is_prose = line.language is None
        if not cut or cut[-1][0] != is_prose:
            cut.append((is_prose, line.number, []))
        cut[-1][2].append(line.text)
    return [(is_prose, number, "\n".join(of_part)) for is_prose, number, of_part in cut]


def links(text):
    """Yield the line and the target of every link and picture outside of fenced blocks."""
    for is_prose, first, part in prose(text):
        for link in LINK.finditer(part) if is_prose else ():
            number = first + part.count("\n", 0, link.end())
            yield number, link[2]
            yield from ((number, inner[2]) for inner in LINK.finditer(link[1][2:]))


def with_links(text, new_target):
    """Replace the target of every link outside of fenced blocks; None leaves only its label."""

    def replaced(link):
        label = LINK.sub(replaced, link[1][1:]) if link[1].startswith("[!") else link[1][1:]
        target = new_target(link[2])
        return f"{link[1][0]}{label}({target})" if target is not None else label[:-1].removeprefix("[")

    return "\n".join(LINK.sub(replaced, part) if is_prose else part for is_prose, _, part in prose(text))


def anchors(text):
    """Collect the anchors that a forge and the site give to headings."""
    found = {}
    for line in lines(text):
        heading = HEADING.match(line.text) if line.language is None else None
        if heading:
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[2]).replace("`", "")
            slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            count = found.get(slug, 0)
            found[slug] = count + 1
            if count:
                found[f"{slug}-{count}"] = 1
    return set(found)
