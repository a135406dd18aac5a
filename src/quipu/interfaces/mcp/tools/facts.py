"""Facts of the ledger: one current value for each key, with its history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, JsonValue

from quipu.interfaces.mcp.bounds import compact, shortened
from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool

if TYPE_CHECKING:
    from quipu.kinds.ledger.model import Value


class SetFactArguments(Arguments):
    """A key, its value, and how that is known."""

    key: Annotated[
        str,
        Field(
            min_length=1, max_length=200, description="Name of the fact, such as city or team.standup_time."
        ),
    ]
    value: Annotated[JsonValue, Field(description="The value that holds now: any JSON.")]
    known: Annotated[
        Literal["said", "inferred", "assumed"],
        Field(description="said: the user said so; inferred: it follows; assumed: a guess, to be confirmed."),
    ] = "said"
    session: Annotated[
        str | None, Field(max_length=512, description="Only in this session; without it, of the person.")
    ] = None
    reason: Annotated[str | None, Field(max_length=1_000, description="Why it changed, in words.")] = None


class SetFactAnswer(ToolAnswer):
    """Standing value after the call."""

    key: str
    value: JsonValue
    previous: JsonValue
    stands: Annotated[bool, Field(description="False where something better known stands in its place.")]
    recorded: Annotated[bool, Field(description="False where the same stood already.")]

    def text(self) -> str:
        """Return a sentence."""
        now = f"{self.key} is {compact(self.value)}"
        if not self.stands:
            return f"Recorded, but something better known stands: {now}."
        if not self.recorded:
            return f"It stood already: {now}."
        return now + (f" (it was {compact(self.previous)})." if self.previous is not None else ".")


@tool("Set or correct a fact", level="write")
async def set_fact(desk: Desk, arguments: SetFactArguments) -> SetFactAnswer:
    """Set the one current value of a named fact, or correct it.

    Facts are preferences, settings, numbers, addresses. What is said beats what is inferred, which beats
    what is assumed; the history stays. Use it when something holds until it is changed; use remember for
    events. Returns what stands now and what stood before.
    """
    ledger = desk.memory.ledger
    about: dict[str, Any] = {
        "space": desk.caller.space,
        "session": arguments.session,
        "reason": arguments.reason,
    }
    about |= {"user": desk.caller.person if arguments.session is None else desk.caller.user, "actor": "mcp"}
    if arguments.known == "assumed":
        change = await ledger.assume(arguments.key, arguments.value, **about)
    else:
        source = "explicit" if arguments.known == "said" else "inferred"
        change = await ledger.set(arguments.key, arguments.value, source=source, **about)
    return SetFactAnswer(
        key=arguments.key,
        value=_of(change.value),
        previous=_of(change.previous),
        stands=change.stands,
        recorded=change.event is not None,
    )


def _of(value: Value | None) -> JsonValue:
    return None if value is None else shortened(value.value)
