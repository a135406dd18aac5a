"""Texts as the local models read them: bounded, clean, at the same cost however long they are."""

from __future__ import annotations

_CHARACTERS_PER_TOKEN = 8
"""More than any language has on average (English 4.5), so that the cut rarely costs a token."""


def prepare(text: str, *, max_tokens: int) -> str:
    """Return the beginning of the text with single spaces, without characters that UTF-8 cannot carry.

    At most 8 characters a token of what the model reads; a run of white space counts once.
    """
    most = max_tokens * _CHARACTERS_PER_TOKEN
    start = text if len(text) <= most else text.lstrip()[: 2 * most]
    clean = start.encode("utf-8", "ignore").decode("utf-8")
    return " ".join(clean.split())[:most]
