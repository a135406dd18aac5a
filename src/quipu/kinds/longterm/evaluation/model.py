"""Claims of what people say, evaluators of conversations, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, runtime_checkable

from quipu.kernel.prose.content import content
from quipu.kinds.longterm.model import AuditMemory, Category, Evaluation, Importance

if TYPE_CHECKING:
    from quipu.kinds.longterm.sati import SatiEvaluationInput

USUAL: Final[Mapping[Category, Importance]] = {
    "identity": "high", "constraint": "high", "naming": "high",
    "personal_data": "medium", "professional_profile": "medium", "languages": "medium", "project": "medium",
    "pets": "medium", "relationships": "medium", "preference": "medium",
    "favorite_things": "low", "context": "low",
}  # fmt: skip
"""Importance of a category where nothing else is said."""

EvaluatorName = Literal["rules", "llm"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a claim tells: the value of a slot. ``single``: it has no other at the same time."""

    slot: str
    value: str
    single: bool
    denied: bool = False

    @property
    def key(self) -> frozenset[str]:
        """The words of the value that matter."""
        return content(self.value)


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim of a clause about the user. ``told`` has the main thing first."""

    category: Category
    importance: Importance
    summary: str
    told: tuple[Statement, ...]
    family: str
    quiet: bool = False
    ends: tuple[str, ...] = ()


@runtime_checkable
class Evaluator(Protocol):
    """Tells what of a conversation is to be kept, changed, forgotten. A better one has a higher version."""

    @property
    def name(self) -> str:
        """Name under which its work is noted, e.g. ``rules``."""
        ...

    @property
    def version(self) -> int:
        """From 1; higher where it would find more or better."""
        ...

    async def evaluate(self, conversation: SatiEvaluationInput, *, since: int = 0) -> Evaluation:
        """Evaluate the turns from ``since`` on; those before them are only context.

        Raises ``QuipuError`` where it could not read them.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """Outcome of writing an evaluation, memory by memory.

    ``refused`` counts what the policy or a change meanwhile kept from being written.
    """

    memories: Sequence[AuditMemory] = ()
    refused: int = 0

    def count(self, action: str) -> int:
        """Count the memories with this action."""
        return sum(one.action == action for one in self.memories)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvaluation:
    """Outcome of evaluating a session: turns of users that were read, memories asked for and done.

    ``dropped`` counts what an evaluator could not stand by and what was refused. ``more`` is true if turns
    are left.
    """

    session: str
    turns: int = 0
    evaluations: Sequence[Evaluation] = ()
    applied: Applied = Applied()
    dropped: int = 0
    more: bool = False
