"""The words of a text as the text index knows them: letters and digits, folded; never a special character.

No stems: what is searched for here are names, paths and messages of programs, and a ``*`` asks for endings.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST_WORD: Final = 64
"""A longer word (a hash, a blob) is known by its beginning."""

MOST_CHARACTERS: Final = 400_000
"""What of a text is indexed, and searched."""

_MOST_BYTES: Final = 1_000_000  # a tsvector holds 1 MiB of words

# Scripts that put no space between words: each character is a word, and what is written in a row is a phrase.
_BORDERLESS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER: Final = f"[^\\W_{_BORDERLESS}]"
_WORD: Final = re.compile(f"[{_BORDERLESS}]|{_LETTER}+")
_ALONE: Final = re.compile(f"[{_BORDERLESS}]")


class _Folding(dict[int, int | str]):
    """Each character in lower case and without its accent, looked up once; one character stays one."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        lower = character.lower()
        bare = "".join(c for c in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(c))
        folded = next((form for form in (bare, lower) if len(form) == 1), character)
        self[code] = folded
        return folded


_FOLDING: Final = _Folding()


def composed(text: str) -> str:
    """Return the indexed part of a text, accents joined with their letters: places refer to this."""
    text = text[:MOST_CHARACTERS]
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """Return a composed text in lower case without accents, of the same length."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def words(text: str) -> list[str]:
    """Return every word of a text, in order."""
    return [word[:LONGEST_WORD] for word in _WORD.findall(folded(composed(text)))]


def vector(words_of: list[str], *, space: int) -> str:
    """Return the distinct words as a tsvector is written, each with the number of the space in front.

    If they are more than a tsvector holds, only the first of them.
    """
    distinct = [f"{space}/{word}" for word in dict.fromkeys(words_of)]
    text = " ".join(distinct)
    if len(text) <= _MOST_BYTES // 4 or len(text.encode()) <= _MOST_BYTES:
        return text
    kept, size = 0, 0
    for word in distinct:
        size += len(word.encode()) + 1
        if size > _MOST_BYTES:
            break
        kept += 1
    return " ".join(distinct[:kept])


def pattern(phrase: tuple[str, ...], *, prefix: bool) -> re.Pattern[str]:
    """Return a pattern for the words in a row in a folded text; with ``prefix`` the last may go on."""
    parts: list[str] = []
    for place, word in enumerate(phrase):
        literal, alone = re.escape(word), _ALONE.fullmatch(word) is not None
        if place:
            parts.append(r"[\W_]*" if alone or _ALONE.fullmatch(phrase[place - 1]) else r"[\W_]+")
        parts.append(literal)
        if not place and not alone:  # after the word: what begins with a literal is found many times faster
            parts.append(f"(?<!{_LETTER}{literal})")
        last = place == len(phrase) - 1
        if len(word) == LONGEST_WORD or (last and prefix and not alone):
            parts.append(f"{_LETTER}*+")
        elif last and not alone:
            parts.append(f"(?!{_LETTER})")
    return re.compile("".join(parts))
