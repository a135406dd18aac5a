"""The measures, on ranked ids. All results are shares from 0 to 1."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

TURN_CUTS = (1, 5, 10, 20, 50)
SESSION_CUTS = (5, 10)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one question went. ``turns`` and ``reciprocal_rank`` are None where no turn evidence is known.

    ``sessions`` are shares of the evidence's sessions, ``any_session`` says whether one of them came at all:
    1.0 or 0.0, as several others publish it.
    """

    turns: Mapping[int, float] | None
    reciprocal_rank: float | None
    sessions: Mapping[int, float]
    any_session: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Summary:
    """Means over questions; ``turn_count`` and ``session_count`` say over how many."""

    turn_count: int
    session_count: int
    turns: Mapping[int, float]
    mrr: float
    sessions: Mapping[int, float]
    any_session: Mapping[int, float]


def recall_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Share of the evidence among the first ``k``; 1.0 where there is no evidence."""
    if not evidence:
        return 1.0
    return len(set(ranked[:k]) & set(evidence)) / len(set(evidence))


def any_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """1.0 if any of the evidence is among the first ``k`` or there is no evidence, else 0.0."""
    return 1.0 if not evidence or set(ranked[:k]) & set(evidence) else 0.0


def is_newest_first(ranked: Sequence[str], newest: Collection[str], outdated: Collection[str]) -> bool:
    """Whether one of ``newest`` came, and before every one of ``outdated``."""
    first = next((id_ for id_ in ranked if id_ in {*newest, *outdated}), None)
    return first is not None and first in newest


def reciprocal_rank(ranked: Sequence[str], evidence: Collection[str]) -> float:
    """1 / the rank of the first evidence; 0.0 where it does not come."""
    wanted = set(evidence)
    return next((1.0 / rank for rank, id_ in enumerate(ranked, 1) if id_ in wanted), 0.0)


def sessions_by_best_turn(ranked: Sequence[str], session_of: Mapping[str, str]) -> list[str]:
    """The sessions in the order in which their best turns come."""
    return list(dict.fromkeys(session_of[id_] for id_ in ranked if id_ in session_of))


def judge(
    ranked: Sequence[str],
    evidence: Collection[str],
    evidence_sessions: Collection[str],
    session_of: Mapping[str, str],
) -> Outcome:
    """The outcome of one question."""
    sessions = sessions_by_best_turn(ranked, session_of)
    return Outcome(
        turns={k: recall_at(ranked, evidence, k) for k in TURN_CUTS} if evidence else None,
        reciprocal_rank=reciprocal_rank(ranked, evidence) if evidence else None,
        sessions={k: recall_at(sessions, evidence_sessions, k) for k in SESSION_CUTS},
        any_session={k: any_at(sessions, evidence_sessions, k) for k in SESSION_CUTS},
    )


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """Means over the outcomes, each question counting once."""
    turns = [outcome.turns for outcome in outcomes if outcome.turns is not None]
    ranks = [outcome.reciprocal_rank for outcome in outcomes if outcome.reciprocal_rank is not None]
    return Summary(
        turn_count=len(turns),
        session_count=len(outcomes),
        turns={k: fmean(turn[k] for turn in turns) if turns else 0.0 for k in TURN_CUTS},
        mrr=fmean(ranks) if ranks else 0.0,
        sessions={k: fmean(o.sessions[k] for o in outcomes) if outcomes else 0.0 for k in SESSION_CUTS},
        any_session={k: fmean(o.any_session[k] for o in outcomes) if outcomes else 0.0 for k in SESSION_CUTS},
    )
