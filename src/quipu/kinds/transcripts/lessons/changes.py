"""Changes of lessons by people: written by hand, edited, archived, restored."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from quipu.errors import BadInput, Conflict
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import refuse_secret
from quipu.kernel.base.text import clean
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.redact import redact
from quipu.kinds.transcripts.extract.model import CATEGORIES
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.kinds.transcripts.lessons import index, store
from quipu.kinds.transcripts.lessons.index import LessonEntry
from quipu.kinds.transcripts.lessons.merge import contradicted
from quipu.kinds.transcripts.lessons.store import SQL, StoredLesson, row_of
from quipu.recall.generations import Models, PreparedVectors, prepare
from quipu.recall.index import withdraw
from quipu.recall.model import GenerationChanged

LONGEST_FACT: Final = 4_000
_CATEGORY: Final = re.compile(r"[a-z][a-z0-9_ -]{0,63}")


def fact_of(value: object, *, secrets: bool) -> str:
    """Return a fact that can be stored, without secrets if these are to be cut out.

    Raises:
        BadInput: it is no text, blank, or longer than 4,000 characters.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadInput("say what is to be remembered.", field="fact")
    text = " ".join(clean(value).text.split())
    if len(text) > LONGEST_FACT:
        raise BadInput(f"it has {len(text):,} characters; {LONGEST_FACT:,} are the most.", field="fact")
    return redact(text).text if secrets else text


def category_of(value: object) -> str:
    """Return a category: one of the six, or another word.

    Raises:
        BadInput: it is no small word of at most 64 letters.
    """
    if not isinstance(value, str) or not _CATEGORY.fullmatch(value):
        hint = f"Usual are {', '.join(CATEGORIES)}; others are small letters, digits, '-' and '_'."
        raise BadInput("no such category.", field="category", hint=hint)
    refuse_secret("category", value)
    return value


