"""Shapes of a language model's answer. Imported only if a model is used."""

from __future__ import annotations

from pydantic import BaseModel, Field

from quipu.kinds.longterm.model import Category, Importance

_LONGEST = 1_000
_MOST = 50


class IncludedMemory(BaseModel):
    """A new memory."""

    category: Category
    importance: Importance
    summary: str = Field(min_length=1, max_length=_LONGEST, description="One sentence that stands alone.")
    reason: str = Field(default="", max_length=_LONGEST)
    turn: int = Field(ge=0, description="The number of the user's turn that says it.")
    asked: bool = Field(default=False, description="The user asked for it to be remembered.")


class EditedMemory(BaseModel):
    """A memory that is to read otherwise; what is null stays as it is."""

    id: str
    summary: str | None = Field(default=None, min_length=1, max_length=_LONGEST)
    importance: Importance | None = None
    details: str | None = Field(default=None, max_length=_LONGEST)
    reason: str = Field(default="", max_length=_LONGEST)
    turn: int = Field(ge=0)


class DeletedMemory(BaseModel):
    """A memory that holds no longer, or is to be forgotten."""

    id: str
    reason: str = Field(default="", max_length=_LONGEST)
    turn: int = Field(ge=0)


class EvaluatedConversation(BaseModel):
    """Everything that is to be done, possibly nothing."""

    inclusions: list[IncludedMemory] = Field(default_factory=list[IncludedMemory], max_length=_MOST)
    edits: list[EditedMemory] = Field(default_factory=list[EditedMemory], max_length=_MOST)
    deletions: list[DeletedMemory] = Field(default_factory=list[DeletedMemory], max_length=_MOST)
