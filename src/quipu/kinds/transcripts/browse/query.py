"""Query of a search: words, phrases, beginnings, exclusions, alternatives. Pure, and it never fails.

    fix login        both words                 "fix login"      side by side
    fix*             words that begin so        -login           texts without it
    fix OR look      either side                fix-login        side by side: what is written as one is one

Every other character separates words and means nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, TypeVar, cast

from quipu.errors import BadInput
from quipu.kinds.transcripts.browse.words import pattern, words

MOST_WORDS: Final = 64
"""Words of a query beyond these are left out."""

MOST_GROUPS: Final = 16
"""Alternatives beyond these are left out."""

# A quotation, or what stands between spaces; a sign in front that excludes it.
_PIECE = re.compile(
    r'(?P<minus>(?<!\S)-(?=["\w]))?(?:"(?P<quoted>[^"]*)"(?P<star>\*(?!\w))?|(?P<plain>[^\s"]+))'
)
_OPEN_END = re.compile(r"\w\*+\Z")
_Word = TypeVar("_Word", bound=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """Conditions on texts; None sets no condition. ``since`` is included, ``until`` is not.

    ``project``: the path contains it. ``session``: the name begins with it. ``filter`` is a path over what
    is known of a line.
    """

    project: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    parts: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    errors: bool = False
    filter: str | None = None

    def values(self, sessions: Sequence[int] | None) -> Mapping[str, Any]:
        """Return the arguments of a query; ``sessions`` are the numbers of the sessions, None for all."""
        return {
            "parts": _listed(self.parts),
            "roles": _listed(self.roles),
            "tools": _listed(self.tools),
            "errors": self.errors,
            "since": self.since,
            "until": self.until,
            "filter": self.filter,
            "sessions": None if sessions is None else list(sessions),
        }


def _listed(values: tuple[str, ...] | None) -> list[str] | None:
    return None if values is None else list(values)


def several(
    field: str, value: str | Iterable[str] | None, *, known: Sequence[_Word] | None = None
) -> tuple[str, ...] | None:
    """Return one word or several as a tuple; None for none.

    Raises:
        BadInput: one of them is no text, or none of ``known``.
    """
    if value is None:
        return None
    given = (value,) if isinstance(value, str) else tuple(value)
    for one in given:
        if not isinstance(cast(object, one), str) or (known is not None and one not in known):
            choice = f"is none of {', '.join(known)}" if known is not None else "is no text"
            raise BadInput(f"{one!r} {choice}.", field=field)
    return given or None


def optional_text(field: str, value: object) -> str | None:
    """Return a text without NUL, or None.

    Raises:
        BadInput: it is no text, or empty.
    """
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise BadInput("give a text, or leave it out.", field=field)
    return value


@dataclass(frozen=True)
class Term:
    """Words in a row, mostly one; with ``prefix`` the last may go on."""

    words: tuple[str, ...]
    prefix: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds it in a folded text."""
        return pattern(self.words, prefix=self.prefix)


@dataclass(frozen=True, slots=True)
class Group:
    """Terms that one text must have, and those that it must not have."""

    required: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()

    @property
    def needs_reading(self) -> bool:
        """True if the words alone do not decide: there is a phrase in it."""
        return any(len(term.words) > 1 for term in (*self.required, *self.excluded))

    def occurrences(self, text: str) -> tuple[int, ...] | None:
        """Count each required term in a folded text; None if it does not have them all."""
        if any(term.pattern.search(text) for term in self.excluded):
            return None
        counts: list[int] = []
        for term in self.required:
            count = sum(1 for _ in term.pattern.finditer(text))
            if not count:
                return None
            counts.append(count)
        return tuple(counts)


@dataclass(frozen=True, slots=True)
class Query:
    """Alternatives, of which a text must meet one. ``plain``: nothing but words was asked for."""

    groups: tuple[Group, ...]
    plain: bool


def parse(text: str) -> Query:
    """Parse the query in a text; no groups if it has no word that could be found."""
    alternatives: list[list[tuple[bool, Term]]] = [[]]
    plain, left = True, MOST_WORDS
    for piece in _PIECE.finditer(text):
        if piece["plain"] == "OR" and not piece["minus"]:
            alternatives.append([])
            continue
        for term in _terms(piece, left):
            left -= len(term.words)
            excluded = bool(piece["minus"])
            plain &= not (excluded or term.prefix or piece["quoted"] is not None or len(term.words) > 1)
            alternatives[-1].append((excluded, term))
    groups = tuple(group for terms in alternatives if (group := _group(terms)).required)[:MOST_GROUPS]
    return Query(groups, plain and len(groups) == 1)


def _terms(piece: re.Match[str], left: int) -> Iterator[Term]:
    text = piece["plain"] if piece["quoted"] is None else piece["quoted"]
    read = tuple(words(text))[: max(0, left)]
    if read:
        prefix = bool(piece["star"]) or (piece["quoted"] is None and _OPEN_END.search(text) is not None)
        yield Term(read, prefix=prefix)


def _group(terms: Sequence[tuple[bool, Term]]) -> Group:
    required = dict.fromkeys(term for excluded, term in terms if not excluded)
    return Group(tuple(required), tuple(dict.fromkeys(term for excluded, term in terms if excluded)))


def tsquery(group: Group, *, space: int) -> str:
    """Return the words of a group as the index is asked for them, side by side or not."""
    lexemes: dict[str, None] = {}
    for term in group.required:
        for place, word in enumerate(term.words):
            goes_on = term.prefix and place == len(term.words) - 1
            lexemes[f"'{space}/{word}'{':*' if goes_on else ''}"] = None
    for term in group.excluded:
        if len(term.words) == 1:
            lexemes[f"!'{space}/{term.words[0]}'{':*' if term.prefix else ''}"] = None
    return " & ".join(lexemes)


def needles(group: Group) -> list[str]:
    """Return LIKE patterns that fit a folded text with a group's words; words hold none of LIKE's signs."""
    return [f"%{word}%" for term in group.required for word in term.words]
