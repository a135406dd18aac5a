"""Safety constraints: what somebody does not tolerate or must not be given, in the policy's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from quipu.kernel.policy.policy import safety
from quipu.kernel.prose.content import content
from quipu.kinds.longterm.evaluation.grammar import grammar
from quipu.kinds.longterm.evaluation.model import Claim, Statement
from quipu.kinds.longterm.evaluation.words import aside, sentence

_FAMILY: Final = "does not tolerate"
_SOMEBODY: Final = re.compile(r"^(?:he|she|it|they)(?='s|\s)", re.IGNORECASE)
_FULL: Final = re.compile(r"\w+ \w.*, ")
_IS: Final = re.compile(r"^'s\b|^ are\b")
_UNTOLD: Final = re.compile(
    r"(?i)\b(?:allergic|intolerant|(?:my|our|his|her|their|user's) (?:allergy|allergies)"
    r"|to|it|that|them|this|those|these)(?=$|,)"
    r"|^(?:it|they|that)(?:'s|'re| is| are) (?:deadly|lethal|poisonous|life-threatening)\b"
)
_NO_CAUSE: Final = re.compile(r"(?i)\bbecause of (?:the user's|his|her|their) allerg(?:y|ies)$")
_POINTING: Final = re.compile(
    r"(?i)\b(?:to|have|take|eat|drink|touch|tolerate|digest|stomach|given)"
    r" (?:it|that|them|this|those|these)(?=$|,)"
)


def constraining(claim: Claim) -> Claim | None:
    """Return the claim, as a constraint of high importance if it names what somebody must not be given.

    None if it only sounds so: "allergic to meetings".
    """
    if safety(claim.summary):
        return replace(claim, category="constraint", importance="high")
    return None if claim.family == _FAMILY else claim


def unsafe(told: str, before: Sequence[str]) -> Claim | None:
    """Return a constraint in a clause that no family of sayings fits; None if it does not stand alone.

    ``told`` and the clauses ``before`` it are in the third person: "he" is the person with whom the last of
    them begins.
    """
    clause = told.rstrip(" .!,;")
    if not safety(clause):
        return None
    named = _SOMEBODY.match(clause)
    if _NO_CAUSE.search(clause):
        return None
    first = aside(clause)
    if _UNTOLD.search(first) and not _FULL.match(first):
        if not before or safety(before[-1]):
            return None
        clause = f"{before[-1].rstrip(' .!,;')}, {clause}"
    elif named is not None:
        whom = next((match[0] for one in reversed(before) if (match := _others().match(one))), None)
        if whom is None:
            return None
        clause = whom + _IS.sub(" is", clause[named.end() :])
    words = " ".join(sorted(content(clause)))
    return Claim(
        "constraint", "high", sentence(clause), (Statement(f"unsafe:{words}", clause, False),), "unsafe"
    )


def points_back(told: str) -> bool:
    """Return True if a clause is about something that only the clause before names: "allergic to them"."""
    return _POINTING.search(told.rstrip(" .!,;")) is not None


@cache
def _others() -> re.Pattern[str]:
    words = grammar().words
    kin = f"(?:{words['relation']}|{words['animal']})"
    return re.compile(rf"(?i)the user's (?:[\w-]+ )?{kin}(?:,? (?-i:[A-Z])[\w'-]*\w)?(?!\w)")
