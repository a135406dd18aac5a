"""Services of Google's ADK keep events as messages; ``make test-peers`` compares them with ADK's own.

ADK is not installed here, so its models are stood in for by the few fields that the services use.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from time import time
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from pydantic import BaseModel, Field, PrivateAttr
from stand_ins import stood_in

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio
HERE = {"app_name": "desk", "user_id": "ana"}


class Part(BaseModel):
    text: str | None = None
    thought: bool | None = None


class Content(BaseModel):
    role: str | None = None
    parts: list[Part] | None = None


class Actions(BaseModel):
    state_delta: dict[str, Any] = Field(default_factory=dict[str, Any])


class Happening(BaseModel):
    """An event of ADK."""

    id: str = Field(default_factory=lambda: str(uuid4()))
    author: str = "user"
    invocation_id: str = "i1"
    partial: bool | None = None
    content: Content | None = None
    actions: Actions = Field(default_factory=Actions)
    timestamp: float = Field(default_factory=time)

    def get_function_responses(self) -> list[Any]:
        return []


class Talk(BaseModel):
    """A session of ADK."""

    id: str
    app_name: str
    user_id: str
    state: dict[str, Any]
    events: list[Happening] = Field(default_factory=list[Happening])
    last_update_time: float
    _storage_update_marker: str | None = PrivateAttr(default=None)


class Listed(BaseModel):
    sessions: list[Talk]


class Kept(BaseModel):
    content: Content
    custom_metadata: dict[str, Any] = Field(default_factory=dict[str, Any])
    id: str | None = None
    author: str | None = None
    timestamp: str | None = None


class Answered(BaseModel):
    memories: list[Kept] = Field(default_factory=list[Kept])


class Sessions:
    """The steps that ADK's own services share."""

    def _apply_temp_state(self, session: Talk, event: Happening) -> None:
        session.state |= {k: v for k, v in event.actions.state_delta.items() if k.startswith("temp:")}

    def _trim_temp_delta_state(self, event: Happening) -> Happening:
        kept = {k: v for k, v in event.actions.state_delta.items() if not k.startswith("temp:")}
        event.actions.state_delta = kept
        return event

    def _commit_event_to_session(self, session: Talk, event: Happening) -> Happening:
        session.state |= event.actions.state_delta
        session.events.append(event)
        return event


class There(Exception):
    """ADK's AlreadyExistsError."""


class Lost(ValueError):
    """ADK's SessionNotFoundError."""


class Stale(ValueError):
    """ADK's StaleSessionError."""


ADK = {
    "google.adk.errors": {"StaleSessionError": Stale},
    "google.adk.errors.already_exists_error": {"AlreadyExistsError": There},
    "google.adk.errors.session_not_found_error": {"SessionNotFoundError": Lost},
    "google.adk.events": {"Event": Happening},
    "google.adk.events.event_actions": {"EventActions": Actions},
    "google.adk.memory.base_memory_service": {"BaseMemoryService": object, "SearchMemoryResponse": Answered},
    "google.adk.memory.memory_entry": {"MemoryEntry": Kept},
    "google.adk.sessions.base_session_service": {
        "BaseSessionService": Sessions,
        "ListSessionsResponse": Listed,
    },
    "google.adk.sessions.session": {"Session": Talk},
    "google.genai.types": {"Content": Content, "Part": Part},
}


@pytest.fixture
def adk() -> Iterator[ModuleType]:
    with stood_in("quipu.compat.adk", ADK) as module:
        yield module


def said(text: str, author: str = "user", **more: Any) -> Happening:
    return Happening(author=author, content=Content(role=author, parts=[Part(text=text)]), **more)


def changes(delta: dict[str, Any]) -> Happening:
    return said("Changed.", "bot", actions=Actions(state_delta=delta))


async def test_events_and_states_come_back(adk: ModuleType, memory: AsyncMemory) -> None:
    service = adk.QuipuSessionService(memory, space="desk")
    given = {"a": 1, "app:x": None, "user:y": [1], "temp:z": 0}
    session = await service.create_session(session_id=" s1 ", state=given, **HERE)
    assert session.state == {"a": 1, "app:x": None, "user:y": [1]}
    event = changes({"a": 2, "app:x": 3, "temp:z": 4})
    assert await service.append_event(session, event) is event
    assert await service.append_event(session, event) is event
    await service.append_event(session, said("And this.", timestamp=5.0))
    standing = await service.get_session(session_id="s1", **HERE)
    assert standing.state == {"a": 2, "app:x": 3, "user:y": [1]}
    assert standing.events == session.events
    assert await service.get_user_state(**HERE) == {"y": [1]}
    with pytest.raises(There):
        await service.create_session(session_id="s1", **HERE)
    listed = await service.list_sessions(app_name="desk")
    assert [one.id for one in listed.sessions] == ["s1"]
    await service.delete_session(session_id="s1", **HERE)
    assert await service.get_session(session_id="s1", **HERE) is None
    with pytest.raises(Lost):
        await service.append_event(session, said("Too late."))


async def test_of_many_writers_at_once_one_wins(adk: ModuleType, memory: AsyncMemory) -> None:
    service = adk.QuipuSessionService(memory, space="desk")
    await service.create_session(session_id="s1", **HERE)
    copies = [await service.get_session(session_id="s1", **HERE) for _ in range(4)]
    others = [adk.QuipuSessionService(memory, space="desk") for _ in copies]
    appends = [one.append_event(copy, said("Me.")) for one, copy in zip(others, copies, strict=True)]
    tried = await asyncio.gather(*appends, return_exceptions=True)
    assert [type(one) for one in tried].count(Stale) == 3
    assert len(await memory.messages("desk/ana/s1", space="desk")) == 1


async def test_memory_finds_events_of_a_user_in_an_app(adk: ModuleType, memory: AsyncMemory) -> None:
    service = adk.QuipuMemoryService(memory, space="desk")
    events = [said("The boat is moored in Horta.", id="e1"), said("Aye.", "bot", id="e2")]
    session = Talk(id="s1", state={}, events=events, last_update_time=0.0, **HERE)
    await service.add_session_to_memory(session)
    await service.add_session_to_memory(session)
    note = Kept(content=Content(parts=[Part(text="Ana is allergic to nuts.")]), id="m1", author="nurse")
    await service.add_memory(memories=[note], custom_metadata={"ward": 3}, **HERE)
    found = (await service.search_memory(query="Where is the boat?", **HERE)).memories
    assert (found[0].id, found[0].author) == ("e1", "user")
    found = (await service.search_memory(query="What is Ana allergic to?", **HERE)).memories
    assert (found[0].id, found[0].author, found[0].custom_metadata) == ("m1", "nurse", {"ward": 3})
    other = await service.search_memory(app_name="lab", user_id="ana", query="Where is the boat?")
    assert other.memories == []
    for gone in ("e1", "m1"):
        await service.delete_memory(memory_id=gone, **HERE)
    await service.add_session_to_memory(session)
    assert [one.id for one in await memory.messages("desk/ana/s1", space="desk")] == ["e2"]
