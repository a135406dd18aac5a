"""What callers hand in, checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeVar
from uuid import UUID

from quipu.errors import BadInput
from quipu.kernel.base.text import clean
from quipu.kernel.redact import redact

_PREFIX: Final = re.compile(r"[0-9a-f-]{4,36}")
_Word = TypeVar("_Word", bound=str)


def one_of(field: str, value: object, words: Sequence[_Word]) -> _Word | None:
    """One of some words, or None for ``all`` and where nothing is given.

    Raises:
        BadInput: it is none; names ``field``.
    """
    if value is None or value == "all":
        return None
    for word in words:
        if value == word:
            return word
    raise BadInput(f"it is none of {', '.join(words)}, all.", field=field)


def words_of(field: str, value: object, *, longest: int, secrets: bool) -> str:
    """Words that can be stored, on one line, without secrets where they are to be cut out.

    Raises:
        BadInput: it is no text, blank, or too long; names ``field``.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadInput("say something.", field=field)
    text = " ".join(clean(value).text.split())
    if len(text) > longest:
        raise BadInput(f"it has {len(text):,} characters; {longest:,} are the most.", field=field)
    return redact(text).text if secrets else text


def id_of(value: object, *, hint: str) -> UUID | str:
    """An id, or the beginning of one: at least four of its digits.

    Raises:
        BadInput: it is neither; ``hint`` says where ids are shown.
    """
    if isinstance(value, UUID):
        return value
    if isinstance(value, str) and _PREFIX.fullmatch(value.lower()):
        return UUID(value) if len(value) == 36 and value.count("-") == 4 else value.lower()
    raise BadInput("no id.", field="id", hint=hint)


def only(found: Sequence[UUID], asked: str) -> UUID | None:
    """The id that was meant by its beginning; None where none begins so.

    Raises:
        BadInput: several begin so.
    """
    if len(found) > 1:
        raise BadInput(f"several begin with {asked}.", field="id", hint="Give more of it.")
    return found[0] if found else None
