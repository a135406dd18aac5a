"""Long-term memory: its derived routes, and the recovery that takes the design's own words too."""

from __future__ import annotations

from typing import Annotated, Final, Literal, cast

from pydantic import AliasChoices, Field, model_validator

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Writing
from quipu.interfaces.rest.models import Answer, RequestBody, SomeSession, SomeUser, given
from quipu.kinds.longterm.sati import SatiMemory

router = derived("longterm", OPERATIONS)


_NAMES: Final = {"message": "current_message", "recent": "recent_messages", "limit": "memory_limit"}


def _keys(value: object) -> set[str]:
    return set(cast("dict[str, object]", value)) if isinstance(value, dict) else set()


class LongtermRecover(RequestBody):
    """A message that is to be answered.

    The names of the design are taken too: `current_message`, `recent_messages`, `memory_limit`.
    """

    @model_validator(mode="before")
    @classmethod
    def _one_name(cls, value: object) -> object:
        twice = [f"{ours} and {theirs}" for ours, theirs in _NAMES.items() if {ours, theirs} <= _keys(value)]
        if twice:
            raise ValueError(f"{twice[0]} are the same: give one of them")
        return value

    message: Annotated[str, Field(max_length=200_000, examples=["What shall I cook tonight?"])] = Field(
        validation_alias=AliasChoices("message", "current_message")
    )
    recent: Annotated[list[str], Field(max_length=1000, description="Turns before it, latest last.")] = Field(
        default_factory=list[str], validation_alias=AliasChoices("recent", "recent_messages")
    )
    user: SomeUser = None
    session: SomeSession = None
    message_id: Annotated[str | None, Field(description="The id of the message, for the audit.")] = None
    limit: Annotated[int | None, Field(ge=1, le=100)] = Field(
        default=None, validation_alias=AliasChoices("limit", "memory_limit")
    )
    budget_tokens: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    injected: Annotated[bool, Field(description="The block goes into a prompt: that counts as use.")] = False


class RecoveredAnswer(Answer):
    """Recalled memory that matters, with its text for the prompt.

    `ids`, `scores` and `parts` are those of `relevant_memories`, in their order: the best first. `timeout`
    and `failed` are answers without memory; `left_out` counts those for which the block had no room.
    """

    relevant_memories: list[SatiMemory]
    ids: list[str]
    scores: list[float]
    parts: list[dict[str, float]]
    block: str
    tokens: int
    outcome: Literal["found", "nothing", "timeout", "failed"]
    left_out: int
    took_ms: int


@router.post("/recover", summary="Recover what matters for an answer")
async def recover(request: LongtermRecover, here: Writing) -> RecoveredAnswer:
    """Answer in time or not at all. It is written into the audit: it needs `write`."""
    recovered = await here.memory.longterm.recover(
        request.message, space=here.space, **given(request, "message")
    )
    return RecoveredAnswer.model_validate(recovered)
