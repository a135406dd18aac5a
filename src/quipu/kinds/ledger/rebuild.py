"""Rebuild the projections from the events alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database
from quipu.kinds.ledger import store
from quipu.kinds.ledger.model import Rebuilt
from quipu.kinds.ledger.rules import Standing, fold, preference_place
from quipu.kinds.ledger.store import Happening

_KEY = attrgetter("scope", "owner", "namespace", "key")
_PROJECTIONS = ("session_rows", "preference_rows")


async def rebuild(database: Database, space: str) -> Rebuilt:
    """Drop both projections of a space and replay its events; nobody writes to the space meanwhile."""
    async with database.erase(space) as tx:
        if tx is None:
            return Rebuilt(0, 0, 0, 0)
        events = await tx.fetch(Happening, store.SQL["happened"])
        before = [set(await tx.rows(store.SQL[name])) for name in _PROJECTIONS]
        for step in ("begin", "drop_session_rows", "drop_preference_rows"):
            await tx.execute(store.SQL[step])
        standing = list(_standing(events))
        await tx.execute(store.SQL["make_session_rows"], **_session_rows(standing))
        await tx.execute(store.SQL["make_preference_rows"], **_preference_rows(standing))
        await tx.execute(store.SQL["file_anew"])
        after = [set(await tx.rows(store.SQL[name])) for name in _PROJECTIONS]
    changed = sum(len(was ^ now) for was, now in zip(before, after, strict=True))
    return Rebuilt(len(events), len(after[0]), len(after[1]), changed)


def _standing(events: Iterable[Happening]) -> Iterator[Standing[Happening]]:
    for _, of_key in groupby(events, key=_KEY):
        standing = fold(of_key)
        if standing is not None:
            yield standing


def _session_rows(standing: Iterable[Standing[Happening]]) -> dict[str, object]:
    own = [s for s in standing if s.event.scope == "session"]
    return {"standing": Int8s([s.event.id for s in own]), "first": Int8s([s.first.id for s in own])}


def _preference_rows(standing: Iterable[Standing[Happening]]) -> dict[str, object]:
    own = [s for s in standing if s.event.scope == "cross_session"]
    places = [preference_place(s.event.namespace, s.event.key) for s in own]
    return {
        "standing": Int8s([s.event.id for s in own]),
        "first": Int8s([s.first.id for s in own]),
        "namespaces": [namespace for namespace, _ in places],
        "keys": [key for _, key in places],
    }
