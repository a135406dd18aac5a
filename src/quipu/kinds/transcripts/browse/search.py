"""Finding texts: the index, the lines that are not in it yet, and what recall knows of the meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from anyio import to_thread

from quipu.errors import BadInput
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse import indexing, store
from quipu.kinds.transcripts.browse.excerpts import snippet
from quipu.kinds.transcripts.browse.model import Part, Sort, TranscriptHit, TranscriptHits
from quipu.kinds.transcripts.browse.query import Group, Narrowed, Query, needles, parse, tsquery
from quipu.kinds.transcripts.browse.ranking import (
    Candidate,
    Key,
    Met,
    candidate,
    merged,
    met,
    met_unindexed,
    ordered,
)
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
class Asked:
    """A search: what it asks for, narrowed to what, in which order, how much of it."""

    text: str
    query: Query
    narrowed: Narrowed
    sort: Sort
    limit: int


def asked(text: object, *, narrowed: Narrowed, sort: Sort, limit: int) -> Asked:
    """Return the search that a text means.

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
    return Asked(text, query, narrowed, sort, limit)


async def search(database: Database, recall: Search | None, space: str, what: Asked) -> TranscriptHits:
    """Return the best texts, or the latest or the earliest, after indexing some of what is not indexed."""
    unindexed = await indexing.left(database, space)
    if unindexed:
        unindexed = (await indexing.advance(database, space, seconds=_INDEXING_SECONDS)).left
    nothing = TranscriptHits(what.text, (), 0, unindexed)
    async with database.transaction(space) as tx:
        if tx is None:
            return nothing
        sessions = await _sessions(tx, what.narrowed)
        if sessions is not None and not sessions:
            return nothing
        found, total = await _by_words(tx, what, sessions, unindexed=unindexed > 0)
    # A transaction of its own: the search of recall wants the space as of one moment, and its own kind of
    # plans.
    if recall is not None and what.sort == "relevance" and _has_meaning(what.narrowed):
        async with database.snapshot_read(space) as tx:
            if tx is not None and tx.space.generation is not None:
                near = await _by_meaning(tx, recall, what, sessions)
                await _judge(tx, what, found, near)
    async with database.transaction(space) as tx:
        hits = [] if tx is None else await _shown(tx, what, found)
    return TranscriptHits(what.text, tuple(hits), max(total, len(hits)), unindexed)


async def _sessions(tx: SpaceTransaction, narrowed: Narrowed) -> list[int] | None:
    if narrowed.project is None and narrowed.session is None:
        return None
    values = {"project": narrowed.project, "session": narrowed.session}
    return await store.numbers(tx, "sessions_of", values)


def _has_meaning(narrowed: Narrowed) -> bool:
    """Return True if spoken words are asked for: only these are known by their meaning."""
    said = narrowed.parts is None or "said" in narrowed.parts
    roles = narrowed.roles is None or bool({"user", "assistant"} & {*narrowed.roles})
    return said and roles and narrowed.tools is None and not narrowed.errors


async def _by_words(
    tx: SpaceTransaction, what: Asked, sessions: Sequence[int] | None, *, unindexed: bool
) -> tuple[dict[Key, Candidate], int]:
    """Return texts with the words, with their scores, and how many there are."""
    values = what.narrowed.values(sessions)
    groups: list[tuple[int, Met]] = []
    for group in what.query.groups:
        known, size = await _indexed(tx, what, group, values)
        late: Met = await _unindexed(tx, group, values) if unindexed else {}
        groups.append((size + len(late), {**known, **late}))
    return merged(groups), sum(size for size, _ in groups)


async def _indexed(
    tx: SpaceTransaction, what: Asked, group: Group, values: Mapping[str, object]
) -> tuple[Met, int]:
    """Return the first indexed texts that truly meet a group; with a phrase, as many as it takes."""
    most = max(_READ, 2 * what.limit)
    given = {
        **values,
        "asked": tsquery(group, space=tx.space.id),
        "sorted": what.sort,
        "most": _MOST_READ if group.needs_reading else most,
    }
    known = await store.rows(tx, store.Known, "matching", given)
    found: dict[Key, tuple[Candidate, float]] = {}
    begin, step = 0, most
    while begin < len(known) and len(found) < most:
        some = known[begin : begin + step]
        read = await store.contents(tx, [(one.line_id, one.part, one.call_id) for one in some])
        found |= await to_thread.run_sync(met, some, read, group)
        begin, step = begin + step, 2 * step
    return found, known[0].found if known else 0


