"""Secrets leave many texts at once: what ``redact`` finds in each of them, at many times its speed.

Nearly all texts have no secret. So the signs without which no finder finds anything are looked for in the
bytes of all texts together, with a NUL between two; where one stands, what must stand around it is tried.
Such a check may say yes where there is no secret, never no where a finder finds one. Only a text in which
one says yes is given to ``redact``. (The two agree for every text: a property test.)
"""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.redact import assignments, redact, redaction, tokens
from quipu.kernel.redact.anchors import Anchors
from quipu.kernel.redact.redaction import Redacted
from quipu.kernel.redact.tokens import SearchedText

_FEW: Final = 64
_APART_BYTES: Final = 128
BETWEEN: Final = b"\0"
"""What stands between two texts, and in none of them."""

Check = Callable[[bytes, int], bool]

# No form reaches further back or on than this, whatever the characters: four bytes are the longest.
_BEFORE_BYTES: Final = 4 * 80
_AFTER_CHARACTERS: Final = 1_500
_AFTER_BYTES: Final = 4 * _AFTER_CHARACTERS
_WITHIN_BYTES: Final = 96  # the sign of a token that it does not lead is no further from its ends

# Characters that count as ASCII letters in some case, so that words stand where their bytes do not.
_STRANGE: Final = tuple(character.encode() for character in "\u212a\u0130\u0131\u017f")

# What follows anchors that are too short to be looked for.
_FOLLOWING: Final[Mapping[str, str]] = {
    "SK": "0123456789abcdef",
    "AC": "0123456789abcdef",
    "Q~": string.ascii_letters + string.digits + "_.~-",
}
_BEYOND_ASCII: Final = 0x80
_NOWHERE: Final = np.zeros(0, dtype=np.intp)
_SLICE_BYTES: Final = 256 * 1024
_OVERLAP_BYTES: Final = 256
_BEFORE_DOT: Final = (24, 25, 26)
_FIRST_LETTERS: Final = np.isin(np.arange(256), list(b"MNO"))
_WIDEST_BYTES: Final = 4 * 26
_DOTS_APART: Final = 7
_DISCORD: Final = tokens.UNANCHORED[0].pattern

# Bytes beyond ASCII stand for any white space and any digit here.
_WHITE: Final = rb"[\s\x80-\xff]{0,64}"
_GIVEN = re.compile(
    rb"(?:[_-]?(?:value|base|prod|dev|test|staging|live|old|new|[\d\x80-\xff]{1,8}))?(?:\\?[\"'`]|\]){0,3},?"
    rb"(?:%b(?:[=:!|(]|->|\xef\xbc\x9a|\\?[\"']?value|is|was|lautet|es|\xc3[\xa8\xa9])|>)" % _WHITE,
    re.IGNORECASE,
)
_SET = re.compile(assignments.SET.pattern.encode(), re.IGNORECASE)
_URL = re.compile(rb"://(?:[^\s:/@?#\"'<>]{0,512}:[^\s/\"'<>?#]{1,1024}@|[A-Za-z0-9_-]{32,128}@)")

# What gives a sign that is written as an escape a meaning.
_NAMED = re.compile(
    b"|".join(
        re.escape(word.encode())
        for word in (*assignments.SECRET_WORDS, "authorization", "bearer", "cookie", "//", "auth")
    )
    + b"|[\xc4\xc5\xe2]",
    re.IGNORECASE,
)
_ESCAPED_BYTES: Final = 400
_QUALIFIED: Final = (b"key", b"token")
_SPACES: Final = (b" ", b"\t")
_NAME: Final = bytes(map(ord, assignments.NAME_CHARACTERS))


def redact_many(texts: Sequence[str]) -> Mapping[int, Redacted]:
    """Redact the texts that have secrets; return the results by their place."""
    parts = [_encoded(text) for text in texts]
    suspects = {place for place, part in enumerate(parts) if part is None}
    suspects |= _suspects([part or b"" for part in parts])
    redactions = {place: redact(texts[place]) for place in sorted(suspects)}
    return {place: redacted for place, redacted in redactions.items() if redacted.counts}


