"""Parts that pages take: fields of addresses and forms, ids, the place in a list; the router of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Generic, TypeVar
from uuid import UUID

from fastapi import APIRouter, Form, Query
from pydantic import BeforeValidator

MOST_CHARACTERS: Final = 20_000
"""The longest text that a form takes."""


Row = TypeVar("Row")


def page_router() -> APIRouter:
    """Return a router for pages; they are no part of the REST description."""
    return APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """The rows of a page, and the key after which the next begins; None where this is the last."""

    rows: Sequence[Row]
    after: str | None


def slice_of(candidates: Sequence[Row], *, size: int, key: Callable[[Row], str]) -> Slice[Row]:
    """Return the first ``size`` rows of ``size + 1`` that were asked for: one more means a next page."""
    rows = candidates[:size]
    return Slice(rows, key(rows[-1]) if len(candidates) > size and rows else None)


def whole(text: str) -> UUID | str:
    """Return a whole id as a UUID, which is found at once; the beginning of one unchanged."""
    try:
        return UUID(text)
    except ValueError:
        return text


def _or_none(value: object) -> object:
    """Return None for a field that was left empty."""
    return (value.strip() or None) if isinstance(value, str) else value


Word = Annotated[str | None, Query(max_length=1000), BeforeValidator(_or_none)]
"""A word of an address; None where the field was left empty."""

Number = Annotated[int | None, Query(ge=0, le=2**63 - 1), BeforeValidator(_or_none)]
"""A whole number of an address."""

Filled = Annotated[str | None, Form(max_length=MOST_CHARACTERS), BeforeValidator(_or_none)]
"""A field of a form; None where it was left empty."""

Text = Annotated[str, Form(max_length=MOST_CHARACTERS)]
"""A field of a form as it was filled in, be it empty."""

Sure = Annotated[bool, Form()]
"""True if a page that asks before was answered with yes."""
