"""Tombstones of erased data: recordings that are read again do not bring it back.

Of each line, session, person and space only a keyed hash is kept, in a table that no role but its owner can
read; the database makes and compares the hashes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, Database, SpaceTransaction
from quipu.upkeep.erasure.model import What

_SQL = queries.load("quipu.upkeep.erasure")

Noted = Callable[[SpaceTransaction, What, datetime], Awaitable[None]]
"""Notes what of a kind of memory an erasure is about to take: ``await noted(within, what, now)``."""

Kind = Literal["line", "prompt", "session", "user", "everything"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A line of a recording, by what identifies it: its id in its session, and when and whose it is."""

    id: str
    session: str | None = None
    happened_at: datetime | None = None
    user: str | None = None
    speaker: str | None = None


async def note(
    tx: SpaceTransaction, kind: Kind, named: Sequence[tuple[str, str]], *, until: str | datetime
) -> None:
    """Note session and id of erased lines that happened before ``until`` (``infinity`` for all)."""
    await note_of(tx.conn, tx.space.name, kind, named, until=until)


async def note_of(
    conn: Connection, space: str, kind: Kind, named: Sequence[tuple[str, str]], *, until: str | datetime
) -> None:
    """Note erased lines of a space, which may be gone."""
    if not named:
        return
    sessions, ids = zip(*named, strict=True)
    values = {"name": space, "kind": kind, "sessions": [*sessions], "ids": [*ids], "until": until}
    await conn.execute(_SQL["note_erased"], values)


async def note_named(tx: SpaceTransaction, what: What, now: datetime) -> None:
    """Note the person or the space that an erasure names: what is being taken in of them now is not taken."""
    if what.everything:
        await note(tx, "everything", [("", "")], until=now)
    elif what.user is not None and what.session is None and what.message is None:
        await note(tx, "user", [("", what.user)], until=now)


async def clock(database: Database) -> datetime:
    """Return the server's time, for work that must not take in anything erased after it began."""
    async with database.unscoped() as conn:
        return await conn.value(_SQL["clock"])


async def erased(
    conn: Connection, space: str, lines: Sequence[Recorded], *, began: datetime, kind: Kind = "line"
) -> set[int]:
    """Return the places (0 …) of lines that were erased, alone or with their source, since ``began``."""
    values = {
        "name": space,
        "kind": kind,
        "sessions": [one.session for one in lines],
        "ids": [one.id for one in lines],
        "times": [one.happened_at for one in lines],
        "users": [one.user for one in lines],
        "speakers": [one.speaker for one in lines],
        "began": began,
    }
    return {place - 1 for (place,) in await (await conn.execute(_SQL["erased_among"], values)).fetchall()}


async def is_forgotten(conn: Connection, space: str, *, began: datetime) -> bool:
    """Return True if a space was forgotten as a whole since the work ``began``."""
    return bool(await erased(conn, space, [Recorded("")], began=began, kind="everything"))


async def erased_sessions(
    tx: SpaceTransaction, names: Sequence[str], *, lost: Sequence[str] = ()
) -> set[str]:
    """Return the sessions that are gone and were once erased, or ``lost`` all lines made of them."""
    rows = await tx.rows(_SQL["erased_sessions"], name=tx.space.name, sessions=list(names), lost=list(lost))
    return {name for (name,) in rows}
