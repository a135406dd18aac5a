"""Chat stores and the memory block answer as LlamaIndex's; its own are compared by ``make test-peers``.

LlamaIndex is not installed here, so its classes are stood in for by the few lines that are used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel

from quipu import Memory
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio
OURS = "quipu.compat.llama_index"


class Role(Enum):
    user = "user"
    assistant = "assistant"


class Status(Enum):
    ACTIVE = "active"
    ARCHIVED = "archived"


class Said(BaseModel):
    """LlamaIndex's ChatMessage."""

    content: str | None = None
    role: Role = Role.user
    additional_kwargs: dict[str, Any] = {}


class Base(BaseModel):
    """LlamaIndex's BaseChatStore, AsyncDBChatStore and BaseMemoryBlock."""

    name: str = ""

    async def aget(self, messages: list[Said], **named: Any) -> str:
        return await vars(type(self))["_aget"](self, messages, **named)

    async def aput(self, messages: list[Said]) -> None:
        await vars(type(self))["_aput"](self, messages)


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Our module over the stand-ins."""
    named: dict[str, dict[str, object]] = {
        "llama_index.core.memory.memory": {
            "AsyncDBChatStore": Base,
            "BaseMemoryBlock": Base,
            "ChatMessage": Said,
            "MessageStatus": Status,
        },
        "llama_index.core.storage.chat_store": {"BaseChatStore": Base},
    }
    for name, members in named.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, OURS, raising=False)
    made = import_module(OURS)
    monkeypatch.setitem(sys.modules, OURS, made)
    return made


@pytest.fixture
def core(server_settings: Settings, url: str) -> Iterator[Memory]:
    with Memory(settings=replace(server_settings, database_url=url)) as opened:
        yield opened


def said(*texts: str) -> list[Said]:
    return [Said(content=text) for text in texts]


def test_messages_come_back_in_order_and_as_they_were(llama: Any, core: Memory) -> None:
    store = llama.ChatStore(core, space="desk")
    odd = Said(
        content="a\0 \N{WATER WAVE}", role=Role.assistant, additional_kwargs={"z": [1e23], "a": "\ud800"}
    )
    store.set_messages("a/b", said(*"123"))
    store.add_message("a/b", odd)
    assert store.get_messages("a/b") == [*said(*"123"), odd]
    assert store.delete_message("a/b", 1).content == "2"
    assert store.delete_message("a/b", 3) is None
    assert store.delete_last_message("a/b") == odd
    assert (store.get_keys(), store.get_messages("a")) == (["a/b"], [])
    assert store.delete_messages("a/b") == said("1", "3")
    assert store.delete_messages("a/b") is None
    assert store.delete_last_message("a/b") is None


async def test_what_is_archived_or_removed_is_the_oldest(llama: Any, core: Memory) -> None:
    store = llama.DBChatStore(core, space="desk")
    await store.add_messages("a", said(*"12345"))
    await store.add_message("a", Said(content="0"), Status.ARCHIVED)
    assert await store.archive_oldest_messages("a", 2) == said("1", "2")
    assert await store.delete_oldest_messages("a", 1) == said("3")
    assert await store.get_messages("a") == said("4", "5")
    assert await store.get_messages("a", status=None, limit=2, offset=1) == said("2", "4")
    assert await store.count_messages("a", Status.ARCHIVED) == 3
    await store.delete_messages("a", status=Status.ACTIVE)
    assert await store.get_messages("a", None) == said("1", "2", "0")
    await store.set_messages("a", said("new"))
    assert await store.get_messages("a", None) == said("new")
    assert (await store.delete_message("a", 0), await store.get_keys()) == (Said(content="new"), [])


async def test_a_block_observes_and_recalls(llama: Any, core: Memory) -> None:
    block = llama.MemoryBlock(core, space="desk", user="ana")
    assert block.name == "memory"
    message = Said(content="The boat is moored in Horta.", additional_kwargs={"session_id": "chat", "n": 1})
    await block.aput([message, Said(role=Role.assistant)])
    (kept,) = core.messages("chat", space="desk")
    assert (kept.content, kept.user, kept.role) == ("The boat is moored in Horta.", "ana", "user")
    assert kept.item is not None
    assert kept.item["additional_kwargs"] == {"n": 1}
    assert "moored in Horta" in await block.aget(said("x" * 200_000 + " Where is the boat moored?"))
    assert await block.aget([]) == await block.aget([Said()]) == ""


def test_recall_finds_a_chat_by_its_text(llama: Any, core: Memory) -> None:
    llama.ChatStore(core, space="desk").set_messages("a", said("The boat is moored in Horta."))
    assert core.recall("Where is the boat moored?", space="desk")[0].text == "The boat is moored in Horta."
