"""Importing a file of ccrecall: its sessions with their lines, its teams and its lessons."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from quipu.kernel.base.text import clean
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Texts
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.redact import redact
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.kinds.transcripts.formats.chunks import START, Mark
from quipu.kinds.transcripts.formats.places import Transcript
from quipu.kinds.transcripts.lessons import index
from quipu.kinds.transcripts.lessons.index import LessonEntry
from quipu.kinds.transcripts.sqlite import rules
from quipu.kinds.transcripts.sqlite.model import Imported
from quipu.kinds.transcripts.sqlite.sessions import FileSession
from quipu.kinds.transcripts.sync.pieces import Batch, Piece
from quipu.kinds.transcripts.sync.store import SQL as SYNC
from quipu.kinds.transcripts.sync.store import BatchWrite
from quipu.kinds.transcripts.sync.withheld import Forgotten, pass_over, writing
from quipu.recall.generations import Models
from quipu.recall.model import GenerationChanged
from quipu.record.model import Progress
from quipu.upkeep.erasure.tombstones import erased_sessions

Row = Mapping[str, Any]

_SQL: Final = queries.load("quipu.kinds.transcripts.sqlite")
_TEAMS = {"teams": "keep_team", "team_members": "keep_member", "team_tasks": "keep_task"}
_LONGEST_FACT: Final = 10_000
_TRIES: Final = 5


class Import:
    """An import as far as it has come. ``repaired`` counts what was put right, by kind."""

    def __init__(
        self,
        database: Database,
        file: Transcript,
        cleaning: Cleaning,
        progress: Progress | None,
        *,
        repaired: Counter[str],
        began: datetime | None,
    ) -> None:
        """Prepare an import that ``began`` then; None takes in what was erased, too."""
        self.cleaning = cleaning
        self.repaired = repaired
        self.new: Counter[str] = Counter()
        self.known = self.withheld = self._inserted = 0
        self.began = began
        self.united: dict[UUID, UUID] = {}
        self._database, self._file, self._progress = database, file, progress
        self._spaces: dict[str, str] = {}
        self._sessions: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()
        self._came_back: Counter[str] = Counter()

    def space_of(self, session: str | None, *, default: str | None) -> str:
        """Return the space of a session of the file; without one, the only space there is."""
        if session is not None and session in self._spaces:
            return self._spaces[session]
        return default or (next(iter(self._sessions)) if len(self._sessions) == 1 else "default")

    async def session(self, session: FileSession, *, now: datetime) -> None:
        """Take a session in."""
        self._spaces[session.name] = session.space
        self._sessions[session.space] += 1
        self.cleaning.redacted.update(session.reading.redacted)
        self._passed.update(session.reading.passed)
        self._came_back.update(session.reading.came_back)
        self._inserted += session.reading.inserted
        try:
            async with self._database.write(session.space) as tx:
                new = await keep(tx, session, self._file, now=now, began=self.began)
        except Forgotten:
            batch = batch_of(session, self._file)
            withheld = await pass_over(self._database, batch, session.space, now=now)
            new = Counter(known=0, withheld=withheld)
        self.known += new.pop("known")
        self.withheld += new.pop("withheld")
        self.new.update(new)
        if self._progress is not None:
            self._progress(session.reading.lines)

    async def summaries(self) -> None:
        """Give sessions the summaries that the file had for them."""
        for space in self._sessions:
            with suppress(Forgotten):
                async with writing(self._database, space, began=self.began) as tx:
                    await tx.execute(SYNC["attach_summaries"])

    async def teams(self, side: Mapping[str, list[Row]], *, default: str | None) -> None:
        """Take teams in, each to the space of the session that leads it."""
        by_space: defaultdict[str, defaultdict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        closed = await self._led_by_erased(side["teams"], default=default)
        leads = {row["id"]: row["lead_session_id"] for row in side["teams"]}
        for table in _TEAMS:
            for row in side[table]:
                team = row["id"] if table == "teams" else row["team_id"]
                if team not in leads:
                    self._passed[f"{table} without their team"] += 1
                    continue
                if team in closed:
                    self.withheld += 1
                    continue
                by_space[self.space_of(leads[team], default=default)][table].append(row)
        for space, tables in by_space.items():
            with suppress(Forgotten):
                async with writing(self._database, space, began=self.began) as tx:
                    self.new.update(await keep_teams(tx, tables, self.cleaning))

    async def memories(
        self, models: Models, side: Mapping[str, list[Row]], *, default: str | None, now: datetime
    ) -> None:
        """Take lessons in, each to the space of its session."""
        by_space: defaultdict[str, list[Row]] = defaultdict(list)
        for row in side["memories"]:
            kept = memory(row, self.cleaning, self.repaired, now=now)
            by_space[self.space_of(row["session_id"], default=default)].append(kept)
        for name, several in by_space.items():
            gone = await self.erased(name, [row["session"] for row in several])
            memories = [row for row in several if row["session"] not in gone]
            self.withheld += len(several) - len(memories)
            try:
                new, united = await keep_memories(
                    self._database, models, name, memories, now=now, began=self.began
                )
            except Forgotten:
                self.withheld += len(memories)
                continue
            self.new["memories"] += new
            self.known += len(memories) - new
            self.united |= united

    async def _led_by_erased(self, teams: Sequence[Row], *, default: str | None) -> set[object]:
        """Return the teams that were erased with the session that led them."""
        by_space: defaultdict[str, list[str]] = defaultdict(list)
        for row in teams:
            by_space[self.space_of(row["lead_session_id"], default=default)].append(row["lead_session_id"])
        gone = [await self.erased(space, sessions) for space, sessions in by_space.items()]
        return {row["id"] for row in teams if any(row["lead_session_id"] in one for one in gone)}

    async def erased(self, space: str, sessions: Sequence[str | None]) -> set[str]:
        """Return the sessions that were erased and are not there again."""
        names = [name for name in sessions if name]
        if self.began is None or not names:
            return set()
        with suppress(Forgotten):
            async with writing(self._database, space, began=self.began) as tx:
                return await erased_sessions(tx, names)
        return set(names)

    async def sources(self, side: Mapping[str, list[Row]], *, default: str | None) -> None:
        """Note where memories come from, and which sessions were looked through."""
        by_space: defaultdict[str, list[tuple[str, Row]]] = defaultdict(list)
        for row in side["memory_sources"]:
            memory = rules.memory_id(row["memory_id"], Counter())
            told = {
                "memory": self.united.get(memory, memory),
                "session": row["session_id"],
                "turn": max(int(row["turn_index"] or 0), 0),
                "extracted_at": rules.moment(row["extracted_at"]),
            }
            by_space[self.space_of(row["session_id"], default=default)].append(("keep_source", told))
        for row in side["extracted"]:
            at = rules.moment(row["extraction_attempted_at"])
            status = "done" if row["memories_extracted"] else "failed"
            told = {"session": row["id"], "status": status, "attempted_at": at}
            by_space[self.space_of(row["id"], default=default)].append(("keep_extracted", told))
        for space, writes in by_space.items():
            with suppress(Forgotten):
                async with writing(self._database, space, began=self.began) as tx:
                    for query, values in writes:
                        await tx.execute(_SQL[query], **values)

    def imported(self) -> Imported:
        """Return the account of the import."""
        return Imported(
            spaces=dict(self._sessions),
            new={table: count for table, count in self.new.items() if count},
            known=self.known,
            withheld=self.withheld,
            repaired={what: count for what, count in self.repaired.items() if count},
            passed=dict(self._passed),
            redacted=dict(self.cleaning.redacted),
            cut_characters=self._came_back["cut_characters"],
            foreign_characters=self._came_back["foreign_characters"],
            unmatched_marks=self._came_back["unmatched_marks"],
            inserted_characters=self._inserted,
        )


class Cleaning:
    """Cleans texts and counts the secrets in them, by kind."""

    def __init__(self, *, secrets: bool) -> None:
        self._secrets = secrets
        self.redacted: Counter[str] = Counter()

    def text(self, text: str | None) -> str | None:
        """Return the text as it is stored."""
        if text is None:
            return None
        text = clean(text).text
        if not self._secrets:
            return text
        redacted = redact(text)
        self.redacted.update(redacted.counts)
        return redacted.text


async def keep(
    tx: SpaceTransaction, session: FileSession, file: Transcript, *, now: datetime, began: datetime | None
) -> Counter[str]:
    """Keep what a session's lines say, as a sync does; new rows by table, known ones, withheld ones."""
    # lazily: the file is still there, what a crash undoes is done by importing again
    write = BatchWrite(batch_of(session, file), space=tx.space.name, began=began)
    await write.ask(tx.conn)
    return Counter((await write.write(tx, now=now)).counts)


