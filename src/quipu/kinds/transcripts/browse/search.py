"""Search for texts: in the index, in lines that are not in it yet, and by meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from anyio import to_thread

from quipu.errors import BadInput
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse import indexing, store
from quipu.kinds.transcripts.browse.excerpts import snippet
from quipu.kinds.transcripts.browse.model import Part, Sort, TranscriptHit, TranscriptHits
from quipu.kinds.transcripts.browse.query import Group, Narrowed, Query, needles, parse, tsquery
from quipu.kinds.transcripts.browse.rank import (
    Candidate,
    Matches,
    indexed_matches,
    merged,
    ordered,
    unindexed_matches,
)
from quipu.kinds.transcripts.browse.store import SQL, IndexedText, Key, Text
from quipu.kinds.transcripts.browse.words import MOST_CHARACTERS
from quipu.recall.model import Filters
from quipu.recall.search import Search

_MESSAGE: Final = 1  # core.recall_kinds.code
_INDEXING_SECONDS: Final = 0.3
_READ: Final = 60
_MOST_READ: Final = 1_200
_MOST_UNINDEXED: Final = 2_000
_NEAREST: Final = 60


@dataclass(frozen=True, slots=True)
class TextSearch:
    """A search: its query, the conditions, the order of the hits and their number."""

    text: str
    query: Query
    narrowed: Narrowed
    sort: Sort
    limit: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line stands."""

    line_id: int
    uuid: str
    session: str
    project_path: str
    title: str | None


def text_search(text: object, *, narrowed: Narrowed, sort: Sort, limit: int) -> TextSearch:
    """Return the search for a query.

    Raises:
        BadInput: there is no word in it, or only words that are to be left out.
    """
    if not isinstance(text, str):
        raise BadInput("give a text.", field="query")
    query = parse(text)
    if not query.groups:
        raise BadInput(
            "there is no word in it to search for.",
            field="query",
            hint="Words are letters and digits; a word with - in front is only left out.",
        )
    return TextSearch(text, query, narrowed, sort, limit)


async def search(database: Database, recall: Search | None, space: str, wanted: TextSearch) -> TranscriptHits:
    """Return the best texts, or the latest or the earliest, after indexing some of what is not indexed."""
    unindexed = await indexing.left(database, space)
    if unindexed:
        unindexed = (await indexing.advance(database, space, seconds=_INDEXING_SECONDS)).left
    nothing = TranscriptHits(wanted.text, (), 0, unindexed)
    async with database.transaction(space) as tx:
        if tx is None:
            return nothing
        sessions = await _sessions(tx, wanted.narrowed)
        if sessions is not None and not sessions:
            return nothing
        candidates, total = await _by_words(tx, wanted, sessions, unindexed=unindexed > 0)
    # A transaction of its own: the search of recall wants the space as of one moment, and its own kind of
    # plans.
    if recall is not None and wanted.sort == "relevance" and _has_meaning(wanted.narrowed):
        async with database.snapshot_read(space) as tx:
            if tx is not None and tx.space.generation is not None:
                near = await _by_meaning(tx, recall, wanted, sessions)
                await _judge(tx, wanted, candidates, near)
    async with database.transaction(space) as tx:
        hits = [] if tx is None else await _hits(tx, wanted, candidates)
    return TranscriptHits(wanted.text, tuple(hits), max(total, len(hits)), unindexed)


async def _sessions(tx: SpaceTransaction, narrowed: Narrowed) -> list[int] | None:
    if narrowed.project is None and narrowed.session is None:
        return None
    rows = await tx.rows(SQL["sessions_of"], project=narrowed.project, session=narrowed.session)
    return [number for (number,) in rows]


def _has_meaning(narrowed: Narrowed) -> bool:
    """Return True if spoken words are asked for: only these are known by their meaning."""
    said = narrowed.parts is None or "said" in narrowed.parts
    roles = narrowed.roles is None or bool({"user", "assistant"} & {*narrowed.roles})
    return said and roles and narrowed.tools is None and not narrowed.errors


async def _by_words(
    tx: SpaceTransaction, wanted: TextSearch, sessions: Sequence[int] | None, *, unindexed: bool
) -> tuple[dict[Key, Candidate], int]:
    """Return texts with the words, with their scores, and how many there are."""
    values = wanted.narrowed.values(sessions)
    groups: list[tuple[int, Matches]] = []
    for group in wanted.query.groups:
        known, size = await _indexed(tx, wanted, group, values)
        late: Matches = await _unindexed(tx, group, values) if unindexed else {}
        groups.append((size + len(late), {**known, **late}))
    return merged(groups), sum(size for size, _ in groups)


