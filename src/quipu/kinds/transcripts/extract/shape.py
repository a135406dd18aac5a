"""Shape of a language model's answer. Imported only if a model is used."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class ExtractedFact(BaseModel):
    """One fact that is worth knowing in later sessions."""

    fact: str = Field(min_length=1, max_length=1_000, description="One sentence that stands alone.")
    category: Literal["preferences", "knowledge", "patterns", "context", "corrections", "todo"]
    confidence: float = Field(ge=0, le=1)
    turn: int = Field(ge=0, description="The number of the turn that says it.")
    excerpt: str = Field(min_length=1, max_length=1_000, description="Words of the turn, letter by letter.")


class ExtractedFacts(BaseModel):
    """Everything that is worth keeping, possibly nothing."""

    facts: list[ExtractedFact] = Field(max_length=100)
