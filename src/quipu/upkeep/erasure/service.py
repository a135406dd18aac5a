"""One erasure through every kind of memory, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.recall.index import remove
from quipu.upkeep.erasure.everywhere import search as search_ours
from quipu.upkeep.erasure.everywhere import take_out
from quipu.upkeep.erasure.model import Erasure, Left, Named, What
from quipu.upkeep.erasure.names import chosen, pattern
from quipu.upkeep.erasure.tombstones import Noted

_SQL = queries.load("quipu.upkeep.erasure")


class Eraser(Protocol):
    """Interface by which a kind of memory can be forgotten."""

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that ``erase`` would take, by table."""
        ...

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns the ids of their entries in the index, which are taken out next."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Search for names in what others said, beside the person's own data.

    ``names`` are as they are spelled; ``named`` is what kinds can change. ``left`` and ``counts`` are what
    was found and removed elsewhere: in the tables of agents, which have logins of their own. ``noted`` is
    called with what is about to go.
    """

    names: Sequence[str]
    named: Sequence[Named]
    everywhere: bool
    trial: bool
    noted: Sequence[Noted] = ()
    left: Sequence[Left] = ()
    counts: Mapping[str, int] = field(default_factory=dict[str, int])


async def preview(database: Database, erasers: Sequence[Eraser], what: What, *, space: str) -> Erasure:
    """Count the rows that ``erase`` would take; nothing is changed."""
    async with database.snapshot_read(space) as tx:
        return Erasure(space, what, {} if tx is None else await count(tx, erasers, what))


async def erase(
    database: Database,
    erasers: Sequence[Eraser],
    what: What,
    touched: list[tuple[str, str]] | None = None,
    *,
    space: str,
    now: datetime,
    noted: Sequence[Noted] = (),
) -> Erasure:
    """Erase through every kind and return the receipt. Other transactions see all of it gone, or none.

    ``touched`` gets the tables that are to be vacuumed; ``noted`` is told what is about to go.
    """
    async with database.erase(space) as tx:
        if tx is None:
            return Erasure(space, what, {})
        await tx.take_time()
        for note in noted:
            await note(tx, what, now)
        (erased,) = await take(tx, [(what, erasers)], now=now)
        if what.everything:
            await tx.execute(_SQL["remove_space"])
        if touched is not None:
            touched.extend(await _touched(tx))
    return erased


async def remove_space(tx: SpaceTransaction, erasers: Sequence[Eraser]) -> None:
    """Take a space out whole, without a receipt, in a transaction of ``Database.erase``: it is elsewhere."""
    everything = What()
    # Plans that were made when the tables were small would look through them for each row that goes.
    await tx.conn.execute("discard plans")
    await _take_out(tx, [entry for one in erasers for entry in await one.erase(tx, everything)])
    await tx.execute(_SQL["remove_space"])


async def names_of(database: Database, user: str | None, added: Sequence[str], *, space: str) -> list[str]:
    """Return the names by which a person is searched for in what others said."""
    async with database.snapshot_read(space) as tx:
        carried = [] if tx is None or user is None else await tx.rows(_SQL["carried"], user=user)
    return chosen(user, [name for (name,) in carried], added)


async def erase_named(
    database: Database,
    erasers: Sequence[Eraser],
    what: What,
    search: Search,
    touched: list[tuple[str, str]],
    *,
    space: str,
    now: datetime,
) -> Erasure:
    """Erase a person's data, search for their names in the rest, and with ``everywhere`` remove these too.

    A trial does all of it and rolls it back, so a preview says exactly what would be left. ``touched`` gets
    the tables that are to be vacuumed.
    """
    erasure = Erasure(space, what, {})
    try:
        async with database.erase(space) as tx:
            if tx is None:
                return erasure
            erasure = await _take_named(tx, erasers, what, search, touched, now=now)
            if search.trial:
                raise _Undone
    except _Undone:
        return replace(erasure, receipt=None, erased_at=None)
    return erasure


class _Undone(Exception):
    """A trial is at its end."""


async def _take_named(
    tx: SpaceTransaction,
    erasers: Sequence[Eraser],
    what: What,
    search: Search,
    touched: list[tuple[str, str]],
    *,
    now: datetime,
) -> Erasure:
    from quipu.upkeep.erasure.chain import ChainEntry, append  # noqa: PLC0415 - as below

    counts = await count(tx, erasers, what)
    for note in () if search.trial else search.noted:
        await note(tx, what, now)
    entries = [entry for eraser in erasers for entry in await eraser.erase(tx, what)]
    left: list[Left] = []
    if search.names:
        form = pattern(search.names)
        if search.everywhere:
            more, gone = await take_out(tx, form, search.named)
            counts, entries = {**counts, **more}, [*entries, *gone]
        left = await search_ours(tx, form, search.named)
    await _take_out(tx, sorted(set(entries)))
    touched.extend(await _touched(tx))
    left += search.left
    counts |= search.counts
    receipt: list[str] = []
    if not search.trial:
        facts = {
            **_facts(what, counts),
            "everywhere": search.everywhere,
            "left": _plain((one.place, one.count) for one in left),
        }
        names = search.names if search.everywhere else ()
        entry = ChainEntry(facts=facts, counts=_plain(counts.items()), names=_names(what), more_names=names)
        receipt = await append(tx, [entry], now=now)
    return Erasure(tx.space.name, what, counts, receipt[0] if receipt else None, now, left)


async def _take_out(tx: SpaceTransaction, entries: Sequence[int]) -> None:
    """Take entries out of the index; what others make of what they read before is not written any more."""
    if entries:
        await remove(tx, entries)
    await tx.execute(_SQL["count_erasure"])


async def _touched(tx: SpaceTransaction) -> list[tuple[str, str]]:
    """Return schema and table of all rows that the transaction took or changed."""
    return [(schema, table) for schema, table in await tx.rows(_SQL["touched"])]


def _plain(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return rows by table, without the names that agents gave to theirs: they may be of people."""
    places: dict[str, int] = {}
    for name, count in counts:
        place = "tables of agents" if name.startswith("memory") else name
        places[place] = places.get(place, 0) + count
    return places


