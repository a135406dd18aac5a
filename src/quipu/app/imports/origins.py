"""Where records came from: noted in the transaction that writes them, so that neither is there alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Found, kind_of
from quipu.app.imports.parcels import digest, raw_of, source_id
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.lessons.lessons import AsyncLessons
from quipu.recall.generations import Models
from quipu.record.service import Record
from quipu.upkeep.erasure import tombstones
from quipu.upkeep.erasure.tombstones import Recorded

SQL: Final = queries.load("quipu.app.imports")
IMPORT: Final = "import"
"""The author, in the history of a memory, of what its source changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Space that an import goes into, and what it is called there: its id, source, file and digest."""

    space: str
    id: UUID
    source: str
    label: str
    sha256: str


@dataclass(slots=True)
class Tallied:
    """Account of what was written."""

    records: Counter[str] = field(default_factory=Counter[str])
    known: int = 0
    changed: int = 0
    withheld: int = 0
    redacted: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True)
class Known:
    """A record that came before: the id of what it became, and the digest of what it was."""

    target: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Parts of a memory that an import writes with."""

    database: Database
    record: Record
    models: Models
    lessons: AsyncLessons
    clock: Clock
    settings: Settings


class Origins:
    """Notes of one import on where its records came from."""

    def __init__(self, means: Means, place: Place, account: Account) -> None:
        self.means = means
        self.place = place
        self.account = account

    async def known(
        self, tx: SpaceTransaction | None, found: Sequence[Found]
    ) -> dict[tuple[str, str], Known]:
        """Return the records that came before, by kind and id, and the ids of those that they became."""
        if tx is None:
            return {}
        rows = await tx.rows(
            SQL["known"],
            source=self.place.source,
            kinds=[kind_of(one) for one in found],
            ids=[source_id(one) for one in found],
        )
        return {(kind, id_): Known(target, bytes(made).hex()) for kind, id_, target, made in rows}

    async def changed_here(
        self, tx: SpaceTransaction | None, found: Sequence[Found]
    ) -> dict[tuple[str, str], bool]:
        """Return records that were changed here since they came: True for those that were taken out."""
        if tx is None or not found:
            return {}
        rows = await tx.rows(
            SQL["changed_here"],
            source=self.place.source,
            by=IMPORT,
            kinds=[kind_of(one) for one in found],
            ids=[source_id(one) for one in found],
        )
        return {(kind, id_): gone for kind, id_, gone in rows}

    async def erased(self, found: Sequence[Found], *, began: datetime) -> set[int]:
        """Return the places of records that were forgotten here; messages are known by the record."""
        lines = [
            Recorded(source_id(one), f"import:{self.place.source}:{kind_of(one)}", user=one.user)
            for one in found
        ]
        async with self.means.database.unscoped() as conn:
            return await tombstones.erased(conn, self.place.space, lines, began=began)

    async def begin(self, tx: SpaceTransaction) -> None:
        """Note that the import began, if that is not noted yet."""
        place = self.place
        await tx.execute(
            SQL["begin"],
            id=place.id,
            source=place.source,
            version=self.account.version,
            label=place.label,
            sha256=place.sha256,
            now=self.means.clock.now(),
        )

    async def note(self, tx: SpaceTransaction, query: str, origins: Sequence[Mapping[str, Any]]) -> None:
        """Note origins, by the name of a query."""
        values = {"import": self.place.id, "source": self.place.source, "origins": json.dumps(origins)}
        await tx.execute(SQL[query], **values)

    def origin(self, one: Found, target: str) -> dict[str, Any]:
        """Return the origin of a record that became what has the id ``target``."""
        raw = raw_of(one, secrets=self.means.settings.redact)
        return {
            "kind": kind_of(one),
            "source_id": source_id(one),
            "target_id": target,
            "digest": digest(one),
            "raw": raw,
        }
