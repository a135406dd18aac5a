"""Changes of lessons by people: written by hand, edited, archived, restored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID, uuid4

from quipu.errors import BadInput, Conflict
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, refuse_secret
from quipu.kernel.base.text import clean
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.redact import redact
from quipu.kinds.transcripts.extract.model import CATEGORIES
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.kinds.transcripts.lessons import index, store
from quipu.kinds.transcripts.lessons.index import Entry
from quipu.kinds.transcripts.lessons.merging import contradicted
from quipu.kinds.transcripts.lessons.model import STATES, State
from quipu.kinds.transcripts.lessons.store import Row, row_of
from quipu.recall.generations import Models, Prepared, prepare
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


def project_of(value: object) -> str:
    """Return the path of a project, or "" for none in particular.

    Raises:
        BadInput: it is no text, cannot be stored, or holds a secret.
    """
    return "" if value == "" else check_name("project", value)


def state_of(value: object) -> State | None:
    """Return a state, or None for ``all``.

    Raises:
        BadInput: it is none.
    """
    if value == "all":
        return None
    for state in STATES:
        if value == state:
            return state
    raise BadInput(f"it is none of {', '.join(STATES)}, all.", field="state")


def confidence_of(value: object) -> float:
    """Return a confidence, to the millionth: smaller values have no place in the column.

    Raises:
        BadInput: it is no number from 0 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput("a number from 0 to 1.", field="confidence")
    return round(float(value), 6)


class Changing:
    """Changes memories of one database, each in a transaction of its own with its entry in the index."""

    def __init__(self, database: Database, models: Models, *, clock: Clock) -> None:
        self._database = database
        self._models = models
        self._clock = clock

    async def add(self, fact: str, *, space: str, category: str, project: str, confidence: float) -> UUID:
        """Add a lesson written by hand and return its id.

        Raises:
            Conflict: an active memory of the project says so already.
        """
        while True:
            prepared = await prepare(self._database, self._models, space, [fact])
            try:
                async with index.writing(self._database, space, prepared) as tx:
                    return await self._add(tx, prepared, fact, category, project, confidence)
            except GenerationChanged:
                continue

    async def edit(self, id_: UUID | str, *, space: str, fact: str | None, category: str | None) -> UUID:
        """Change what a memory says; how it read before is kept.

        Raises:
            NotFound: there is none.
            BadInput: it is archived, or nothing was given to change.
            Conflict: another active memory of the project says so already.
        """
        while True:
            async with self._database.snapshot_read(space) as reading:
                text = fact if fact is not None else (await row_of(reading, id_)).fact
            prepared = await prepare(self._database, self._models, space, [text])
            try:
                async with index.writing(self._database, space, prepared) as tx:
                    row = await self._held(tx, id_)
                    return await self._rewrite(tx, row, prepared, text, category or row.category)
            except GenerationChanged:
                continue

    async def archive(self, ids: Sequence[UUID | str], *, space: str) -> list[UUID]:
        """Take memories out of recall; those that are archived already stay so.

        Raises:
            NotFound: one of them is not there; none was archived.
        """
        async with self._database.write(space) as tx:
            await store.hold(tx)
            rows = [await row_of(tx, one) for one in ids]
            return await self.archive_rows(tx, rows)

    async def archive_rows(self, tx: SpaceTransaction, rows: Sequence[Row]) -> list[UUID]:
        """Archive lessons within a transaction that holds them."""
        active = [row for row in rows if not row.archived]
        await withdraw(tx, sorted(row.entry_id for row in active if row.entry_id is not None))
        gone = [row.id for row in active]
        await store.run(tx, "archive", ids=gone, now=self._clock.now())
        return gone

    async def restore(self, id_: UUID | str, *, space: str) -> UUID:
        """Bring an archived memory back into recall; its clock starts anew.

        Raises:
            NotFound: there is none.
            Conflict: an active memory of the project says the same.
        """
        while True:
            async with self._database.snapshot_read(space) as reading:
                text = (await row_of(reading, id_)).fact
            prepared = await prepare(self._database, self._models, space, [text])
            try:
                async with index.writing(self._database, space, prepared) as tx:
                    row = await self._held(tx, id_)
                    return await self._restore(tx, row, prepared)
            except GenerationChanged:
                continue

    async def _held(self, tx: SpaceTransaction, id_: UUID | str) -> Row:
        await store.hold(tx)
        return await row_of(tx, id_)

    async def _add(
        self,
        tx: SpaceTransaction,
        prepared: Prepared,
        fact: str,
        category: str,
        project: str,
        confidence: float,
    ) -> UUID:
        await store.hold(tx)
        now, id_ = self._clock.now(), uuid4()
        known = await store.known(tx, project)
        form = normal_hash(fact)
        same = [one.id for one in known if not one.archived and (form, category) in one.forms]
        if same:
            raise _says_already(same[0])
        await store.run(
            tx,
            "insert_memory",
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
            form=form,
            happened_at=now,
            entry=await self._file(tx, Entry(id_, fact, now), prepared, now),
        )
        await store.contradict(tx, id_, *contradicted(fact, now, known), now=now)
        return id_

    async def _rewrite(
        self, tx: SpaceTransaction, row: Row, prepared: Prepared, fact: str, category: str | None
    ) -> UUID:
        if row.archived:
            raise BadInput("it is archived.", field="id", hint=f"Unarchive {row.id} to bring it back.")
        same = await store.same_form(tx, row, fact=fact, category=category)
        if same is not None:
            raise _says_already(same)
        now = self._clock.now()
        await store.run(tx, "keep_edit", id=row.id, now=now)
        await withdraw(tx, [] if row.entry_id is None else [row.entry_id])
        entry = await self._file(tx, Entry(row.id, fact, row.happened_at), prepared, now)
        values = {"id": row.id, "fact": fact, "category": category, "form": normal_hash(fact)}
        await store.run(tx, "rewrite", **values, entry=entry, now=now)
        await store.run(tx, "drop_contradictions", id=row.id)
        others = [one for one in await store.known(tx, row.project) if one.id != row.id]
        await store.contradict(tx, row.id, *contradicted(fact, now, others), now=now)
        return row.id

    async def _restore(self, tx: SpaceTransaction, row: Row, prepared: Prepared) -> UUID:
        if not row.archived:
            return row.id
        same = await store.same_form(tx, row, fact=row.fact, category=row.category)
        if same is not None:
            raise _says_already(same)
        now = self._clock.now()
        entry = await self._file(tx, Entry(row.id, row.fact, row.happened_at), prepared, now)
        await store.run(tx, "restore", id=row.id, entry=entry, now=now)
        return row.id

    async def _file(self, tx: SpaceTransaction, entry: Entry, prepared: Prepared, now: datetime) -> int:
        vectors, generation = prepared.of([entry.fact])
        return (await index.file(tx, [entry], vectors, generation=generation, now=now))[0]


def _says_already(other: UUID) -> Conflict:
    return Conflict(
        f"memory {other} says so already.", field="fact", hint="Edit that one, or archive one of the two."
    )
