"""Looking again at the places that a receipt names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anyio import to_thread

from quipu.app.parts import Parts
from quipu.errors import BadInput
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.locate import find_place
from quipu.kinds.tables.naming import Naming
from quipu.upkeep.backup.taking import listing
from quipu.upkeep.erasure import files, store
from quipu.upkeep.erasure.everywhere import search
from quipu.upkeep.erasure.model import Checked, Place
from quipu.upkeep.erasure.names import pattern
from quipu.upkeep.erasure.templates import fill
from quipu.upkeep.snapshots.snapshots import AsyncSnapshots

_LEAST = 3
_PAGES = "freed space of data files is overwritten in time; VACUUM FULL or a new home ends it at once"
_LOG = "segments are recycled after the next checkpoints"


async def check(
    parts: Parts,
    settings: Settings,
    snapshots: AsyncSnapshots,
    receipt: str,
    strings: Sequence[str],
    *,
    space: str,
    exports: Sequence[Path],
) -> Checked:
    """What is found of the strings, by place."""
    wanted = [one.strip() for one in strings if one.strip()]
    if not wanted or any(len(one) < _LEAST for one in wanted):
        raise BadInput(f"give strings of at least {_LEAST} characters.", field="strings")
    places = await _tables(parts, wanted, space=space)
    raw = [one.encode() for one in wanted]
    for one in await snapshots.list(space=space):
        path = await snapshots.path(one.name, space=space)
        place = f"snapshot {one.name} (SHA-256 {one.sha256})"
        places.append(await to_thread.run_sync(files.look_through, place, path, raw))
    if settings.database_url is None:
        async with parts.database.owner() as conn:
            await conn.execute(fill("checkpoint"))
        places += await to_thread.run_sync(_files, settings, raw)
    else:
        places.append(Place("files of the server", None, "they are not seen from here"))
    for path in exports:
        places.append(await to_thread.run_sync(files.look_through, f"export {path}", path, raw))
    return Checked(receipt, places)


async def _tables(parts: Parts, strings: Sequence[str], *, space: str) -> list[Place]:
    form = pattern(strings)
    places: list[Place] = []
    async with parts.database.reading(space) as within:
        if within is not None:
            places += [Place(one.place, one.count) for one in await search(within, form, ())]
            entries = await store.entries_with(within, form)
            places.append(Place("core.recall_entries.content", entries))
    naming = Naming(parts.database, parts.models, parts.logins)
    for one in await naming.search(space, strings):
        places.append(Place(one.place, one.count or None, "" if one.count else one.how))
    return places


def _files(settings: Settings, strings: Sequence[bytes]) -> list[Place]:
    place, found = find_place(settings), listing(settings)
    places = [
        files.look_through("write-ahead log", place.data / "pg_wal", strings, note=_LOG),
        files.look_through("data files", place.data / "base", strings, note=_PAGES),
        files.look_through("archived log", found.log.directory, strings),
    ]
    for base in found.bases:
        places.append(files.look_through(f"base backup {base.name}", found.directory / base.name, strings))
    return places
