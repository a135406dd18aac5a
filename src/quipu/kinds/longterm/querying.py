"""Queries before an answer: the message, and the message with the turns before it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kernel.base.echo import Marks
from quipu.kernel.base.text import clean, excerpt
from quipu.kinds.longterm.sati import SatiRetrievalInput, read
from quipu.recall.model import Found

TURNS: Final = 3
LONGEST_MESSAGE: Final = 2_000
LONGEST_TURN: Final = 300


@dataclass(frozen=True, slots=True)
class Query:
    """Texts to search for; none where nothing was said."""

    texts: tuple[str, ...]
    limit: int


def checked(
    asked: SatiRetrievalInput | Mapping[str, object] | str, *, recent: Sequence[str], limit: int
) -> SatiRetrievalInput:
    """Return the message and the turns before it.

    Raises:
        BadInput: it is no message, or ``limit`` is not 1 to 100.
    """
    if isinstance(asked, SatiRetrievalInput):
        return asked
    ours = {"recent_messages": tuple(recent), "memory_limit": limit}
    said = dict(asked) if isinstance(asked, Mapping) else {"current_message": asked}
    return read(SatiRetrievalInput, ours | said)


def query(given: SatiRetrievalInput, marks: Marks) -> Query:
    """Return the query: the message alone, and after the turns before it, without injected memory."""
    message = _said(given.current_message, LONGEST_MESSAGE, marks)
    before = [_said(turn, LONGEST_TURN, marks) for turn in given.recent_messages[-TURNS:]]
    context = "\n".join(turn for turn in before if turn)
    texts = [message] if message else []
    if context:
        texts.append(f"{context}\n{message}".strip())
    return Query(tuple(texts), given.memory_limit)


def best(answers: Iterable[Sequence[Found]], *, limit: int, least: float) -> list[Found]:
    """Return the best hits of several answers, each by its best score, from ``least`` on."""
    by_id: dict[int, Found] = {}
    for hit in (hit for hits in answers for hit in hits):
        if hit.id not in by_id or by_id[hit.id].score < hit.score:
            by_id[hit.id] = hit
    relevant = [hit for hit in by_id.values() if hit.score >= least]
    return sorted(relevant, key=lambda hit: (-hit.score, -hit.id))[:limit]


def _said(text: str, length: int, marks: Marks) -> str:
    spoken = marks.hear(clean(text).text).spoken
    return excerpt(spoken, length) if spoken.strip() else ""
