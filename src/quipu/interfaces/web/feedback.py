"""Feedback of a reader on a wrong hit: it is not so, or something else is.

Each kind of memory has its own word for it (a lesson is marked as wrong, a fact undone); here it is one act.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from quipu.app.memory import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kinds.ledger.model import Value
from quipu.recall.model import Hit
from quipu.record.corrections.model import CorrectedKind

TakeBack = Callable[[AsyncMemory, Hit], Awaitable[object]]
PutRight = Callable[[AsyncMemory, Hit, str], Awaitable[object]]
_HOW_KNOWN: Final = ("explicit", "inferred", "assumed", "default")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Remedy for a wrong memory.

    ``name`` is its name, ``taking`` the effect of taking it back, ``asks`` the question for what to say
    instead.
    """

    name: str
    taking: str
    asks: str | None
    take_back: TakeBack
    put_right: PutRight | None


def remedy(hit: Hit) -> Remedy | None:
    """Return the remedy for this hit; None if it can only be forgotten, like words that were said."""
    if hit.kind == "ledger":
        return _REMEDIES["fact"] if hit.source.role in _HOW_KNOWN else None
    if hit.kind == "episodes":
        return _REMEDIES["belief" if hit.source.role == "belief" else "episode"]
    return _REMEDIES.get(hit.kind)


async def _mark_wrong(memory: AsyncMemory, hit: Hit, kind: CorrectedKind, otherwise: TakeBack) -> object:
    """Mark what was derived from messages as wrong; of what a person wrote, do otherwise."""
    try:
        return await memory.corrections.add(_id(hit), space=hit.space, kind=kind)
    except BadInput:
        return await otherwise(memory, hit)


def _id(hit: Hit) -> str:
    return hit.source.message or ""


async def _correct_fact(memory: AsyncMemory, hit: Hit, words: str) -> object:
    source = hit.source
    number = int(_id(hit))
    events = await memory.ledger.events(space=hit.space, before=number + 1, limit=1)
    values = [
        value
        for event in events
        for value in await memory.ledger.list(
            space=hit.space, session=source.session, user=source.user, key=event.key
        )
    ]
    stands = next((value for value in values if value.event_id == number), None)
    if stands is None:
        raise NotFound("That fact is no longer current.", hint="Go back and ask again.")
    return await memory.ledger.correct(
        stands.key,
        like(stands, words),
        space=hit.space,
        session=stands.session,
        user=stands.user,
        scope=stands.scope,
        namespace=stands.namespace,
        reason=_REASON,
    )


def like(stands: Value, words: str) -> object:
    """Return the words as JSON if the standing value is no text (``42``, ``true``), else unchanged."""
    if isinstance(stands.value, str):
        return words
    try:
        return orjson.loads(words)
    except orjson.JSONDecodeError:
        return words


async def _archive_lesson(memory: AsyncMemory, hit: Hit) -> object:
    return await memory.lessons.archive(_id(hit), space=hit.space)


async def _archive_memory(memory: AsyncMemory, hit: Hit) -> object:
    return await memory.longterm.archive(_id(hit), space=hit.space, reason="said to be wrong")


async def _erase_belief(memory: AsyncMemory, hit: Hit) -> object:
    return await memory.beliefs.erase(_id(hit), space=hit.space, confirm=True)


_MARKED: Final = (
    "is marked as wrong, or archived if a person wrote it: recall no longer finds it. It can be brought back."
)
_REASON: Final = "corrected on the page of recall"
_REMEDIES: Final[Mapping[str, Remedy]] = {
    "fact": Remedy(
        name="fact",
        taking="The fact is undone and its earlier value is current again. Its history is kept.",
        asks="Correct value",
        take_back=lambda memory, hit: memory.ledger.undo(int(_id(hit)), space=hit.space),
        put_right=_correct_fact,
    ),
    "lesson": Remedy(
        name="lesson",
        taking=f"The lesson {_MARKED}",
        asks="Correct text",
        take_back=lambda memory, hit: _mark_wrong(memory, hit, "lesson", _archive_lesson),
        put_right=lambda memory, hit, words: memory.lessons.edit(_id(hit), space=hit.space, fact=words),
    ),
    "longterm": Remedy(
        name="memory",
        taking=f"The memory {_MARKED}",
        asks="The correct statement, in one sentence",
        take_back=lambda memory, hit: _mark_wrong(memory, hit, "longterm", _archive_memory),
        put_right=lambda memory, hit, words: memory.longterm.edit(
            _id(hit), space=hit.space, summary=words, reason=_REASON
        ),
    ),
    "episode": Remedy(
        name="episode",
        taking="The episode is archived: recall no longer finds it; it can be unarchived.",
        asks=None,
        take_back=lambda memory, hit: memory.episodes.archive(_id(hit), space=hit.space),
        put_right=None,
    ),
    "belief": Remedy(
        name="belief",
        taking=f"The belief {_MARKED} The one that contested it becomes current.",
        asks="Correct value",
        take_back=lambda memory, hit: _mark_wrong(memory, hit, "belief", _erase_belief),
        put_right=lambda memory, hit, words: memory.beliefs.correct(_id(hit), words, space=hit.space),
    ),
}
