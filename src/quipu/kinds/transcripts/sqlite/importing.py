"""Keeping what a file of ccrecall tells: sessions with their lines, teams, memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.kinds.transcripts.reading.chunks import START, Mark
from quipu.kinds.transcripts.reading.places import Transcript
from quipu.kinds.transcripts.sqlite import rules, store
from quipu.kinds.transcripts.sqlite.cleaning import Cleaning
from quipu.kinds.transcripts.sqlite.reading import Session
from quipu.kinds.transcripts.syncing import store as syncing
from quipu.kinds.transcripts.syncing.pieces import Batch, Piece
from quipu.kinds.transcripts.syncing.withholding import writing
from quipu.kinds.transcripts.syncing.writing import Asked, write
from quipu.recall import index
from quipu.recall.dates import tells_time
from quipu.recall.generations import Models
from quipu.recall.model import Draft, GenerationChanged
from quipu.recall.terms import DEFAULT, bag

_TRANSCRIPTS: Final = 3  # core.recall_kinds.code
_LONGEST_FACT: Final = 10_000
_TRIES: Final = 5

Row = Mapping[str, Any]


async def keep(
    tx: SpaceTransaction, session: Session, file: Transcript, *, now: datetime, began: datetime | None
) -> Counter[str]:
    """Keep what a session's lines say, as a sync does; new rows by table, known ones, withheld ones."""
    # lazily: the file is still there, what a crash undoes is done by importing again
    asked = Asked(batch(session, file), space=tx.space.name, began=began)
    await asked.ask(tx.conn)
    written = await write(tx, asked, now=now)
    return Counter(
        messages=written.messages,
        lines=len(written.new),
        tool_calls=sum(len(row.entry.calls) for row in written.new),
        tool_results=sum(len(row.entry.results) for row in written.new),
        known=written.known,
        withheld=written.withheld,
    )


def batch(session: Session, file: Transcript) -> Batch:
    """Return a session's lines as a sync stores them."""
    mark = Mark(file.size_bytes, START.prefix_sha256)
    return Batch(pieces=[Piece(file, mark, session.reading)])


async def attach_summaries(tx: SpaceTransaction) -> None:
    """Give sessions the summaries that were found for their lines."""
    await syncing.run(tx, "attach_summaries", {})


def transcript(path: Path) -> Transcript:
    """Return the file as it is noted among those that were read."""
    info = path.stat()
    return Transcript(path.resolve(), info.st_size, datetime.fromtimestamp(info.st_mtime, UTC))


async def keep_teams(
    tx: SpaceTransaction, teams: Mapping[str, Sequence[Row]], cleaning: Cleaning
) -> Counter[str]:
    """Keep teams with their members and tasks; new rows by table."""
    new: Counter[str] = Counter()
    for table, query in (
        ("teams", "keep_team"),
        ("team_members", "keep_member"),
        ("team_tasks", "keep_task"),
    ):
        for row in teams.get(table, ()):
            values = {name: cleaning.text(v) if isinstance(v, str) else v for name, v in row.items()}
            times = {name: rules.moment(v) for name, v in row.items() if name.endswith("_at")}
            new[table] += await store.run(tx, query, values | times)
    return new


def memory(row: Row, cleaning: Cleaning, mended: Counter[str], *, now: datetime) -> Row:
    """Return a lesson of the file as it is kept."""
    made = rules.moment(row["created_at"]) or now
    fact = (cleaning.text(str(row["fact"]).strip()) or "")[:_LONGEST_FACT]
    return {
        "id": rules.memory_id(row["id"], mended),
        "session": row["session_id"],
        "fact": fact,
        "form": normal_hash(fact),
        "category": rules.category(row["category"], mended),
        "confidence": rules.confidence(row["confidence"], mended),
        "created_at": made,
        "updated_at": rules.moment(row["updated_at"]) or made,
    }


@dataclass(frozen=True, slots=True)
class Kept:
    """Number of new lessons; and others that say the same as imported ones, by the id of these."""

    new: int = 0
    united: Mapping[UUID, UUID] = field(default_factory=dict[UUID, UUID])


async def keep_memories(
    database: Database,
    models: Models,
    space: str,
    memories: Sequence[Row],
    *,
    now: datetime,
    began: datetime | None,
) -> Kept:
    """Keep memories and make them findable, in one transaction.

    What an active memory of the project says already, in the same words but for case, articles and
    punctuation, makes that one as sure and as late as the one that came; it is not kept twice.

    Raises:
        Forgotten: the whole space was forgotten since the import ``began``.
    """
    generation: int | None = None
    for attempt in range(_TRIES):
        async with database.snapshot_read(space) as tx:
            known: set[UUID] = (
                set() if tx is None else await store.known_memories(tx, [m["id"] for m in memories])
            )
            generation = generation or (None if tx is None else tx.space.generation)
        new = [one for one in memories if one["id"] not in known and one["fact"]]
        if not new:
            return Kept()
        embedded = await models.embed([one["fact"] for one in new], generation=generation)
        try:
            async with writing(database, space, began=began) as tx:
                await store.hold_memories(tx)
                if await store.known_memories(tx, [one["id"] for one in new]):
                    continue  # somebody else kept some of them meanwhile
                united = _united(new, await store.memory_homes(tx, new))
                fallback = next(iter(tx.space.languages), DEFAULT)
                kept = [place for place, one in enumerate(new) if one["id"] not in united]
                drafts = [_draft(new[place], embedded.vectors[place], fallback, now=now) for place in kept]
                ids = await index.file(tx, drafts, generation=embedded.generation)
                for place, entry in zip(kept, ids, strict=True):
                    await store.run(tx, "keep_memory", {**new[place], "entry": entry})
                for one in new:
                    if one["id"] in united:
                        await store.run(tx, "unite_memory", {**one, "same": united[one["id"]]})
            return Kept(len(kept), united)
        except GenerationChanged as moved:
            generation = moved.generation
            if attempt == _TRIES - 1:
                raise
    return Kept()


def _united(new: Sequence[Row], homes: Sequence[Row]) -> dict[UUID, UUID]:
    """Return new lessons that repeat another: an existing one, or an earlier one of them."""
    first: dict[tuple[str, str | None, bytes], UUID] = {}
    united: dict[UUID, UUID] = {}
    for one, home in zip(new, homes, strict=True):
        says = (home["project"], one["category"], one["form"])
        same = first.setdefault(says, home["same"] or one["id"])
        if same != one["id"]:
            united[one["id"]] = same
    return united


def _draft(one: Row, vector: Any, fallback: str, *, now: datetime) -> Draft:
    return Draft(
        kind=_TRANSCRIPTS,
        bag=bag(one["fact"], fallback=fallback),
        vector=vector,
        happened_at=one["created_at"],
        recorded_at=now,
        by_user=True,
        has_time=tells_time(one["fact"]),
        source_table="memories",
        source_id=str(one["id"]),
        content=one["fact"],
    )
