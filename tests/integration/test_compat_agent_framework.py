"""Providers of Agent Framework; ``make test-peers`` compares them with the framework's own.

The framework is not installed here, so its classes are stood in for by the few lines that are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from stand_ins import stood_in

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio


@dataclass
class Told:
    """A message of the framework."""

    role: str
    contents: list[Any]
    author_name: str | None = None
    additional_properties: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def text(self) -> str:
        return " ".join(one for one in self.contents if isinstance(one, str))

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Told:
        return cls(**data)


@dataclass
class Chat:
    """A session of the framework."""

    session_id: str
    state: dict[str, Any] = field(default_factory=dict[str, Any])

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Chat:
        return cls(**data)


class Provider:
    def __init__(self, source_id: str, **options: Any) -> None:
        self.source_id = source_id
        self.options = options


class Snapshots:
    @staticmethod
    def validate_session_id(session_id: str) -> None:
        if not session_id:
            raise ValueError(session_id)


class Context:
    def __init__(self, text: str, answer: str) -> None:
        self.session_id = "s1"
        self.input_messages = [Told("user", [text])]
        self.response = SimpleNamespace(messages=[Told("assistant", [answer], author_name="bot")])
        self.instructions: list[tuple[str, str]] = []

    def extend_instructions(self, source_id: str, text: str) -> None:
        self.instructions.append((source_id, text))


def following(standing: list[Told], told: list[Told]) -> list[Told]:
    return told[len(standing) :] if told[: len(standing)] == standing else told


FRAMEWORK = {
    "agent_framework": {
        "AgentSession": Chat,
        "ContextProvider": Provider,
        "HistoryProvider": Provider,
        "Message": Told,
        "SessionStore": Snapshots,
    },
    "agent_framework._sessions": {"filter_new_messages": following},
}
TALK = [Told("user", ["Where?"]), Told("assistant", ["In Horta.", {"image": [1, None]}], author_name="bot")]


@pytest.fixture
def framework() -> Iterator[ModuleType]:
    with stood_in("quipu.compat.agent_framework", FRAMEWORK) as module:
        yield module


async def test_history_comes_back_and_is_not_added_again(framework: ModuleType, memory: AsyncMemory) -> None:
    history = framework.QuipuHistoryProvider(memory, space="desk", user="ana", store_inputs=True)
    assert (history.source_id, history.options) == ("quipu_history", {"store_inputs": True})
    assert await history.get_messages(None) == []
    await history.save_messages("s1", [])
    await history.save_messages("s1", TALK[:1])
    await history.save_messages("s1", TALK)
    assert await history.get_messages("s1", state={}) == TALK
    await history.save_messages("s1", [Told("user", ["Old."], additional_properties={"_excluded": True})])
    history.skip_excluded = True
    assert await history.get_messages("s1") == TALK
    hit = (await memory.recall("Horta", space="desk", user="ana"))[0]
    assert (hit.source.session, hit.source.speaker) == ("s1", "bot")


async def run(provider: Any, step: str, context: Context) -> list[tuple[str, str]]:
    await getattr(provider, step)(agent=None, session=None, context=context, state={})
    return context.instructions


async def test_what_was_said_goes_into_a_later_run(framework: ModuleType, memory: AsyncMemory) -> None:
    provider = framework.QuipuContextProvider(memory, space="desk", user="ana")
    question = Context("Where is the boat moored?", "I do not know.")
    assert await run(provider, "before_run", question) == []
    await run(provider, "after_run", Context("The boat is moored in Horta.", "Thank you."))
    ((source, block),) = await run(provider, "before_run", question)
    assert source == "quipu_memory"
    assert "The boat is moored in Horta." in block
    assert [one.role for one in await memory.messages("s1", space="desk")] == ["user", "assistant"]
    beside = framework.QuipuContextProvider(memory, space="desk", stores=False)
    await run(beside, "after_run", question)
    assert len(await memory.messages("s1", space="desk")) == 2
    assert await run(beside, "before_run", Context(" ", "")) == []


async def test_sessions_are_kept_letter_for_letter(framework: ModuleType, memory: AsyncMemory) -> None:
    store = framework.QuipuSessionStore(memory, space="desk")
    session = Chat("s1", {"z": "NUL \0", "a": {"token": "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}})
    assert await store.get("k") is None
    await store.set("k", session)
    assert await store.get("k") == session
    await store.delete("k")
    await store.delete("k")
    assert await store.get("k") is None
    with pytest.raises(ValueError, match=r"^$"):
        await store.get("")