async def _unindexed(tx: SpaceTransaction, group: Group, values: Mapping[str, object]) -> Met:
    """Return unindexed texts that meet a group, the latest of them."""
    given = {
        **values,
        "needles": needles(group),
        "characters": MOST_CHARACTERS,
        "limit": _MOST_UNINDEXED,
    }
    texts = await store.spoken(tx, await store.rows(tx, store.Text, "unindexed_matching", given))
    return await to_thread.run_sync(met_unindexed, texts, group)


async def _by_meaning(
    tx: SpaceTransaction, recall: Search, what: Asked, sessions: Sequence[int] | None
) -> dict[int, float]:
    """Return lines scored by what recall holds of their messages, 0 to 1."""
    thread = sessions[0] if sessions is not None and len(sessions) == 1 else None
    since, until = what.narrowed.since, what.narrowed.until
    filters = Filters(kinds=(_MESSAGE,), thread=thread, since=since, until=until)
    ((_, nearest),) = await recall.find(tx, [what.text], filters=filters, limit=_NEAREST)
    scores = {one.id: one.score for one in nearest}
    values = {"messages": Int8s(sorted(scores))}
    lines = await store.rows(tx, store.SaidLine, "lines_of_messages", values)
    wanted = None if sessions is None else {*sessions}
    return {
        line.line_id: scores[line.message_id] for line in lines if wanted is None or line.session_id in wanted
    }


async def _judge(
    tx: SpaceTransaction, what: Asked, found: dict[Key, Candidate], near: Mapping[int, float]
) -> None:
    """Add what recall holds of messages. Where signs were used, they are obeyed: none joins by meaning."""
    for (line, part, _), one in found.items():
        if part == "said":
            one.meaning = near.get(line, 0.0)
    if not what.query.plain:
        return
    for text in await store.texts(tx, [line for line in near if (line, "said", "") not in found]):
        if text.part == "said" and (what.narrowed.roles is None or text.role in what.narrowed.roles):
            joined = candidate(text, text.content)
            joined.meaning = near[text.line_id]
            found[joined.key] = joined


async def _shown(tx: SpaceTransaction, what: Asked, found: Mapping[Key, Candidate]) -> list[TranscriptHit]:
    """Return the hits in order. A line that resumed sessions repeat is one hit."""
    best = ordered(found.values(), what.sort)
    lines = {"lines": Int8s(sorted({one.key[0] for one in best}))}
    places = {place.line_id: place for place in await store.rows(tx, store.Place, "places", lines)}
    terms = [term for group in what.query.groups for term in group.required]
    hits: dict[tuple[str, Part, str], TranscriptHit] = {}
    for one in best:
        line, part, call = one.key
        place = places.get(line)
        if place is None:  # erased meanwhile
            continue
        known = hits.get((place.uuid, part, call))
        if known is not None:
            hits[place.uuid, part, call] = replace(known, also_in=(*known.also_in, place.session))
        elif len(hits) < what.limit:
            hits[place.uuid, part, call] = _hit(one, place, snippet(one.content, terms))
    return list(hits.values())


def _hit(one: Candidate, place: store.Place, shown: str) -> TranscriptHit:
    parts = one.parts
    return TranscriptHit(
        session=place.session,
        project_path=place.project_path or "",
        title=place.title,
        uuid=place.uuid,
        part=one.key[1],
        role=one.role,
        tool=one.tool,
        call_id=one.key[2] or None,
        is_error=one.is_error,
        timestamp=one.happened_at,
        snippet=shown,
        score=round(sum(parts.values()), 4),
        parts={name: round(amount, 4) for name, amount in parts.items()},
    )
