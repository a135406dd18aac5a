"""The queries of memories, one short function each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from quipu.errors import NotFound
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Vectors
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.embedder import Vectors as Embedding
from quipu.kinds.transcripts.extract.model import Extractor, Turn
from quipu.kinds.transcripts.extract.sameness import SAME, normal_hash
from quipu.kinds.transcripts.lessons.merging import Known
from quipu.kinds.transcripts.lessons.model import LessonSource, Origin, Outcome, State
from quipu.kinds.transcripts.settings import ARCHIVE_BELOW, HALF_LIFE_DAYS
from quipu.record.given import id_of, only

_SQL = queries.load("quipu.kinds.transcripts.lessons")
_HINT: Final = "The list of lessons shows them."


@dataclass(frozen=True, slots=True)
class Due:
    """A session to be read: its number in the record, its name, and the project it is about."""

    number: int
    name: str
    project: str


@dataclass(frozen=True, slots=True)
class Row:
    """A memory as it is stored."""

    id: UUID
    fact: str
    category: str | None
    judged: float
    archived: bool
    origin: Origin
    project: str
    session: str | None
    happened_at: datetime
    created_at: datetime
    updated_at: datetime
    edited_at: datetime | None
    confirmed_at: datetime | None
    used_at: datetime | None
    uses: int
    extractor: str | None
    extractor_version: int | None
    entry_id: int | None
    sources: int
    sessions: int
    contradicted_by: list[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Filter of a list of lessons; None narrows nothing."""

    category: str | None = None
    project: str | None = None
    session: str | None = None
    state: State | None = None


async def hold(tx: SpaceTransaction) -> None:
    """Wait until nobody else changes the memories of the space."""
    await tx.execute(_SQL["hold"])


async def due(
    tx: SpaceTransaction, *, extractor: str, version: int | None, session: str | None, since: datetime | None
) -> list[Due]:
    """Return the sessions that an extractor of a version has left to read, or all; longest ago first."""
    query = _SQL["due_sessions"]
    return await tx.fetch(Due, query, extractor=extractor, version=version, session=session, since=since)


async def turns(tx: SpaceTransaction, number: int) -> list[Turn]:
    """Return what was said in a session, in order; copies from an earlier session belong to that one."""
    rows = await tx.rows(_SQL["turns"], number=number)
    spoken = await tx.spoken([row[2] for row in rows])
    return [
        Turn(index=index, role="other" if copied else role, text=text, happened_at=at, message_id=id_)
        for index, ((id_, at, _, role, copied), text) in enumerate(zip(rows, spoken, strict=True))
    ]


async def known(tx: SpaceTransaction, project: str) -> list[Known]:
    """Return the lessons of a project."""
    return [
        Known(
            id=id_,
            fact=fact,
            category=category,
            forms=frozenset(
                (normal_hash(text), of)
                for text, of in [(fact, category), *zip(facts, categories, strict=True)]
            ),
            archived=archived,
            happened_at=happened_at,
            archived_at=archived_at or happened_at,
        )
        for id_, fact, category, archived, happened_at, archived_at, facts, categories in await tx.rows(
            _SQL["known"], project=project
        )
    ]


async def near(tx: SpaceTransaction, project: str, vectors: Embedding) -> dict[int, UUID]:
    """Return, by the place of a vector, the active lesson of the project that is next to it."""
    if not len(vectors) or tx.space.generation is None:
        return {}
    rows = await tx.rows(
        _SQL["near"], project=project, vectors=Vectors(vectors), generation=tx.space.generation, same=SAME
    )
    return {place - 1: id_ for place, id_ in rows}


async def sources_of(tx: SpaceTransaction, *, session: str, extractor: str) -> set[UUID]:
    """Return the lessons that an extractor found in a session."""
    rows = await tx.rows(_SQL["sources_of"], session=session, extractor=extractor)
    return {row[0] for row in rows}


async def orphans(tx: SpaceTransaction, ids: Sequence[UUID]) -> list[tuple[UUID, int | None]]:
    """Return the lessons that have no source any more, with their entries."""
    return [(id_, entry) for id_, entry in await tx.rows(_SQL["orphans"], ids=list(ids))]


