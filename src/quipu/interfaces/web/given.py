"""Fields of addresses and forms, as pages take them."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Form, Query
from pydantic import BeforeValidator

MOST_CHARACTERS: Final = 20_000
"""The longest text that a form takes."""


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
"""Whether a page that asks before was answered with yes."""
