"""Recommendations with their evidence: written together, clamped by the policy, and asked for later."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, TypeVar

from annotated_types import Interval
from psycopg.types.json import Jsonb
from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base import scope
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    MOST_PASSED_OVER,
    Example,
    Limit,
    Offset,
    OnlySession,
    Space,
    TheSession,
)
from quipu.kernel.base.scope import check_name, optional_name, reads_only
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.ledger.evidence import arguments, policy, store
from quipu.kinds.ledger.evidence.arguments import object_of
from quipu.kinds.ledger.evidence.model import (
    CONFIDENCES,
    EVIDENCE_SOURCES,
    SOURCE_STATUSES,
    Confidence,
    ConfidenceLimit,
    EvidencePiece,
    EvidenceReference,
    EvidenceSource,
    Recommendation,
    ShownEvidence,
    SourceStatus,
    ThemeCount,
)
from quipu.kinds.ledger.signals.model import THEMES, ReviewEvidence, Theme

_MOST = 1_000
_BIGGEST_ID = 2**63 - 1

Shown = TypeVar("Shown")

References = Annotated[
    Iterable[EvidenceReference | ReviewEvidence],
    Doc("References, or findings of a reading of reviews; of more than ten the heaviest are kept."),
]
OfSource = Annotated[
    SourceStatus | None, Doc("The state of the source; as its last call in this turn told, if not given.")
]
Freshness = Annotated[
    int | None, Doc("The age of its data in seconds; as its last call in this turn told, if not given.")
]
Explanation = Annotated[
    Mapping[str, object] | None,
    Doc("As the design has it: `why`, `deltaReasoning`, `escalationTrigger`."),
]
Theming = Annotated[
    Theme | str | None, Doc(f"Only what shows this theme: {', '.join(THEMES)}."), Example("wait_time")
]
TheId = Annotated[int, Doc("The id of the recommendation."), Interval(ge=1, le=_BIGGEST_ID), Example(12)]
OnlyPlace = Annotated[str | None, Doc("Only of this place."), Example("oslo")]
Pieces = Annotated[int, Doc("The most pieces to return."), Interval(ge=1, le=_MOST)]


class AsyncEvidence:
    """Recommendations, and the evidence that they rest on."""

    def __init__(self, database: Database, *, clock: Clock, redact: bool) -> None:
        self._database = database
        self._clock = clock
        self._redact = redact

    async def recommend(
        self,
        action: Annotated[str, Doc("The recommended action."), Example("Put one more person at the door.")],
        *,
        space: Space,
        session: TheSession,
        location: Annotated[str, Doc("The location it is for."), Example("oslo")],
        time_window: Annotated[str, Doc("When it holds."), Example("Friday 18-21")],
        confidence: Annotated[
            Confidence, Doc("The confidence; it is lowered where the sources do not allow it.")
        ],
        source: Annotated[EvidenceSource, Doc("Where it comes from.")],
        evidence: References = (),
        source_status: OfSource = None,
        freshness_seconds: Freshness = None,
        rule_version: Annotated[str, Doc("The version of the rules that made it.")] = "unknown",
        impact_score: Annotated[float | None, Doc("The importance of the impact.")] = None,
        explanation: Explanation = None,
        meta: Annotated[Mapping[str, object] | None, Doc("More of it, by name.")] = None,
        message: Annotated[str | None, Doc("The id of the message that says it.")] = None,
        turn: Annotated[int | None, Doc("The turn of the session; the one it is at if not given.")] = None,
    ) -> Recommendation:
        """Keep a recommendation with its evidence, and return it as surely as it may be said.

        The confidence is lowered where the source was stale or failed, or a baseline of the location is only
        assumed; ``limits`` says why. ``baselineAssumption`` of the explanation is filled in.

        Raises:
            BadInput: Naming the field, for example ``evidence[2].published_at``; nothing was stored.
        """
        check_name("space", space)
        check_name("session", session)
        now, secrets = self._clock.now(), self._redact
        words = {
            "action": arguments.line("action", action, secrets=secrets),
            "location": check_name("location", location),
            "time_window": check_name("time_window", time_window),
            "rule_version": check_name("rule_version", rule_version),
        }
        wanted = scope.one_of("confidence", confidence, CONFIDENCES)
        source = scope.one_of("source", source, EVIDENCE_SOURCES)
        given = policy.Conditions(
            status=None
            if source_status is None
            else scope.one_of("source_status", source_status, SOURCE_STATUSES),
            freshness_seconds=arguments.optional_whole("freshness_seconds", freshness_seconds),
        )
        references = arguments.references(evidence, now=now, secrets=secrets)
        kept = policy.ranked(references)
        explained = object_of("explanation", explanation, secrets=secrets)
        noted = object_of("meta", meta, secrets=secrets)
        if store.OURS in noted:
            raise BadInput("this name is ours.", field=f"meta.{store.OURS}")
        impact = arguments.impact(impact_score)
        optional_name("message", message)
        async with self._database.write(space) as tx:
            place = await store.standing(tx, session)
            turn = store.turn_of(place, turn)
            known = await store.conditions(tx, place, turn=turn, source=source, now=now)
            meant = policy.joined(given, known)
            limits = policy.limits(source, location, meant)
            account = _account(wanted, limits, left_out=len(references) - len(kept))
            values = {
                **words,
                **store.columns(kept),
                "session": place.uid,
                "message": None if message is None else await store.said(tx, place, message),
                "turn": turn,
                "confidence": policy.clamp(wanted, limits),
                "source": "system" if meant.all_sources_down else source,
                "freshness_seconds": meant.freshness_seconds,
                "impact_score": impact,
                "explanation": Jsonb(policy.explained(explained, meant, location)),
                "meta": Jsonb({**noted, **account}),
                "now": now,
            }
            return await _recommendation(tx, await store.write(tx, "recommend", values))

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        session: OnlySession = None,
        after: Annotated[
            int | None, Doc("Continue after the recommendation with this id."), Interval(ge=1, le=_BIGGEST_ID)
        ] = None,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Sequence[Recommendation]:
        """List recommendations, the latest first, each with how sure it is and how much evidence it has.

        Raises:
            BadInput: An argument is out of range.
        """
        optional_name("session", session)
        _check_page(limit, offset)
        last = _BIGGEST_ID if after is None else scope.whole("after", after, most=_BIGGEST_ID) - 1
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            return await store.recommendations(tx, session=session, last=last, limit=limit, offset=offset)

    @reads_only
    async def get(self, id: TheId, *, space: Space) -> Recommendation:
        """Show a recommendation with what limits how sure it is.

        Raises:
            NotFound: There is no such recommendation.
        """
        scope.whole("id", id, most=_BIGGEST_ID)
        async with self._database.list_read(check_name("space", space)) as tx:
            return await _recommendation(tx, id)

    @reads_only
    async def sources(
        self, id: TheId, *, space: Space, theme: Theming = None, limit: Pieces = 10
    ) -> ShownEvidence:
        """Show the evidence of a recommendation by rank: "show me the reviews".

        Where there is none of the theme, ``themes`` says of which there is.

        Raises:
            NotFound: There is no such recommendation.
            BadInput: There is no such theme.
        """
        scope.whole("id", id, most=_BIGGEST_ID)
        _check_page(limit, 0)
        known = None if theme is None else arguments.theme_named("theme", theme)
        async with self._database.list_read(check_name("space", space)) as tx:
            await _recommendation(tx, id)
            assert tx is not None  # else there is no such recommendation
            return await _shown(tx, store.EvidenceScope(recommendation=id), theme=known, limit=limit)

    async def search(
        self,
        theme: Theming = None,
        *,
        space: Space,
        session: OnlySession = None,
        place: OnlyPlace = None,
        limit: Pieces = 10,
    ) -> ShownEvidence:
        """Find the evidence of a theme in a session, of a place, or in the whole space; the newest first.

        A review that several recommendations refer to is shown once. Where there is none of the theme,
        ``themes`` says of which there is. Without a theme it is the evidence of all.

        Raises:
            BadInput: There is no such theme, or no such session.
        """
        known = None if theme is None else arguments.theme_named("theme", theme)
        _check_page(limit, 0)
        pieces = await self._of(
            space, session, place, lambda tx, within: _shown(tx, within, theme=known, limit=limit)
        )
        return ShownEvidence(pieces=(), themes={}, theme=known) if pieces is None else pieces

    async def themes(
        self, *, space: Space, session: OnlySession = None, place: OnlyPlace = None
    ) -> Sequence[ThemeCount]:
        """Count the evidence of each theme, the most frequent first.

        Raises:
            BadInput: There is no such session.
        """
        counts = await self._of(space, session, place, store.themes)
        return [ThemeCount(theme=theme, count=count) for theme, count in (counts or {}).items()]

    async def _of(
        self,
        space: str,
        session: str | None,
        place: str | None,
        ask: Callable[[SpaceTransaction, store.EvidenceScope], Awaitable[Shown]],
    ) -> Shown | None:
        """Return the answer of ``ask`` for evidence of a session, a place, or all; None without a space."""
        optional_name("session", session)
        optional_name("place", place)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return None
            uid = None if session is None else (await store.standing(tx, session)).uid
            return await ask(tx, store.EvidenceScope(session=uid, place=place))


async def _recommendation(tx: SpaceTransaction | None, id_: int) -> Recommendation:
    """Return a recommendation by its id; raise NotFound if there is none."""
    rows = [] if tx is None else await store.recommendations(tx, first=id_, last=id_)
    if not rows:
        raise NotFound(
            f"There is no recommendation {id_} in this space.",
            hint="The list of recommendations shows those there are.",
        )
    return rows[0]


async def _shown(
    tx: SpaceTransaction, within: store.EvidenceScope, *, theme: Theme | None, limit: int
) -> ShownEvidence:
    pieces = await tx.fetch(EvidencePiece, store.SQL["pieces"], **asdict(within), theme=theme, limit=limit)
    return ShownEvidence(pieces=tuple(pieces), themes=await store.themes(tx, within), theme=theme)


def _account(wanted: Confidence, limits: Sequence[ConfidenceLimit], *, left_out: int) -> dict[str, object]:
    """Return the policy's changes as ``meta`` keeps them; nothing if it changed nothing."""
    if not limits and not left_out:
        return {}
    told = {"asked_confidence": wanted, "limits": [asdict(limit) for limit in limits]}
    return {store.OURS: {**told, "evidence_left_out": left_out}}


def _check_page(limit: int, offset: int) -> None:
    scope.whole("limit", limit, most=_MOST)
    scope.whole("offset", offset, least=0, most=MOST_PASSED_OVER)