async def _indexed(
    tx: SpaceTransaction, wanted: TextSearch, group: Group, values: Mapping[str, Any]
) -> tuple[Matches, int]:
    """Return the first indexed texts that truly meet a group; with a phrase, as many as it takes."""
    most = max(_READ, 2 * wanted.limit)
    known = await tx.fetch(
        IndexedText,
        SQL["matching"],
        **values,
        asked=tsquery(group, space=tx.space.id),
        sorted=wanted.sort,
        most=_MOST_READ if group.needs_reading else most,
    )
    matches: dict[Key, tuple[Candidate, float]] = {}
    begin, step = 0, most
    while begin < len(known) and len(matches) < most:
        some = known[begin : begin + step]
        matches |= await to_thread.run_sync(indexed_matches, some, await _contents(tx, some), group)
        begin, step = begin + step, 2 * step
    return matches, known[0].total if known else 0


async def _contents(tx: SpaceTransaction, texts: Sequence[IndexedText]) -> dict[Key, str]:
    rows = await tx.rows(
        SQL["contents"],
        lines=Int8s([one.line_id for one in texts]),
        parts=[one.part for one in texts],
        calls=[one.call_id for one in texts],
        characters=MOST_CHARACTERS,
    )
    return {(line, part, call): content for line, part, call, content in rows}


async def _unindexed(tx: SpaceTransaction, group: Group, values: Mapping[str, Any]) -> Matches:
    """Return unindexed texts that meet a group, the latest of them."""
    texts = await tx.fetch(
        Text,
        SQL["unindexed_matching"],
        **values,
        needles=needles(group),
        characters=MOST_CHARACTERS,
        limit=_MOST_UNINDEXED,
    )
    return await to_thread.run_sync(unindexed_matches, await store.spoken(tx, texts), group)


async def _by_meaning(
    tx: SpaceTransaction, recall: Search, wanted: TextSearch, sessions: Sequence[int] | None
) -> dict[int, float]:
    """Return lines scored by what recall holds of their messages, 0 to 1."""
    thread = sessions[0] if sessions is not None and len(sessions) == 1 else None
    since, until, filter = wanted.narrowed.since, wanted.narrowed.until, wanted.narrowed.filter
    ids = None if filter is None else tuple(await tx.column(SQL["messages_about"], filter=filter))
    filters = Filters(kinds=(_MESSAGE,), thread=thread, since=since, until=until, ids=ids)
    ((_, nearest),) = await recall.find(tx, [wanted.text], filters=filters, limit=_NEAREST)
    scores = {one.id: one.score for one in nearest}
    lines = await tx.rows(SQL["lines_of_messages"], messages=Int8s(sorted(scores)))
    chosen = None if sessions is None else {*sessions}
    return {line: scores[message] for line, message, session in lines if chosen is None or session in chosen}


async def _judge(
    tx: SpaceTransaction, wanted: TextSearch, candidates: dict[Key, Candidate], near: Mapping[int, float]
) -> None:
    """Add what recall holds of messages. Where signs were used, they are obeyed: none joins by meaning."""
    for (line, part, _), one in candidates.items():
        if part == "said":
            one.meaning = near.get(line, 0.0)
    if not wanted.query.plain:
        return
    for text in await store.texts(tx, [line for line in near if (line, "said", "") not in candidates]):
        if text.part == "said" and (wanted.narrowed.roles is None or text.role in wanted.narrowed.roles):
            candidates[text.key] = Candidate(text, text.content, meaning=near[text.line_id])


async def _hits(
    tx: SpaceTransaction, wanted: TextSearch, candidates: Mapping[Key, Candidate]
) -> list[TranscriptHit]:
    """Return the hits in order. A line that resumed sessions repeat is one hit."""
    best = ordered(candidates.values(), wanted.sort)
    lines = Int8s(sorted({one.text.line_id for one in best}))
    places = {place.line_id: place for place in await tx.fetch(_Place, SQL["places"], lines=lines)}
    terms = [term for group in wanted.query.groups for term in group.required]
    hits: dict[tuple[str, Part, str], TranscriptHit] = {}
    for one in best:
        place = places.get(one.text.line_id)
        if place is None:  # erased meanwhile
            continue
        key = place.uuid, one.text.part, one.text.call_id
        if key in hits:
            hits[key] = replace(hits[key], also_in=(*hits[key].also_in, place.session))
        elif len(hits) < wanted.limit:
            hits[key] = _hit(one, place, snippet(one.content, terms))
    return list(hits.values())


def _hit(one: Candidate, place: _Place, shown: str) -> TranscriptHit:
    text, parts = one.text, one.parts
    return TranscriptHit(
        session=place.session,
        project_path=place.project_path,
        title=place.title,
        uuid=place.uuid,
        part=text.part,
        role=text.role,
        tool=text.tool_name,
        call_id=text.call_id or None,
        is_error=text.is_error,
        timestamp=text.happened_at,
        snippet=shown,
        score=round(sum(parts.values()), 4),
        parts={name: round(amount, 4) for name, amount in parts.items()},
    )
