"""Checks of callers' arguments."""

from __future__ import annotations

from typing import Final

from quipu.errors import BadInput
from quipu.kernel.base.text import clean
from quipu.kernel.redact import redact

LONGEST_SUMMARY: Final = 2_000
LONGEST_DETAILS: Final = 10_000
LONGEST_REASON: Final = 1_000
LONGEST_EXCERPT: Final = 1_000


def summary_of(value: object, *, secrets: bool) -> str:
    """Return a summary on one line.

    Raises:
        BadInput: it is no text, blank, longer than 2,000 characters, or (where ``secrets`` are looked for)
            holds one.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadInput("say what is to be remembered.", field="summary")
    text = " ".join(clean(value).text.split())
    if not text:
        raise BadInput("say what is to be remembered.", field="summary")
    return _checked("summary", text, LONGEST_SUMMARY, secrets=secrets)


def details_of(value: object, *, secrets: bool) -> str | None:
    """Return details, or None if there are none.

    Raises:
        BadInput: they are no text, longer than 10,000 characters, or (where ``secrets`` are looked for) hold
            one.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadInput("details are a text.", field="details")
    text = clean(value).text.strip()
    return _checked("details", text, LONGEST_DETAILS, secrets=secrets) or None


def reason_of(value: object, *, secrets: bool) -> str | None:
    """Return the reason for a change, or None; with ``secrets``, they are cut out.

    Raises:
        BadInput: it is no text, or longer than 1,000 characters.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadInput("a reason is a text.", field="reason")
    return _checked("reason", " ".join(clean(value).text.split()), LONGEST_REASON, secrets=secrets) or None


def _checked(field: str, text: str, most: int, *, secrets: bool) -> str:
    if len(text) > most:
        raise BadInput(f"it has {len(text):,} characters; {most:,} are the most.", field=field)
    kinds = sorted(redact(text).counts) if secrets else []
    if kinds:
        raise BadInput(
            f"it holds a secret ({', '.join(kinds)}), which no memory keeps.",
            field=field,
            hint="Leave it out, and keep it where secrets belong.",
        )
    return text
