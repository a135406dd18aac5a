"""The queries of lessons that several modules run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s, Vectors
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.embedder import Vectors as Embedding
from quipu.kinds.transcripts.extract.model import Extractor, SessionTurn
from quipu.kinds.transcripts.extract.sameness import SAME, normal_hash
from quipu.kinds.transcripts.lessons.merge import KnownLesson
from quipu.kinds.transcripts.lessons.model import Lesson, Outcome, State
from quipu.kinds.transcripts.settings import ARCHIVE_BELOW, HALF_LIFE_DAYS, LASTING, LASTING_IN_PROJECTS
from quipu.recall.filters import Filter
from quipu.record.ids import row_of as row_by_id
from quipu.record.rules import other_speakers

SQL = queries.load("quipu.kinds.transcripts.lessons")
_HINT: Final = "The list of lessons shows them."


@dataclass(frozen=True, slots=True)
class Due:
    """A session to be read: its number in the record, its name, and the project it is about."""

    number: int
    name: str
    project: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLesson(Lesson):
    """A lesson as it is stored: its confidence is not yet what time and use have made of it."""

    entry_id: int | None
    sessions: int


async def due(
    tx: SpaceTransaction, *, extractor: str, version: int | None, session: str | None, since: datetime | None
) -> list[Due]:
    """Return the sessions that an extractor of a version has left to read, or all; longest ago first."""
    query = SQL["due_sessions"]
    return await tx.fetch(Due, query, extractor=extractor, version=version, session=session, since=since)


async def turns(tx: SpaceTransaction, number: int) -> list[SessionTurn]:
    """Return the words of a session, in order; copies from an earlier session belong to that one.

    Of several people in it, those who are not the user have the role other.
    """
    rows = await tx.rows(SQL["turns"], number=number)
    users = {row[6] for row in rows if row[3] == "user"}
    user = next(iter(users)) if len(users) == 1 else None
    others = other_speakers((row[5] for row in rows if row[3] == "user" and user is not None), user)
    spoken = await tx.spoken([row[2] for row in rows])
    return [
        SessionTurn(
            index=index,
            role="other" if copied or (role == "user" and speaker in others) else role,
            text=text,
            happened_at=at,
            message_id=id_,
        )
        for index, ((id_, at, _, role, copied, speaker, _), text) in enumerate(zip(rows, spoken, strict=True))
    ]


async def known(tx: SpaceTransaction, project: str) -> list[KnownLesson]:
    """Return the lessons of a project."""
    return [
        KnownLesson(
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
            SQL["known"], project=project
        )
    ]


async def near(tx: SpaceTransaction, project: str, vectors: Embedding) -> dict[int, UUID]:
    """Return, by the place of a vector, the active lesson of the project that is next to it."""
    if not len(vectors) or tx.space.generation is None:
        return {}
    rows = await tx.rows(
        SQL["near"], project=project, vectors=Vectors(vectors), generation=tx.space.generation, same=SAME
    )
    return {place - 1: id_ for place, id_ in rows}


async def memories(
    tx: SpaceTransaction,
    *,
    ids: Sequence[UUID] | None = None,
    entries: Sequence[int] | None = None,
    category: str | None = None,
    project: str | None = None,
    session: str | None = None,
) -> list[StoredLesson]:
    """Return lessons with their history, latest first."""
    return await tx.fetch(
        StoredLesson,
        SQL["memories"],
        ids=None if ids is None else list(ids),
        entries=None if entries is None else Int8s(entries),
        category=category,
        project=project,
        session=session,
    )


async def row_of(tx: SpaceTransaction | None, id_: UUID | str) -> StoredLesson:
    """Return the lesson with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several ids begin so, or it is no id.
    """
    return await row_by_id(
        tx,
        id_,
        like=SQL["ids_like"],
        fetch=lambda tx, ids: memories(tx, ids=ids),
        what="lesson",
        hint=_HINT,
    )


async def surest(
    tx: SpaceTransaction,
    *,
    category: str | None,
    project: str | None,
    session: str | None,
    state: State | None,
    ended: bool,
    now: datetime,
    after: str | None,
    limit: int,
    offset: int,
    filter: str | None = None,
) -> list[StoredLesson]:
    """Return lessons as they are ``now``, surest first, behind the one with the id ``after``."""
    rows = await tx.rows(
        SQL["surest"],
        category=category,
        project=project,
        session=session,
        state=state,
        ended=ended,
        now=now,
        lasting=[*LASTING],
        in_projects=[*LASTING_IN_PROJECTS],
        half_life_days=tx.settings.of(HALF_LIFE_DAYS),
        archive_below=tx.settings.of(ARCHIVE_BELOW),
        after=after,
        filter=filter,
        limit=limit,
        offset=offset,
    )
    ids = [id_ for (id_,) in rows]
    by_id = {row.id: row for row in await memories(tx, ids=ids)}
    return [by_id[str(id_)] for id_ in ids]


async def matching(tx: SpaceTransaction, by: Filter) -> tuple[int, ...]:
    """Return the entries of lessons whose metadata a filter lets through."""
    return tuple(await tx.column(SQL["matching"], metadata=by.over_metadata))


async def is_there(tx: SpaceTransaction, number: int) -> bool:
    """Return True if a session exists; it stays until the transaction ends."""
    return bool(await tx.rows(SQL["is_there"], number=number))


async def contradict(
    tx: SpaceTransaction,
    id_: UUID | str,
    earlier: Sequence[UUID],
    later: Sequence[UUID],
    *,
    now: datetime,
) -> None:
    """Note that a memory contradicts others: those said earlier lose by it, it loses by those said later."""
    pairs = [*((other, id_) for other in earlier), *((id_, other) for other in later)]
    for memory, by in pairs:
        await tx.execute(SQL["contradict"], memory=memory, by=by, now=now)


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
        SQL["mark"],
        number=session.number,
        extractor=extractor.name,
        version=extractor.version,
        status=status,
        error=error,
        memories=memories,
        at=at,
    )
