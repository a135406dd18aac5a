"""Calls of LlamaIndex's own chat stores and of ours, answered alike; and our memory block in its memory."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock, ThinkingBlock, ToolCallBlock
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.storage.chat_store.base_db import MessageStatus
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from quipu import AsyncMemory, Memory
from quipu.compat.llama_index import ChatStore, DBChatStore, MemoryBlock

MEMORY = Memory(os.environ["QUIPU_HOME"])
ACTIVE, ARCHIVED = MessageStatus.ACTIVE, MessageStatus.ARCHIVED
MESSAGES = {
    "text": ChatMessage("Hello."),
    "empty": ChatMessage(""),
    "no blocks": ChatMessage(role="assistant", blocks=[]),
    "unicode": ChatMessage("Olá, 舟 🌊 e\u0301 \u202e\u2028\r\n\t"),
    "null": ChatMessage("a\0b"),
    "secret": ChatMessage("password: hunter2, sk-ant-api03-" + "a" * 90),
    "large": ChatMessage("word " * 50_000),
    "call": ChatMessage(
        role="assistant",
        blocks=[
            ToolCallBlock(tool_call_id="t1", tool_name="weather", tool_kwargs={"z": 1, "a": [1.5, None]})
        ],
    ),
    "old call": ChatMessage(
        "", role="assistant", additional_kwargs={"tool_calls": [{"id": "t1", "function": {"name": "w"}}]}
    ),
    "result": ChatMessage("Rain.", role="tool", additional_kwargs={"tool_call_id": "t1", "n": 1e23}),
    "image": ChatMessage(
        blocks=[TextBlock(text="Look."), ImageBlock(image=b"\x89PNG\0\xff", image_mimetype="image/png")]
    ),
    "thinking": ChatMessage(role="assistant", blocks=[ThinkingBlock(content="Hm."), TextBlock(text="Yes.")]),
    "developer": ChatMessage("Be brief.", role="developer"),
}


def said(*texts, role="user"):
    return [ChatMessage(text, role=role) for text in texts]


@pytest.fixture
def ours():
    return ChatStore(MEMORY, space=f"t{uuid4().hex}")


@pytest.fixture
def theirs():
    return SimpleChatStore()


def shown(answer):
    """An answer as data; what says nothing is None."""
    if isinstance(answer, ChatMessage):
        return answer.model_dump_json()
    if isinstance(answer, list):
        return [shown(one) for one in answer]
    return answer


def both(theirs, ours, name, *arguments):
    expected = shown(getattr(theirs, name)(*arguments))
    assert shown(getattr(ours, name)(*arguments)) == expected
    return expected


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_a_message_comes_back_as_it_was_given(theirs, ours, message):
    both(theirs, ours, "add_message", "a", message)
    both(theirs, ours, "add_message", "a", message)
    assert both(theirs, ours, "get_messages", "a") == [shown(message)] * 2
    both(theirs, ours, "set_messages", "b", [message])
    both(theirs, ours, "delete_last_message", "b")


def test_half_a_character_is_kept(ours):
    ours.add_message("a", ChatMessage(additional_kwargs={"x": "a\ud800b"}))
    assert ours.get_messages("a")[0].additional_kwargs == {"x": "a\ud800b"}


def test_chats_are_written_read_and_removed_alike(theirs, ours):
    both(theirs, ours, "get_messages", "a")
    both(theirs, ours, "get_keys")
    both(theirs, ours, "delete_messages", "a")
    both(theirs, ours, "delete_message", "a", 0)
    both(theirs, ours, "delete_last_message", "a")
    for key in ("a", "a/b", "舟 🌊", "a.b*"):
        both(theirs, ours, "set_messages", key, said(*"12345"))
        both(theirs, ours, "add_message", key, ChatMessage("6", role="assistant"))
        both(theirs, ours, "delete_message", key, 1)
        both(theirs, ours, "delete_message", key, -2)
        both(theirs, ours, "delete_message", key, 4)
        both(theirs, ours, "delete_message", key, 99)
        both(theirs, ours, "delete_last_message", key)
        both(theirs, ours, "get_messages", key)
    assert sorted(ours.get_keys()) == sorted(theirs.get_keys())
    both(theirs, ours, "delete_messages", "a")
    both(theirs, ours, "get_messages", "a")
    both(theirs, ours, "get_messages", "a/b")
    both(theirs, ours, "set_messages", "a.b*", said("new"))
    both(theirs, ours, "get_messages", "a.b*")
    assert sorted(ours.get_keys()) == sorted(theirs.get_keys())


def test_where_we_differ(theirs, ours):
    """A chat without messages is none, and to take what is not there is no IndexError."""
    for store in (theirs, ours):
        store.set_messages("a", [])
    assert (theirs.get_keys(), ours.get_keys()) == (["a"], [])
    for take in (lambda store: store.delete_last_message("a"), lambda store: store.delete_message("a", -1)):
        with pytest.raises(IndexError):
            take(theirs)
        assert take(ours) is None


def test_messages_of_many_threads_are_all_there_and_taken_once(ours):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda one: ours.add_message("a", one), said(*map(str, range(40)))))
        assert sorted(int(one.content) for one in ours.get_messages("a")) == list(range(40))
        taken = list(threads.map(lambda _: ours.delete_last_message("a"), range(45)))
    texts = [one.content for one in taken if one is not None]
    assert sorted(map(int, texts)) == list(range(40))
    assert ours.get_messages("a") == []


def test_more_than_a_page_is_set_read_and_removed(ours):
    many = said(*map(str, range(1_205)))
    ours.set_messages("a", many)
    assert [one.content for one in ours.get_messages("a")] == [one.content for one in many]
    assert len(ours.delete_messages("a")) == 1_205
    assert ours.get_keys() == []


def test_two_users_are_forgotten_one_by_one():
    space = f"t{uuid4().hex}"
    ana, bob = (ChatStore(MEMORY, space=space, path=name, user=name) for name in ("ana", "bob"))
    ana.set_messages("a", said("I am Ana."))
    bob.set_messages("a", said("I am Bob."))
    MEMORY.forget(space=space, user="ana", confirm=True)
    assert (ana.get_messages("a"), bob.get_messages("a")) == ([], said("I am Bob."))


def test_a_buffer_keeps_its_chat_here(ours):
    for _ in range(2):
        buffer = ChatMemoryBuffer.from_defaults(chat_store=ours, chat_store_key="chat", token_limit=1_000)
        buffer.put(ChatMessage("Hello."))
    assert [one.content for one in buffer.get()] == ["Hello.", "Hello."]
    buffer.reset()
    assert buffer.get_all() == []


async def test_the_async_calls_do_the_same(ours):
    await ours.aset_messages("a", said("1", "2"))
    await ours.async_add_message("a", ChatMessage("3"))
    assert (await ours.adelete_message("a", 0)).content == "1"
    assert (await ours.adelete_last_message("a")).content == "3"
    assert await ours.aget_keys() == ["a"]
    assert await ours.adelete_messages("a") == said("2")


@pytest.fixture(params=["Memory", "AsyncMemory"])
async def opened(request):
    if request.param == "Memory":
        yield MEMORY
        return
    async with AsyncMemory(os.environ["QUIPU_HOME"]) as memory:
        yield memory


@pytest.fixture
async def pair(opened):
    return SQLAlchemyChatStore(table_name="chat"), DBChatStore(opened, space=f"t{uuid4().hex}")


async def pairwise(pair, name, *arguments, **named):
    expected = shown(await getattr(pair[0], name)(*arguments, **named))
    assert shown(await getattr(pair[1], name)(*arguments, **named)) == expected
    return expected


@pytest.mark.parametrize("message", [one for name, one in MESSAGES.items() if name != "large"])
async def test_a_message_comes_back_as_from_sql(pair, message):
    await pairwise(pair, "add_message", "a", message)
    await pairwise(pair, "add_messages", "a", [message, message])
    await pairwise(pair, "get_messages", "a")


async def test_statuses_are_told_apart_as_in_sql(pair):
    await pairwise(pair, "get_messages", "a")
    await pairwise(pair, "count_messages", "a")
    await pairwise(pair, "archive_oldest_messages", "a", 2)
    await pairwise(pair, "delete_oldest_messages", "a", 2)
    await pairwise(pair, "set_messages", "a", said(*"12345678"))
    await pairwise(pair, "add_message", "b", ChatMessage("other"))
    assert len(await pairwise(pair, "archive_oldest_messages", "a", 3)) == 3
    assert len(await pairwise(pair, "delete_oldest_messages", "a", 1)) == 1
    await pairwise(pair, "add_message", "a", ChatMessage("old"), status=ARCHIVED)
    for status in (ACTIVE, ARCHIVED, None):
        await pairwise(pair, "get_messages", "a", status=status)
        await pairwise(pair, "count_messages", "a", status=status)
        for limit, offset in ((2, None), (0, None), (2, 1), (100, 3), (1, 99)):
            await pairwise(pair, "get_messages", "a", status=status, limit=limit, offset=offset)
    await pairwise(pair, "archive_oldest_messages", "a", 0)
    await pairwise(pair, "archive_oldest_messages", "a", 99)
    await pairwise(pair, "get_messages", "a")
    await pairwise(pair, "delete_messages", "a", status=ACTIVE)
    await pairwise(pair, "delete_messages", "a", status=ARCHIVED)
    await pairwise(pair, "get_messages", "a", status=None)
    await pairwise(pair, "get_keys")
    await pairwise(pair, "set_messages", "b", said("new"), status=ARCHIVED)
    await pairwise(pair, "get_messages", "b", status=None)
    await pairwise(pair, "delete_messages", "b")
    await pairwise(pair, "get_keys")


async def test_a_message_is_removed_at_its_place(pair):
    _, ours = pair
    await ours.set_messages("a", said(*"123"))
    assert (await ours.delete_message("a", 1)).content == "2"
    assert await ours.delete_message("a", 2) is None
    assert await ours.get_messages("a") == said("1", "3")


async def test_messages_of_many_callers_are_all_there(pair):
    _, ours = pair
    await asyncio.gather(*(ours.add_message("a", one) for one in said(*map(str, range(30)))))
    assert await ours.count_messages("a") == 30


async def test_a_memory_lets_what_is_old_go_to_the_block(opened):
    space = f"t{uuid4().hex}"
    memory = LlamaMemory.from_defaults(
        session_id="chat",
        chat_store=DBChatStore(opened, space=space),
        memory_blocks=[MemoryBlock(opened, space=space, user="ana", name="quipu")],
        token_limit=60,
        token_flush_size=20,
        chat_history_token_ratio=0.5,
    )
    await memory.aput(ChatMessage("The boat is moored in Horta.", additional_kwargs={"n": 1}))
    await memory.aput(ChatMessage("Noted.", role="assistant"))
    for number in range(4):
        await memory.aput(ChatMessage(f"Let us talk of tea and of number {number}."))
        await memory.aput(ChatMessage("Yes, of tea.", role="assistant"))
    kept = MEMORY.messages("chat", space=space)
    assert [one.content for one in kept][:2] == ["The boat is moored in Horta.", "Noted."]
    assert (kept[0].user, kept[1].role) == ("ana", "assistant")
    assert kept[0].item["additional_kwargs"] == {"n": 1}
    archived = await memory.aget_all(status=ARCHIVED)
    assert archived[0].content == "The boat is moored in Horta."
    context = await memory.aget(input="Where is the boat moored?")
    assert context[0].role == "system"
    assert "moored in Horta" in context[0].content


async def test_a_block_says_nothing_where_nothing_is_asked_or_known(opened):
    block = MemoryBlock(opened, space=f"t{uuid4().hex}")
    assert await block.aget() == await block.aget([]) == await block.aget([ChatMessage("")]) == ""
    assert "moored" not in await block.aget([ChatMessage("Where is the boat moored?")])
    await block.aput([])
    await block.aput(
        [ChatMessage("The boat is moored in Horta."), MESSAGES["call"], MESSAGES["image"], MESSAGES["null"]]
    )
    assert "Horta" in await block.aget([ChatMessage("Where is the boat moored?")])
    assert isinstance(await block.aget([MESSAGES["large"], MESSAGES["unicode"], MESSAGES["null"]]), str)


async def test_users_of_a_block_know_nothing_of_each_other(opened):
    space = f"t{uuid4().hex}"
    ana, bob = (MemoryBlock(opened, space=space, user=name) for name in ("ana", "bob"))
    await ana.aput([ChatMessage("My boat is moored in Horta.")], session_id="chat")
    assert "Horta" in await ana.aget([ChatMessage("Where is my boat moored?")])
    assert "Horta" not in await bob.aget([ChatMessage("Where is my boat moored?")])
