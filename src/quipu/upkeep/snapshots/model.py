"""Snapshots of a schema, what is done with them, and what they need from the keeper of the schemas."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, LiteralString, Protocol, TypeAlias, TypeVar

from quipu.kernel.db.database import Connection
from quipu.kernel.db.schema_names import SchemaNames
from quipu.upkeep.snapshots.rights import Granted, Kept, Right

Reason: TypeAlias = Literal["scheduled", "manual", "before-restore", "before-import"]
Tier: TypeAlias = Literal["hourly", "six-hourly", "daily", "kept"]


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A schema of agents as snapshots see it.

    ``schema`` is its short name and ``schema_name`` what PostgreSQL calls it; ``protected`` are the relations
    in it that belong to the engine. ``number`` is its key, ``reader`` the role that reads it.
    """

    space: str
    space_id: int
    schema: str
    schema_name: str
    number: int
    reader: str
    protected: Sequence[str]

    @property
    def names(self) -> SchemaNames:
        """Both names, to translate what PostgreSQL writes."""
        return SchemaNames(self.schema, self.schema_name)


@dataclass(frozen=True, slots=True)
class Sum:
    """Number of a table's rows, and a sum of the hashes of their texts, whatever their order."""

    rows: int
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A snapshot: the file ``name`` with a manifest beside it.

    ``taken_at`` is the moment that it shows. ``sums`` are of every table of the agent; ``vectors`` is how
    many vectors of the index are kept with it. ``sha256`` and ``bytes`` are of the file. ``space_hash`` is of
    the name of the space, which is nowhere on the disk. ``grants`` of the schema (agent to what it
    may do) come back with it where it was dropped. ``rights`` are what SQL granted on its objects; None in
    one of before they were kept.
    """

    name: str
    schema: str
    space_id: int
    space_hash: str
    taken_at: datetime
    reason: Reason
    sums: Mapping[str, Sum]
    bytes: int
    sha256: str
    vectors: int = 0
    vectors_sha256: str | None = None
    grants: Mapping[str, str] = field(default_factory=dict[str, str])
    rights: Kept | None = None
    tier: Tier = "kept"

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(one.rows for one in self.sums.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinned:
    """Outcome of thinning out, or without ``done`` its preview; names, newest first."""

    kept: Sequence[str]
    deleted: Sequence[str]
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """State of a schema after a restore, or without ``done`` its preview.

    ``source`` is the snapshot or the file. ``before`` and ``after`` are rows by table, ``before`` as of the
    snapshot that ``undo`` names, to which it can be put back. ``erased`` counts rows that did not come back
    because what they name was forgotten since. ``lost`` tells what else does not come back, a line each:
    rights of roles that are gone, or of another place. ``embedded`` vectors were made or taken out at once;
    the rest follows.
    """

    source: str
    schema: str
    done: bool
    before: Mapping[str, int]
    after: Mapping[str, int]
    erased: int = 0
    lost: Sequence[str] = ()
    undo: str | None = None
    embedded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOut:
    """A dump that was handed out. ``rows`` is 0 where only the structure was wanted.

    ``id`` and ``sha256`` are noted in the database: a check of an erasure recognises the file by them.
    """

    path: Path
    bytes: int
    tables: int
    rows: int
    id: str
    sha256: str


class Ground(Protocol):
    """The schemas of agents: which there are, and work on the login of their writer."""

    @property
    def protected(self) -> Sequence[str]:
        """Relations of the engine in every schema."""
        ...

    async def retention_days(self, space: str) -> int:
        """Return the days that snapshots of a space are kept, 1 to 365."""
        ...

    async def space_id(self, space: str) -> int | None:
        """Return the number of a space; None if there is none of that name."""
        ...

    async def find(self, space: str, schema: str, *, make: bool = False) -> Target:
        """Return the schema of that short name; with ``make``, make a missing one.

        Raises:
            NotFound: there is none, and ``make`` is not said.
        """
        ...

    async def every(self, space: str) -> Sequence[Target]:
        """Return all schemas of a space."""
        ...

    async def drop(self, target: Target) -> None:
        """Drop a schema with everything in it."""
        ...

    async def tables(self, conn: Connection, target: Target) -> Sequence[str]:
        """Return the agent's tables that hold rows, by name, as a connection of the owner sees them."""
        ...

    async def tables_now(self, target: Target) -> Sequence[str]:
        """Return the agent's tables that hold rows now, by name."""
        ...

    async def drops(self, target: Target) -> Sequence[LiteralString]:
        """Return statements that drop all that the agent made in the schema, in any order."""
        ...

    async def open_up(self, target: Target) -> None:
        """Make all rows of the agent's tables readable, whatever rights their owner took away."""
        ...

    async def grants(self, target: Target) -> Mapping[str, str]:
        """Return the access level of each agent in the schema."""
        ...

    async def grant(self, target: Target, grants: Mapping[str, str]) -> None:
        """Give agents these access levels in the schema."""
        ...

    async def rights(self, conn: Connection, target: Target) -> Sequence[Granted]:
        """Return all rights on the objects of a writer; ``conn`` is a connection of that writer."""
        ...

    async def roles(self, space: str, named: Collection[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return those of these roles, by name and number, that are still there and not of another space."""
        ...

    async def admit(self, target: Target, rights: Iterable[Right]) -> None:
        """Give roles rights on the schema itself, as its owner."""
        ...

    async def look(self, target: Target, work: Callable[[Connection], Awaitable[_T]]) -> _T:
        """Work on a connection of the writer, in autocommit mode."""
        ...

    async def change(
        self,
        target: Target,
        work: Callable[[Connection], Awaitable[_T]],
        *,
        seconds: float,
        trial: bool = False,
    ) -> _T:
        """Work in one transaction of the writer, at whose end the engine follows the structure.

        It is undone where the work raises, and where it was a trial.
        """
        ...

    async def save_vectors(self, conn: Connection, target: Target, write: Callable[[bytes], object]) -> int:
        """Write the vectors of the schema and return their number. ``conn`` is of the owner."""
        ...

    async def lend_vectors(self, target: Target, saved: Path) -> None:
        """Reuse vectors that `save_vectors` wrote for rows with the same text when the index follows."""
        ...

    async def follow(self, target: Target) -> int:
        """Let the index catch up for a while; return the number of vectors made or removed."""
        ...

    async def tidy(self, target: Target) -> None:
        """Drop saved vectors that no row waits for."""
        ...
