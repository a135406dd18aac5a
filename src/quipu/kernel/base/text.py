"""Measures and repairs of a text that need no understanding of it; each is linear in its length."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"

# A pair of surrogates is one character split on its way (JavaScript does it): it is joined, not lost.
_UNSTORABLE = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\x00\ud800-\udfff]")

# Scripts that put no space between words: kana, Han, Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_SPACED_WORD = re.compile(rf"[^\W{_UNSPACED}]+(?:['’][^\W{_UNSPACED}]+)*")
_CHARACTERS_PER_UNSPACED_WORD: Final = 2


def rule_of(message: str) -> str:
    """Return pydantic's message of a broken rule without the words that it puts before ours."""
    return message.removeprefix("Value error, ")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text that PostgreSQL can store, and how many characters had to be replaced for that."""

    text: str
    repaired: int


def clean(text: str) -> Cleaned:
    """Return the text with every NUL and lone surrogate replaced by U+FFFD: PostgreSQL can store neither.

    Two surrogates that form a pair become the one character that they stand for, which is not counted.
    """
    if text.isascii() and "\0" not in text:
        return Cleaned(text, 0)
    repaired = 0

    def mend(match: re.Match[str]) -> str:
        nonlocal repaired
        pair = match[0]
        if len(pair) == 2:
            return pair.encode("utf-16", "surrogatepass").decode("utf-16")
        repaired += 1
        return REPLACEMENT

    mended = _UNSTORABLE.sub(mend, text)
    return Cleaned(mended, repaired)


def count_words(text: str) -> int:
    """Count the words of a text; in scripts without spaces two characters count as one word."""
    spaced = sum(1 for _ in _SPACED_WORD.finditer(text))
    unspaced = sum(match.end() - match.start() for match in _UNSPACED_RUN.finditer(text))
    return spaced - (-unspaced // _CHARACTERS_PER_UNSPACED_WORD)


def excerpt(text: str, length: int) -> str:
    """Return the beginning of the text on one line, at most ``length`` characters, cut between words.

    White space is collapsed; a cut is shown by an ellipsis, which is part of the length.
    """
    if length < 1:
        raise ValueError("An excerpt has at least one character.")
    start = text.lstrip()
    # Looking at a fixed multiple of the length keeps this constant-time for a text of many megabytes.
    head = start[: 8 * length]
    line = " ".join(head.split())
    if len(line) <= length and not start[len(head) :].strip():
        return line
    cut = line[: length - 1]
    border = cut.rfind(" ")
    if border > length // 2 and line[length - 1 : length] != " ":
        cut = cut[:border]
    return cut.rstrip() + ELLIPSIS


def content_hash(text: str) -> str:
    """Return the SHA-256 of the text in UTF-8, 64 hexadecimal digits.

    The text must be clean (see `clean`).
    """
    return hashlib.sha256(text.encode()).hexdigest()


def size_bytes(text: str) -> int:
    """Return the size of the text in UTF-8, in bytes. The text must be clean (see `clean`)."""
    return len(text) if text.isascii() else len(text.encode())
