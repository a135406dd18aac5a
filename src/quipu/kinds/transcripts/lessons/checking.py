"""Checks of callers' arguments."""

from __future__ import annotations

import re
from typing import Final

from quipu.errors import BadInput
from quipu.kernel.base.scope import check_name, refuse_secret
from quipu.kernel.base.text import clean
from quipu.kernel.redact import redact
from quipu.kinds.transcripts.extract.model import CATEGORIES
from quipu.kinds.transcripts.lessons.model import STATES, State

LONGEST_FACT: Final = 4_000
_CATEGORY: Final = re.compile(r"[a-z][a-z0-9_ -]{0,63}")


def fact_of(value: object, *, secrets: bool) -> str:
    """Return a fact that can be stored, without secrets if these are to be cut out.

    Raises:
        BadInput: it is no text, blank, or longer than 4,000 characters.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadInput("say what is to be remembered.", field="fact")
    text = " ".join(clean(value).text.split())
    if len(text) > LONGEST_FACT:
        raise BadInput(f"it has {len(text):,} characters; {LONGEST_FACT:,} are the most.", field="fact")
    return redact(text).text if secrets else text


def category_of(value: object) -> str:
    """Return a category: one of the six, or another word.

    Raises:
        BadInput: it is no small word of at most 64 letters.
    """
    if not isinstance(value, str) or not _CATEGORY.fullmatch(value):
        hint = f"Usual are {', '.join(CATEGORIES)}; others are small letters, digits, '-' and '_'."
        raise BadInput("no such category.", field="category", hint=hint)
    refuse_secret("category", value)
    return value


def project_of(value: object) -> str:
    """Return the path of a project, or "" for none in particular.

    Raises:
        BadInput: it is no text, cannot be stored, or holds a secret.
    """
    return "" if value == "" else check_name("project", value)


def state_of(value: object) -> State | None:
    """Return a state, or None for ``all``.

    Raises:
        BadInput: it is none.
    """
    if value == "all":
        return None
    for state in STATES:
        if value == state:
            return state
    raise BadInput(f"it is none of {', '.join(STATES)}, all.", field="state")


def confidence_of(value: object) -> float:
    """Return a confidence, to the millionth: smaller values have no place in the column.

    Raises:
        BadInput: it is no number from 0 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput("a number from 0 to 1.", field="confidence")
    return round(float(value), 6)
