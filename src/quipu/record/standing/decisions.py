"""Decisions on standing rules: what takes the place of what, and what an end ends. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kernel.prose.standing import Subject, subject
from quipu.recall.terms import bag
from quipu.record.standing.model import Known

NEAR: Final = 0.45
"""The least cosine of an end and the rule that it ends, where they have no word in common."""

_OF_A_MATTER: Final = 2  # a matter in common counts like two words


@dataclass(frozen=True, slots=True)
class About:
    """Subject of a rule: stems of its own words and of its scope, and the matters that it decides."""

    stems: frozenset[int]
    scope: frozenset[int]
    subject: Subject


def about(text: str, scope: str = "") -> About:
    """Return the subject of a rule, or of the end of one."""
    of = subject(text)
    return About(_stems(of.words), _stems(scope), of)


def replaced(text: str, scope: str, known: Sequence[Known]) -> list[Known]:
    """Return the rules in force whose place a new rule takes.

    These say the same in about the same words, or decide a matter of which one value holds at a time, for the
    same requests. A rule that says what not to do leaves open what else, and takes the place of none.
    """
    new = about(text, scope)
    return [one for one in known if _conflicts(new, about(one.text, one.scope))]


def ended(text: str, known: Sequence[Known], nearness: Mapping[int, float]) -> list[Known]:
    """Return the rule that an end is about, as a list of one; empty if it is about none of them.

    It has most words or matters in common with the end, else its message is the nearest to it (``nearness``:
    number of the message to cosine, of those that are known). Of equals it is the latest, which comes first.
    """
    end = about(text)
    shared = [(_shared(end, about(one.text, one.scope)), one) for one in known]
    best = max(shared, key=lambda pair: pair[0], default=(0, None))
    if best[0] > 0 and best[1] is not None:
        return [best[1]]
    near = [(nearness.get(one.message, 0.0), one) for one in known if one.message is not None]
    return [one for cosine, one in sorted(near, key=lambda pair: -pair[0])[:1] if cosine >= NEAR]


def _conflicts(new: About, old: About) -> bool:
    if new.stems == old.stems and new.scope == old.scope and new.subject.is_negated == old.subject.is_negated:
        return bool(new.stems)
    if new.subject.is_negated or old.subject.is_negated or new.scope != old.scope:
        return False
    return not new.subject.matters.isdisjoint(old.subject.matters)


def _shared(end: About, rule: About) -> int:
    matters = len(end.subject.matters & rule.subject.matters)
    return len(end.stems & (rule.stems | rule.scope)) + _OF_A_MATTER * matters


def _stems(words: str) -> frozenset[int]:
    return frozenset(bag(words).hashes.tolist())
