"""Memories as a block for a prompt, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quipu.kernel.base import echo
from quipu.kernel.base.echo import Marks
from quipu.kernel.base.prompt_text import defused
from quipu.kernel.base.text import excerpt
from quipu.recall.model import Hit

_FEWEST_CHARACTERS = 40
_HEAD = "Open:"
_OF_BUDGET = 4  # reminders get a quarter of it


@dataclass(frozen=True, slots=True)
class Block:
    """A prompt block: its text, an estimate of its tokens that errs upwards, and the hits that are in it.

    The text is marked as memory, so that it is never taken in again, and holds nothing that a model could
    take for the frame of its prompt; it is empty where nothing fits or nothing is known.
    """

    text: str
    tokens: int
    hits: tuple[Hit, ...]


def estimate_tokens(text: str) -> int:
    """Estimate the tokens that a model sees, rather more than less: 3.5 Latin letters or one other each."""
    latin = sum(c < "\u0250" for c in text)
    return -(-latin * 2 // 7) + len(text) - latin


def block(hits: Sequence[Hit], *, budget_tokens: int, marks: Marks, reminders: Sequence[str] = ()) -> Block:
    """Put the best hits that fit into a block: best first, one line each with time and source.

    The last may be cut short. Before them stand the ``reminders`` that fit into a quarter of the budget.
    ``marks`` are those of the space.
    """
    taken: list[Hit] = []
    lines = _open(reminders, budget_tokens=budget_tokens // _OF_BUDGET)
    if _cost(lines) > budget_tokens:  # the marks alone fill a small budget
        lines = []
    for hit in hits:
        line = _line(hit, hit.text)
        if _cost([*lines, line]) <= budget_tokens:
            lines.append(line)
            taken.append(hit)
            continue
        shorter = _shortened(hit, lines, budget_tokens)
        if shorter is not None:
            lines.append(shorter)
            taken.append(hit)
        break
    text = marks.mark("\n".join(lines))
    return Block(text, estimate_tokens(text), tuple(taken))


def _open(reminders: Sequence[str], *, budget_tokens: int) -> list[str]:
    """Return the paragraph of open reminders, as far as it fits."""
    lines: list[str] = []
    for reminder in reminders:
        longer = [*(lines or [_HEAD]), defused(f"- {' '.join(reminder.split())}")]
        if estimate_tokens("\n".join(longer)) > budget_tokens:
            break
        lines = longer
    return [*lines, ""] if lines else []


def _cost(lines: Sequence[str]) -> int:
    return estimate_tokens(echo.sized("\n".join(lines).strip()))


def _line(hit: Hit, text: str) -> str:
    who = hit.source.speaker or hit.source.role or "somebody"
    said = " ".join(text.split())
    where = f"{hit.source.session or hit.kind}/{hit.source.message}"
    half = "half remembered, " if "half_remembered" in hit.parts else ""
    return defused(f"- {hit.happened_at:%Y-%m-%d %H:%M} {half}{who}: {said} ({where})")


def _shortened(hit: Hit, lines: Sequence[str], budget_tokens: int) -> str | None:
    """Return the line of a hit cut to fit; None if too little of it would be left to be of use."""
    low, high = 0, len(hit.text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = _cost([*lines, _line(hit, excerpt(hit.text, middle))]) <= budget_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return _line(hit, excerpt(hit.text, low)) if low >= _FEWEST_CHARACTERS else None
