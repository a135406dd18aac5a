"""What the tests of agents' tables work with."""

from __future__ import annotations

from copy import copy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import psycopg
from psycopg import conninfo

from quipu import Memory
from quipu.kinds.tables.model import StoredSchema
from quipu.upkeep.snapshots.snapshots import ScheduledSnapshots


def at_once(*statements: str) -> str:
    """One statement that does several: an agent's statement is tried before it is done, which costs."""
    return f"do $at_once$ begin {'; '.join(statements)}; end $at_once$"


def take_hourly(memory: Memory, *, space: str) -> None:
    """Do with the snapshots of a memory what a worker does every hour."""
    snapshots = memory.snapshots
    made = copy(snapshots._inner)
    made.__class__ = ScheduledSnapshots
    snapshots._portal.call(lambda: cast("ScheduledSnapshots", made).take(space=space))


@dataclass(frozen=True, slots=True)
class House:
    """An open memory, the address of its database for the superuser, and its home."""

    memory: Memory
    url: str
    home: Path

    def schema(self, space: str, name: str = "memory") -> StoredSchema:
        """A schema of a space, made where it is missing, with the name that PostgreSQL has for it."""
        made = self.memory.tables.create_schema(name, space=space)
        ((internal,),) = self.rows("select schema_name from tables.schemas where id = %s", made.id)
        return StoredSchema(schema_name=internal, **asdict(made))

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What the superuser sees."""
        with psycopg.connect(self.url, autocommit=True) as conn:
            return conn.execute(query.encode(), values or None).fetchall()

    def writer(self, space: str) -> str:
        """The address for the login of the writer of a space's ``memory``."""
        ((role, password),) = self.rows(
            "select s.writer, p.writer_password from tables.schemas s join tables.passwords p"
            " on p.schema_id = s.id and p.space_id = s.space_id where s.id = %s",
            self.schema(space).id,
        )
        return conninfo.make_conninfo(self.url, user=role, password=password)