def confidence_of(value: object) -> float:
    """Return a confidence, to the millionth: smaller values have no place in the column.

    Raises:
        BadInput: it is no number from 0 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput("a number from 0 to 1.", field="confidence")
    return round(float(value), 6)


class Changes:
    """Changes lessons of one database, each in a transaction of its own with its entry in the index."""

    def __init__(self, database: Database, models: Models, *, clock: Clock) -> None:
        self._database = database
        self._models = models
        self._clock = clock

    async def add(
        self,
        fact: str,
        *,
        space: str,
        category: str,
        project: str,
        confidence: float,
        metadata: Mapping[str, object],
    ) -> UUID:
        """Add a lesson written by hand and return its id.

        Raises:
            Conflict: an active lesson of the project says so already.
        """
        id_ = uuid4()

        async def add(tx: SpaceTransaction, prepared: PreparedVectors) -> None:
            now = self._clock.now()
            known = await store.known(tx, project)
            form = normal_hash(fact), category
            if same := [one.id for one in known if not one.archived and form in one.forms]:
                raise _says_already(same[0])
            await tx.execute(
                SQL["insert_memory"],
                id=id_,
                session=None,
                fact=fact,
                category=category,
                confidence=confidence,
                now=now,
                origin="manual",
                project=project,
                extractor=None,
                version=None,
                form=normal_hash(fact),
                happened_at=now,
                entry=await _file(tx, LessonEntry(id_, fact, now), prepared, now),
                metadata=Jsonb(dict(metadata)),
            )
            await store.contradict(tx, id_, *contradicted(fact, now, known), now=now)

        await self._change(space, fact, add)
        return id_

    async def edit(
        self,
        id_: UUID | str,
        *,
        space: str,
        fact: str | None,
        category: str | None,
        metadata: Mapping[str, object] | None = None,
    ) -> str:
        """Change what a lesson says; how it read before is kept. Return its id.

        Raises:
            NotFound: there is none.
            BadInput: it is archived, or nothing was given to change.
            Conflict: another active lesson of the project says so already.
        """
        before = await self._row(id_, space)
        text = before.fact if fact is None else fact

        async def edit(tx: SpaceTransaction, prepared: PreparedVectors) -> None:
            row, now = await row_of(tx, before.id), self._clock.now()
            if row.state == "archived":
                raise BadInput("it is archived.", field="id", hint=f"Unarchive {row.id} to bring it back.")
            kind = category or row.category
            if metadata is not None:
                await tx.execute(SQL["set_metadata"], id=row.id, metadata=Jsonb(dict(metadata)), now=now)
            if fact is None and category is None:
                return
            await _check_new(tx, row, fact=text, category=kind)
            await tx.execute(SQL["keep_edit"], id=row.id, now=now)
            await withdraw(tx, [] if row.entry_id is None else [row.entry_id])
            entry = await _file(tx, LessonEntry(row.id, text, row.happened_at), prepared, now)
            values = {"id": row.id, "fact": text, "category": kind, "form": normal_hash(text)}
            await tx.execute(SQL["rewrite"], **values, entry=entry, now=now)
            await tx.execute(SQL["drop_contradictions"], id=row.id)
            others = [one for one in await store.known(tx, row.project) if str(one.id) != row.id]
            await store.contradict(tx, row.id, *contradicted(text, now, others), now=now)

        await self._change(space, text, edit)
        return before.id

    async def archive(self, id_: UUID | str, *, space: str) -> None:
        """Take a lesson out of recall; one that is archived already stays so.

        Raises:
            NotFound: there is none.
        """
        async with self._database.write(space) as tx:
            await tx.execute(SQL["hold"])
            await archive_rows(tx, [await row_of(tx, id_)], now=self._clock.now())

    async def restore(self, id_: UUID | str, *, space: str) -> str:
        """Bring an archived lesson back into recall; its clock starts again. Return its id.

        Raises:
            NotFound: there is none.
            Conflict: an active lesson of the project says the same.
        """
        before = await self._row(id_, space)

        async def restore(tx: SpaceTransaction, prepared: PreparedVectors) -> None:
            await restore_row(tx, await row_of(tx, before.id), prepared, now=self._clock.now())

        await self._change(space, before.fact, restore)
        return before.id

    async def _row(self, id_: UUID | str, space: str) -> StoredLesson:
        async with self._database.snapshot_read(space) as tx:
            return await row_of(tx, id_)

    async def _change(
        self, space: str, fact: str, change: Callable[[SpaceTransaction, PreparedVectors], Awaitable[None]]
    ) -> None:
        """Change lessons with the vector of a fact; again if the space has got another model meanwhile."""
        while True:
            prepared = await prepare(self._database, self._models, space, [fact])
            with suppress(GenerationChanged):
                async with index.writing(self._database, space, prepared) as tx:
                    await tx.execute(SQL["hold"])
                    await change(tx, prepared)
                return


async def archive_rows(tx: SpaceTransaction, rows: Sequence[StoredLesson], *, now: datetime) -> None:
    """Archive lessons within a transaction that holds them."""
    live = [row for row in rows if row.state != "archived"]
    await withdraw(tx, sorted(row.entry_id for row in live if row.entry_id is not None))
    await tx.execute(SQL["archive"], ids=[row.id for row in live], now=now)


async def restore_row(
    tx: SpaceTransaction, row: StoredLesson, prepared: PreparedVectors, *, now: datetime
) -> None:
    """Bring a lesson back within a transaction that holds them; one that is live stays as it is.

    Raises:
        Conflict: an active lesson of the project says the same.
        Unprepared: there is no vector for its fact.
    """
    if row.state == "archived":
        await _check_new(tx, row, fact=row.fact, category=row.category)
        entry = await _file(tx, LessonEntry(row.id, row.fact, row.happened_at), prepared, now)
        await tx.execute(SQL["restore"], id=row.id, entry=entry, now=now)


async def _file(tx: SpaceTransaction, entry: LessonEntry, prepared: PreparedVectors, now: datetime) -> int:
    vectors, generation = prepared.of([entry.fact])
    return (await index.file(tx, [entry], vectors, generation=generation, now=now))[0]


async def _check_new(tx: SpaceTransaction, row: StoredLesson, *, fact: str, category: str | None) -> None:
    """Refuse what another active lesson of the project says already."""
    form = normal_hash(fact)
    same = await tx.rows(SQL["same_form"], project=row.project, category=category, form=form, id=row.id)
    if same:
        raise _says_already(same[0][0])


def _says_already(other: UUID) -> Conflict:
    return Conflict(
        f"memory {other} says so already.", field="fact", hint="Edit that one, or archive one of the two."
    )
