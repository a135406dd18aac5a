"""Answers about snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

from pydantic import Field

from quipu.interfaces.rest.models import Told
from quipu.upkeep.snapshots.model import Reason, Snapshot, Tier


class SnapshotTold(Told):
    """A snapshot of one schema of agents. `taken_at` is the moment that it shows, `tier` what keeps it."""

    name: Annotated[str, Field(examples=["memory_20260504_100000.sql"])]
    schema_: Annotated[str, Field(alias="schema", examples=["memory"])]
    taken_at: datetime
    reason: Reason
    tier: Tier
    bytes: int
    vectors: int
    tables: Annotated[dict[str, int], Field(description="Rows by table.", examples=[{"dwarves": 13}])]

    @classmethod
    def of(cls, one: Snapshot) -> SnapshotTold:
        """Return a snapshot as an answer."""
        told = {name: getattr(one, name) for name in ("name", "schema", "taken_at", "reason", "tier")}
        tables = {table: found.rows for table, found in one.sums.items()}
        return cls.model_validate({**told, "bytes": one.bytes, "vectors": one.vectors, "tables": tables})


class ThinnedTold(Told):
    """Outcome of thinning out, or its preview; names, newest first."""

    kept: list[str]
    deleted: list[str]


class RestoredTold(Told):
    """State of a schema after a restore, or without `done` its preview.

    `before` and `after` are rows by table; `undo` names the snapshot to which it can be put back. `erased`
    counts rows that did not come back because what they name was forgotten since, `lost` says what else does
    not come back: rights of roles that are gone, or that are of another place.
    """

    source: str
    schema_: Annotated[str, Field(alias="schema")]
    done: bool
    before: Mapping[str, int]
    after: Mapping[str, int]
    erased: int
    lost: Annotated[
        list[str],
        Field(examples=[["right select on table dwarves of reporting: there is no such role any more"]]),
    ]
    undo: str | None
    embedded: int
