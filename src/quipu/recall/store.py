"""The queries of recall, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int4s, Int8s, Texts, halfvecs
from quipu.kernel.db.database import Connection, Rows, SpaceTransaction, ask, fetch
from quipu.kernel.embedding.embedder import Embedder
from quipu.recall import signatures
from quipu.recall.changes import Compared
from quipu.recall.model import GenerationChanged
from quipu.recall.question import Name
from quipu.recall.signatures import Signatures

_SQL = queries.load("quipu.recall")
# Its parameters are numbered once: the driver would look for the names in its text at every call.


@dataclass(frozen=True, slots=True)
class Generation:
    """An embedding model whose vectors are in the database."""

    id: int
    model: str
    digest: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Thread:
    """The end of a thread: where it goes on, and who took part so far."""

    id: int
    next_position: int
    speakers: Sequence[int]
    with_assistant: bool


@dataclass(frozen=True, slots=True)
class Dated:
    """An entry in the order of time: of ``total``, so many stand before the first that was asked for."""

    id: int
    kind: int
    happened_at: datetime
    total: int
    before: int


@dataclass(frozen=True, slots=True)
class Tail:
    """One of the last entries of a thread."""

    id: int
    speaker: int
    by_user: bool
    words: int
    tokens: int
    asks: bool
    happened_at: datetime
    from_previous: float
    from_before: float
    mixed_tokens: float
    own: NDArray[np.float32]


async def serving(conn: Connection) -> Generation | None:
    """Return the generation that is searched."""
    return next(iter(await fetch(conn, Generation, _SQL["serving"], {})), None)


async def generation(conn: Connection, number: int) -> Generation:
    """Return a generation by its number."""
    (found,) = await fetch(conn, Generation, _SQL["generation"], {"id": number})
    return found


async def first_generation(tx: SpaceTransaction) -> int:
    """Return the generation that a space without entries begins with, locked until the transaction ends."""
    await tx.execute(_SQL["hold_generations"])
    found = await serving(tx.conn)
    assert found is not None
    return found.id


async def lock_space(tx: SpaceTransaction) -> int | None:
    """Hold the space until the transaction ends: nobody writes meanwhile. Returns its generation."""
    rows = await tx.rows(_SQL["lock_space"])
    return rows[0][0] if rows else None


async def generation_of_space(tx: SpaceTransaction) -> int | None:
    """Return the generation of the space as it is now; None where nothing was filed."""
    rows = await tx.rows(_SQL["generation_of_space"])
    return rows[0][0] if rows else None


async def begin_serving(conn: Connection, embedder: Embedder) -> Generation:
    """Make ``embedder`` the model of a database that has none yet; returns the one that has it now."""
    values = {"model": embedder.name, "digest": embedder.digest, "dimensions": embedder.dimensions}
    await conn.execute(_SQL["begin_serving"], values)
    found = await serving(conn)
    assert found is not None
    return found


async def numbers_of(tx: SpaceTransaction, names: Sequence[str]) -> dict[str, int]:
    """Return the numbers of names; a name without one gets one."""
    if not names:
        return {}
    found = await (await ask_names(tx.conn, names)).fetchall()
    if len(found) < len(names):
        async with tx.conn.pipeline():
            await tx.run(_SQL["add_names"], {"names": Texts(names)})
            asked = await ask_names(tx.conn, names)
        found = await asked.fetchall()
    return dict(found)


async def ask_names(conn: Connection, names: Sequence[str]) -> Rows:
    """Ask, in a pipeline or not, for the numbers of names: name and number a row, of those that have one."""
    return await ask(conn, _SQL["known_names"], {"names": Texts(names)})


async def hold(
    tx: SpaceTransaction, threads: Sequence[int], *, alone: int, generation: int
) -> tuple[dict[int, Thread], int, list[Tail], list[int]]:
    """Lock the threads that entries are filed behind, in one round trip to the server.

    Returns the ends of threads, made if they were missing and locked until commit; how many were made; up to
    three last entries of each, oldest first; and ``alone`` ids for entries that stand alone.
    """
    given = {"threads": Int8s(threads), "generation": generation, "count": alone}
    # Most are there. Of several, the missing are made first: nobody waits holding one.
    ends, made, last, ids = await _hold(tx, given, make=len(threads) > 1, ask=len(threads) > 0)
    if len(ends) < len(threads):
        ends, made, last, _ = await _hold(tx, {**given, "count": 0}, make=True, ask=True)
    return {end.id: end for end in ends}, made, last, ids


async def lock_threads(tx: SpaceTransaction, threads: Sequence[int]) -> tuple[dict[int, Thread], int]:
    """Lock the ends of threads until commit, making missing ones; return them and how many were made."""
    given = {"threads": Int8s(threads), "generation": 0, "count": 0}
    ends, made, _, _ = await _hold(tx, given, make=True, ask=True)
    return {end.id: end for end in ends}, made


async def reserve_positions(
    tx: SpaceTransaction, threads: Sequence[int], entries: Sequence[int]
) -> tuple[dict[int, int], int]:
    """Let threads, in ascending order, end later by so many entries; they are made where they were missing.

    Returns where each ends now, and how many were made. They are held until commit.
    """
    given = {"threads": Int8s(threads), "entries": Int4s(entries)}
    async with tx.conn.pipeline():
        made = await tx.run(_SQL["open_threads"], given)
        ends = await tx.run(_SQL["reserve_positions"], given)
    return dict(await ends.fetchall()), len(await made.fetchall())


async def ask_alone_ids(conn: Connection, count: int) -> Rows:
    """Ask, in a pipeline, for ids of entries that stand alone: a row each."""
    return await ask(conn, _SQL["alone_ids"], {"count": count})


async def _hold(
    tx: SpaceTransaction, given: Mapping[str, object], *, make: bool, ask: bool
) -> tuple[list[Thread], int, list[Tail], list[int]]:
    made = ends = last = ids = None
    async with tx.conn.pipeline():
        if make:
            made = await tx.run(_SQL["open_threads"], given)
        if ask:
            ends = await tx.run(_SQL["lock_threads"], given)
            last = await tx.run(_SQL["tails"], given, binary=True)
        if given["count"]:
            ids = await tx.run(_SQL["alone_ids"], given)
    return (
        [Thread(*row) for row in await ends.fetchall()] if ends else [],
        len(await made.fetchall()) if made else 0,
        [_tail(row) for row in await last.fetchall()] if last else [],
        [row[0] for row in await ids.fetchall()] if ids else [],
    )


def _tail(row: tuple[Any, ...]) -> Tail:
    return Tail(*row[:-1], own=halfvecs(row[-1])[0])


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.run(_SQL[name], values)


async def file_entries(tx: SpaceTransaction, values: Mapping[str, object]) -> Rows:
    """Send what files entries; ``check_filed`` is told what comes back."""
    return await tx.run(_SQL["file_entries"], values)


async def check_filed(filed: Rows, *, generation: int) -> None:
    """Raise unless the entries were filed.

    Raises:
        GenerationChanged: the space is not at ``generation`` any more, or it was forgotten while we waited
            for it.
    """
    row = await filed.fetchone()
    if row is None:
        raise GenerationChanged(generation)
    if row[1] != generation:
        raise GenerationChanged(row[1])


async def neighbours_of(tx: SpaceTransaction, gone: Int8s, *, generation: int) -> list[Tail]:
    """Return the entries up to four places from removed ones, oldest first."""
    found = await tx.run(_SQL["neighbours_of"], {"generation": generation, "ids": gone}, binary=True)
    return [_tail(row) for row in await found.fetchall()]


async def hold_around(
    tx: SpaceTransaction, threads: Sequence[int], gone: Int8s, *, generation: int
) -> list[Tail]:
    """Lock threads until commit, and return what ``neighbours_of`` does, in one round trip to the server."""
    values = {"generation": generation, "ids": gone, "threads": Int8s(threads)}
    async with tx.conn.pipeline():
        await tx.run(_SQL["lock_threads"], values)
        found = await tx.run(_SQL["neighbours_of"], values, binary=True)
    return [_tail(row) for row in await found.fetchall()]


async def discount(tx: SpaceTransaction, gone: Int8s, *, more_mixed_tokens: float) -> Rows:
    """Count entries off that are about to be taken out; ``check_generation`` is told what comes back."""
    return await tx.run(_SQL["discount_space"], {"ids": gone, "more_mixed_tokens": more_mixed_tokens})


async def check_generation(counted: Rows, *, generation: int) -> None:
    """Raise unless the space is searched by the vectors of ``generation``.

    Raises:
        GenerationChanged: it is not any more, or it is gone.
    """
    row = await counted.fetchone()
    if row is None or row[0] != generation:
        raise GenerationChanged(generation if row is None else row[0])


async def names(tx: SpaceTransaction) -> list[Name]:
    """Return everybody who spoke in the space, busiest first."""
    return await tx.fetch(Name, _SQL["names"], threads=tx.space.threads)


async def aliases(tx: SpaceTransaction) -> list[tuple[str, str]]:
    """Return other names of people, each with the name."""
    return await tx.rows(_SQL["aliases"])


async def owner(tx: SpaceTransaction, name: str) -> int | None:
    """Return the number of a user, or None if nothing of theirs is kept."""
    rows = await tx.rows(_SQL["owner"], name=name)
    return rows[0][0] if rows else None


async def is_written_by_hand(tx: SpaceTransaction) -> bool:
    """Return True if a transaction of SQL that wrote to the space is open still."""
    return (await tx.rows(_SQL["is_written_by_hand"]))[0][0]


async def is_left_alone(tx: SpaceTransaction, kind: int) -> bool:
    """Return True if no open transaction leaves rows of a kind unindexed until this one ends."""
    return (await tx.rows(_SQL["is_left_alone"], kind=kind))[0][0]


async def read_signatures(tx: SpaceTransaction, *, since: int = 0) -> Signatures:
    """Return the signatures of entries that were written after version ``since``."""
    return await _signatures(tx, "signatures", version=since)


async def read_signatures_of_person(tx: SpaceTransaction) -> Signatures:
    """Return the signatures of all that this transaction's person may see."""
    return await _signatures(tx, "signatures_of_person")


