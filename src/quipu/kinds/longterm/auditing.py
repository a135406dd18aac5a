"""The audit: a line for each recovery and evaluation, with the memories that it was about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.longterm.model import AuditAct, AuditLine, AuditMemory

_SQL = queries.load("quipu.kinds.longterm")


async def note(tx: SpaceTransaction, line: AuditLine) -> None:
    """Write a line; its id is given to it."""
    values = {
        "space": tx.space.id,
        "at": line.at,
        "act": line.act,
        "outcome": line.outcome,
        "trouble": line.trouble,
        "user": line.user,
        "session": line.session,
        "message": line.message,
        "evaluator": line.evaluator,
        "took_ms": line.took_ms,
        "tokens": line.tokens,
        "counts": Jsonb(dict(line.counts)),
    }
    row = await (await tx.conn.execute(_SQL["note"], values)).fetchone()
    if row is None or not line.memories:
        return
    memories = {
        "space": tx.space.id,
        "line": row[0],
        "ids": [one.id for one in line.memories],
        "actions": [one.action for one in line.memories],
        "scores": [one.score for one in line.memories],
        "parts": [None if one.parts is None else Jsonb(dict(one.parts)) for one in line.memories],
        "reasons": [one.reason for one in line.memories],
    }
    await tx.conn.execute(_SQL["note_memories"], memories)


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
    given = {"act": act, "user": user, "session": session, "since": since, "limit": limit}
    async with tx.conn.cursor(row_factory=class_row(AuditLine)) as cursor:
        await cursor.execute(_SQL["lines"], {"space": tx.space.id, **given})
        found = await cursor.fetchall()
    about = await _memories(tx, [line.id for line in found])
    return [replace(line, memories=tuple(about[line.id])) for line in found]


async def counts(tx: SpaceTransaction, *, since: datetime | None) -> list[tuple[str, str, int]]:
    """Count the lines by act and outcome."""
    cursor = await tx.conn.execute(_SQL["troubles"], {"space": tx.space.id, "since": since})
    return await cursor.fetchall()


async def prune(tx: SpaceTransaction, *, before: datetime) -> int:
    """Take out the lines from before a time; how many there were."""
    values = {"space": tx.space.id, "before": before}
    return (await tx.conn.execute(_SQL["prune_audit"], values)).rowcount


async def _memories(tx: SpaceTransaction, lines_: Sequence[int]) -> Mapping[int, list[AuditMemory]]:
    about: defaultdict[int, list[AuditMemory]] = defaultdict(list)
    values = {"space": tx.space.id, "lines": Int8s(lines_)}
    cursor = await tx.conn.execute(_SQL["lines_memories"], values)
    for line, id_, action, score, parts, reason in await cursor.fetchall():
        about[line].append(AuditMemory(id=str(id_), action=action, score=score, parts=parts, reason=reason))
    return about
