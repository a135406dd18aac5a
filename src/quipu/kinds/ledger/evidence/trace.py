"""Traces of an agent's tools and sources: calls, runs, look-ups, readings of reviews, fallbacks."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Annotated, Final

from annotated_types import Interval
from psycopg.types.json import Jsonb
from typing_extensions import Doc

from quipu.errors import BadInput, EmbeddingError
from quipu.kernel.base import scope
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Example, Space, TheSession
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.ledger.evidence import arguments, store
from quipu.kinds.ledger.evidence.arguments import object_of
from quipu.kinds.ledger.evidence.model import (
    CHECK_STATUSES,
    FALLBACK_KINDS,
    FETCHED_SOURCES,
    REVIEWED_ENTITIES,
    RUN_STATUSES,
    SOURCE_STATUSES,
    TOOL_SOURCES,
    CheckStatus,
    CompetitorCheck,
    FallbackKind,
    FetchedSource,
    ReviewedEntity,
    ReviewReading,
    RunStatus,
    SourceStatus,
    ToolSource,
)
from quipu.kinds.ledger.facts import LATEST_TURN
from quipu.kinds.ledger.outcome import unknown_session
from quipu.kinds.ledger.signals.extract import extract
from quipu.kinds.ledger.signals.model import Review, ReviewSignals
from quipu.kinds.ledger.values import prepare
from quipu.recall.generations import Models

_LONGEST_RESULT_BYTES: Final = 1024 * 1024
_MOST_WINDOW_DAYS: Final = 32_767

_Whole = Annotated[int, Interval(ge=0, le=arguments.MOST_WHOLE)]
_Session = Annotated[str, Doc("The session in which it was."), Example("s1")]
_Turn = Annotated[
    int | None, Doc("The turn of the session, if not the one it is at."), Interval(ge=0, le=LATEST_TURN)
]
_CacheHit = Annotated[bool, Doc("The answer came from a cache.")]
_Freshness = Annotated[_Whole | None, Doc("The age of the answer, in seconds.")]
_Reviewed = Annotated[str, Doc("The place that the reviews are of."), Example("oslo")]
_Entity = Annotated[ReviewedEntity, Doc("Whose place it is.")]
_WindowDays = Annotated[int, Doc("The days that the reviews are from."), Interval(ge=1, le=_MOST_WINDOW_DAYS)]


@dataclass(frozen=True, slots=True)
class _Place:
    """A session in which something is written down, and the turn."""

    tx: SpaceTransaction
    session: store.EvidenceSession
    turn: int

    async def write(self, name: str, values: Mapping[str, object]) -> int:
        """Write a row of this session and turn; its id."""
        where = {"session": self.session.uid, "thread": self.session.id, "turn": self.turn}
        return await store.write(self.tx, name, {**where, **values})


class AsyncTrace:
    """Write down what tools and sources did in sessions."""

    def __init__(self, database: Database, models: Models, *, clock: Clock, redact: bool) -> None:
        self._database = database
        self._models = models
        self._clock = clock
        self._redact = redact

    async def tool_call(
        self,
        tool: Annotated[str, Doc("The name of the tool."), Example("weather")],
        *,
        space: Space,
        session: _Session,
        latency_ms: Annotated[_Whole, Doc("The time that it took, in milliseconds."), Example(120)],
        status: Annotated[SourceStatus, Doc("The outcome.")] = "ok",
        source: Annotated[ToolSource | None, Doc("The outside source that it asked, if any.")] = None,
        args: Annotated[Mapping[str, object] | None, Doc("Its arguments, by name.")] = None,
        result: Annotated[object, Doc("The result, as JSON.")] = None,
        cache_hit: _CacheHit = False,
        freshness_seconds: _Freshness = None,
        error_code: Annotated[str | None, Doc("The code of its error.")] = None,
        message: Annotated[
            str | None, Doc("The id of the message that made the call; they are forgotten together.")
        ] = None,
        turn: _Turn = None,
    ) -> int:
        """Write down a tool call, and return its id.

        Secrets in arguments and result are cut out.

        Raises:
            BadInput: An argument is invalid; the error names it. Nothing was stored.
        """
        secrets = self._redact
        values = {
            "tool": check_name("tool", tool),
            "source": None if source is None else scope.one_of("source", source, TOOL_SOURCES),
            "args": Jsonb(object_of("args", args, secrets=secrets)),
            "result": _result(result, secrets=secrets),
            "status": scope.one_of("status", status, SOURCE_STATUSES),
            "latency_ms": scope.whole("latency_ms", latency_ms, least=0, most=arguments.MOST_WHOLE),
            "cache_hit": bool(cache_hit),
            "freshness_seconds": arguments.optional_whole("freshness_seconds", freshness_seconds),
            "error_code": optional_name("error_code", error_code),
        }
        optional_name("message", message)
        async with self._at(space, session, turn) as place:
            said = None if message is None else await store.said(place.tx, place.session, message)
            return await place.write("tool_call", {**values, "message": said, "now": self._clock.now()})

    async def source_run(
        self,
        source: Annotated[FetchedSource, Doc("The source."), Example("weather")],
        *,
        space: Space,
        started_at: Annotated[datetime | str, Doc("When it began."), Example("2026-05-04T10:00:00Z")],
        finished_at: Annotated[datetime | str | None, Doc("When it ended.")] = None,
        status: Annotated[RunStatus, Doc("The outcome.")] = "ok",
        items: Annotated[_Whole | None, Doc("The number of records that it fetched.")] = None,
        latest_record_at: Annotated[datetime | str | None, Doc("The time of the latest record.")] = None,
        error: Annotated[str | None, Doc("The error.")] = None,
    ) -> int:
        """Write down a run that fetched from a source ahead of all sessions, and return its id.

        Raises:
            BadInput: An argument is invalid; the error names it. Nothing was stored.
        """
        now = self._clock.now()
        started = arguments.time("started_at", started_at, now=now)
        finished = arguments.time("finished_at", finished_at, now=now)
        if started is None:
            raise BadInput("when did it begin?", field="started_at")
        if finished is not None and finished < started:
            raise BadInput("it is before started_at.", field="finished_at")
        values = {
            "source": scope.one_of("source", source, FETCHED_SOURCES),
            "started_at": started,
            "finished_at": finished,
            "status": scope.one_of("status", status, RUN_STATUSES),
            "items": arguments.optional_whole("items", items),
            "latest_record_at": arguments.time("latest_record_at", latest_record_at, now=now),
            "error": arguments.optional_line("error", error, secrets=self._redact),
        }
        async with self._database.write(check_name("space", space)) as tx:
            return await store.write(tx, "source_run", values)

    async def competitor_check(
        self,
        query: Annotated[str, Doc("The words of the user."), Example("the ramen bar next door")],
        *,
        space: Space,
        session: _Session,
        status: Annotated[CheckStatus, Doc("The result of the check."), Example("not_found")],
        place: Annotated[str | None, Doc("The id of the place, needed where it was resolved.")] = None,
        name: Annotated[str | None, Doc("The name of the place.")] = None,
        latency_ms: Annotated[_Whole | None, Doc("The time that it took, in milliseconds.")] = None,
        turn: _Turn = None,
    ) -> int:
        """Write down that a user asked for a competitor to be looked up, and return its id.

        Raises:
            BadInput: An argument is invalid; the error names it. Nothing was stored.
        """
        values = {
            "query": arguments.line("query", query, secrets=self._redact),
            "status": scope.one_of("status", status, CHECK_STATUSES),
            "place": optional_name("place", place),
            "name": optional_name("name", name),
            "latency_ms": arguments.optional_whole("latency_ms", latency_ms),
            "now": self._clock.now(),
        }
        if status == "resolved" and place is None:
            raise BadInput("which place was it resolved to?", field="place")
        async with self._at(space, session, turn) as where:
            return await where.write("competitor_check", values)

    async def competitor_checks(self, *, space: Space, session: TheSession) -> Sequence[CompetitorCheck]:
        """List the competitors that were looked up in a session, the latest first.

        Raises:
            BadInput: There is no such session.
        """
        check_name("session", session)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                raise unknown_session(session)
            standing = await store.standing(tx, session)
            return await tx.fetch(CompetitorCheck, store.SQL["competitor_checks"], session=standing.uid)

    async def read_reviews(
        self,
        reviews: Annotated[Sequence[Review], Doc("The reviews, as their source gave them.")],
        *,
        space: Space,
        session: _Session,
        place: _Reviewed,
        entity: _Entity = "own_location",
        window_days: _WindowDays = 90,
        cache_hit: _CacheHit = False,
        freshness_seconds: _Freshness = None,
        turn: _Turn = None,
    ) -> ReviewReading:
        """Find the complaints in the reviews of a place, and record the run with the time that it took.

        Raises:
            BadInput: naming the review and the field; nothing was stored.
            EmbeddingError: the model failed; the run is written down as one that failed.
        """
        for at, review in enumerate(reviews):
            if review.place_id != check_name("place", place):
                raise BadInput(f"it is of another place than {place!r}.", field=f"reviews[{at}].place_id")
        keep = partial(
            self.signal_run,
            space=space,
            session=session,
            place=place,
            entity=entity,
            cache_hit=cache_hit,
            freshness_seconds=freshness_seconds,
            turn=turn,
        )
        begun = time.monotonic()
        try:
            async with self._models.lent() as embedder:
                signals = await extract(reviews, embedder, now=self._clock.now(), window_days=window_days)
        except EmbeddingError as error:
            took = math.ceil((time.monotonic() - begun) * 1000)
            code = type(error).__name__
            await keep(None, status="error", error_code=code, window_days=window_days, latency_ms=took)
            raise
        number = await keep(signals)
        evidence = tuple(replace(arguments.referring(one), entity=entity) for one in signals.evidence)
        return ReviewReading(run_id=number, signals=signals, evidence=evidence)

    async def signal_run(
        self,
        signals: Annotated[ReviewSignals | None, Doc("What was found; None if the reading failed.")],
        *,
        space: Space,
        session: _Session,
        place: _Reviewed,
        entity: _Entity = "own_location",
        status: Annotated[SourceStatus | None, Doc("The outcome, where it is not in the signals.")] = None,
        error_code: Annotated[str | None, Doc("The code of its error.")] = None,
        window_days: _WindowDays = 90,
        latency_ms: Annotated[_Whole | None, Doc("The time that it took, in milliseconds.")] = None,
        cache_hit: _CacheHit = False,
        freshness_seconds: _Freshness = None,
        turn: _Turn = None,
    ) -> int:
        """Write down a reading of reviews that was made elsewhere, or one that failed; returns its id.

        Of ``signals``, status, window and latency are its own unless others are given. Without, ``status``
        says what happened.

        Raises:
            BadInput: naming the field; nothing was stored.
        """
        if status is None:
            if signals is None:
                raise BadInput("what happened to the run?", field="status", hint="error, timeout or stale")
            status = signals.status
        values = {
            **_findings(signals, window_days=window_days, latency_ms=latency_ms),
            "place": check_name("place", place),
            "entity": scope.one_of("entity", entity, REVIEWED_ENTITIES),
            "status": scope.one_of("status", status, SOURCE_STATUSES),
            "cache_hit": bool(cache_hit),
            "freshness_seconds": arguments.optional_whole("freshness_seconds", freshness_seconds),
            "error_code": optional_name("error_code", error_code),
            "now": self._clock.now(),
        }
        async with self._at(space, session, turn) as where:
            return await where.write("signal_run", values)

    async def fallback(
        self,
        kind: Annotated[FallbackKind, Doc("Why the answer fell back."), Example("timeout")],
        *,
        space: Space,
        session: _Session,
        reason: Annotated[str, Doc("The event that it answers."), Example("The weather did not answer.")],
        response: Annotated[str, Doc("The answer that was given."), Example("Without the weather: …")],
        sources_down: Annotated[Sequence[ToolSource], Doc("The sources that were missing.")] = (),
        turn: _Turn = None,
    ) -> int:
        """Write down that an answer had to do without some source, and return its id.

        Raises:
            BadInput: An argument is invalid; the error names it. Nothing was stored.
        """
        values = {
            "kind": scope.one_of("kind", kind, FALLBACK_KINDS),
            "reason": arguments.line("reason", reason, secrets=self._redact),
            "response": arguments.line("response", response, secrets=self._redact, longest=64 * 1024),
            "sources_down": [scope.one_of("sources_down", one, TOOL_SOURCES) for one in sources_down],
            "now": self._clock.now(),
        }
        async with self._at(space, session, turn) as where:
            await where.tx.execute(store.SQL["fell_back"], session=where.session.uid)
            return await where.write("fallback", values)

    @asynccontextmanager
    async def _at(self, space: str, session: str, turn: int | None) -> AsyncGenerator[_Place]:
        check_name("session", session)
        async with self._database.write(check_name("space", space)) as tx:
            standing = await store.standing(tx, session)
            yield _Place(tx, standing, store.turn_of(standing, turn))


def _result(value: object, *, secrets: bool) -> Jsonb | None:
    made = prepare(value, field="result", secrets=secrets, longest_bytes=_LONGEST_RESULT_BYTES).value
    return None if made is None else Jsonb(made)


def _findings(
    signals: ReviewSignals | None, *, window_days: int, latency_ms: int | None
) -> dict[str, object]:
    latency = arguments.optional_whole("latency_ms", latency_ms)
    if signals is None:
        return {
            "sample_count": 0,
            "evidence_count": 0,
            "window_days": scope.whole("window_days", window_days, least=0, most=_MOST_WINDOW_DAYS),
            "themes": list[str](),
            "scores": Jsonb({}),
            "latency_ms": latency,
        }
    return {
        "sample_count": signals.sample_count,
        "evidence_count": signals.evidence_count,
        "window_days": signals.window_days,
        "themes": list(signals.themes_detected),
        "scores": Jsonb(signals.scores_json()),
        "latency_ms": signals.latency_ms if latency is None else latency,
    }