def batch_of(session: FileSession, file: Transcript) -> Batch:
    """Return a session's lines as a sync stores them."""
    mark = Mark(file.size_bytes, START.prefix_sha256)
    return Batch(pieces=[Piece(file, mark, session.reading)])


def transcript(path: Path) -> Transcript:
    """Return the file as it is noted among those that were read."""
    info = path.stat()
    return Transcript(path.resolve(), info.st_size, datetime.fromtimestamp(info.st_mtime, UTC))


async def keep_teams(
    tx: SpaceTransaction, teams: Mapping[str, Sequence[Row]], cleaning: Cleaning
) -> Counter[str]:
    """Keep teams with their members and tasks; new rows by table."""
    new: Counter[str] = Counter()
    for table, query in _TEAMS.items():
        for row in teams.get(table, ()):
            values = {name: cleaning.text(v) if isinstance(v, str) else v for name, v in row.items()}
            times = {name: rules.moment(v) for name, v in row.items() if name.endswith("_at")}
            new[table] += await tx.execute(_SQL[query], **(values | times))
    return new


def memory(row: Row, cleaning: Cleaning, repaired: Counter[str], *, now: datetime) -> Row:
    """Return a lesson of the file as it is kept."""
    made = rules.moment(row["created_at"]) or now
    fact = (cleaning.text(str(row["fact"]).strip()) or "")[:_LONGEST_FACT]
    return {
        "id": rules.memory_id(row["id"], repaired),
        "session": row["session_id"],
        "fact": fact,
        "form": normal_hash(fact),
        "category": rules.category(row["category"], repaired),
        "confidence": rules.confidence(row["confidence"], repaired),
        "created_at": made,
        "updated_at": rules.moment(row["updated_at"]) or made,
    }


