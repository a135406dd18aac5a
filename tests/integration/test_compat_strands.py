"""Sessions and the memory store answer as those of Strands; its own suites are run by ``make test-peers``.

Strands is not installed here, so its classes are stood in for by the few lines that are used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from types import ModuleType
from typing import Any

import pytest

from quipu import Memory
from quipu.compat.strands import MemoryStore, SessionRepository, session_manager
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio


@dataclass
class Kept:
    """A session, an agent or a message with the methods of Strands'."""

    session_id: str = ""
    agent_id: str = ""
    message_id: int = 0
    message: dict[str, Any] | None = None
    redact_message: dict[str, Any] | None = None
    created_at: str = "2026-01-01"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Kept:
        return cls(**data)

    def to_message(self) -> dict[str, Any]:
        return self.redact_message or self.message or {}


class Refused(Exception):
    """Strands' SessionException."""


@dataclass
class Entry:
    """Strands' MemoryEntry."""

    content: str
    metadata: dict[str, Any]


@dataclass
class Manager:
    """Strands' RepositorySessionManager."""

    session_id: str
    session_repository: Any


@dataclass
class Context:
    """Strands' AddMessagesContext."""

    sequence_numbers: list[int]


@pytest.fixture(autouse=True)
def strands(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions: dict[str, object] = {
        "Session": Kept,
        "SessionAgent": Kept,
        "SessionMessage": Kept,
        "encode_bytes_values": dict[str, Any],
    }
    named: dict[str, dict[str, object]] = {
        "strands.types.session": sessions,
        "strands.types.exceptions": {"SessionException": Refused},
        "strands.memory.types": {"MemoryEntry": Entry},
        "strands.session.repository_session_manager": {"RepositorySessionManager": Manager},
    }
    for name, members in named.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def core(server_settings: Settings, url: str) -> Iterator[Memory]:
    with Memory(settings=replace(server_settings, database_url=url)) as opened:
        yield opened


@pytest.fixture
def sessions(core: Memory) -> SessionRepository:
    repository = SessionRepository(core, space="desk")
    repository.create_session(Kept("s"))
    repository.create_agent("s", Kept(agent_id="bot"))
    return repository


def message(number: int, said: str, **named: Any) -> Kept:
    return Kept(message_id=number, message={"role": "user", "content": [{"text": said}]}, **named)


def test_sessions_agents_and_messages_come_back_as_they_were(sessions: SessionRepository) -> None:
    assert sessions.read_session("s") == Kept("s")
    assert sessions.read_agent("s", "bot") == Kept(agent_id="bot")
    said = [message(number, f"{number}\0\ud800 \N{WATER WAVE}") for number in range(12)]
    for one in reversed(said):
        sessions.create_message("s", "bot", one)
    assert sessions.list_messages("s", "bot") == said
    assert sessions.list_messages("s", "bot", limit=2, offset=9) == said[9:11]
    assert sessions.read_message("s", "bot", 11) == said[11]
    assert sessions.read_message("s", "bot", 12) is None
    with pytest.raises(Refused):
        sessions.create_session(Kept("s"))
    with pytest.raises(Refused):
        sessions.update_message("s", "bot", message(12, "x"))
    with pytest.raises(Refused):
        sessions.list_messages("s", "nobody")
    with pytest.raises(ValueError, match="path separators"):
        sessions.read_session("a/b")
    sessions.delete_session("s")
    assert sessions.read_session("s") is None
    with pytest.raises(Refused):
        sessions.delete_session("s")


def test_a_message_is_recalled_until_it_is_redacted(sessions: SessionRepository, core: Memory) -> None:
    sessions.create_message("s", "bot", message(0, "The boat is moored in Horta."))
    assert core.recall("Where is the boat moored?", space="desk")[0].text == "The boat is moored in Horta."
    instead = {"role": "user", "content": [{"text": "Taken out."}]}
    later = message(0, "The boat is moored in Horta.", redact_message=instead, created_at="2027-01-01")
    sessions.update_message("s", "bot", later)
    assert sessions.read_message("s", "bot", 0) == replace(later, created_at="2026-01-01")
    assert all("Horta" not in hit.text for hit in core.recall("Where is the boat moored?", space="desk"))


def test_a_manager_is_made_over_the_repository(core: Memory) -> None:
    manager = session_manager("chat", core, space="desk")
    assert manager.session_id == "chat"
    assert manager.session_repository.read_session("chat") is None


async def test_a_store_adds_finds_and_takes_in_once(core: Memory) -> None:
    store = MemoryStore("desk", core, space="desk", session="chat")
    first = await store.add("The boat is moored in Horta.", {"topic": "boats"})
    assert await store.add(" The boat is moored in Horta.") != ""
    (hit,) = await store.search("Where is the boat moored?", {"max_search_results": 1})
    assert hit.content.strip() == "The boat is moored in Horta."
    assert hit.metadata["kind"] == "document"
    assert first
    batch: list[dict[str, Any]] = [
        {"role": "user", "content": [{"text": "ok"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "x", "input": {}}}]},
    ]
    for _ in range(2):
        await store.add_messages(batch, Context([0, 3]))
    assert [one.item for one in core.messages("chat", space="desk")] == batch
    closed = MemoryStore("desk", core, space="desk", writable=False)
    with pytest.raises(ValueError, match="not writable"):
        await closed.add("x")
    with pytest.raises(ValueError, match="at least 1"):
        await closed.search("x", {"max_search_results": 0})
