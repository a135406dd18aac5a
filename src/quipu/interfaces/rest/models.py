"""Parts that routes share: parameters of requests, bases and common shapes of answers, and the preview."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Final, Generic, TypeVar
from uuid import UUID

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from quipu.interfaces.serving import confirmation
from quipu.kernel.base.strict import Strict

Found = TypeVar("Found")
Item = TypeVar("Item")


_LONGEST: Final = 512

Id = Annotated[UUID, Path(description="As it was told.", examples=["0198c5a2-7f3e-7cc1-9d55-3a1f0c9b2e4d"])]
Number = Annotated[int, Path(ge=1, le=2**63 - 1, description="As it was told.", examples=[17])]
User = Annotated[str | None, Query(description="Only of this person.", examples=["ana"])]
OfSession = Annotated[str | None, Query(description="Only of this session.", examples=["s1"])]

SomeUser = Annotated[str | None, Field(description="A person, by your name for them.", examples=["ana"])]
SomeSession = Annotated[str | None, Field(description="A session, by your name for it.", examples=["s1"])]
SomeTime = Annotated[str | None, Field(description="ISO 8601.", examples=["2026-05-04T10:00:00Z"])]
SomeTurn = Annotated[int | None, Field(description="The turn of the session; null: the one it is at.")]


class RequestBody(Strict):
    """The base of request bodies: a word that nobody knows is refused, and so is "3" for a number."""

    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    """The base of answers: made from the values that the memory returns, by the same names."""

    model_config = ConfigDict(from_attributes=True)


class Items(Answer, Generic[Item]):
    """A list that is whole, or of which only the first rows are wanted."""

    items: list[Item]


class Confirmable(Answer, Generic[Item]):
    """Preview, with the token that has it done; or (`confirm` is null) what was done."""

    confirm: Annotated[
        str | None, Field(description="Send it back to have it done.", examples=["9f86d081884c7d65"])
    ]
    shown: Item


class Acting(RequestBody):
    """Something that is shown before it is done."""

    confirm: Annotated[
        str | None,
        Field(
            max_length=_LONGEST,
            description="The token of the preview; without it nothing is changed.",
            examples=[None],
        ),
    ] = None


class Fault(BaseModel):
    """One thing that is wrong with what was sent."""

    field: str
    detail: str


class Problem(BaseModel):
    """Problem of a request (RFC 9457)."""

    type: Annotated[str, Field(examples=["/problems/bad-input"])]
    title: Annotated[str, Field(examples=["An argument is not valid."])]
    status: Annotated[int, Field(examples=[422])]
    detail: Annotated[str, Field(examples=["limit: a whole number from 1 to 1,000, not 0."])]
    hint: Annotated[str | None, Field(description="The way out.")] = None
    field: Annotated[str | None, Field(description="The part of the request that is meant.")] = None
    errors: Annotated[list[Fault] | None, Field(description="Everything that is wrong.")] = None


def given(request: BaseModel, *but: str) -> dict[str, Any]:
    """Return all fields of a request as arguments, without those in ``but``."""
    return {name: getattr(request, name) for name in type(request).model_fields if name not in but}


async def shown_first(
    act: str,
    confirm: str | None,
    do: Callable[[bool], Awaitable[Found]],
    *,
    tell: Callable[[Found], Item],
    counts: Callable[[Found], Mapping[str, object]],
) -> Confirmable[Item]:
    """Return the preview ``do(False)``; with its token in ``confirm``, the result of ``do(True)``.

    ``act`` names the act, and ``counts`` returns the part of the preview that must not have changed.

    Raises:
        Outdated: what would be done is no longer what was shown.
    """
    preview = await do(False)
    shown = counts(preview)
    if not confirmation.confirmed(confirm, act, shown):
        return Confirmable(confirm=confirmation.token(act, shown), shown=tell(preview))
    return Confirmable(confirm=None, shown=tell(await do(True)))


class HowMany(Answer):
    """Number of rows."""

    count: Annotated[int, Field(examples=[3])]


class Noted(Answer):
    """The id of what was written down."""

    id: Annotated[int, Field(examples=[17])]
