"""Leaving out of an import what was forgotten here since the archive was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.errors import Conflict
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.upkeep.archive.manifest import Manifest
from quipu.upkeep.erasure.model import What
from quipu.upkeep.erasure.names import keyed
from quipu.upkeep.erasure.service import Eraser, count

_SQL: Final = queries.load("quipu.upkeep.archive")
_WHOLE: Final = "Take an older archive in with erased_too, if it is to come back; or export again."


@dataclass(frozen=True, slots=True)
class _Erased:
    """An erasure, by the keyed hashes of what it named; ``everywhere``: names were taken out of texts."""

    session: str | None
    person: str | None
    message: str | None
    everywhere: bool

    @property
    def hashes(self) -> list[str]:
        """The hashes of all its names."""
        return [one for one in (self.session, self.person, self.message) if one is not None]


Forgotten = Mapping[str, Sequence[_Erased]]
"""Erasures by the name of their space."""


class Erasures:
    """Erasures since the moment of an archive, in its space and in the one that takes it in."""

    def __init__(self, database: Database, manifest: Manifest, space: str) -> None:
        self._database = database
        self._spaces = dict.fromkeys((manifest.space, space))
        self._since = manifest.moment

    async def read(self) -> Forgotten:
        """Return erasures by the name of the space.

        Raises:
            Conflict: a space was forgotten whole.
        """
        return {name: await self._of(name) for name in self._spaces}

    async def _of(self, space: str) -> Sequence[_Erased]:
        async with self._database.unscoped() as conn, conn.transaction():
            whole = keyed(await conn.value(_SQL["names_key"]), space, "")
            if await conn.value(_SQL["space_was_erased"], hash=whole, since=self._since):
                raise Conflict(
                    f"The space {space!r} was forgotten after this archive was made.",
                    field="path",
                    hint=_WHOLE,
                )
        async with self._database.transaction(space) as tx:
            return [] if tx is None else await tx.fetch(_Erased, _SQL["erased_since"], since=self._since)


async def forget_again(
    tx: SpaceTransaction, erased: Forgotten, erasers: Sequence[Eraser]
) -> Mapping[str, int]:
    """Take out of the space what erasures named; returns rows by table.

    Raises:
        Conflict: what was erased cannot be found by a name: one memory, or a name in the texts of others.
    """
    gone: Counter[str] = Counter()
    for space, erasures in erased.items():
        named = await _names(tx, space, [hash for one in erasures for hash in one.hashes])
        for one in erasures:
            what = _what(one, named)
            if what is None:
                continue
            gone.update(await count(tx, erasers, what))
            for eraser in erasers:
                await eraser.erase(tx, what)
    return dict(gone)


async def _names(tx: SpaceTransaction, space: str, hashes: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return names by what they are of and their hash."""
    if not hashes:
        return {}
    ((secret,),) = await tx.rows(_SQL["names_key"])
    rows = await tx.rows(_SQL["names_of_hashes"], secret=secret, of=space, hashes=list(hashes))
    return {(what, hashed): name for hashed, what, name in rows}


def _what(one: _Erased, named: Mapping[tuple[str, str], str]) -> What | None:
    """Return the extent of an erasure in this space; None if nothing here has its names."""
    if one.everywhere or (one.message is not None and ("memory", one.message) in named):
        raise Conflict(
            "A memory that this archive has was erased since, or a name in what others said.",
            field="path",
            hint=_WHOLE,
        )
    found = {
        "session": None if one.session is None else named.get(("session", one.session)),
        "user": None if one.person is None else named.get(("user", one.person)),
        "message": None if one.message is None else named.get(("message", one.message)),
    }
    what = What(**found)
    complete = sum(value is not None for value in found.values()) == len(one.hashes)
    return what if complete and not what.everything else None
