"""Gathering all that belongs to a topic, a person or a time, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from annotated_types import Interval
from typing_extensions import Doc

from quipu.app.entries import BY_CODE, RULE, cite, faded
from quipu.app.narrowing import filters_of, selected
from quipu.app.relations import AsyncRelations
from quipu.errors import BadInput
from quipu.kernel.base.parameters import (
    MOST_ROWS,
    Example,
    Matching,
    OnlyKinds,
    OnlySession,
    OnlyUser,
    Since,
    Space,
    Until,
    Words,
)
from quipu.kernel.base.scope import check_name, optional_name, reads_only, whole
from quipu.kernel.db.arrays import Int4s, Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.recall import filters as conditions
from quipu.recall import store as index
from quipu.recall.filters import Filter
from quipu.recall.model import THREAD_SHIFT, Cited, Filters, Found, Hit
from quipu.recall.store import Dated
from quipu.recall.timeline import (
    Gathered,
    Moment,
    TimelineCursor,
    beside,
    estimate,
    exchanges_of,
    least_score,
    moment,
    not_told,
    part,
    read_cursor,
    said_by,
    shortened,
)
from quipu.record import store

_DEPTH: Final = 200  # ranked for a topic: one search, quick in a space of any size
_DEEPER: Final = 1_000  # ranked where only what one speaker said is wanted
_ALWAYS: Final = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_NOTHING: Final = Gathered((), 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Arguments of one call, checked."""

    space: str
    filters: Filters
    by: Filter | None
    session: str | None
    speaker: str | None
    exchanges: bool
    limit: int
    behind: TimelineCursor | None

    @property
    def narrows(self) -> bool:
        """True if a person, a session, a time or metadata is named."""
        chosen = self.filters
        return any((chosen.user, chosen.since, chosen.until, self.session, self.speaker, self.by))


class AsyncTimeline(AsyncRelations):
    """Method of a memory that gathers."""

    @reads_only
    async def gather(
        self,
        topic: Annotated[
            str | None, Doc("What it is about; without it, everything."), Words(), Example("the garden")
        ] = None,
        *,
        space: Space,
        user: OnlyUser = None,
        session: OnlySession = None,
        speaker: Annotated[
            str | None, Doc("Only what was said by this person, or in this role."), Example("Ana")
        ] = None,
        kinds: OnlyKinds = None,
        since: Since = None,
        until: Until = None,
        filter: Matching = None,
        exchanges: Annotated[bool, Doc("Show the reply with each line.")] = False,
        limit: Annotated[int, Doc("The most memories to return."), Interval(ge=1, le=MOST_ROWS)] = 50,
        after: Annotated[
            str | None, Doc("Continue behind the part that had this cursor."), Example("1773500940000000.42")
        ] = None,
    ) -> Gathered:
        """Gather everything about a topic, a person, a time or metadata, oldest first.

        Each memory is shown by a short passage. What scores at least 45 % of the best memory belongs to a
        topic; of a large topic these are the best 200 (or ``limit``, if that is more). ``about`` estimates
        how many there are in all; to see the others, gather one part of the time after the other. Without
        a topic it is everything of that person, session, time or filter. ``cursor`` is where the next part
        begins.

        Raises:
            BadInput: an argument is out of range, or nothing names what is to be gathered.
        """
        wanted = Wanted(
            space=check_name("space", space),
            filters=filters_of(user=user, kinds=kinds, since=since, until=until),
            by=conditions.parse(filter),
            session=optional_name("session", session),
            speaker=optional_name("speaker", speaker),
            exchanges=exchanges,
            limit=whole("limit", limit, least=1, most=MOST_ROWS),
            behind=read_cursor(after),
        )
        if topic is not None and topic.strip():
            return await self._about(topic, wanted)
        if not wanted.narrows:
            raise BadInput(
                "there is neither a topic nor a person, session, time or filter.",
                field="topic",
                hint="Name what it is about, or from when on it was.",
            )
        return await self._everything(wanted)

    async def _about(self, topic: str, wanted: Wanted) -> Gathered:
        """Return the entries that belong to a topic."""
        speaker = wanted.speaker
        depth = _DEEPER if speaker else max(_DEPTH, wanted.limit)
        (understood,) = await self._ready.answering.among(
            [topic],
            space=wanted.space,
            filters=wanted.filters,
            by=wanted.by,
            session=wanted.session,
            limit=depth,
        )
        question = understood.question
        if question is None:
            return _NOTHING
        ranked = [hit for hit in understood.answer if RULE not in hit.parts]
        hits = ranked if speaker is None else [hit for hit in ranked if said_by(hit.source, speaker)]
        least = (wanted.behind and wanted.behind.least) or least_score(ranked)
        held = [hit for hit in hits if hit.score >= least]
        async with self._ready.database.snapshot_read(wanted.space) as tx:
            if tx is None:
                return _NOTHING
            moments = await _moments(tx, held, wanted)
        is_whole = len(ranked) < depth or len(held) < len(hits)
        scores = [hit.score for hit in held]
        about = len(moments) if is_whole else estimate(scores, least=least, most=tx.space.entries)
        found = part(moments, least=least, about=about, behind=wanted.behind, limit=wanted.limit)
        return shortened(found, question.terms, exchanges=wanted.exchanges)

    async def _everything(self, wanted: Wanted) -> Gathered:
        """Return all of a person, a session or a time."""
        async with self._ready.answering.filed(wanted.space) as tx:
            rows = [] if tx is None else await _dated(tx, wanted)
            if tx is None or not rows:
                return _NOTHING
            here = rows[: wanted.limit]
            entries = [Found(one.id, one.kind, 0.0, {}) for one in here]
            gone = await faded(tx, self._clock.now(), entries)
            cited = await cite(tx, [one for one in entries if one.id not in gone])
            hits = [_hit(one, cited[one.id], wanted.space) for one in entries if one.id in cited]
            if wanted.speaker is not None:
                hits = [hit for hit in hits if said_by(hit.source, wanted.speaker)]
            moments = await _moments(tx, hits, wanted)
        if wanted.speaker is None:
            moments = not_told(moments, behind=wanted.behind, since=wanted.filters.since)
        last = here[-1] if len(rows) > wanted.limit else None
        cursor = None if last is None else str(TimelineCursor(last.happened_at, last.id))
        found = Gathered(tuple(moments), rows[0].before + len(here), rows[0].total, cursor)
        return shortened(found, {}, exchanges=wanted.exchanges)


