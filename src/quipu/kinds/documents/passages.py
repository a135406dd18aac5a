"""Cutting of documents into passages: pieces that are found by meaning, with where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from quipu.kernel.redact import redact
from quipu.kinds.documents.model import JSON, Passage
from quipu.kinds.documents.rules import at_path
from quipu.recall.terms import passages as cut

_WHOLE_CHARACTERS: Final = 1_000
_LONGEST_HEADING: Final = 500
_MARKDOWN: Final = (".md", ".markdown", ".mdx")
_HEADING: Final = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<title>.+?)[ \t#]*$")
_FENCE: Final = re.compile(r"^ {0,3}(```|~~~)")


def passages(
    value: JSON, body: str | None, *, key: str, index: Sequence[str], secrets: bool
) -> tuple[Passage, ...]:
    """Return the pieces of a document that are found by meaning, without secrets where these are cut.

    Of the value that is what stands at the paths of ``index``; the body belongs to ``$``. A text of more than
    1,000 characters is cut at paragraphs and sentences. What stands in a document twice is one passage.
    """
    cuts = [piece for path in index for said in at_path(value, path) for piece in _cut(said, path)]
    if body is not None and "$" in index:
        cuts += _markdown(body) if key.lower().endswith(_MARKDOWN) else _cut(body, "")
    found: dict[tuple[str, str | None, str], Passage] = {}
    for one in cuts:
        said = redact(one.text).text if secrets else one.text
        made = Passage(field=one.field, text=said, heading=one.heading, line=one.line)
        found.setdefault((made.field, made.heading, said), made)
    return tuple(found.values())


def _cut(text: str, field: str, *, heading: str | None = None, line: int = 1) -> Iterator[Passage]:
    """Cut a text; ``line`` is its first line in the body."""
    spans = [(0, len(text))] if len(text) <= _WHOLE_CHARACTERS else cut(text)
    for start, end in spans:
        piece = text[start:end]
        if said := piece.strip():
            before = piece[: len(piece) - len(piece.lstrip())].count("\n")
            yield Passage(field=field, text=said, heading=heading, line=None if field else line + before)
        line += piece.count("\n")


def _markdown(body: str) -> Iterator[Passage]:
    """Cut a text at its headings first; each section knows those it stands under."""
    over: dict[int, str] = {}
    section: list[str] = []
    first, fence = 1, ""
    for number, line in enumerate(body.split("\n"), start=1):
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.match(line)
        if heading is not None:
            yield from _section(section, over, first)
            level = len(heading["marks"])
            over = {**{deep: title for deep, title in over.items() if deep < level}, level: heading["title"]}
            section, first = [], number
        section.append(line)
    yield from _section(section, over, first)


def _section(lines: Sequence[str], over: dict[int, str], first: int) -> Iterator[Passage]:
    heading = " > ".join(title for _, title in sorted(over.items()))[:_LONGEST_HEADING] or None
    yield from _cut("\n".join(lines), "", heading=heading, line=first)
