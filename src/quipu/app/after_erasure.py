"""After an erasure: checking what is left in the places that its receipt names, and rewriting tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

import anyio
from anyio import to_thread

from quipu.app.parts import Parts
from quipu.errors import DatabaseError
from quipu.kernel.config import Settings
from quipu.kinds.tables.person_names import PersonNames
from quipu.kinds.tables.snapshot_source import SnapshotSource
from quipu.upkeep.erasure import aftermath, places, rewrite
from quipu.upkeep.erasure.everywhere import entries_with, fill
from quipu.upkeep.erasure.everywhere import search as search_tables
from quipu.upkeep.erasure.forgotten import ErasedSpace
from quipu.upkeep.erasure.limits import Limit
from quipu.upkeep.erasure.model import Checked, CheckedPlace, Left, Receipt
from quipu.upkeep.erasure.names import anywhere, as_bytes, wanted
from quipu.upkeep.erasure.place_search import PlaceSearch
from quipu.upkeep.erasure.places import Holder, Notes
from quipu.upkeep.erasure.rewrite import Rewritten, log_segments
from quipu.upkeep.snapshots.shelf import Shelf

_AT_ONCE: Final = 100
_TABLES: Final = "tables and index of the space"


class Checking:
    """One check of an erasure: what is left of it, place by place."""

    def __init__(self, parts: Parts, settings: Settings, space: ErasedSpace) -> None:
        self._parts = parts
        self._settings = settings
        self._space = space

    async def check(
        self,
        receipts: Sequence[Receipt],
        strings: Sequence[str],
        limit: Limit,
        *,
        exports: Sequence[Path],
        after: str | None,
        of_all: bool,
    ) -> Checked:
        """Check what is still there of what receipts name, and where each string stands.

        ``of_all`` is false if the caller may not look into what belongs to all spaces together.
        """
        sought = wanted(strings) if strings else []
        notes = Notes.of([one.document for one in receipts])
        search = PlaceSearch(as_bytes(sought), limit, after=after)
        found: list[CheckedPlace] = []
        if sought and search.begins:
            found += await self._tables(sought, search, limit)
        work = partial(_through, search, await self._holders(notes), notes, exports, of_all=of_all)
        try:
            found += await to_thread.run_sync(work, abandon_on_cancel=True)
        finally:
            limit.give_up()
        found += places.unreached(notes, search.seen)
        return Checked(receipt=receipts[0].id, places=found, searched=bool(sought), after=search.after)

    async def _holders(self, notes: Notes) -> list[Holder]:
        """Return the places of existing files, and of those that the receipt names and that are gone."""
        shelf = Shelf.of(self._settings, self._parts.database.url)
        kept = shelf.all(self._space.id, self._space.name)
        found = places.of_snapshots(notes, shelf, self._space.id, kept)
        if self._settings.database_url is not None:
            return [*found, *places.of_server(notes, await self._segments())]
        async with self._parts.database.owner() as conn:
            await conn.execute(fill("checkpoint"))
        work = partial(places.of_embedded, notes, self._settings, shelf.root)
        return [*found, *await to_thread.run_sync(work)]

    async def _segments(self) -> list[str] | None:
        """Return the log segments of a separate server; None if it does not list them."""
        try:
            async with self._parts.database.owner() as conn:
                return await log_segments(conn)
        except DatabaseError:
            return None

    async def _tables(self, strings: Sequence[str], search: PlaceSearch, limit: Limit) -> list[CheckedPlace]:
        """Find strings in what SQL can read, and note whether all of it was searched."""
        found: dict[str, tuple[int, str]] = {}
        with anyio.move_on_after(limit.seconds_left) as timer:
            for start in range(0, len(strings), _AT_ONCE):
                form = anywhere(strings[start : start + _AT_ONCE])
                for one in await self._standing(form):
                    before, _ = found.get(one.place, (0, ""))
                    found[one.place] = (before + one.count, one.how if not one.count else "")
        columns = [
            CheckedPlace(place, found=count or None, note=note, whole=bool(count))
            for place, (count, note) in found.items()
        ]
        if timer.cancelled_caught:
            search.stop(_TABLES, "the limit of time")
            note = "not searched to the end: the limit of time was reached; allow for more"
            return [*columns, CheckedPlace(_TABLES, note=note, whole=False)]
        return [*columns, CheckedPlace(_TABLES, found=sum(count for count, _ in found.values()))]

    async def _standing(self, form: str) -> list[Left]:
        found: list[Left] = []
        async with self._parts.database.snapshot_read(self._space.name) as tx:
            if tx is not None:
                await tx.take_time()
                found += await search_tables(tx, form, ())
                entries = await entries_with(tx, form)
                found += [Left("core.recall_entries.content", entries, "")] if entries else []
        naming = PersonNames(self._parts.database, self._parts.models, self._parts.logins)
        return found + await naming.search(self._space.name, form)


def _through(
    search: PlaceSearch, holders: Sequence[Holder], notes: Notes, exports: Sequence[Path], *, of_all: bool
) -> list[CheckedPlace]:
    """Look through all files, place by place; for a thread."""
    found: list[CheckedPlace] = []
    for holder in holders:
        place = search.through(holder, may=of_all or holder.own)
        found += [] if place is None else [place]
    noted = {str(one.get("sha256")): one for one in notes.exports}
    for number, path in enumerate(exports, start=1):
        found += search.export(number, path, noted)
    search.finish()
    return found


async def rewrite_freed(
    parts: Parts, receipt: str, space: ErasedSpace, *, now: datetime, confirm: bool
) -> Rewritten:
    """Rewrite the tables, with a note to the receipt, or without ``confirm`` say what that would take."""
    source = SnapshotSource(parts.database, parts.models, parts.logins)
    called = {target.schema_name: target.schema for target in await source.every(space.name)}
    schemas = list(called)
    if not confirm:
        return await rewrite.look(parts.database, schemas)
    done, facts = await rewrite.rewrite(parts.database, schemas)
    note = await aftermath.note(parts.database, receipt, facts, space=space, now=now, type_="rewritten")
    refused = [f"{called.get(schema, schema)}.{table}" for schema, _, table in map(_parted, done.refused)]
    return replace(done, refused=refused, note=note)


def _parted(name: str) -> tuple[str, str, str]:
    """Return the schema, the dot and the table of a name."""
    return name.partition(".")
