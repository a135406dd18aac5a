"""The turns of a session that are to be evaluated, and how far it was evaluated: the queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction

_SQL = queries.load("quipu.kinds.longterm")
_SESSION_BITS: Final = 24  # a message's id begins with the number of its session


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A message of the record; ``external_id`` is the caller's, ``session`` is only told by ``named``."""

    id: int
    external_id: str
    role: Literal["user", "assistant"]
    user: str | None
    happened_at: datetime
    content: str
    speaker: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class EvaluationMark:
    """Progress of evaluating a session: the last message, and the number of users' turns by then."""

    message: int = 0
    turns: int = 0


async def place(tx: SpaceTransaction, session: int, evaluator: str, *, hold: bool = False) -> EvaluationMark:
    """Return an evaluator's place in a session; ``hold`` locks it until the transaction ends."""
    query = _SQL["evaluated" if hold else "evaluated_so_far"]
    rows = await tx.rows(query, session=session, evaluator=evaluator)
    return EvaluationMark(*rows[0]) if rows else EvaluationMark()


async def mark(
    tx: SpaceTransaction, session: int, evaluator: str, version: int, place_: EvaluationMark, *, now: datetime
) -> None:
    """Note how far an evaluator has come in a session."""
    await tx.execute(
        _SQL["mark_evaluated"],
        session=session,
        evaluator=evaluator,
        version=version,
        message=place_.message,
        turns=place_.turns,
        now=now,
    )


async def after(tx: SpaceTransaction, session: int, message: int, *, limit: int) -> list[RecordedTurn]:
    """Return turns of users and assistants after a message, at most ``limit``, in order."""
    turns = await tx.fetch(RecordedTurn, _SQL["turns_after"], session=session, after=message, limit=limit)
    return await _spoken(tx, turns)


async def until(tx: SpaceTransaction, session: int, message: int, *, limit: int) -> list[RecordedTurn]:
    """Return the last turns up to a message, in order."""
    turns = await tx.fetch(RecordedTurn, _SQL["turns_until"], session=session, until=message, limit=limit)
    return await _spoken(tx, turns[::-1])


async def named(tx: SpaceTransaction, message: str, *, session: str | None, limit: int) -> list[RecordedTurn]:
    """Return the messages with an id, the latest first: ids are unique in a session only."""
    turns = await tx.fetch(RecordedTurn, _SQL["turns_named"], message=message, session=session, limit=limit)
    return await _spoken(tx, turns)


async def of_session(tx: SpaceTransaction, session: int, name: str, *, limit: int) -> list[RecordedTurn]:
    """Return the last turns of a session, the latest first."""
    last = ((session + 1) << _SESSION_BITS) - 1
    return [replace(one, session=name) for one in reversed(await until(tx, session, last, limit=limit))]


async def _spoken(tx: SpaceTransaction, turns: Sequence[RecordedTurn]) -> list[RecordedTurn]:
    spoken = await tx.spoken([turn.content for turn in turns])
    return [replace(turn, content=text) for turn, text in zip(turns, spoken, strict=True)]
