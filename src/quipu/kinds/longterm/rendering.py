"""Memories as a block for a prompt, within a budget. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kernel.base import echo
from quipu.kernel.base.echo import Marks
from quipu.kernel.base.prompt_text import defused
from quipu.kinds.longterm.model import LongtermMemory
from quipu.recall.render import estimate_tokens

CAVEAT: Final = "Known of the user from before. It may be out of date: what is said now comes first."


@dataclass(frozen=True, slots=True)
class Block:
    """The text, marked as memory so that it is never taken in again; its tokens, and which are in it.

    It is empty where nothing is known, or nothing fits.
    """

    text: str
    tokens: int
    places: tuple[int, ...]


def block(memories: Sequence[LongtermMemory], *, budget_tokens: int, marks: Marks) -> Block:
    """Put memories into a block in order, a line each; if one does not fit, a shorter one may follow."""
    taken: list[int] = []
    lines: list[str] = []
    for place, one in enumerate(memories):
        line = defused(f"- [{one.category}] {' '.join(one.summary.split())}")
        if estimate_tokens(echo.sized(_body([*lines, line]))) <= budget_tokens:
            lines.append(line)
            taken.append(place)
    text = marks.mark(_body(lines)) if lines else ""
    return Block(text, estimate_tokens(text), tuple(taken))


def _body(lines: Sequence[str]) -> str:
    return "\n".join([CAVEAT, *lines])
