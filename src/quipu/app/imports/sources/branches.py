"""Branches of a chat: which messages lie on the way to where it ended, and which were left."""

from __future__ import annotations


def in_order(leaf: str | None, parents: dict[str, str | None]) -> list[tuple[str, bool]]:
    """Return all ids, first those on the way to ``leaf``, with False, then the others, with True.

    ``parents`` names the message before each. Without a ``leaf`` that is known, the last one is taken that
    nothing follows. A circle ends where it would begin again.
    """
    if leaf not in parents:
        inner = set(parents.values())
        leaf = next((one for one in reversed(parents) if one not in inner), None)
    way: dict[str, None] = {}
    while leaf is not None and leaf in parents and leaf not in way:
        way[leaf] = None
        leaf = parents[leaf]
    return [(one, False) for one in reversed(way)] + [(one, True) for one in parents if one not in way]
