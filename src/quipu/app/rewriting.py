"""Writing tables anew after an erasure, with a note to its receipt."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from quipu.app.parts import Parts
from quipu.kinds.tables.snapshot_source import SnapshotSource
from quipu.upkeep.erasure import aftermath, rewriting
from quipu.upkeep.erasure.gone import Known
from quipu.upkeep.erasure.rewriting import Rewritten


async def rewrite_freed(
    parts: Parts, receipt: str, space: Known, *, now: datetime, confirm: bool
) -> Rewritten:
    """Write the tables anew, or without ``confirm`` say what that would take."""
    grounds = SnapshotSource(parts.database, parts.models, parts.logins)
    called = {target.schema_name: target.schema for target in await grounds.every(space.name)}
    schemas = list(called)
    if not confirm:
        return await rewriting.look(parts.database, schemas)
    done, facts = await rewriting.rewrite(parts.database, schemas)
    note = await aftermath.note(parts.database, receipt, facts, space=space, now=now, type_="rewritten")
    refused = [f"{called.get(schema, schema)}.{table}" for schema, _, table in map(_parted, done.refused)]
    return replace(done, refused=refused, note=note)


def _parted(name: str) -> tuple[str, str, str]:
    """Return the schema, the dot and the table of a name."""
    return name.partition(".")
