"""Ids as addresses name them."""

from __future__ import annotations

from uuid import UUID


def whole(said: str) -> UUID | str:
    """A whole id as what it is, which is found at once; a beginning of one as it was said."""
    try:
        return UUID(said)
    except ValueError:
        return said
