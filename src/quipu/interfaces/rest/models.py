"""Parts that all routes share."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from quipu.kernel.base.strict import Strict


class Asked(Strict):
    """The base of request bodies: a word that nobody knows is refused, and so is "3" for a number."""

    model_config = ConfigDict(extra="forbid")


class Told(BaseModel):
    """The base of answers: made from the values that the memory returns, by the same names."""

    model_config = ConfigDict(from_attributes=True)


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
    hint: Annotated[str | None, Field(description="What to do about it.")] = None
    field: Annotated[str | None, Field(description="The part of the request that is meant.")] = None
    errors: Annotated[list[Fault] | None, Field(description="Everything that is wrong.")] = None
