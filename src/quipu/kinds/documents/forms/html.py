"""HTML: the text that a reader sees, by its headings, each line with the line of the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

from quipu.kinds.documents.forms.prose import Headings, Section

_UNSEEN: Final = frozenset({"script", "style", "template", "svg", "noscript"})
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_INSIDE_TAGS: Final = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span"
    " strike strong sub sup time tt u var wbr"
)
_INSIDE: Final = frozenset(_INSIDE_TAGS.split())
_CELLS: Final = frozenset({"td", "th"})
_SPACES: Final = re.compile(r"\s+")


def sections(body: str) -> Iterator[Section]:
    """Yield the sections of HTML: what is no text, such as a script, is left out."""
    reader = _Reader()
    reader.feed(body)
    reader.close()
    reader.end_section()
    yield from reader.sections


class _Reader(HTMLParser):
    """Reads HTML; ``sections`` has what was read."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.sections: list[Section] = []
        self._over = Headings()
        self._lines: list[tuple[int, str]] = []
        self._in_heading = False
        self._unseen = 0
        self._breaks = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _UNSEEN:
            self._unseen += 1
        elif tag in _HEADINGS:
            self.end_section()
            self._in_heading = True
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag in _HEADINGS and self._in_heading:
            title = " ".join(text.strip() for _, text in self._lines)
            self._over.begin(_HEADINGS.index(tag) + 1, title.strip())
            self._in_heading = False
        self._separate(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._separate(tag)

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        first, _ = self.getpos()
        for number, piece in enumerate(data.split("\n"), start=first):
            self._add(number, _SPACES.sub(" ", piece))

    def end_section(self) -> None:
        """End what stands under the headings so far."""
        lines = [(number, text.strip()) for number, text in self._lines if text.strip()]
        if lines:
            text = "\n".join(text for _, text in lines)
            numbers = [number for number, _ in lines]
            self.sections.append(Section(text=text, lines=numbers, heading=str(self._over) or None))
        self._lines, self._breaks = [], True

    def _add(self, number: int, text: str) -> None:
        """Add a piece of a line of the source."""
        if self._breaks or self._lines[-1][0] != number:
            if not text.strip():
                return
            self._lines.append((number, text))
        else:
            self._lines[-1] = (number, self._lines[-1][1] + text)
        self._breaks = False

    def _separate(self, tag: str) -> None:
        """Let what follows a tag begin a line, unless it stands in one."""
        if tag in _CELLS:
            if self._lines and not self._breaks:
                self._lines[-1] = (self._lines[-1][0], self._lines[-1][1] + " ")
        elif tag not in _INSIDE:
            self._breaks = True
