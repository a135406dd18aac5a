"""A store of Pydantic AI keeps its log as documents; ``make test-peers`` compares it with their own.

Pydantic AI is not installed here, so its records and messages are stood in for by their fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, Literal

import pytest
from pydantic import TypeAdapter
from stand_ins import stood_in

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio
NOW = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)


@dataclass
class Part:
    part_kind: Literal["user-prompt", "text", "tool-call"]
    content: str
    timestamp: datetime = NOW


@dataclass
class Said:
    """A request to a model, or its response."""

    kind: Literal["request", "response"]
    parts: list[Part]
    timestamp: datetime = NOW
    run_id: str | None = None


@dataclass(kw_only=True)
class Entry:
    """Their ConversationEntry."""

    id: str
    parent_id: str | None
    message: Said


@dataclass(kw_only=True)
class Record:
    """Their ConversationRecord."""

    conversation_id: str
    head_id: str | None
    revision: str
    scope: str | None = None
    forked_from: str | None = None
    branches: list[str] = field(default_factory=list[str])
    updated_at: datetime = NOW


class Clash(Exception):
    """Their ConversationConflict."""


PYDANTIC_AI = {
    "pydantic_ai.conversation_store": {
        "ConversationConflict": Clash,
        "ConversationEntry": Entry,
        "ConversationRecord": Record,
        "ConversationStore": object,
    },
    "pydantic_ai.messages": {"ModelMessagesTypeAdapter": TypeAdapter(list[Said])},
}
TALK = [
    Said("request", [Part("user-prompt", "Where is the boat moored?")], run_id="r1"),
    Said("response", [Part("tool-call", "look"), Part("text", "The boat is moored in Horta.")]),
    Said("response", [Part("tool-call", "NUL \0")]),
]
ENTRIES = [Entry(id=f"e{n}", parent_id=f"e{n - 1}" if n else None, message=one) for n, one in enumerate(TALK)]
FIRST = Record(conversation_id="c1", head_id="e2", revision="1", scope="ana")


@pytest.fixture
def store(memory: AsyncMemory) -> Iterator[Any]:
    with stood_in("quipu.compat.pydantic_ai", PYDANTIC_AI) as module:
        yield _made(module, memory)


def _made(module: ModuleType, memory: AsyncMemory) -> Any:
    return module.QuipuConversationStore(memory, space="desk")


async def test_records_are_written_over_the_revision_that_was_read(store: Any) -> None:
    await store.write_record(FIRST, new_entries=ENTRIES, expected_revision=None)
    assert await store.read_record("c1") == FIRST
    assert await store.read_history("e2") == ENTRIES
    assert await store.read_history("e2", limit=2) == ENTRIES[1:]
    more = Entry(id="e3", parent_id="e2", message=TALK[0])
    for stale in (None, "0"):
        with pytest.raises(Clash):
            await store.write_record(
                replace(FIRST, head_id="e3"), new_entries=[more], expected_revision=stale
            )
    with pytest.raises(KeyError):
        await store.read_entry("e3")
    with pytest.raises(Clash):
        await store.write_record(replace(FIRST, head_id="nobody", revision="2"), expected_revision="1")
    back = replace(FIRST, head_id="e0", revision="2", branches=["e2"])
    await store.write_record(back, expected_revision="1")
    assert await store.read_records(scope="ana") == [back]
    assert await store.read_records(scope="bob") == []


async def test_a_fork_keeps_what_it_shares(store: Any, memory: AsyncMemory) -> None:
    await store.write_record(FIRST, new_entries=ENTRIES, expected_revision=None)
    fork = Record(conversation_id="c2", head_id="e1", revision="1", forked_from="c1")
    await store.write_record(fork, expected_revision=None)
    hits = await memory.recall("Where is the boat?", space="desk", user="ana")
    assert {one.source.session for one in hits} == {"c1"}
    with pytest.raises(Clash):
        await store.delete_record("c1", expected_revision="0")
    await store.delete_record("c1", expected_revision="1")
    assert await store.read_history("e1") == ENTRIES[:2]
    with pytest.raises(Clash):
        await store.write_record(replace(fork, conversation_id="c3"), expected_revision=None)
    await store.delete_record("c2", expected_revision="1")
    with pytest.raises(KeyError):
        await store.read_entry("e0")
    assert not await memory.recall("Where is the boat?", space="desk")
