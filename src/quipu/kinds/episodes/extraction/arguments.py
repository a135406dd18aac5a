"""Checks of callers' arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from quipu.errors import BadInput
from quipu.kernel.base.scope import one_of
from quipu.kernel.base.text import clean
from quipu.kernel.redact import redact

_Word = TypeVar("_Word", bound=str)


def one_or_all(field: str, value: object, words: Sequence[_Word]) -> _Word | None:
    """Return the value if it is one of some words; None for ``all`` or no value.

    Raises:
        BadInput: it is none; names ``field``.
    """
    if value is None or value == "all":
        return None
    return cast("_Word", one_of(field, value, (*words, "all")))


def words_of(field: str, value: object, *, longest: int, secrets: bool) -> str:
    """Return words that can be stored, on one line, without secrets if these are to be cut out.

    Raises:
        BadInput: it is no text, blank, or too long; names ``field``.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadInput("say something.", field=field)
    text = " ".join(clean(value).text.split())
    if len(text) > longest:
        raise BadInput(f"it has {len(text):,} characters; {longest:,} are the most.", field=field)
    return redact(text).text if secrets else text
