"""Rules of embedding: how fields become entries, and what must change in the index. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final

from quipu.kernel.redact import redact
from quipu.kinds.tables.embedding.model import EntryPlace, IndexedPart, Plan, Values, Wanted
from quipu.recall.terms import passages

WHOLE_CHARACTERS: Final = 1_000
MOST_CHARACTERS: Final = 100_000


def parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of a field with their numbers: 0 is a field of up to 1,000 characters as a whole.

    A longer one is cut at paragraphs or sentences into parts of about that length, numbered from 1. Only its
    first 100,000 characters are read.
    """
    text = text[:MOST_CHARACTERS]
    if len(text) <= WHOLE_CHARACTERS:
        yield 0, text
        return
    yield from enumerate((text[start:end] for start, end in passages(text)), start=1)


def digest(text: str) -> str:
    """Return the SHA-256 of a text, in 64 hexadecimal digits."""
    return sha256(text.encode()).hexdigest()


def key_values(source_id: str, columns: int) -> tuple[str, ...] | None:
    """Return the columns of a key that was written as text; None if their number differs."""
    if columns == 1:
        return (source_id,)
    try:
        values = json.loads(source_id)
    except ValueError:
        return None
    if not isinstance(values, list) or len(values) != columns:  # pyright: ignore[reportUnknownArgumentType]
        return None
    return tuple(map(str, values))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def wanted(values: Values) -> dict[EntryPlace, Wanted]:
    """Return the entries that the index should have for rows, without their secrets."""
    by_place: dict[EntryPlace, Wanted] = {}
    for source_id, fields in values.items():
        for field, text in fields.items():
            field_hash = digest(text[:MOST_CHARACTERS])
            for chunk, part in parts(text):
                content = redact(part).text
                by_place[EntryPlace(source_id, field, chunk)] = Wanted(content, digest(content), field_hash)
    return by_place


def plan(known: Mapping[EntryPlace, IndexedPart], values: Values) -> Plan:
    """Return the steps to take: a part with unchanged content stays, whatever happened around it."""
    target = wanted(values)
    new = {p: w for p, w in target.items() if p not in known or known[p].content_hash != w.content_hash}
    kept = {place: one for place, one in known.items() if place in target and place not in new}
    return Plan(
        gone=sorted(one.entry_id for place, one in known.items() if place not in kept),
        new=new,
        rehashed={
            one.entry_id: target[place].field_hash
            for place, one in kept.items()
            if one.field_hash != target[place].field_hash
        },
    )
