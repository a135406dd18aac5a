"""Memory that we put into a prompt is marked, so that it is not taken for new speech when it comes back.

What counts as a marked block, and what is only talk about the tag, is decided by its shape:

* ``<quipu-memory recalled="…">``, a tag with an attribute, is what `mark` writes. It opens a block wherever
  it stands, and a block that was cut off reaches to the end of the text.
* ``<quipu-memory>``, the bare tag, opens a block only where it is the first thing on its line and its closing
  tag is the first or the last thing on a line. Without its closing tag it is only a mention.
* In a code span (between backticks on one line) a tag is always a mention.

A mention costs nobody a word; a closing tag without an opening one is a mention too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

NOTICE: Final = "Recalled from memory for you to use; nobody said this just now."
OPENING: Final = '<quipu-memory recalled="true">'
CLOSING: Final = "</quipu-memory>"

_NAME = re.compile("quipu-memory", re.IGNORECASE)
_ANY_TAG = re.compile(r"<(?=/?quipu-memory)", re.IGNORECASE)
_TAG = (
    r"(?P<opening><quipu-memory(?P<attributes>\s+[\w:.-]+\s*=[^<>]*+)?\s*+>)"
    r"|(?P<closing></quipu-memory\s*+>)"
)
# The look-behind keeps a long run of backticks linear: a code span starts where its backticks start.
_OUTSIDE = re.compile(rf"(?<!`)`++[^`\n]++`++|{_TAG}", re.IGNORECASE)
_INSIDE = re.compile(_TAG, re.IGNORECASE)
_LINE_START = re.compile(r"[ \t>]*\Z")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_INDENT_LIMIT: Final = 64


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without the memory blocks that stood in it, and how many there were (nested ones count once)."""

    text: str
    removed: int


@dataclass(frozen=True, slots=True)
class _Open:
    start: int
    signed: bool


def mark(block: str) -> str:
    """The block of recalled memory between our tags, with a line that says what it is; "" for an empty block.

    Tags inside the block are defused (``&lt;``): a stored text cannot end the block early.
    """
    if not block.strip():
        return ""
    return f"{OPENING}\n{NOTICE}\n\n{_ANY_TAG.sub('&lt;', block.strip())}\n{CLOSING}"


def strip(text: str) -> Stripped:
    """The text without the blocks that `mark` put into prompts; what is around them stays. Linear time."""
    if _NAME.search(text) is None:
        return Stripped(text, 0)
    regions = _outermost(_regions(text))
    if not regions:
        return Stripped(text, 0)
    kept: list[str] = []
    position = 0
    for start, end in regions:
        kept.append(text[position:start])
        position = _after_block(text, start, end)
    kept.append(text[position:])
    return Stripped("".join(kept), len(regions))


def _regions(text: str) -> list[tuple[int, int]]:
    """Start and end of every block, nested ones too, in the order in which they end."""
    regions: list[tuple[int, int]] = []
    stack: list[_Open] = []
    signed = 0
    position = 0
    # Inside a block of ours backticks mean nothing: an odd one in a memory must not hide the closing tag.
    while (match := (_INSIDE if signed else _OUTSIDE).search(text, position)) is not None:
        position = match.end()
        if match["opening"]:
            if match["attributes"]:
                stack.append(_Open(match.start(), signed=True))
                signed += 1
            elif _first_on_line(text, match.start()):
                stack.append(_Open(match.start(), signed=False))
        elif match["closing"] and stack and (stack[-1].signed or _framed(text, match)):
            opened = stack.pop()
            signed -= opened.signed
            regions.append((opened.start, match.end()))
    cut_off = next((opened.start for opened in stack if opened.signed), None)
    if cut_off is not None:
        regions.append((cut_off, len(text)))
    return regions


def _outermost(regions: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(regions):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _first_on_line(text: str, position: int) -> bool:
    line_start = text.rfind("\n", max(0, position - _INDENT_LIMIT), position) + 1
    before = text[line_start or max(0, position - _INDENT_LIMIT) : position]
    return len(before) < _INDENT_LIMIT and _LINE_START.match(before) is not None


def _framed(text: str, tag: re.Match[str]) -> bool:
    return _first_on_line(text, tag.start()) or _LINE_END.match(text, tag.end()) is not None


def _after_block(text: str, start: int, end: int) -> int:
    """Where the text goes on: a block that had lines of its own takes its line break with it."""
    if start and text[start - 1] != "\n":
        return end
    line_end = _LINE_END.match(text, end)
    return line_end.end() if line_end else end
