"""The audit: a line for each recovery and evaluation, with the memories that it was about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.model import AuditAct, AuditLine, AuditMemory

_SQL = queries.load("quipu.kinds.longterm")


async def note(tx: SpaceTransaction, line: AuditLine) -> None:
    """Write a line of the audit; the database gives it its id."""
    ((number,),) = await tx.rows(
        _SQL["note"],
        at=line.at,
        act=line.act,
        outcome=line.outcome,
        trouble=line.trouble,
        user=line.user,
        session=line.session,
        message=line.message,
        evaluator=line.evaluator,
        took_ms=line.took_ms,
        tokens=line.tokens,
        counts=Jsonb(dict(line.counts)),
    )
    if line.memories:
        await tx.execute(
            _SQL["note_memories"],
            line=number,
            ids=[memory.id for memory in line.memories],
            actions=[memory.action for memory in line.memories],
            scores=[memory.score for memory in line.memories],
            parts=[None if memory.parts is None else Jsonb(dict(memory.parts)) for memory in line.memories],
            reasons=[memory.reason for memory in line.memories],
        )


async def lines(
    tx: SpaceTransaction,
    *,
    act: AuditAct | None,
    user: str | None,
    session: str | None,
    since: datetime | None,
    limit: int,
) -> list[AuditLine]:
    """Return audit lines with their memories, latest first."""
    rows = await tx.fetch(
        AuditLine, _SQL["lines"], act=act, user=user, session=session, since=since, limit=limit
    )
    memories = await _memories(tx, [line.id for line in rows])
    return [replace(line, memories=tuple(memories[line.id])) for line in rows]


async def prune(tx: SpaceTransaction, *, before: datetime) -> int:
    """Delete the lines from before a time; return how many there were."""
    return await tx.execute(_SQL["prune_audit"], before=before)


async def _memories(tx: SpaceTransaction, lines_: Sequence[int]) -> Mapping[int, list[AuditMemory]]:
    memories: defaultdict[int, list[AuditMemory]] = defaultdict(list)
    for line, id_, action, score, parts, reason in await tx.rows(_SQL["lines_memories"], lines=Int8s(lines_)):
        memories[line].append(AuditMemory(id=id_, action=action, score=score, parts=parts, reason=reason))
    return memories
