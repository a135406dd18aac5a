"""Other names that people tell: "everyone calls him Bo", "call me Kate"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import lexicon

_READ: Final = 2_000
_WORD: Final = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’-]{0,38}\w"
_PARTS: Final = {
    "alias": rf"(?P<alias>{_WORD})",
    "name": rf"(?P<name>{_WORD}(?: {_WORD})?)",
    "end": r"(?=\s*(?:$|[.!?,;:()\n–—-]|\b(?:and|because|since|now|at|for short|und|weil)\b))",
}
_SIGN: Final = re.compile(
    r"\b[cC]alls? \w|nickname|short for|for short|\baka\b|a\.k\.a|known as|goe?s? by [A-Z]"
    r"|, (?:that['’]s|I mean|meaning|i\.e\.|das ist) [A-Z]|^\W{0,3}\w{1,40} = |nenn|[kK]urz|pitzname|genannt",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ToldAlias:
    """Another name of somebody: ``name`` is None where it is the speaker."""

    alias: str
    name: str | None


def told_aliases(text: str) -> list[ToldAlias]:
    """Return the other names that a text plainly tells, in order, each once; its first 2,000 characters.

    A question tells none.
    """
    text = text[:_READ]
    if not _SIGN.search(text):
        return []
    found: dict[ToldAlias, None] = {}
    for expression, is_sure in _expressions():
        for match in expression.finditer(text):
            one = ToldAlias(match["alias"], match.groupdict().get("name"))
            if _is_name(one) and (is_sure or _begin_alike(one)) and not _asks(text, match.end()):
                found[one] = None
    return list(found)


def _is_name(one: ToldAlias) -> bool:
    words, no_names = [one.alias, *(one.name or "").split()], _no_names()
    return (
        not any(word.lower() in no_names or (word.isupper() and len(word) > 2) for word in words)
        and one.alias.lower() != (one.name or "").lower()
    )


def _begin_alike(one: ToldAlias) -> bool:
    return one.name is not None and one.name[:2].lower() == one.alias[:2].lower()


def _asks(text: str, end: int) -> bool:
    """Return True if the sentence in which something ends at ``end`` is a question."""
    mark = re.search(r"[.!?\n]", text[end:])
    return mark is not None and mark[0] == "?"


@cache
def _expressions() -> tuple[tuple[re.Pattern[str], bool], ...]:
    return tuple(
        (re.compile(re.sub(r"\{(alias|name|end)\}", lambda m: _PARTS[m[1]], words), re.MULTILINE), is_sure)
        for file in lexicon("aliases").values()
        for kind, is_sure in (("told", True), ("alike", False))
        for words in file[kind]
    )


@cache
def _no_names() -> frozenset[str]:
    """Return words that may have a capital and are no names."""
    return frozenset(word for file in lexicon("aliases").values() for word in file["no_names"])