def _encoded(text: str) -> bytes | None:
    """Return the bytes of a text; None if it has half a character, or the sign that stands between texts."""
    try:
        part = text.encode()
    except UnicodeEncodeError:
        return None
    return None if BETWEEN in part else part


def _suspects(parts: Sequence[bytes]) -> set[int]:
    """Return the places of texts that may have a secret."""
    data = BETWEEN.join(parts)
    ends = list(accumulate((len(part) + 1 for part in parts), initial=0))
    suspects: set[int] = set()
    tried: Counter[int] = Counter()
    for at, word in named(data):
        place = bisect_right(ends, at) - 1
        if place in suspects:
            continue
        tried[place] += 1
        # A text of hardly anything but signs is told by ``redact`` itself sooner than sign by sign.
        if tried[place] > _FEW + len(parts[place]) // _APART_BYTES or tells(word, data, at):
            suspects.add(place)
    suspects.update(bisect_right(ends, at) - 1 for at in unnamed(data))
    return suspects


def named(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the places of words that may begin a secret, with the word; the places ascend.

    What follows rules out most words at once, at the same cost however long the text is.
    """
    return ANCHORS.find(data)


def tells(word: bytes, data: bytes, at: int) -> bool:
    """Return True if a secret may stand where ``named`` found the word."""
    hint = _FAR_HINTS.get(word)
    if hint is not None and hint.match(data, at) is None:
        return False
    return any(check(data, at) for check in _CHECKS[word])


def unnamed(data: bytes) -> Iterator[int]:
    """Yield places of possible secrets without a leading word: signs at known distances, odd characters."""
    for start in range(0, len(data), _SLICE_BYTES):
        some = data[start : start + _SLICE_BYTES + _OVERLAP_BYTES]
        part = np.frombuffer(some, dtype=np.uint8)
        beyond = _NOWHERE if some.isascii() else np.flatnonzero(part >= _BEYOND_ASCII)
        for at in _before_dots(part, beyond):
            if _DISCORD.search(data[max(0, start + at - 120) : start + at + 40].decode("utf-8", "ignore")):
                yield start + at
        yield from (start + at for at in _strangers(part, beyond))


def _strangers(array: NDArray[np.uint8], beyond: NDArray[np.intp]) -> list[int]:
    """Return places of characters that are ASCII letters in another case, among those ``beyond`` ASCII."""
    strangers: list[int] = []
    for character in _STRANGE if len(beyond) else ():
        at = beyond[beyond < len(array) - len(character)]
        for step, byte in enumerate(character):
            at = at[array[at + step] == byte]
        strangers += at.tolist()
    return strangers


def _before_dots(array: NDArray[np.uint8], beyond: NDArray[np.intp]) -> list[int]:
    """Return dots with six characters up to the next dot, and one of M, N, O at the right distance before."""
    dots = np.flatnonzero(array == ord("."))
    gaps = np.diff(dots)
    ends = dots[:-1][gaps == _DOTS_APART]
    begins = np.zeros(len(ends), dtype=bool)
    for step in _BEFORE_DOT:
        begins |= _FIRST_LETTERS[array[np.maximum(ends - step, 0)]]
    if len(beyond) and len(dots):  # where characters have several bytes, distances in bytes say nothing
        begins |= np.searchsorted(beyond, ends) > np.searchsorted(beyond, ends - _WIDEST_BYTES)
        between = np.diff(np.searchsorted(beyond, dots)) > 0
        wide = dots[:-1][between & (gaps > _DOTS_APART) & (gaps <= 4 * _DOTS_APART)]
        return [*ends[begins].tolist(), *wide.tolist()]
    return ends[begins].tolist()


@cache
def _pattern(expression: str) -> re.Pattern[bytes]:
    return re.compile(expression.encode(), re.ASCII)


def _token(token: tokens.Token, data: bytes, at: int) -> bool:
    pattern = _pattern(token.expression)
    if token.leads:
        return pattern.match(data, at) is not None
    return pattern.search(data, max(0, at - _WITHIN_BYTES), at + 2 * _WITHIN_BYTES) is not None


def _assigned(begin: bytes, words: Sequence[str], data: bytes, at: int) -> bool:
    """Return True if a name for a secret value is given one."""
    if begin in _QUALIFIED:
        before = data[max(0, at - 20) : at].decode("utf-8", "ignore").lower()
        if not assignments.is_secret_name(begin.decode(), before):
            return False
    for word in words:
        end = at + len(word.encode())
        if word.isascii() and data[at:end].lower().decode("ascii", "replace") != word:
            continue
        if _may_be_given(data, at, end):
            text, place = _around(data, at)
            if text[place : place + len(word)].lower() == word and assignments.gives_secret(
                SearchedText(text), word, place
            ):
                return True
    return False


def _may_be_given(data: bytes, at: int, end: int) -> bool:
    """Return True if the text after a name gives it a value, or the text before allows one beside it."""
    if _GIVEN.match(data, end) is not None:
        return True
    if data[end : end + 1] not in _SPACES:
        return False
    before = data[max(0, at - _BEFORE_BYTES) : at]
    left = before.rstrip(_NAME)
    dashed = before[len(left) :][:1] == b"-"
    return dashed or b"login" in before or _SET.search(left[-assignments.SET_CHARACTERS :]) is not None


def _around(data: bytes, at: int) -> tuple[str, int]:
    """Return the text around a place, and the place in it."""
    start = max(0, at - _BEFORE_BYTES, data.rfind(BETWEEN, max(0, at - _BEFORE_BYTES), at) + 1)
    before = data[start:at].decode("utf-8", "ignore")
    end = data.find(BETWEEN, at, at + _AFTER_BYTES)
    after = data[at : end if end >= 0 else at + _AFTER_BYTES].decode("utf-8", "ignore")
    return before + after[:_AFTER_CHARACTERS], len(before)


def _url(data: bytes, at: int) -> bool:
    return _URL.match(data, at) is not None


def _command(option: assignments.Option, data: bytes, at: int) -> bool:
    text, place = _around(data, at)
    return next(assignments.passwords_at(text, place, option), None) is not None


def _cookie(data: bytes, at: int) -> bool:
    text, place = _around(data, at)
    return next(assignments.find_cookies(SearchedText(text[place:])), None) is not None


def _login(word: str, data: bytes, at: int) -> bool:
    text, place = _around(data, at)
    return redaction.login_at(text, place + len(word)) is not None


def _phrase(word: str, data: bytes, at: int) -> bool:
    text, place = _around(data, at)
    return tokens.phrase_at(text, place + len(word)) is not None


def _broken(token: tokens.Token, data: bytes, at: int) -> bool:
    text, place = _around(data, at)
    return tokens.broken_token_at(text, place, token) is not None


def _escaped(data: bytes, at: int) -> bool:
    if _NAMED.search(data, max(0, at - _ESCAPED_BYTES), at + _ESCAPED_BYTES) is None:
        return False
    text, _ = _around(data, at)
    return bool(redact(text).counts)


def _header(data: bytes, at: int) -> bool:
    text, place = _around(data, at)
    return next(assignments.find_headers(SearchedText(text[place:])), None) is not None


def _always(data: bytes, at: int) -> bool:  # noqa: ARG001 - as the others
    return True


def _beginnings(word: str) -> Sequence[str]:
    """Return the beginnings that find a word in any case; only the case of ASCII letters is free."""
    if word.isascii():
        return [word]
    plain = re.match(r"[a-z]{4,}", word)
    pairs = product(*({character, character.upper()} for character in word[:2]))
    return [plain[0]] if plain else ["".join(pair) for pair in pairs]


def _assignments() -> Mapping[str, list[str]]:
    """Return the words of names under the beginnings that find them."""
    begins = sorted({begin for word in assignments.SECRET_WORDS for begin in _beginnings(word)})
    return {
        begin: [word for word in assignments.SECRET_WORDS if word.startswith(begin.lower())]
        for begin in begins
        if not any(begin != other and begin.startswith(other) for other in begins)
    }


_ASSIGNED: Final = _assignments()


def _checks() -> dict[bytes, list[Check]]:
    """Return the checks to try for each word."""
    by_place: defaultdict[str, list[Check]] = defaultdict(list)
    for anchor, token in tokens.ANCHORS:
        for follower in _FOLLOWING.get(anchor, [""]):
            by_place[anchor + follower].append(partial(_token, token))
    for begin, words in _ASSIGNED.items():
        by_place[begin].append(partial(_assigned, begin.encode(), words))
    for anchor, token in tokens.LEADING:
        by_place[anchor].append(partial(_broken, token))
    for word, check in (
        ("authorization", _header),
        ("bearer", _header),
        ("://", _url),
        (assignments.COOKIE, _cookie),
    ):
        by_place[word].append(check)
    for option in assignments.OPTIONS:
        by_place[option.word].append(partial(_command, option))
    for word in (redaction.LOGIN, redaction.LOGIN_ESCAPED):
        by_place[word].append(partial(_login, word))
    for word in tokens.PHRASE_WORDS:
        by_place[word].append(partial(_phrase, word))
    for sign in redaction.ESCAPES:
        by_place[sign].append(_escaped)
    for word in ("PRIVATE KEY", assignments.COOKIE_ROW, *redaction.STEMS):
        by_place[word].append(_always)
    return {word.encode(): checks for word, checks in by_place.items()}


def _hints() -> dict[bytes, re.Pattern[bytes]]:
    """Return the pattern at a word's place, for words with one check: it decides most places."""
    hints: dict[bytes, re.Pattern[bytes]] = {}
    for anchor, token in tokens.ANCHORS:
        if token.leads and anchor not in _FOLLOWING:
            hints[anchor.encode()] = _pattern(token.expression)
    for anchor, token in tokens.LEADING:
        hints[anchor.encode()] = _pattern(f"{token.expression}|{re.escape(anchor)}{tokens.MAY_BREAK}")
    for begin, words in _ASSIGNED.items():
        if all(map(str.isascii, words)):
            names = b"|".join(re.escape(word.encode()) for word in words)
            hints[begin.encode()] = re.compile(b"(?:%b)(?:%b|[ \t])" % (names, _GIVEN.pattern), re.IGNORECASE)
    may_break = {anchor.encode() for anchor, _ in tokens.LEADING}
    return {word: hint for word, hint in hints.items() if len(_CHECKS[word]) == 1 + (word in may_break)}


def _is_endless(expression: bytes) -> bool:
    """Return True if some part of the expression may be repeated without limit."""
    return re.search(rb"[*+]|,\}", re.sub(rb"\[(?:\\.|[^\]\\])*\]", b"", expression)) is not None


_CHECKS: Final = _checks()
_FAR_HINTS: Final = {word: hint for word, hint in _hints().items() if _is_endless(hint.pattern)}
_NEAR_HINTS: Final = {word: hint.match for word, hint in _hints().items() if word not in _FAR_HINTS}
_FOLDED: Final = frozenset(
    word.encode()
    for word in (
        *(begin for begin in _ASSIGNED if begin.isascii()),
        *(
            "authorization",
            "bearer",
            assignments.COOKIE,
            redaction.LOGIN,
            redaction.LOGIN_ESCAPED,
            *tokens.PHRASE_WORDS,
        ),
    )
)
ANCHORS: Final = Anchors((word for word in _CHECKS if word not in _FOLDED), _FOLDED, _NEAR_HINTS)