async def keep_memories(
    database: Database,
    models: Models,
    space: str,
    memories: Sequence[Row],
    *,
    now: datetime,
    began: datetime | None,
) -> tuple[int, Mapping[UUID, UUID]]:
    """Keep memories and make them findable, in one transaction.

    Returns how many are new, and the lessons that say the same as others of the file, by the id of these.

    What an active memory of the project says already, in the same words but for case, articles and
    punctuation, makes that one as sure and as late as the one that came; it is not kept twice.

    Raises:
        Forgotten: the whole space was forgotten since the import ``began``.
    """
    generation: int | None = None
    for attempt in range(_TRIES):
        async with database.snapshot_read(space) as tx:
            known = set[UUID]() if tx is None else await _known(tx, memories)
            generation = generation or (None if tx is None else tx.space.generation)
        new = [one for one in memories if one["id"] not in known and one["fact"]]
        if not new:
            return 0, {}
        embedded = await models.embed([one["fact"] for one in new], generation=generation)
        try:
            async with writing(database, space, began=began) as tx:
                await tx.execute(_SQL["hold_memories"])
                if await _known(tx, new):
                    continue  # somebody else kept some of them meanwhile
                united = _united(new, await _homes(tx, new))
                kept = [place for place, one in enumerate(new) if one["id"] not in united]
                entries = [LessonEntry(new[at]["id"], new[at]["fact"], new[at]["created_at"]) for at in kept]
                vectors = embedded.vectors[kept]
                filed = await index.file(tx, entries, vectors, generation=embedded.generation, now=now)
                for place, entry in zip(kept, filed, strict=True):
                    await tx.execute(_SQL["keep_memory"], **new[place], entry=entry)
                for one in new:
                    if one["id"] in united:
                        await tx.execute(_SQL["unite_memory"], **one, same=united[one["id"]])
            return len(kept), united
        except GenerationChanged as moved:
            generation = moved.generation
            if attempt == _TRIES - 1:
                raise
    return 0, {}


def _united(new: Sequence[Row], homes: Sequence[tuple[str, UUID | None]]) -> dict[UUID, UUID]:
    """Return new lessons that repeat another: an existing one, or an earlier one of them."""
    first: dict[tuple[str, str | None, bytes], UUID] = {}
    united: dict[UUID, UUID] = {}
    for one, (project, known) in zip(new, homes, strict=True):
        same = first.setdefault((project, one["category"], one["form"]), known or one["id"])
        if same != one["id"]:
            united[one["id"]] = same
    return united


async def _known(tx: SpaceTransaction, memories: Sequence[Row]) -> set[UUID]:
    """Return the ids of the lessons that the space has already."""
    rows = await tx.rows(_SQL["known_memories"], ids=[one["id"] for one in memories])
    return {id_ for (id_,) in rows}


async def _homes(tx: SpaceTransaction, memories: Sequence[Row]) -> list[tuple[str, UUID | None]]:
    """Return the project of each lesson, and the active lesson there that says the same, if any."""
    rows = await tx.rows(
        _SQL["memory_homes"],
        sessions=Texts([one["session"] for one in memories]),
        categories=Texts([one["category"] for one in memories]),
        forms=[one["form"] for one in memories],
    )
    return [(project, same) for project, same in rows]
