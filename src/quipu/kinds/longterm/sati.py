"""The interfaces of the seed ("In-Memory Entities") under their names, checked by pydantic.

What a field holds beyond the seed has a default, so that documents of the seed are taken as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self, TypeVar

from pydantic import AwareDatetime, ConfigDict, Field, ValidationError, model_validator

from quipu.errors import BadInput
from quipu.kernel.base.strict import Strict
from quipu.kernel.base.text import rule_of
from quipu.kinds.longterm.model import Category, Evaluation, Importance, Inclusion, weight

LONGEST_TURN = 1_000_000
_EVALUATED = {"should_store", "category", "importance", "summary", "reason"}


class _Document(Strict):
    model_config = ConfigDict(frozen=True, extra="forbid")


_Read = TypeVar("_Read", bound=_Document)


def read(shape: type[_Read], document: object) -> _Read:
    """Read a document of the seed, or return one that is read already.

    Raises:
        BadInput: it is none; names the field.
    """
    try:
        return document if isinstance(document, shape) else shape.model_validate(document)
    except ValidationError as error:
        (first, *_) = error.errors()
        raise BadInput(f"{rule_of(first['msg'])}.", field=".".join(map(str, first["loc"])) or None) from None


class SatiRetrievalInput(_Document):
    """Input before the agent answers; ``recent_messages`` are the turns before, latest last."""

    current_message: str = Field(max_length=LONGEST_TURN)
    recent_messages: tuple[str, ...] = Field(default=(), max_length=1_000)
    memory_limit: int = Field(default=10, ge=1, le=100)


class SatiTurn(_Document):
    """One turn of a conversation. ``id``, ``session`` and ``time`` are the caller's own, where known.

    ``speaker`` names somebody other than the user, of whom "I" then tells.
    """

    role: Literal["user", "assistant"]
    content: str = Field(max_length=LONGEST_TURN)
    id: str | None = None
    session: str | None = None
    time: AwareDatetime | None = None
    speaker: str | None = None


class SatiExistingMemory(_Document):
    """A memory that may be edited or deleted; a summary without an id can only be told apart from news."""

    id: str
    category: Category
    importance: Importance
    summary: str
    version: int = Field(default=1, ge=1)


class SatiEvaluationInput(_Document):
    """Input after the agent answered: the turns, and known memories as summaries (the seed) or with ids."""

    recent_conversation: tuple[SatiTurn, ...] = Field(max_length=10_000)
    existing_memory_summaries: tuple[str, ...] = ()
    existing_memories: tuple[SatiExistingMemory, ...] = ()


class SatiMemory(_Document):
    """One relevant memory."""

    summary: str
    category: Category
    importance: Importance


class SatiMemoryResult(_Document):
    """The result of either mode of the seed: ``should_store`` is None in retrieval mode, else it is said."""

    relevant_memories: tuple[SatiMemory, ...] = ()
    should_store: bool | None = None
    category: Category | None = None
    importance: Importance | None = None
    summary: str | None = None
    reason: str | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        told = (self.category, self.importance, self.summary)
        if self.should_store is None and any((*told, self.reason)):
            raise ValueError("category, importance, summary and reason belong to should_store")
        if self.should_store is not None and self.relevant_memories:
            raise ValueError("a result is of one mode: relevant_memories or should_store")
        if self.should_store and (None in told or not (self.summary or "").strip()):
            raise ValueError("what is to be stored has a category, an importance and a summary")
        return self

    @classmethod
    def of(cls, evaluation: Evaluation) -> Self:
        """Return the evaluation in the seed's single shape: its most important inclusion, if any."""
        ranked = sorted(evaluation.inclusions, key=lambda one: -weight(one.importance))
        if not ranked:
            return cls(should_store=False, reason="nothing new that lasts")
        best = ranked[0]
        return cls(
            should_store=True,
            category=best.category,
            importance=best.importance,
            summary=best.summary,
            reason=best.reason or None,
        )

    def evaluation(self, *, evaluator: str = "") -> Evaluation:
        """Return the single shape as an evaluation: one inclusion, or none.

        Raises:
            BadInput: it is of the retrieval mode.
        """
        if self.should_store is None:
            raise BadInput("say whether there is something to store.", field="should_store")
        if not self.should_store or self.category is None or self.importance is None or self.summary is None:
            return Evaluation(evaluator=evaluator)
        kept = Inclusion(
            category=self.category,
            importance=self.importance,
            summary=self.summary,
            reason=self.reason or "",
        )
        return Evaluation(inclusions=(kept,), evaluator=evaluator)

    def document(self) -> Mapping[str, object]:
        """Return the result as the seed writes it: only the fields of its mode, none that is unknown."""
        if self.should_store is None:
            return {"relevant_memories": [one.model_dump() for one in self.relevant_memories]}
        return self.model_dump(include=_EVALUATED, exclude_none=True)


class Recovered(SatiMemoryResult):
    """The result of a recovery, with all that is known of it.

    ``ids``, ``scores`` (0 to 1) and ``parts`` are those of ``relevant_memories``, in their order: the best
    first. ``block`` is their text for the prompt, of about ``tokens`` tokens, empty where there are none.
    ``outcome``: ``timeout`` and ``failed`` are answers without memory, ``trouble`` says why. ``left_out``
    counts relevant memories for which the block had no room.
    """

    ids: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    parts: tuple[dict[str, float], ...] = ()
    block: str = ""
    tokens: int = 0
    outcome: Literal["found", "nothing", "timeout", "failed"] = "nothing"
    trouble: str | None = None
    left_out: int = 0
    took_ms: int = 0
