"""Source code: cut at definitions that stand at the margin, and at blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from quipu.kinds.documents.forms.prose import Section

_MOST_CHARACTERS: Final = 1_000
_LONGEST_SIGNATURE: Final = 200
_NAME: Final = r"(?:\([^()]*\)\s*)?(?P<{}>[A-Za-z_$][\w$.:]*)"
_DEFINITION: Final = re.compile(
    r"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|sealed|async|unsafe"
    r"|pub(?:\([^()]*\))?|extern|inline|open|data|case|local)\s+)*(?:"
    r"(?:def|class|func|function\*?|fn|struct|enum|union|trait|interface|impl|module|namespace|object|record|type"
    r"|protocol|extension|sub|procedure|proc|macro_rules!|mod|template"
    r"|create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|trigger))\s+" + _NAME.format("name") + ""
    r"|(?:const|let|var)\s+" + _NAME.format("value") + r"\s*[:=]"
    r"|(?!(?:if|for|while|with|assert|return|else|elif|del|raise|await|yield|import|from|switch|try|do|new|throw"
    r"|insert|select|update|delete|alter|grant|echo|print|in|not)\b)"
    r"(?:[A-Za-z_][\w:<>,]*[\s*&]+)+" + _NAME.format("routine") + r"\s*\([^;=]*$)",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(r"@|#(?!!)|//|/\*|\*| \*|--|\[")


def sections(body: str) -> Iterator[Section]:
    """Yield pieces of source code; their heading is the name of the definition that they belong to."""
    lines = body.split("\n")
    starts: dict[int, str | None] = {0: None}
    for number, line in enumerate(lines):
        found = None if line[:1].isspace() else _DEFINITION.match(line[:_LONGEST_SIGNATURE])
        if found is not None:
            latest = max(starts)
            first = number
            while first - 1 > latest and _BEFORE.match(lines[first - 1]):
                first -= 1
            starts[first] = found["name"] or found["value"] or found["routine"]
    ends = [*list(starts)[1:], len(lines)]
    for (first, name), end in zip(starts.items(), ends, strict=True):
        yield from _pieces(lines[first:end], first + 1, name)


def _pieces(lines: Sequence[str], first: int, name: str | None) -> Iterator[Section]:
    """Yield lines as pieces of about a thousand characters, at blank lines where that is possible."""
    piece: list[str] = []
    for block in _blocks(lines):
        if piece and _size(piece) + _size(block) > _MOST_CHARACTERS:
            yield _section(piece, first, name)
            first, piece = first + len(piece), []
        for line in block:
            if piece and _size(piece) + len(line) > _MOST_CHARACTERS:
                yield _section(piece, first, name)
                first, piece = first + len(piece), []
            piece.append(line)
    yield _section(piece, first, name)


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield lines up to each blank one."""
    block: list[str] = []
    for line in lines:
        block.append(line)
        if not line.strip():
            yield block
            block = []
    yield block


def _section(lines: Sequence[str], first: int, name: str | None) -> Section:
    return Section(text="\n".join(lines), heading=name, lines=range(first, first + len(lines)))


def _size(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)
