"""Snapshots of agents' schemas: their derived routes, and a snapshot as an answer."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.models import Answer
from quipu.upkeep.snapshots.model import Reason, Snapshot, Tier


class SnapshotAnswer(Answer):
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
    def of(cls, one: Snapshot) -> SnapshotAnswer:
        """Return a snapshot as an answer."""
        fields = {name: getattr(one, name) for name in ("name", "schema", "taken_at", "reason", "tier")}
        tables = {table: table_sum.rows for table, table_sum in one.sums.items()}
        return cls.model_validate({**fields, "bytes": one.bytes, "vectors": one.vectors, "tables": tables})


router = derived("snapshots", OPERATIONS, shapes={Snapshot: SnapshotAnswer})
