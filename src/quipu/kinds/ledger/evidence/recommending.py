"""Recommendations with their evidence: written together, clamped by the policy, and asked for later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Database, Within
from quipu.kinds.ledger.evidence import checking, moment, policy, store
from quipu.kinds.ledger.evidence.document import object_of
from quipu.kinds.ledger.evidence.model import (
    CONFIDENCES,
    EVIDENCE_SOURCES,
    SOURCE_STATUSES,
    Confidence,
    EvidenceSource,
    Limit,
    Piece,
    Recommendation,
    Reference,
    Shown,
    SourceStatus,
)
from quipu.kinds.ledger.signals.model import Evidence, Theme

_MOST = 1_000
_BIGGEST_ID = 2**63 - 1


class AsyncRecommendations:
    """Writes and shows the recommendations of a database."""

    def __init__(self, database: Database, *, clock: Clock, redact: bool) -> None:
        self._database = database
        self._clock = clock
        self._redact = redact

    async def recommend(
        self,
        action: str,
        *,
        space: str,
        session: str,
        location: str,
        time_window: str,
        confidence: Confidence,
        source: EvidenceSource,
        evidence: Iterable[Reference | Evidence] = (),
        source_status: SourceStatus | None = None,
        freshness_seconds: int | None = None,
        rule_version: str = "unknown",
        impact_score: float | None = None,
        explanation: Mapping[str, object] | None = None,
        meta: Mapping[str, object] | None = None,
        message: str | None = None,
        turn: int | None = None,
    ) -> Recommendation:
        """Keep a recommendation with its evidence, and get it back as surely as it may be said.

        ``evidence``: references, or findings of a reading of reviews; of more than ten the heaviest are kept.
        ``confidence`` is lowered where the source was stale or failed, or a baseline of the location is only
        assumed (``Recommendation.limits`` says why). How the source did is ``source_status`` and
        ``freshness_seconds``, or where they are not given what its last call in this turn said.
        ``explanation`` as the seed has it: ``why``, ``deltaReasoning``, ``escalationTrigger``;
        ``baselineAssumption`` is filled in. ``message`` is the id of the message that says it.

        Raises:
            BadInput: naming the field, such as ``evidence[2].published_at``; nothing was stored.
        """
        check_name("space", space)
        check_name("session", session)
        now, secrets = self._clock.now(), self._redact
        words = {
            "action": checking.line("action", action, secrets=secrets),
            "location": check_name("location", location),
            "time_window": check_name("time_window", time_window),
            "rule_version": check_name("rule_version", rule_version),
        }
        asked = checking.one_of("confidence", confidence, CONFIDENCES)
        source = checking.one_of("source", source, EVIDENCE_SOURCES)
        given = policy.Conditions(
            status=None
            if source_status is None
            else checking.one_of("source_status", source_status, SOURCE_STATUSES),
            freshness_seconds=checking.optional_whole("freshness_seconds", freshness_seconds),
        )
        references = checking.references(evidence, now=now, secrets=secrets)
        kept = policy.ranked(references)
        explained = object_of("explanation", explanation, secrets=secrets)
        noted = object_of("meta", meta, secrets=secrets)
        if store.OURS in noted:
            raise BadInput("this name is ours.", field=f"meta.{store.OURS}")
        impact = checking.impact(impact_score)
        optional_name("message", message)
        async with self._database.writing(space) as within:
            place = await moment.standing(within, session)
            turn = moment.turn_of(place, turn)
            known = await store.conditions(within, place, turn=turn, source=source, now=now)
            meant = policy.joined(given, known)
            limits = policy.limits(source, location, meant)
            draft = store.Draft(
                **words,
                session=place.uid,
                message=None if message is None else await moment.said(within, place, message),
                turn=turn,
                confidence=policy.clamp(asked, limits),
                source="system" if meant.all_sources_down else source,
                freshness_seconds=meant.freshness_seconds,
                impact_score=impact,
                explanation=policy.explained(explained, meant, location),
                meta={**noted, **_account(asked, limits, left_out=len(references) - len(kept))},
                now=now,
                evidence=kept,
            )
            made = await store.recommendation(within, await store.recommend(within, draft))
        assert made is not None
        return made

    async def recommendation(self, number: int, *, space: str) -> Recommendation:
        """A recommendation by its id.

        Raises:
            NotFound: there is none of that id in this space.
        """
        checking.whole("number", number, most=_BIGGEST_ID)
        async with self._database.space(check_name("space", space)) as within:
            found = None if within is None else await store.recommendation(within, number)
        if found is None:
            raise _unknown(number, space)
        return found

    async def recommendations(
        self,
        *,
        space: str,
        session: str | None = None,
        before: int | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> list[Recommendation]:
        """The recommendations of a session, or of the whole space; the latest first.

        ``before``: the id of a recommendation; only those that came before it.
        """
        optional_name("session", session)
        _check_page(limit, offset)
        last = _BIGGEST_ID if before is None else checking.whole("before", before, most=_BIGGEST_ID)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            return await store.recommendations(
                within, session=session, before=last, limit=limit, offset=offset
            )

    async def evidence(
        self, recommendation: int | Recommendation, *, space: str, theme: Theme | None = None, limit: int = 10
    ) -> Shown:
        """The evidence of a recommendation in the order of its ranks: "show me the reviews".

        With ``theme`` only what shows that theme. ``Shown.themes`` says what else there is.

        Raises:
            NotFound: there is no recommendation of that id in this space.
        """
        number = recommendation.id if isinstance(recommendation, Recommendation) else recommendation
        checking.whole("recommendation", number, most=_BIGGEST_ID)
        _check_page(limit, 0)
        theme = None if theme is None else checking.theme_named("theme", theme)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None or await store.recommendation(within, number) is None:
                raise _unknown(number, space)
            return await _shown(within, store.Asked(recommendation=number), theme=theme, limit=limit)

    async def evidence_of(
        self,
        theme: Theme | None = None,
        *,
        space: str,
        session: str | None = None,
        place: str | None = None,
        limit: int = 10,
    ) -> Shown:
        """The evidence of a theme in a session, of a place, or in the whole space; the newest first.

        A review that several recommendations refer to is shown once. Where there is no evidence of the
        theme, ``Shown.themes`` says of which there is. Without ``theme``, evidence of all themes.

        Raises:
            BadInput: ``theme`` is none of the seven, or there is no such session.
        """
        optional_name("session", session)
        optional_name("place", place)
        _check_page(limit, 0)
        theme = None if theme is None else checking.theme_named("theme", theme)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return Shown(pieces=(), themes={}, theme=theme)
            uid = None if session is None else (await moment.standing(within, session)).uid
            return await _shown(within, store.Asked(session=uid, place=place), theme=theme, limit=limit)


async def _shown(within: Within, asked: store.Asked, *, theme: Theme | None, limit: int) -> Shown:
    pieces: list[Piece] = await store.pieces(within, asked, theme=theme, limit=limit)
    return Shown(pieces=tuple(pieces), themes=await store.themes(within, asked), theme=theme)


def _account(asked: Confidence, limits: list[Limit], *, left_out: int) -> dict[str, object]:
    """What the policy did, as it is kept in ``meta``; nothing where it had nothing to do."""
    if not limits and not left_out:
        return {}
    told = {"asked_confidence": asked, "limits": [asdict(limit) for limit in limits]}
    return {store.OURS: {**told, "evidence_left_out": left_out}}


def _unknown(number: int, space: str) -> NotFound:
    return NotFound(
        f"There is no recommendation {number} in the space {space!r}.",
        hint="The list of recommendations shows those there are.",
    )


def _check_page(limit: int, offset: int) -> None:
    if checking.whole("limit", limit, most=_MOST) == 0:
        raise BadInput(f"a whole number from 1 to {_MOST:,}.", field="limit")
    checking.whole("offset", offset)
