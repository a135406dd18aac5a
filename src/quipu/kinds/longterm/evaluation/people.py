"""People of a turn: names written small, and whom "he" and "she" are. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
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
_NAME_TOKEN: Final = re.compile(r"(?<![\w'-])(?P<name>[A-Z][a-zà-ÿ]+)(?!['’]s\b|[\w-])")
_GIVEN: Final = re.compile(
    r"(?i)\b(?:(?:called|named|christened)|(?:his|her|its|their|whose|the) name(?:'s| is| was))"
    r" (?P<name>[a-zà-ÿ]{3,})\b"
    r"(?! (?:of|for|it|me|him|her)\b)"
)
_HAS: Final = re.compile(
    r"(?i)^'s(?= (?:got|been|just|already|never|finally|lost|broken|taken|had|gone|become|"
    r"(?!(?:called|named|engaged|married|divorced|retired|separated|widowed|scared|obsessed|excited|tired|bored|based"
    r"|used|supposed|allowed|related|worried|convinced|booked|planned|stuffed|finished|closed|broken)\b)\w+ed)\b)"
)


def given(text: str) -> frozenset[str]:
    """Return the names, lower case, that a text gives to somebody: "her name is pickle"."""
    of_kin = {match["name"].lower() for match in _kin_name().finditer(text)}
    return frozenset(of_kin) | frozenset(match["name"].lower() for match in _GIVEN.finditer(text)) - _NO_NAME


@cache
def _kin_name() -> re.Pattern[str]:
    words = grammar().words
    return re.compile(
        rf"\bthe user's (?:[\w-]+ ){{0,2}}?{words['relation']},? (?P<name>[A-Z][a-zà-ÿ]{{2,}})(?![\w-])"
    )


_NO_NAME: Final = frozenset(
    ("the", "after", "and", "something", "that", "this", "them", "him", "her", "off", "back")
)


def capitalised(text: str) -> str:
    """Return the text with a capital for names that somebody wrote small: "my son ben" has "my son Ben"."""
    return _named().sub(lambda match: f"{match['before']}{match['name'].title()}", text)


def named_first(clause: str, learned: Collection[str] = ()) -> tuple[str, str] | None:
    """Return the first name with which a clause begins and the rest of it, "'s" spelled out; None without."""
    match = _FIRST.match(clause)
    if match is None or not is_name(match["name"].lower(), learned):
        return None
    return match["name"].title(), _spelled_out(match["rest"])


def resolved(clause: str, before: Sequence[str], learned: Collection[str] = ()) -> str:
    """Return a clause in the third person with the person in place of "he", "she" or "they".

    ``before`` are the clauses of the turn before it, ``learned`` names (lower case) that the conversation
    gave to somebody. It stays as it is where nobody, or more than one person, can be meant.
    """
    subject, possessive = _PRONOUN.match(clause), _POSSESSIVE.match(clause)
    match = subject or possessive
    if match is None:
        return clause
    whom = _meant(match["who"].lower(), before, learned)
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


def _meant(pronoun: str, before: Sequence[str], learned: Collection[str]) -> str | None:
    """Return the person whom a pronoun means: the only one of the last clause that names any who fits.

    Somebody of whom only the name is known is meant by the next clause alone, where the name begins or ends
    the clause before.
    """
    for at, clause in enumerate(reversed(before)):
        people = _people_in(clause, learned)
        if not people:
            continue
        fitting = [who for who, kin in people.items() if _fits(pronoun, kin)]
        if len(fitting) != 1:
            return None
        who = fitting[0]
        is_subject = clause.startswith(who) or clause.rstrip(" .,!").endswith(who)
        return who if people[who] or (at == 0 and is_subject) else None
    return None


def _people_in(clause: str, learned: Collection[str]) -> dict[str, str]:
    """Return the people named in a clause in the third person, with their relation to the user, or ""."""
    people: dict[str, str] = {}
    taken: set[int] = set()
    for match in _somebody().finditer(clause):
        kin = match["kin"] or match["animal"]
        people[match[0] if match["kin"] else f"the user's {kin}"] = kin.lower()
        taken.update(range(match.start(), match.end()))
    for match in _NAME_TOKEN.finditer(clause):
        if match.start() not in taken and is_name(match["name"].lower(), learned):
            people.setdefault(match["name"], "")
    return people


def is_name(word: str, learned: Collection[str]) -> bool:
    """Return True if a word in lower case is a first name, or one that the conversation gave."""
    return word in first_names() or word in learned


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
        rf"|^the user (?:just |finally |recently )?(?:got|has|has got|adopted|bought|rescued) an? "
        rf"(?:[\w-]+ ){{0,2}}?"
        rf"(?P<animal>{words['animal']})(?![\w'-])"
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


@cache
def first_names() -> frozenset[str]:
    """Return common first names, lower case."""
    return _people()["names"]


@cache
def names_that_are_words() -> frozenset[str]:
    """Return first names that are words as well, lower case."""
    return _people()["words"]
