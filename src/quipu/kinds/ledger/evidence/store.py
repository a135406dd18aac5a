"""The queries of recommendations and their evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from quipu.errors import BadInput
from quipu.kernel.base import scope
from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.ledger.evidence import arguments
from quipu.kinds.ledger.evidence.model import (
    ConfidenceLimit,
    EvidenceReference,
    EvidenceSource,
    Recommendation,
)
from quipu.kinds.ledger.evidence.policy import Baseline, Conditions
from quipu.kinds.ledger.outcome import unknown_session
from quipu.kinds.ledger.signals.model import Theme

SQL = queries.load("quipu.kinds.ledger.evidence")

OURS = "quipu"
"""The name in a recommendation's ``meta`` under which we keep what the policy did."""


@dataclass(frozen=True, slots=True)
class EvidenceSession:
    """A session: its number and uuid, whose it is, how many messages and turns it has."""

    id: int
    uid: UUID
    messages: int
    person: str | None
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceScope:
    """Scope of evidence: a recommendation; a session, a place, or both; else the whole space."""

    recommendation: int | None = None
    session: UUID | None = None
    place: str | None = None


async def standing(tx: SpaceTransaction, name: str) -> EvidenceSession:
    """Return the session of that name.

    Raises:
        BadInput: there is none in this space.
    """
    session = await tx.fetch_one(EvidenceSession, SQL["session"], session=name)
    if session is None:
        raise unknown_session(name)
    return session


async def said(tx: SpaceTransaction, session: EvidenceSession, message: str) -> int:
    """Return the number of the message of that id in a session.

    Raises:
        BadInput: nothing was said there under that id.
    """
    rows = await tx.rows(SQL["message"], session=session.id, message=message)
    if not rows:
        raise BadInput(f"nothing was said in this session under the id {message!r}.", field="message")
    return rows[0][0]


def turn_of(session: EvidenceSession, turn: int | None) -> int:
    """Return the turn that is meant, by default the one that the session is at.

    Raises:
        BadInput: nothing that far was said yet.
    """
    if turn is None:
        return session.turns
    scope.whole("turn", turn, least=0, most=arguments.MOST_WHOLE)
    if session.messages and turn > session.messages:
        raise BadInput(f"{turn} is to come; this session is at turn {session.turns}.", field="turn")
    return turn


async def conditions(
    tx: SpaceTransaction, session: EvidenceSession, *, turn: int, source: EvidenceSource, now: datetime
) -> Conditions:
    """Return the last answer of the source in this turn, and the current baseline of the session."""
    values = {"session": session.uid, "thread": session.id, "person": session.person}
    async with tx.conn.pipeline():
        baselines = await tx.run(SQL["baselines"], {**values, "now": now})
        answered = await tx.run(SQL["source"], {**values, "turn": turn, "source": source})
        ((status, freshness_seconds, all_sources_down),) = await answered.fetchall()
        return Conditions(
            status=status,
            freshness_seconds=freshness_seconds,
            all_sources_down=all_sources_down,
            baselines=[Baseline(*baseline) for baseline in await baselines.fetchall()],
        )


def columns(evidence: Sequence[EvidenceReference]) -> dict[str, object]:
    """Return evidence by column, in the order of its ranks."""
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


async def recommendations(
    tx: SpaceTransaction,
    *,
    session: str | None = None,
    first: int = 0,
    last: int,
    limit: int = 1,
    offset: int = 0,
) -> list[Recommendation]:
    """Return recommendations of a session or the space, latest first, with ids from ``first`` to ``last``."""
    query = SQL["recommendations"]
    return [
        _recommendation(row)
        for row in await tx.fetch(
            dict[str, Any], query, session=session, first=first, last=last, limit=limit, offset=offset
        )
    ]


async def themes(tx: SpaceTransaction, scope_: EvidenceScope) -> dict[Theme, int]:
    """Count the pieces of evidence of each theme, most first; themes without any are left out."""
    return dict(await tx.rows(SQL["themes"], **asdict(scope_)))


async def write(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> int:
    """Write a row by the name of the query; return its id."""
    ((number,),) = await (await tx.run(SQL[name], values)).fetchall()
    return number


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
