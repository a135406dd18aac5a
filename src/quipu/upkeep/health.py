"""State of a memory: what it runs on and how much it holds."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from anyio import to_thread

from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database
from quipu.kernel.db.embedded.disk import short_of_room

_LOG: Final = logging.getLogger("quipu")
_SQL = queries.load("quipu.upkeep")


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a memory. Sizes are bytes; ``postgis`` is True if the server has it.

    ``model`` is the embedding model that is searched; ``wanted_model`` the one of the settings, if they name
    one, or the one that is being changed to: it differs until ``quipu reembed`` has made its vectors.
    ``standbys`` follow the server, the slowest by ``standby_lag_bytes`` of its log behind; None without one,
    or without the right to see it. ``archive_fails``: the log could not be archived the last time.
    ``warnings`` are sentences about what needs a person soon: a disk of the embedded database that fills.
    """

    embedded: bool
    server_version: str
    pgvector: str
    postgis: bool
    model: str
    wanted_model: str
    dimensions: int
    spaces: int
    entries: int
    size_bytes: int
    standbys: int
    standby_lag_bytes: int | None
    archive_fails: bool
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or index of ours, with its size in bytes and, of a table, its estimated rows."""

    name: str
    kind: str
    size_bytes: int
    rows: int


async def examine(database: Database, settings: Settings, *, embedded: bool) -> Health:
    """Ask the server, and look at its disks where they are ours."""
    named = settings.origin("embedding_model") != "default"
    async with database.owner() as conn:
        (health,) = await conn.fetch(
            Health, _SQL["state"], embedded=embedded, wanted_model=settings.embedding_model if named else None
        )
    rooms = await to_thread.run_sync(partial(short_of_room, settings, size_bytes=health.size_bytes))
    return replace(health, warnings=[f"{room.detail}. {room.why}" for room in rooms])


async def warn_of_disks(database: Database, settings: Settings) -> None:
    """Write to the log which disks of the embedded database have too little room."""
    for warning in (await examine(database, settings, embedded=settings.database_url is None)).warnings:
        _LOG.warning("A disk fills: %s", warning)


async def relations(database: Database) -> list[Relation]:
    """Return every table and index of ours, the largest first."""
    async with database.owner() as conn:
        return await conn.fetch(Relation, _SQL["relations"])
