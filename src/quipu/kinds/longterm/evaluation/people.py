"""People of a turn: names written small, and whom "he" and "she" are. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import beside
from quipu.kinds.longterm.evaluation.grammar import grammar

_PRONOUN: Final = re.compile(
    r"(?i)^(?P<who>he|she|they)(?P<rest>(?:'s|'re|'ll|'d|'ve)?(?:\s.*|$))", re.DOTALL
)
_POSSESSIVE: Final = re.compile(r"(?is)(?P<who>his|her|their)(?P<rest>\s.*)")
_SHORT: Final = {"'s": " is", "'re": " are", "'ll": " will", "'d": " would", "'ve": " have"}
_FIRST: Final = re.compile(r"(?P<name>[A-Za-z]{2,})(?P<rest>(?:'s|'ll)?\s.*)", re.DOTALL)
_HAS: Final = re.compile(r"(?i)^'s(?= (?:got|been|just|already|never|finally|lost|broken|taken|\w+ed)\b)")


def capitalised(text: str) -> str:
    """Return the text with a capital for names that somebody wrote small: "my son ben" has "my son Ben"."""
    return _named().sub(lambda match: f"{match['before']}{match['name'].title()}", text)


def named_first(clause: str) -> tuple[str, str] | None:
    """Return the first name with which a clause begins and the rest of it, "'s" spelled out; None without."""
    match = _FIRST.match(clause)
    if match is None or match["name"].lower() not in _people()["names"]:
        return None
    return match["name"].title(), _spelled_out(match["rest"])


def resolved(clause: str, before: Sequence[str]) -> str:
    """Return a clause in the third person with the person in place of "he", "she" or "they".

    ``before`` are the clauses of the turn before it. It stays as it is where nobody, or more than one person,
    can be meant.
    """
    subject, possessive = _PRONOUN.match(clause), _POSSESSIVE.match(clause)
    match = subject or possessive
    if match is None:
        return clause
    whom = _meant(match["who"].lower(), before)
    if whom is None:
        return clause
    if subject is None:
        return f"{whom}'s{match['rest']}"
    return f"{whom}{_spelled_out(match['rest'])}"


def _spelled_out(rest: str) -> str:
    """Return the words after a subject with "'s" and the like as "has", "is" and so on."""
    rest = _HAS.sub(" has", rest)
    short = next((form for form in _SHORT if rest.startswith(form)), None)
    return f"{_SHORT[short]}{rest[len(short) :]}" if short else rest


def _meant(pronoun: str, before: Sequence[str]) -> str | None:
    """Return the person whom a pronoun means: the only one of the last clause that names any who fits."""
    for clause in reversed(before):
        people = {match[0]: match["kin"].lower() for match in _somebody().finditer(clause)}
        if not people:
            continue
        fitting = [who for who, kin in people.items() if _fits(pronoun, kin)]
        return fitting[0] if len(fitting) == 1 else None
    return None


def _fits(pronoun: str, kin: str) -> bool:
    data = _people()
    if pronoun in ("they", "their"):
        return kin in data["several"]
    others = data["women"] if pronoun in ("he", "his") else data["men"]
    return kin not in others and kin not in data["several"]


@cache
def _somebody() -> re.Pattern[str]:
    words = grammar().words
    return re.compile(
        rf"(?i)\bthe user's (?:[\w-]+ ){{0,2}}?(?P<kin>{words['relation']}|{words['animal']})"
        r"(?:,? (?-i:[A-Z])[\w-]+)?(?![\w'-])"
    )


@cache
def _named() -> re.Pattern[str]:
    """Return the pattern of a name after a relation or an animal, and after "called" and "named"."""
    words = grammar().words
    names = "|".join(_people()["names"])
    kin = f"(?:{words['relation']}|{words['animal']}|boy|girl|little one)"
    return re.compile(
        rf"(?P<before>\b(?i:my|our|his|her) (?:[\w-]+ ){{0,2}}?{kin},? (?:(?:is |was )?(?:called|named) )?"
        rf"|\b(?:called|named) )(?P<name>(?:{names}))(?!\w)"
    )


@cache
def _people() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(text.split()) for name, text in beside(__file__, "people").items()}
