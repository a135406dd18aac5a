"""Differences between two texts, line by line, as far as a page has room for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from markupsafe import escape

_MOST_COMPARED: Final = 2_000
_MOST_BYTES: Final = 20_000
_BYTES_OF_A_LINE: Final = 60
_LONGEST_LINE: Final = 200
_AROUND: Final = 3

Change = Literal["same", "out", "in", "apart"]


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """A line: ``same`` in both, taken ``out``, put ``in``, or that lines between are left out (``apart``)."""

    change: Change
    text: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """The lines of a difference; ``is_cut`` if there are more, or too many to be compared."""

    lines: Sequence[ChangedLine]
    is_cut: bool = False


def difference(old: str, new: str) -> Difference:
    """Return the changes from one text to the other, with three lines around each.

    Of more than 2,000 lines between the first change and the last nothing is compared.
    """
    before, after = old.splitlines(), new.splitlines()
    head = _common(before, after)
    tail = _common(before[: head - len(before) - 1 : -1], after[: head - len(after) - 1 : -1])
    first = max(0, head - _AROUND)
    last = max(0, tail - _AROUND)
    before, after = before[first : len(before) - last], after[first : len(after) - last]
    if max(len(before), len(after)) > _MOST_COMPARED:
        return Difference((), is_cut=True)
    lines: list[ChangedLine] = []
    size = 0
    for line in _lines(before, after):
        size += len(escape(line.text).encode()) + _BYTES_OF_A_LINE
        if size > _MOST_BYTES:
            return Difference(lines, is_cut=True)
        lines.append(line)
    return Difference(lines)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the lines with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[ChangedLine]:
    matcher = SequenceMatcher(None, before, after)
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number:
            yield ChangedLine("apart")
        for tag, start, end, start_after, end_after in group:
            if tag == "equal":
                yield from (ChangedLine("same", _cut(line)) for line in before[start:end])
            else:
                yield from (ChangedLine("out", _cut(line)) for line in before[start:end])
                yield from (ChangedLine("in", _cut(line)) for line in after[start_after:end_after])


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"
