"""The queries of the record, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Within
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.record")


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it is kept. ``session`` and ``external_id`` are the caller's own ids."""

    id: int
    external_id: str
    session: str | None
    role: str
    speaker: str | None
    user_name: str | None
    happened_at: datetime
    recorded_at: datetime
    content: str


@dataclass(frozen=True, slots=True)
class Session:
    """A session: the id that the caller gave, how many messages it holds, and its span."""

    name: str
    messages: int
    started_at: datetime | None
    last_at: datetime | None


async def lock_sessions(within: Within, names: Sequence[str]) -> dict[str, int]:
    """The numbers of sessions, made where they were missing, held until commit."""
    if not names:
        return {}
    values = {"space": within.space.id, "names": list(names)}
    found: list[tuple[str, int]] = []
    if len(names) == 1:  # most are there. Of several, the missing are made first: nobody waits holding one
        found = await (await within.conn.execute(_SQL["lock_sessions"], values)).fetchall()
    if len(found) < len(names):
        await within.conn.execute(_SQL["open_sessions"], values)
        found = await (await within.conn.execute(_SQL["lock_sessions"], values)).fetchall()
    return dict(found)


async def session_ids(within: Within, names: Sequence[str]) -> dict[str, int]:
    """The numbers of sessions, of those that are there."""
    values = {"space": within.space.id, "names": list(names)}
    return dict(await (await within.conn.execute(_SQL["session_ids"], values)).fetchall())


async def session_id(within: Within, name: str) -> int | None:
    """The number of a session, or None where there is none of that name."""
    row = await (
        await within.conn.execute(_SQL["session_id"], {"space": within.space.id, "name": name})
    ).fetchone()
    return row[0] if row else None


async def known(within: Within, ids: Sequence[str], sessions: Sequence[int]) -> dict[int, str]:
    """Of messages with these ids, which are stored already: place in the arguments (0 …) to content."""
    values = {"space": within.space.id, "ids": list(ids), "sessions": Int8s(sessions)}
    rows = await (await within.conn.execute(_SQL["known_messages"], values)).fetchall()
    return {place - 1: content for place, content in rows}


async def run(within: Within, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await within.conn.execute(_SQL[name], {"space": within.space.id, **values})


async def messages(within: Within, ids: Sequence[int]) -> list[Message]:
    """Messages by id, those that are there."""
    async with within.conn.cursor(row_factory=class_row(Message)) as cursor:
        await cursor.execute(_SQL["cite"], {"space": within.space.id, "ids": Int8s(ids)})
        return await cursor.fetchall()


async def around(within: Within, message: int, *, before: int, after: int) -> list[Message]:
    """A message and those beside it in its session, oldest first; nothing where it stands alone."""
    values = {"space": within.space.id, "id": message, "before": before, "after": after}
    async with within.conn.cursor(row_factory=class_row(Message)) as cursor:
        return await (await cursor.execute(_SQL["around"], values)).fetchall()


async def sessions(within: Within, *, limit: int, offset: int) -> list[Session]:
    """Sessions, the latest first."""
    values = {"space": within.space.id, "limit": limit, "offset": offset}
    async with within.conn.cursor(row_factory=class_row(Session)) as cursor:
        return await (await cursor.execute(_SQL["list_sessions"], values)).fetchall()


async def counts(within: Within) -> dict[str, int]:
    """Messages, sessions and secrets cut out."""
    row = await (await within.conn.execute(_SQL["counts"], {"space": within.space.id})).fetchone()
    assert row is not None
    return dict(zip(("messages", "sessions", "redacted"), row, strict=True))


async def matching(within: Within, what: What) -> list[int]:
    """The messages that an erasure is to take."""
    values = {"space": within.space.id, "user": what.user, "message": what.message, "session": what.session}
    return [row[0] for row in await (await within.conn.execute(_SQL["matching"], values)).fetchall()]
