"""Parts of requests that several kinds ask for in the same words."""

from __future__ import annotations

from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Path, Query
from pydantic import BaseModel, Field

from quipu.interfaces.rest.models import Asked

_LONGEST: Final = 512

Id = Annotated[UUID, Path(description="As it was told.", examples=["0198c5a2-7f3e-7cc1-9d55-3a1f0c9b2e4d"])]
Number = Annotated[int, Path(ge=1, le=2**63 - 1, description="As it was told.", examples=[17])]
User = Annotated[str | None, Query(description="Only of this person.", examples=["ana"])]
OfSession = Annotated[str | None, Query(description="Only of this session.", examples=["s1"])]
Most = Annotated[int, Query(ge=1, le=1000, description="Rows at most.", examples=[50])]

SomeUser = Annotated[str | None, Field(description="A person, by your name for them.", examples=["ana"])]
SomeSession = Annotated[str | None, Field(description="A session, by your name for it.", examples=["s1"])]
SomeTime = Annotated[str | None, Field(description="ISO 8601.", examples=["2026-05-04T10:00:00Z"])]
SomeTurn = Annotated[int | None, Field(description="The turn of the session; null: the one it is at.")]


class Acting(Asked):
    """Something that is shown before it is done."""

    confirm: Annotated[
        str | None,
        Field(
            max_length=_LONGEST,
            description="The token of the preview; without it nothing is changed.",
            examples=[None],
        ),
    ] = None


def given(asked: BaseModel, *but: str) -> dict[str, Any]:
    """Return all fields of a request as arguments, without those in ``but``."""
    return {name: getattr(asked, name) for name in type(asked).model_fields if name not in but}