async def memories(
    tx: SpaceTransaction,
    *,
    ids: Sequence[UUID] | None = None,
    entries: Sequence[int] | None = None,
    category: str | None = None,
    project: str | None = None,
    session: str | None = None,
) -> list[Row]:
    """Return lessons with their history, latest first."""
    return await tx.fetch(
        Row,
        _SQL["memories"],
        ids=None if ids is None else list(ids),
        entries=None if entries is None else Int8s(entries),
        category=category,
        project=project,
        session=session,
    )


async def row_of(tx: SpaceTransaction | None, id_: UUID | str) -> Row:
    """Return the lesson with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several ids begin so, or it is no id.
    """
    wanted = id_of(id_, what="a memory", hint=_HINT)
    chosen: UUID | None = wanted if isinstance(wanted, UUID) else None
    if tx is not None and isinstance(wanted, str):
        ids = [row[0] for row in await tx.rows(_SQL["ids_like"], prefix=f"{wanted}%")]
        chosen = only(ids, wanted)
    rows = [] if tx is None or chosen is None else await memories(tx, ids=[chosen])
    if not rows:
        raise NotFound(f"There is no lesson {wanted} in this space.", hint=_HINT)
    return rows[0]


async def surest(
    tx: SpaceTransaction, wanted: Wanted, *, now: datetime, after: UUID | None, limit: int, offset: int
) -> list[Row]:
    """Return lessons as they are ``now``, surest first, behind the one with the id ``after``."""
    rows = await tx.rows(
        _SQL["surest"],
        category=wanted.category,
        project=wanted.project,
        session=wanted.session,
        state=wanted.state,
        now=now,
        half_life_days=tx.settings.of(HALF_LIFE_DAYS),
        archive_below=tx.settings.of(ARCHIVE_BELOW),
        after=after,
        limit=limit,
        offset=offset,
    )
    ids: list[UUID] = [row[0] for row in rows]
    by_id = {row.id: row for row in await memories(tx, ids=ids)}
    return [by_id[id_] for id_ in ids]


async def sources(tx: SpaceTransaction, id_: UUID) -> list[LessonSource]:
    """Return where a lesson was said, latest first."""
    return await tx.fetch(LessonSource, _SQL["sources"], id=id_)


async def same_form(tx: SpaceTransaction, row: Row, *, fact: str, category: str | None) -> UUID | None:
    """Return another active lesson of the project that says this."""
    rows = await tx.rows(
        _SQL["same_form"], project=row.project, category=category, form=normal_hash(fact), id=row.id
    )
    return rows[0][0] if rows else None


async def reinforce(tx: SpaceTransaction, ids: Sequence[UUID], *, now: datetime, apart: timedelta) -> int:
    """Note a use of each; how many of them count."""
    return await tx.execute(_SQL["reinforce"], ids=list(ids), now=now, apart=apart)


async def is_there(tx: SpaceTransaction, number: int) -> bool:
    """Return True if a session exists; it stays until the transaction ends."""
    return bool(await tx.rows(_SQL["is_there"], number=number))


async def has_session(tx: SpaceTransaction, name: str) -> bool:
    """Return True if there is a session of that name."""
    return bool(await tx.rows(_SQL["has_session"], name=name))


async def messages_there(tx: SpaceTransaction, ids: Sequence[int]) -> set[int]:
    """Return the messages that exist."""
    return {row[0] for row in await tx.rows(_SQL["messages_there"], ids=Int8s(ids))} if ids else set()


async def contradict(
    tx: SpaceTransaction, id_: UUID, earlier: Sequence[UUID], later: Sequence[UUID], *, now: datetime
) -> None:
    """Note that a memory contradicts others: those said earlier lose by it, it loses by those said later."""
    pairs = [(other, id_) for other in earlier] + [(id_, other) for other in later]
    for memory, by in pairs:
        await tx.execute(_SQL["contradict"], memory=memory, by=by, now=now)


async def mark(
    tx: SpaceTransaction,
    session: Due,
    extractor: Extractor,
    status: Outcome,
    *,
    at: datetime,
    memories: int = 0,
    error: str | None = None,
) -> None:
    """Note how an extraction that began at ``at`` went."""
    await tx.execute(
        _SQL["mark"],
        number=session.number,
        extractor=extractor.name,
        version=extractor.version,
        status=status,
        error=error,
        memories=memories,
        at=at,
    )


async def run(tx: SpaceTransaction, name: str, **values: object) -> None:
    """Run a write by its name."""
    await tx.execute(_SQL[name], **values)
