"""Prose: Markdown by its headings, the text of a PDF by its pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

PAGE_END: Final = "\f"
_HEADING: Final = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<title>.+?)[ \t\r#]*$")
_FENCE: Final = re.compile(r"^ {0,3}(```|~~~)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a body under one heading; ``lines`` are those of the body that its lines stand on."""

    text: str
    lines: Sequence[int]
    heading: str | None = None


class Headings:
    """Headings that a place stands under, outermost first."""

    def __init__(self) -> None:
        self._titles: dict[int, str] = {}

    def begin(self, level: int, title: str) -> None:
        """Begin a heading; it ends those of its own level and of deeper ones."""
        over = {above: named for above, named in self._titles.items() if above < level}
        self._titles = {**over, level: title}

    def __str__(self) -> str:
        return " > ".join(title for _, title in sorted(self._titles.items()) if title)


def plain(body: str) -> Iterator[Section]:
    """Yield a text as one section."""
    yield Section(text=body, lines=range(1, body.count("\n") + 2))


def markdown(body: str) -> Iterator[Section]:
    """Yield the sections of Markdown; a heading in a block of code is none."""
    over, section, first, fence = Headings(), list[str](), 1, ""
    for number, line in enumerate(body.split("\n"), start=1):
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.match(line)
        if heading is not None:
            yield _section(section, over, first)
            over.begin(len(heading["marks"]), heading["title"])
            section, first = [], number
        section.append(line)
    yield _section(section, over, first)


def pages(body: str) -> Iterator[Section]:
    """Yield the pages of a text that has a form feed between them."""
    first = 1
    for number, page in enumerate(body.split(PAGE_END), start=1):
        count = page.count("\n")
        yield Section(text=page, heading=f"Page {number}", lines=range(first, first + count + 1))
        first += count


def _section(lines: Sequence[str], over: Headings, first: int) -> Section:
    return Section(text="\n".join(lines), heading=str(over) or None, lines=range(first, first + len(lines)))
