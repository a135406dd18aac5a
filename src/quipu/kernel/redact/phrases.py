"""Phrases that restore an account: twelve to twenty-four words, codes, or a key in groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from quipu.kernel.redact.model import Secret, Source

WORDS: Final = ("phrase", "mnemonic", "recovery code", "backup code", "setup key")
_SHORTEST_CODES: Final = 8
_DIGITS: Final = 2
_COUNTS: Final = frozenset({12, 15, 18, 21, 24})
# The list of BIP 39 has words of three to eight letters and none of these.
_PROSE: Final = frozenset(
    {"the", "and", "for", "with", "you", "your", "that", "this", "are", "was", "not", "have", "from", "they"}
)
_PHRASE = re.compile(
    r"(?:\s{1,3}(?:words?|is|was|are)){0,2}(?:\\?[\"'`]|\]){0,2}\s{0,3}[:=]?\s{0,3}(?:\\?[\"'`])?"
    r"(?P<secret>(?:\d{1,2}[.)] ?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23}+)(?![a-z])",
)
_CODES = re.compile(
    r"s?(?:\s{1,3}(?:is|are)|\s{1,3}\(\w{1,16}\))?\s{0,3}[:=]"
    r"(?:(?:[\s,;|*-]|\d{1,2}[.)]){0,8}[a-z0-9]{4,16}(?![a-z0-9])){1,60}+",
    re.IGNORECASE,
)
_GROUP = re.compile(r"(?<![a-z0-9])[a-z0-9]{4,16}(?![a-z0-9])", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{3,8}")


def find(source: Source) -> Iterator[Secret]:
    """Yield every seed phrase, and all codes that stand together."""
    for word in WORDS:
        for position in source.hits(word):
            secret = at(source.text, position + len(word))
            if secret is not None:
                yield secret


def at(text: str, position: int) -> Secret | None:
    """Return the seed phrase or the codes that follow at a position."""
    match = _PHRASE.match(text, position)
    if match is None:
        return _codes(text, position)
    words = _WORD.findall(match["secret"])
    if len(words) not in _COUNTS or not _PROSE.isdisjoint(words):
        return None
    return Secret(*match.span("secret"), "seed-phrase")


def _codes(text: str, position: int) -> Secret | None:
    """Return the codes that follow at a position: groups of one length with digits in them, not words."""
    match = _CODES.match(text, position)
    if match is None:
        return None
    groups = list(_GROUP.finditer(text, match.start() + 1, match.end()))
    alike = list(takewhile(lambda group: len(group[0]) == len(groups[0][0]), groups))
    written = "".join(group[0] for group in alike)
    if len(written) < _SHORTEST_CODES or sum(map(str.isdigit, written)) < _DIGITS:
        return None
    return Secret(alike[0].start(), alike[-1].end(), "recovery-code")
