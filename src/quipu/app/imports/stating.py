"""Writing what another system stated: long-term memories, and lessons, with how long they hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from quipu.app.imports.filing import moment_text
from quipu.app.imports.found import Stated, kind_of
from quipu.app.imports.origins import IMPORT, SQL, Known, Origins, Tallied
from quipu.app.imports.parcels import clean_text
from quipu.errors import BadInput
from quipu.kernel.base.scope import at_primary, check_name, optional_name, own_user
from quipu.kernel.base.text import clean, excerpt
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.policy.policy import safety
from quipu.kinds.longterm.changes import changed
from quipu.kinds.longterm.model import CATEGORIES, Rewording
from quipu.kinds.longterm.rules import summary_hash
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.kinds.transcripts.lessons.changes import LONGEST_FACT, category_of
from quipu.record.items import checked_metadata

LONGEST_SUMMARY: Final = 4_000
_LONGEST_DETAILS: Final = 20_000
_LESSON: Final = "knowledge"


class Stating:
    """Writes the statements of one import."""

    def __init__(self, origins: Origins, written: Tallied) -> None:
        self._origins = origins
        self._means, self._place, self._account = origins.means, origins.place, origins.account
        self._written = written

    async def state(self, stated: Sequence[Stated]) -> None:
        """Write statements: long-term memories, and lessons."""
        for lesson in (False, True):
            made = self._rows([one for one in stated if one.lesson is lesson], lesson=lesson)
            if made:
                await self._bring(made, lesson=lesson)

    def _rows(self, stated: Sequence[Stated], *, lesson: bool) -> dict[str, tuple[Stated, dict[str, Any]]]:
        """Return rows by their new id; of those that say the same, the one that holds longest."""
        made: dict[tuple[object, ...], tuple[Stated, dict[str, Any]]] = {}
        for one in stated:
            if not one.text.strip():
                self._account.leave_out("statements without words")
                continue
            try:
                row = self._row(one)
            except BadInput as error:
                self._account.refuse(f"{kind_of(one)} {one.id}", str(error))
                continue
            same = (
                (row["project"], row["category"], row["form"]) if lesson else (row["user_name"], row["hash"])
            )
            before = made.get(same)
            if before is not None:
                self._written.known += 1
            if before is None or _ends_later(one, before[0]):
                made[same] = (one, row)
        return {row["id"]: (one, row) for one, row in made.values()}

    def _row(self, one: Stated) -> dict[str, Any]:
        """Return the row that a statement becomes, without secrets.

        Raises:
            BadInput: a name or the metadata cannot be stored.
        """
        secrets, now = self._means.settings.redact, self._means.clock.now()
        text = clean_text(one.text, self._written.redacted, secrets=secrets)
        details = one.details and clean_text(one.details, self._written.redacted, secrets=secrets)
        clean = replace(one, text=text, details=details)
        if one.lesson:
            return lesson_row(clean, now=now, secrets=secrets)
        return memory_row(clean, source=self._place.label, now=now, secrets=secrets)

    async def _bring(self, made: Mapping[str, tuple[Stated, dict[str, Any]]], *, lesson: bool) -> None:
        rows = json.dumps([row for _, row in made.values()])
        query = SQL["bring_lessons" if lesson else "bring_memories"]
        now = self._means.clock.now()
        async with self._means.database.write(self._place.space) as tx:
            ids = [id_ for (id_,) in await tx.rows(query, memories=rows, now=now) if id_ in made]
            await self._origins.begin(tx)
            await self._origins.note(
                tx, "note_origins", [self._origins.origin(made[id_][0], id_) for id_ in ids]
            )
            if not lesson:
                await self._cite(tx, {id_: made[id_][0] for id_ in ids})
        self._written.records["lesson" if lesson else "memory"] += len(ids)
        self._written.known += len(made) - len(ids)

    async def restate(self, one: Stated, known: Known) -> None:
        """Have a statement that came before say what it says now, and hold as long."""
        space, row = self._place.space, self._row(one)
        await (self._restate_lesson if one.lesson else self._restate_memory)(known.target, row)
        async with self._means.database.write(space) as tx:
            names = ("metadata", "valid_from", "valid_until")
            values = {"id": known.target, **{name: row[name] for name in names}}
            values["metadata"] = json.dumps(values["metadata"])
            await tx.execute(SQL["hold_lesson" if one.lesson else "hold_memory"], **values)
            if not one.lesson:
                await self._cite(tx, {known.target: one})
            await self._origins.note(tx, "note_change", [self._origins.origin(one, known.target)])

    async def _restate_memory(self, id_: str, row: Mapping[str, Any]) -> None:
        to = Rewording(
            summary=row["summary"],
            details=row["details"] or "",
            happened_at=datetime.fromisoformat(row["happened_at"]),
        )
        means = self._means
        await changed(
            means.database,
            means.models,
            lambda changes: changes.edit(id_, to),
            space=self._place.space,
            clock=means.clock,
            by=IMPORT,
        )

    async def _restate_lesson(self, id_: str, row: Mapping[str, Any]) -> None:
        lessons, space = self._means.lessons, self._place.space
        said = {name: row[name] for name in ("fact", "category")}
        with at_primary():
            before = await lessons.get(id_, space=space)
        if said != {name: getattr(before, name) for name in said}:
            await lessons.edit(id_, space=space, **said)

    async def _cite(self, tx: SpaceTransaction, made: Mapping[str, Stated]) -> None:
        """Note the words that memories rest on as they read now."""
        sources = [
            {"memory_id": id_, "source_id": source} for id_, one in made.items() for source in one.sources
        ]
        values = {
            "source": self._place.source,
            "sources": json.dumps(sources),
            "now": self._means.clock.now(),
        }
        await tx.execute(SQL["bring_sources"], **values, by=IMPORT)


def _ends_later(one: Stated, other: Stated) -> bool:
    return other.valid_until is not None and (one.valid_until is None or one.valid_until > other.valid_until)


def memory_row(one: Stated, *, source: str, now: datetime, secrets: bool) -> dict[str, Any]:
    """Return a row of long-term memory; a text that is too long for a summary is its details too.

    Raises:
        BadInput: a name or the metadata cannot be stored.
    """
    text = clean(one.text).text.strip()
    summary = excerpt(text, LONGEST_SUMMARY) if len(text) > LONGEST_SUMMARY else text
    told = [part for part in (None if summary == text else text, one.details) if part]
    unsafe = safety(summary)
    known = one.category in CATEGORIES
    metadata = dict(one.metadata)
    if one.category and not known:
        metadata.setdefault("category", one.category)
    if one.confidence is not None:
        metadata.setdefault("confidence", one.confidence)
    return {
        "id": str(uuid4()),
        "category": one.category if known else "constraint" if unsafe else "context",
        "importance": "high" if unsafe else "medium",
        "summary": summary,
        "details": clean("\n\n".join(told)).text[:_LONGEST_DETAILS] or None,
        "hash": summary_hash(summary),
        "source": source[:512],
        "user_name": own_user(optional_name("user", one.user)),
        "session": optional_name("session", one.session),
        "happened_at": _time(one, now).isoformat(),
        "metadata": checked_metadata(metadata, secrets=secrets),
        **_validity(one),
    }


def lesson_row(one: Stated, *, now: datetime, secrets: bool) -> dict[str, Any]:
    """Return a row of lessons. Its project is that of the metadata; it is everybody's without one.

    Raises:
        BadInput: a name or the metadata cannot be stored.
    """
    metadata = dict(one.metadata)
    project = metadata.pop("project", None)
    words = " ".join(part for part in (one.text, one.details) if part)
    fact = excerpt(" ".join(clean(words).text.split()), LONGEST_FACT)
    category = (one.category or _LESSON).strip().lower()
    return {
        "id": str(uuid4()),
        "session": optional_name("session", one.session),
        "fact": fact,
        "category": category_of(category),
        "confidence": 1.0 if one.confidence is None else min(max(one.confidence, 0.0), 1.0),
        "project": check_name("project", project) if project else "",
        "form": normal_hash(fact).hex(),
        "happened_at": _time(one, now).isoformat(),
        "metadata": checked_metadata(metadata, secrets=secrets),
        **_validity(one),
    }


def _time(one: Stated, now: datetime) -> datetime:
    """Return when a statement was made, or began to hold; what has neither, now, or when it ended."""
    return one.time or one.valid_from or min(now, one.valid_until or now)


def _validity(one: Stated) -> dict[str, str | None]:
    since, until = one.valid_from, one.valid_until
    if since is not None and until is not None and until < since:
        since = until
    return {"valid_from": moment_text(since), "valid_until": moment_text(until)}
