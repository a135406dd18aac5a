"""Text: cleaned, measured and cut, and the marks by which what was recalled is known again."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import unicodedata
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from quipu.kernel.base.prompt_text import defused

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

    def repair(match: re.Match[str]) -> str:
        nonlocal repaired
        pair = match[0]
        if len(pair) == 2:
            return pair.encode("utf-16", "surrogatepass").decode("utf-16")
        repaired += 1
        return REPLACEMENT

    cleaned = _UNSTORABLE.sub(repair, text)
    return Cleaned(cleaned, repaired)


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


NOTICE: Final = "Recalled from memory for you to use; nobody said this just now."
CLOSING: Final = "</quipu-memory>"
KEY_BYTES: Final = 32

_NAME: Final = re.compile("quipu-memory", re.IGNORECASE)
_TAG: Final = re.compile(
    r"(?i)<(?:(?P<closing>/)quipu-memory\s{0,16}|quipu-memory(?P<attributes>\s[^<>]{0,200})?)>"
)
_CODE: Final = re.compile(r"""\s+code\s*=\s*\\?["']([\w-]{8})\.([\w-]{22})\\?["']\s*""", re.ASCII)
_SAMPLE: Final = f"{'k' * 8}.{'c' * 22}"
_LINE_START: Final = re.compile(r"[ \t>]*\Z")
_LINE_END: Final = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_INDENT_LIMIT: Final = 64


@dataclass(frozen=True, slots=True)
class Heard:
    """A text apart from the recalled memory that came back in it.

    ``text`` is the text without the blocks of the space, which were cut out: ``cut`` characters in ``blocks``
    blocks. ``spoken`` is that without the blocks of others as well: what is indexed and read. ``foreign``
    counts the characters of these, ``unmatched`` the marks of this space in front of other words than they
    were made for, which stay in both.
    """

    text: str
    spoken: str
    blocks: int = 0
    cut: int = 0
    foreign: int = 0
    unmatched: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """Counts of the memory that came back, under the names that reports use."""
        return {
            "cut_characters": self.cut,
            "foreign_characters": self.foreign,
            "unmatched_marks": self.unmatched,
        }


def mentions(text: str) -> bool:
    """Return True if the name of the mark occurs in a text; without it there is nothing to look for."""
    return _NAME.search(text) is not None


def sized(body: str) -> str:
    """Return the block with a sample code of the right length, to see how long it will be."""
    return _framed(body, _SAMPLE)


@dataclass(frozen=True)
class Marks:
    """The marks of one space: written by its key, and recognised by it."""

    key: bytes = field(repr=False)

    @classmethod
    def of_nobody(cls) -> Marks:
        """Return marks that belong to no space: nothing bears them, and nobody will recognise them."""
        return cls(secrets.token_bytes(KEY_BYTES))

    def mark(self, body: str) -> str:
        """Return recalled memory as a block between our tags, made safe for a model; "" if it is empty."""
        body = defused(body.strip()).strip()
        if not body:
            return ""
        return _framed(body, f"{self._name}.{self._code(f'{NOTICE} {body}')}")

    def hear(self, text: str) -> Heard:
        """Cut out the blocks of this space, and tell those of others. Linear time."""
        if not mentions(text):
            return Heard(text, text)
        own: list[tuple[int, int]] = []
        foreign: list[tuple[int, int]] = []
        unmatched = 0
        opening: re.Match[str] | None = None
        for tag in _TAG.finditer(text):
            if not tag["closing"]:
                opening = tag  # a block of ours holds no tag, so the one before began none
            elif opening is not None:
                whose = self._whose(text, opening, tag)
                unmatched += whose == "unmatched"
                if whose == "own":
                    own.append((opening.start(), _after_block(text, opening.start(), tag.end())))
                elif whose == "foreign":
                    foreign.append((opening.start(), tag.end()))
                opening = None
        kept = _without(text, own)
        spoken = _without(text, sorted(own + foreign)) if foreign else kept
        others = sum(end - start for start, end in foreign)
        return Heard(kept, spoken, len(own), len(text) - len(kept), others, unmatched)

    def _whose(self, text: str, opening: re.Match[str], closing: re.Match[str]) -> str | None:
        """Return "own", "unmatched" or "foreign" for the block between two tags; None if it is plain text."""
        body = text[opening.end() : closing.start()]
        code = _CODE.fullmatch(opening["attributes"] or "")
        if code is not None and hmac.compare_digest(code[1], self._name):
            bodies = [body, _unescaped(body)] if "\\" in body else [body]
            matched = any(hmac.compare_digest(code[2], self._code(one)) for one in bodies)
            return "own" if matched else "unmatched"
        is_block = (
            _first_on_line(text, opening.start())
            and _words(body[: 4 * len(NOTICE)]).startswith(_words(NOTICE))
            and (_first_on_line(text, closing.start()) or _LINE_END.match(text, closing.end()) is not None)
        )
        return "foreign" if is_block else None

    @cached_property
    def _name(self) -> str:
        """Short name of the key, which reveals nothing of the key."""
        return _digest(self.key, "name\0")[:8]

    def _code(self, body: str) -> str:
        return _digest(self.key, f"block\0{_words(body)}")


def _framed(body: str, code: str) -> str:
    return f'<quipu-memory code="{code}">\n{NOTICE}\n\n{body}\n{CLOSING}'


def _digest(key: bytes, text: str) -> str:
    """Return the first 128 bits of the HMAC as 22 characters."""
    digest = hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256")
    return urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def _words(body: str) -> str:
    """Return the words joined by one space: line breaks and quoting do not count."""
    words = (word.lstrip(">") for word in unicodedata.normalize("NFC", body).split())
    return " ".join(word for word in words if word)


def _unescaped(body: str) -> str:
    """Return a block read out of a JSON string; unchanged if it is not a valid one."""
    try:
        return str(json.loads(f'"{body}"', strict=False))
    except ValueError:
        return body


def _without(text: str, regions: list[tuple[int, int]]) -> str:
    kept: list[str] = []
    position = 0
    for start, end in regions:
        kept.append(text[position:start])
        position = end
    return "".join([*kept, text[position:]])


def _first_on_line(text: str, position: int) -> bool:
    line_start = text.rfind("\n", max(0, position - _INDENT_LIMIT), position) + 1
    before = text[line_start or max(0, position - _INDENT_LIMIT) : position]
    return len(before) < _INDENT_LIMIT and _LINE_START.match(before) is not None


def _after_block(text: str, start: int, end: int) -> int:
    """Return the place where the text goes on: a block on its own lines takes its line break with it."""
    if start and text[start - 1] != "\n":
        return end
    line_end = _LINE_END.match(text, end)
    return line_end.end() if line_end else end