async def take(
    tx: SpaceTransaction, doomed: Iterable[tuple[What, Sequence[Eraser]]], *, now: datetime
) -> list[Erasure]:
    """Take several things out, each through its erasers, in a transaction of ``Database.erase``."""
    # Not at the top: what signs takes longer to load than a memory takes to open, and most never forget.
    from quipu.upkeep.erasure.chain import ChainEntry, append  # noqa: PLC0415

    taken: list[tuple[What, dict[str, int]]] = []
    entries: list[int] = []
    for what, erasers in doomed:
        taken.append((what, await count(tx, erasers, what)))
        entries += [entry for eraser in erasers for entry in await eraser.erase(tx, what)]
    await _take_out(tx, entries)
    # A space that goes as a whole is found again by its own name.
    notes = [
        ChainEntry(
            facts=_facts(what, counts),
            counts=counts,
            names={**_names(what), "space": "" if what.everything else None},
        )
        for what, counts in taken
    ]
    receipts = await append(tx, notes, now=now) if notes else []
    return [
        Erasure(tx.space.name, what, counts, receipt, now)
        for (what, counts), receipt in zip(taken, receipts, strict=True)
    ]


async def count(tx: SpaceTransaction, erasers: Sequence[Eraser], what: What) -> dict[str, int]:
    """Count the rows that erasers would take, by table."""
    counts: dict[str, int] = {}
    for eraser in erasers:
        counts |= await eraser.count(tx, what)
    return counts


def _names(what: What) -> dict[str, str | None]:
    return {"session": what.session, "user": what.user, "message": what.message}


def _facts(what: What, counts: Mapping[str, int]) -> dict[str, object]:
    """Return the facts of a receipt: which kinds of names were given, never the names."""
    kinds = [kind for kind, name in _names(what).items() if name is not None]
    return {"type": "erasure", "erased": kinds or ["everything"], "rows": _plain(counts.items())}
