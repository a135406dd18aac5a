"""Snapshots of a schema, and what is done with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

from quipu.kernel.db.schema_names import SchemaNames
from quipu.upkeep.snapshots.rights import Kept

Reason: TypeAlias = Literal["scheduled", "manual", "before-restore", "before-import"]
Tier: TypeAlias = Literal["hourly", "six-hourly", "daily", "kept"]


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
