"""The queries of recommendations and their evidence, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from quipu.errors import BadInput
from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.ledger.evidence import arguments, store
from quipu.kinds.ledger.evidence.model import (
    CompetitorCheck,
    ConfidenceLimit,
    EvidencePiece,
    EvidenceReference,
    EvidenceSource,
    Recommendation,
)
from quipu.kinds.ledger.evidence.policy import Baseline, Conditions
from quipu.kinds.ledger.outcome import unknown_session
from quipu.kinds.ledger.signals.model import Theme

_SQL = queries.load("quipu.kinds.ledger.evidence")

OURS = "quipu"
"""The name in a recommendation's ``meta`` under which we keep what the policy did."""


async def standing(tx: SpaceTransaction, name: str) -> store.Session:
    """Return the session of that name.

    Raises:
        BadInput: there is none in this space.
    """
    found = await store.session(tx, name)
    if found is None:
        raise unknown_session(name)
    return found


async def said(tx: SpaceTransaction, session: store.Session, message: str) -> int:
    """Return the number of the message of that id in a session.

    Raises:
        BadInput: nothing was said there under that id.
    """
    number = await store.message(tx, session.id, message)
    if number is None:
        raise BadInput(f"nothing was said in this session under the id {message!r}.", field="message")
    return number


def turn_of(session: store.Session, turn: int | None) -> int:
    """Return the turn that is meant, by default the one that the session is at.

    Raises:
        BadInput: nothing that far was said yet.
    """
    if turn is None:
        return session.turns
    arguments.whole("turn", turn)
    if session.messages and turn > session.messages:
        raise BadInput(f"{turn} is to come; this session is at turn {session.turns}.", field="turn")
    return turn


@dataclass(frozen=True, slots=True)
class Session:
    """A session: its number and uuid, whose it is, how many messages and turns it has."""

    id: int
    uid: UUID
    messages: int
    person: str | None
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A recommendation to be written: its columns by name, and its evidence in the order of its ranks."""

    session: UUID
    message: int | None
    turn: int
    location: str
    action: str
    time_window: str
    confidence: str
    source: str
    freshness_seconds: int | None
    rule_version: str
    impact_score: float | None
    explanation: Mapping[str, object]
    meta: Mapping[str, object]
    now: datetime
    evidence: Sequence[EvidenceReference]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Scope of evidence: a recommendation; a session, a place, or both; else the whole space."""

    recommendation: int | None = None
    session: UUID | None = None
    place: str | None = None


async def session(tx: SpaceTransaction, name: str) -> Session | None:
    """Return the session of that name, or None if there is none."""
    return await tx.fetch_one(Session, _SQL["session"], session=name)


async def message(tx: SpaceTransaction, session: int, message: str) -> int | None:
    """Return the number of a message by the caller's id, or None if the session has none of it."""
    rows = await tx.rows(_SQL["message"], session=session, message=message)
    return rows[0][0] if rows else None


async def conditions(
    tx: SpaceTransaction, session: Session, *, turn: int, source: EvidenceSource, now: datetime
) -> Conditions:
    """Return the last answer of the source in this turn, and the current baseline of the session."""
    values = {"session": session.uid, "thread": session.id, "person": session.person}
    async with tx.conn.pipeline():
        baselines = await tx.run(_SQL["baselines"], {**values, "now": now})
        answered = await tx.run(_SQL["source"], {**values, "turn": turn, "source": source})
        ((status, freshness_seconds, all_sources_down),) = await answered.fetchall()
        return Conditions(
            status=status,
            freshness_seconds=freshness_seconds,
            all_sources_down=all_sources_down,
            baselines=[Baseline(*baseline) for baseline in await baselines.fetchall()],
        )


async def recommend(tx: SpaceTransaction, draft: Draft) -> int:
    """Write a recommendation and its evidence; the id that it gets."""
    values = {
        "session": draft.session,
        "message": draft.message,
        "turn": draft.turn,
        "location": draft.location,
        "action": draft.action,
        "time_window": draft.time_window,
        "confidence": draft.confidence,
        "source": draft.source,
        "freshness_seconds": draft.freshness_seconds,
        "rule_version": draft.rule_version,
        "impact_score": draft.impact_score,
        "explanation": Jsonb(draft.explanation),
        "meta": Jsonb(draft.meta),
        "now": draft.now,
        **_columns(draft.evidence),
    }
    return await write(tx, "recommend", values)


def _columns(evidence: Sequence[EvidenceReference]) -> dict[str, object]:
    return {
        "sources": [r.source for r in evidence],
        "entities": [r.entity for r in evidence],
        "places": [r.place_id for r in evidence],
        "hashes": [r.review_id_hash for r in evidence],
        "published": [r.published_at for r in evidence],
        "ratings": [r.rating for r in evidence],
        "themes": [r.theme for r in evidence],
        "excerpts": [r.excerpt for r in evidence],
        "weights": [r.weight for r in evidence],
        "metas": [Jsonb(dict(r.meta)) for r in evidence],
    }


async def recommendation(tx: SpaceTransaction, number: int) -> Recommendation | None:
    """Return a recommendation by its id, or None if there is none."""
    row = await tx.fetch_one(dict[str, Any], _SQL["recommendation"], id=number)
    return None if row is None else _recommendation(row)


async def recommendations(
    tx: SpaceTransaction, *, session: str | None, before: int, limit: int, offset: int
) -> list[Recommendation]:
    """Return recommendations of a session, or of the space; latest first, ``before`` one."""
    query = _SQL["recommendations" if session is None else "recommendations_of_session"]
    rows = await tx.fetch(dict[str, Any], query, session=session, before=before, limit=limit, offset=offset)
    return [_recommendation(row) for row in rows]


async def pieces(
    tx: SpaceTransaction, asked: Asked, *, theme: Theme | None, limit: int
) -> list[EvidencePiece]:
    """Return evidence of a theme, or of all: that of a recommendation by rank, else newest first."""
    return await tx.fetch(EvidencePiece, _SQL["pieces"], **asdict(asked), theme=theme, limit=limit)


async def themes(tx: SpaceTransaction, asked: Asked) -> dict[Theme, int]:
    """Count the pieces of evidence of each theme, most first; themes without any are left out."""
    return dict(await tx.rows(_SQL["themes"], **asdict(asked)))


async def competitor_checks(tx: SpaceTransaction, session: UUID) -> list[CompetitorCheck]:
    """Return the look-ups of a session, latest first."""
    return await tx.fetch(CompetitorCheck, _SQL["competitor_checks"], session=session)


async def write(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> int:
    """Write a row by the name of the query; return its id."""
    ((number,),) = await (await tx.run(_SQL[name], values)).fetchall()
    return number


async def run(tx: SpaceTransaction, name: str, /, **values: object) -> None:
    """Run a write by its name."""
    await tx.execute(_SQL[name], **values)


def _recommendation(row: Mapping[str, Any]) -> Recommendation:
    meta = dict(row["meta"])
    account = meta.pop(OURS, {})
    values: dict[str, Any] = {**row, "meta": meta}
    return Recommendation(
        **values,
        asked_confidence=account.get("asked_confidence", row["confidence"]),
        limits=tuple(ConfidenceLimit(**limit) for limit in account.get("limits", [])),
        evidence_left_out=account.get("evidence_left_out", 0),
    )
