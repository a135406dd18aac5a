"""What the tests of agents' tables work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from quipu import Memory
from quipu.kinds.tables.model import Schema


@dataclass(frozen=True, slots=True)
class House:
    """An open memory, and the address of its database for the superuser."""

    memory: Memory
    url: str

    def schema(self, space: str) -> Schema:
        """The schema ``memory`` of a space, made where it is missing."""
        return self.memory.tables.create_schema("memory", space=space)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What the superuser sees."""
        with psycopg.connect(self.url, autocommit=True) as conn:
            return conn.execute(query.encode(), values or None).fetchall()
