"""The words from which a wallet is restored: twelve to twenty-four of them, after what they are called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from quipu.kernel.redact.model import Secret, Source

WORDS: Final = ("phrase", "mnemonic")
_COUNTS: Final = frozenset({12, 15, 18, 21, 24})
# The list of BIP 39 has words of three to eight letters and none of these.
_PROSE: Final = frozenset(
    {"the", "and", "for", "with", "you", "your", "that", "this", "are", "was", "not", "have", "from", "they"}
)
_PHRASE = re.compile(
    r"(?:\s{1,3}(?:words?|is|was|are)){0,2}(?:\\?[\"'`]|\]){0,2}\s{0,3}[:=]?\s{0,3}(?:\\?[\"'`])?"
    r"(?P<secret>(?:\d{1,2}[.)] ?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23}+)(?![a-z])",
)
_WORD = re.compile(r"[a-z]{3,8}")


def find(source: Source) -> Iterator[Secret]:
    """Every seed phrase."""
    for word in WORDS:
        for position in source.hits(word):
            secret = at(source.text, position + len(word))
            if secret is not None:
                yield secret


def at(text: str, position: int) -> Secret | None:
    """The seed phrase that follows at a position."""
    match = _PHRASE.match(text, position)
    if match is None:
        return None
    words = _WORD.findall(match["secret"])
    if len(words) not in _COUNTS or not _PROSE.isdisjoint(words):
        return None
    return Secret(*match.span("secret"), "seed-phrase")