async def _dated(tx: SpaceTransaction, wanted: Wanted) -> list[Dated]:
    """Return the entries behind the place where the part begins, one more than it takes."""
    filters, behind = await selected(tx, wanted.filters, wanted.by), wanted.behind
    owner = None if filters.user is None else await index.owner(tx, filters.user)
    thread = None if wanted.session is None else await store.session_id(tx, wanted.session)
    if (owner is None and filters.user is not None) or (thread is None and wanted.session is not None):
        return []
    values = {
        "owner": owner,
        "speaker": wanted.speaker,
        "kinds": None if filters.kinds is None else Int4s(filters.kinds),
        "ids": None if filters.ids is None else Int8s(filters.ids),
        "first": -(2**63) if thread is None else thread << THREAD_SHIFT,
        "last": 2**63 - 1 if thread is None else ((thread + 1) << THREAD_SHIFT) - 1,
        "since": filters.since or _ALWAYS[0],
        "until": filters.until or _ALWAYS[1],
        "time": _ALWAYS[0] if behind is None else behind.happened_at,
        "place": -(2**63) if behind is None else behind.id,
        "limit": wanted.limit + 1,
    }
    return await index.timeline(tx, values)


async def _moments(tx: SpaceTransaction, hits: Sequence[Hit], wanted: Wanted) -> list[Moment]:
    """Return hits as moments, alone or as exchanges; nobody else's side where one person is wanted."""
    if not wanted.exchanges:
        return [moment(hit) for hit in hits]
    sides = await store.cite(tx, beside(hits))
    user = wanted.filters.user
    shown = {id_: one for id_, one in sides.items() if user is None or one.source.user in {None, user}}
    return exchanges_of(hits, shown)


def _hit(found: Found, cited: Cited, space: str) -> Hit:
    return Hit(
        kind=BY_CODE[found.kind].name,
        id=str(found.id),
        text=cited.text,
        score=0.0,
        parts={},
        happened_at=cited.happened_at,
        recorded_at=cited.recorded_at,
        source=cited.source,
        space=space,
        metadata=cited.metadata,
    )
