"""Feedback of a reader on a wrong hit: it is not so, or something else is.

Each kind of memory has its own word for it (a lesson is archived, a fact undone); here they are one act each.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from quipu.app.memory import AsyncMemory
from quipu.errors import NotFound
from quipu.kinds.ledger.model import Value
from quipu.recall.model import Hit

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


def _id(hit: Hit) -> str:
    return hit.source.message or ""


async def _undo_fact(memory: AsyncMemory, hit: Hit) -> object:
    return await memory.ledger.undo(int(_id(hit)), space=hit.space)


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
        raise NotFound("That fact does not stand any more.", hint="Go back and ask again.")
    return await memory.ledger.correct(
        stands.key,
        like(stands, words),
        space=hit.space,
        session=stands.session,
        user=stands.user,
        scope=stands.scope,
        namespace=stands.namespace,
        reason="corrected on the page of recall",
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


async def _edit_lesson(memory: AsyncMemory, hit: Hit, words: str) -> object:
    return await memory.lessons.edit(_id(hit), space=hit.space, fact=words)


async def _archive_longterm(memory: AsyncMemory, hit: Hit) -> object:
    return await memory.longterm.archive(_id(hit), space=hit.space, reason="said to be wrong")


async def _edit_longterm(memory: AsyncMemory, hit: Hit, words: str) -> object:
    reason = "corrected on the page of recall"
    return await memory.longterm.edit(_id(hit), space=hit.space, summary=words, reason=reason)


async def _put_episode_away(memory: AsyncMemory, hit: Hit) -> object:
    return await memory.episodes.archive(_id(hit), space=hit.space)


async def _forget_belief(memory: AsyncMemory, hit: Hit) -> object:
    return await memory.beliefs.erase(_id(hit), space=hit.space, confirm=True)


async def _correct_belief(memory: AsyncMemory, hit: Hit, words: str) -> object:
    return await memory.beliefs.correct(_id(hit), words, space=hit.space)


_REMEDIES: Final[Mapping[str, Remedy]] = {
    "fact": Remedy(
        name="fact",
        taking="The fact is undone: what stood before it stands again. Its history is kept.",
        asks="The value that is right",
        take_back=_undo_fact,
        put_right=_correct_fact,
    ),
    "lesson": Remedy(
        name="lesson",
        taking="The lesson is archived: it is not recalled, and can be brought back.",
        asks="What is so",
        take_back=_archive_lesson,
        put_right=_edit_lesson,
    ),
    "longterm": Remedy(
        name="memory",
        taking="The memory is archived: it does not come back, and can be revived.",
        asks="What is so, in one sentence",
        take_back=_archive_longterm,
        put_right=_edit_longterm,
    ),
    "episode": Remedy(
        name="episode",
        taking="The episode is archived: it is not recalled, and can be brought back.",
        asks=None,
        take_back=_put_episode_away,
        put_right=None,
    ),
    "belief": Remedy(
        name="belief",
        taking="The belief is deleted, and what contested it stands.",
        asks="The value that is right",
        take_back=_forget_belief,
        put_right=_correct_belief,
    ),
}
