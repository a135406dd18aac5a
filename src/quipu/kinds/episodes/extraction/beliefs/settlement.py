"""Settling of a claim against what stands: new, a repetition, a correction, or a conflict. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import log2
from typing import Final, Literal
from uuid import UUID

from quipu.kinds.episodes.extraction.beliefs.keys import drifts, form_of, holds_many, holds_one
from quipu.kinds.episodes.extraction.beliefs.model import Claim, Ending, Held, Severity, Strategy

INFERRED: Final = 0.7
"""What is only inferred enters with so much of its confidence."""

CORRECTED: Final = 0.95
HIGHEST: Final = 0.99
STEP: Final = 0.05
DOMINANCE: Final = 2.0
"""So many times as sure as what stands, a claim needs no correction to take its place."""

A_DAY: Final = timedelta(days=1)

SETTLED_BY: Final = 2
"""Said so often since the conflict began, a value has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Effect of a claim.

    ``enter``: it becomes a belief of its own, standing, contested by what stands, or history at once
    (``ending`` says why). ``confirm``: a belief that it repeats; ``confidence`` is the new confidence.
    ``stand``: a contested belief that stands from now on. ``end``: beliefs that no longer stand; ``ending``
    says why; ``settle`` is the strategy that settles the conflicts of the key. ``contests``: the belief that
    it conflicts with from now on; ``severity`` says how badly.
    """

    claim: Claim
    enter: Literal["standing", "contested", "superseded"] | None = None
    confidence: float = 0.0
    confirm: UUID | None = None
    stand: UUID | None = None
    end: Sequence[UUID] = ()
    ending: Ending | None = None
    settle: Strategy | None = None
    contests: UUID | None = None
    severity: Severity = "low"


def settle(claim: Claim, held: Sequence[Held]) -> Settled | None:
    """Return the effect of a claim on what is held of its person and key; None if it changes nothing.

    One message says a thing once: repeated by the same message, nothing changes. A claim that corrects takes
    the place of what stands. A repetition makes surer. Another value without a correction opens a conflict,
    unless it is more than twice as sure, or less than half.
    """
    form = form_of(claim.value)
    if any(claim.message in one.messages and one.form == form for one in held) and not claim.denies:
        return None
    if claim.denies:
        return _denied(claim, held)
    if holds_many(claim.key):
        return _one_of_many(claim, form, held)
    standing = next((one for one in held if not one.contested), None)
    if standing is None:
        return Settled(claim=claim, enter="standing", confidence=entering(claim))
    if standing.form == form:
        return _again(claim, standing, [one for one in held if one.contested])
    rival = next((one for one in held if one.contested and one.form == form), None)
    if rival is not None:
        return _rival_again(claim, rival, held)
    return _another(claim, form, standing, held)


def entering(claim: Claim) -> float:
    """Return the confidence with which a claim enters: inferred ones with less, corrections with more."""
    if claim.cue is not None:
        return max(CORRECTED, claim.confidence) if claim.source != "inferred" else CORRECTED * INFERRED
    return claim.confidence * (INFERRED if claim.source == "inferred" else 1.0)


def reinforced(confidence: float, times: int) -> float:
    """Return the confidence of what was said ``times`` times and is said again: less is added each time."""
    return min(HIGHEST, max(confidence, confidence + STEP / log2(times + 1)))


def severity_of(claim: Claim, standing: Held) -> Severity:
    """Return the weight of a key: identity comes first, keys that cannot conflict come last."""
    if not holds_one(claim.key):
        return "low"
    if "core" in (claim.category, standing.category):
        return "critical"
    if claim.nature == "trait" and "inferred" not in (claim.source, standing.source):
        return "high"
    return "medium" if "inferred" not in (claim.source, standing.source) else "low"


def _denied(claim: Claim, held: Sequence[Held]) -> Settled | None:
    gone = [one.id for one in held if one.form == claim.old]
    if not gone or any(claim.message in one.messages for one in held if one.form == claim.old):
        return None
    return Settled(claim=claim, end=gone, ending="denied", settle="user_clarified")


def _one_of_many(claim: Claim, form: str, held: Sequence[Held]) -> Settled:
    same = next((one for one in held if one.form == form), None)
    if same is not None:
        return Settled(claim=claim, confirm=same.id, confidence=_surer(claim, same))
    old = [one.id for one in held if claim.old is not None and one.form == claim.old]
    ending: Ending | None = "corrected" if old else None
    return Settled(claim=claim, enter="standing", confidence=entering(claim), end=old, ending=ending)


def _again(claim: Claim, standing: Held, rivals: Sequence[Held]) -> Settled:
    sure = _surer(claim, standing)
    said = Settled(claim=claim, confirm=standing.id, confidence=sure)
    if rivals and (claim.cue == "corrected" or standing.again + 1 >= SETTLED_BY):
        strategy: Strategy = "user_clarified" if claim.cue == "corrected" else "evidence_resolved"
        return replace(said, end=[one.id for one in rivals], ending="weaker", settle=strategy)
    return said


def _rival_again(claim: Claim, rival: Held, held: Sequence[Held]) -> Settled:
    sure = _surer(claim, rival)
    standing = next(one for one in held if not one.contested)
    said = Settled(claim=claim, confirm=rival.id, confidence=sure)
    others = [one.id for one in held if one.id != rival.id]
    if claim.cue is not None:
        strategy: Strategy = "user_clarified" if claim.cue == "corrected" else "temporal_supersede"
        return replace(said, stand=rival.id, end=others, ending=claim.cue, settle=strategy)
    if sure > DOMINANCE * standing.confidence:
        return replace(said, stand=rival.id, end=others, ending="stronger", settle="confidence_dominance")
    if rival.again + 1 >= SETTLED_BY and rival.again >= standing.again:
        return replace(said, stand=rival.id, end=others, ending="stronger", settle="evidence_resolved")
    return said


def _another(claim: Claim, form: str, standing: Held, held: Sequence[Held]) -> Settled:
    sure, everybody = entering(claim), [one.id for one in held]
    new = Settled(claim=claim, enter="standing", confidence=sure, end=everybody)
    if claim.said_at < standing.said_at and (claim.cue or standing.source == "explicit_correction"):
        return Settled(claim=claim, enter="superseded", confidence=sure, ending="older")
    if claim.cue is not None and (claim.old is None or claim.old == standing.form or claim.cue == "changed"):
        strategy: Strategy = "user_clarified" if claim.cue == "corrected" else "temporal_supersede"
        return replace(new, ending=claim.cue, settle=strategy)
    if drifts(claim.key) and claim.said_at - standing.said_at >= A_DAY:
        return replace(new, ending="changed", settle="temporal_supersede")
    if _within(standing.form, form):
        return replace(
            new, ending="refined", confidence=max(sure, standing.confidence), settle="user_clarified"
        )
    if _within(form, standing.form):
        return Settled(claim=claim, confirm=standing.id, confidence=_surer(claim, standing))
    if sure > DOMINANCE * standing.confidence:
        return replace(new, ending="stronger", settle="confidence_dominance")
    if DOMINANCE * sure < standing.confidence:
        return Settled(claim=claim, enter="superseded", confidence=sure, ending="weaker")
    return Settled(
        claim=claim,
        enter="contested",
        confidence=sure,
        contests=standing.id,
        severity=severity_of(claim, standing),
    )


def _surer(claim: Claim, held: Held) -> float:
    return reinforced(max(held.confidence, entering(claim)), held.times)


def _within(short: str, long: str) -> bool:
    """Return True if a value begins a longer one: "lisbon" of "lisbon portugal"; never a number."""
    return long.startswith(f"{short} ") and not any(letter.isdigit() for letter in short)