async def sessions_of_person(tx: SpaceTransaction) -> NDArray[np.int64]:
    """Return the numbers of the sessions of this transaction's person, ascending."""
    rows = await tx.rows(_SQL["sessions_of_person"], binary=True)
    packed: bytes = rows[0][0] or b""
    return np.sort(np.frombuffer(packed, dtype=">i8").astype(np.int64))


async def read_signatures_of_sessions(
    tx: SpaceTransaction, sessions: NDArray[np.int64], *, until: int
) -> Signatures:
    """Return the signatures of entries without an owner in sessions, written up to version ``until``."""
    return await _signatures(tx, "signatures_of_sessions", sessions=Int8s(sessions.tolist()), version=until)


async def _signatures(tx: SpaceTransaction, query: str, **values: object) -> Signatures:
    rows = await tx.rows(_SQL[query], binary=True, **values)
    return signatures.read(rows[0][0] or b"", version=tx.space.version, epoch=tx.space.epoch)


async def compared(tx: SpaceTransaction, ids: Sequence[int], *, generation: int) -> dict[int, Compared]:
    """Return the terms and the vectors of entries; those without a vector of the generation are left out."""
    values = {"ids": Int8s(ids), "generation": generation}
    rows = await tx.rows(_SQL["compared"], binary=True, **values)
    return {id_: Compared(frozenset(terms), halfvecs(own)[0]) for id_, terms, own in rows}


async def timeline(tx: SpaceTransaction, values: Mapping[str, object]) -> list[Dated]:
    """Return entries in the order of time."""
    return await tx.fetch(Dated, _SQL["timeline"], binary=False, **values)


async def search(tx: SpaceTransaction, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """Return the ranked entries: id, kind, what each signal adds in their order, cosine and coverage."""
    return await tx.rows(_SQL["search"], binary=True, **values)
