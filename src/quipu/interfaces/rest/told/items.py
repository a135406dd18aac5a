"""Parts that answers of all kinds share."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

from pydantic import Field

from quipu.interfaces.rest.models import Told

Item = TypeVar("Item")


class Items(Told, Generic[Item]):
    """A list that is whole, or of which only the first rows are wanted."""

    items: list[Item]


class Confirmable(Told, Generic[Item]):
    """Preview, with the token that has it done; or (`confirm` is null) what was done."""

    confirm: Annotated[
        str | None, Field(description="Send it back to have it done.", examples=["9f86d081884c7d65"])
    ]
    shown: Item


class HowMany(Told):
    """Number of rows."""

    count: Annotated[int, Field(examples=[3])]


class Noted(Told):
    """The id of what was written down."""

    id: Annotated[int, Field(examples=[17])]
