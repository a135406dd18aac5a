"""The turns of a session that are to be evaluated, and how far it was evaluated: the queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction

_SQL = queries.load("quipu.kinds.longterm")


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A message of the record; ``external_id`` is the caller's."""

    id: int
    external_id: str
    role: Literal["user", "assistant"]
    user: str | None
    happened_at: datetime
    content: str
    speaker: str | None = None


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


async def _spoken(tx: SpaceTransaction, turns: Sequence[RecordedTurn]) -> list[RecordedTurn]:
    spoken = await tx.spoken([turn.content for turn in turns])
    return [replace(turn, content=text) for turn, text in zip(turns, spoken, strict=True)]
