"""A store of conversations answers as Pydantic AI's in memory: each call is made of both, and compared."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from copy import deepcopy
from dataclasses import replace
from itertools import permutations
from uuid import uuid4

import pytest
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext
from pydantic_ai.conversation import Conversation, ConversationTypeAdapter
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    InMemoryConversationStore,
)
from pydantic_ai.exceptions import UserError
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage
from pydantic_ai_messages import MESSAGES, NOW, answered, asked

from quipu import AsyncMemory, Memory
from quipu.compat.pydantic_ai import QuipuConversationStore

MEMORY = Memory(os.environ["QUIPU_HOME"])


class Pair:
    """Their store and ours, called alike; ids and times apart their answers are the same."""

    def __init__(self, theirs, ours):
        self.each = (theirs, ours)
        self.names = ({}, {})

    async def __call__(self, name, *arguments, **named):
        """Call a method of both; arguments may be pairs, as answers are."""
        answers = []
        for place, store in enumerate(self.each):
            args = [self.side(one, place) for one in arguments]
            kwargs = {key: self.side(one, place) for key, one in named.items()}
            try:
                answers.append(await getattr(store, name)(*args, **kwargs))
            except (ConversationConflict, UserError, LookupError) as error:
                answers.append(f"{type(error).__name__}: {error if isinstance(error, UserError) else ''}")
        theirs, ours = [self.plain(one, place) for place, one in enumerate(answers)]
        assert ours == theirs
        return tuple(answers)

    def side(self, given, place):
        return given[place] if isinstance(given, tuple) else deepcopy(given)

    def name(self, place, id_):
        return id_ if id_ is None else self.names[place].setdefault(id_, len(self.names[place]))

    def plain(self, answer, place):
        if isinstance(answer, list):
            return [self.plain(one, place) for one in answer]
        if isinstance(answer, Conversation):
            return replace(answer, revision=str(self.name(place, answer.revision)))
        if isinstance(answer, ConversationEntry):
            mapped = {key: self.name(place, getattr(answer, key)) for key in ("id", "parent_id")}
            return replace(answer, **mapped)
        if isinstance(answer, ConversationRecord):
            mapped = {
                key: self.name(place, getattr(answer, key)) for key in ("head_id", "forked_at", "revision")
            }
            branches = [self.name(place, one) for one in answer.branches]
            return replace(answer, updated_at=NOW, branches=branches, **mapped)
        return answer

    async def grown(self, id_="c1", messages=(), **named):
        """Save a conversation with messages of its own; return it, and its entries."""
        conversation = tuple(
            Conversation(conversation_id=id_, messages=deepcopy(list(messages))) for _ in "12"
        )
        return conversation, await self("save", conversation, **named)

    async def compare(self, *ids):
        for id_ in ids:
            await self("load", id_)
            await self("load_entries", id_)
        await self("list_conversations")


@pytest.fixture
def space():
    return f"t{uuid4().hex}"


@pytest.fixture(params=["blocking", "async"])
async def pair(request, space) -> AsyncGenerator[Pair]:
    if request.param == "blocking":
        yield Pair(InMemoryConversationStore(), QuipuConversationStore(MEMORY, space=space))
        return
    async with AsyncMemory(os.environ["QUIPU_HOME"]) as memory:
        yield Pair(InMemoryConversationStore(), QuipuConversationStore(memory, space=space))


@pytest.fixture
def store(space):
    return QuipuConversationStore(MEMORY, space=space)


TALK = [asked("One?"), answered("Two."), asked("Three?"), answered("Four."), asked("Five?"), answered("Six.")]


def revision(conversations):
    return tuple(one.revision for one in conversations)


def ids(entries, place):
    return tuple(one[place].id for one in entries)


async def test_what_is_not_there_is_answered_alike(pair):
    for name in ("load", "load_entries", "delete", "fork", "read_record", "read_entry"):
        await pair(name, "nobody")
    for limit in (None, 0, -1):
        await pair("list_conversations", limit=limit)
        await pair("load", "nobody", limit=limit)
    await pair("branch", "nobody", at=1, expected_revision=None)
    for head in (None, "nobody"):
        await pair("read_history", head)
    await pair("delete_record", "nobody", expected_revision="r")


@pytest.mark.parametrize("name", MESSAGES)
async def test_a_message_comes_back_as_it_was(pair, name):
    _, entries = await pair.grown(messages=[MESSAGES[name], answered("After it.")])
    await pair.compare("c1")
    await pair("read_entry", ids(entries, 0))
    loaded = await pair("load", "c1")
    assert loaded[1].messages[0] == MESSAGES[name]


async def test_all_messages_come_back_in_order(pair):
    await pair.grown(messages=MESSAGES.values())
    await pair.compare("c1")
    for limit in (0, 1, 3, len(MESSAGES), 100, -1):
        for name in ("load", "load_entries"):
            await pair(name, "c1", limit=limit)


async def test_a_conversation_grows(pair):
    await pair.grown(messages=[])
    await pair.compare("c1")
    for place in range(0, len(TALK), 2):
        conversation = await pair("load", "c1")
        for one in conversation:
            one.messages += deepcopy(TALK[place : place + 2])
            one.usage = RunUsage(requests=place, input_tokens=10 * place, details={"a": 1})
        await pair("save", conversation)
        await pair("save", conversation)
        await pair.compare("c1")
    window = await pair("load", "c1", limit=2)
    for one in window:
        one.messages.append(asked("Seven?"))
    await pair("save", window)
    await pair.compare("c1")


@pytest.mark.parametrize("kept", range(7))
async def test_a_history_that_was_rewritten_branches(pair, kept):
    conversation, _ = await pair.grown(messages=TALK)
    dumped = [ConversationTypeAdapter.dump_json(one) for one in conversation]
    restored = tuple(ConversationTypeAdapter.validate_json(one) for one in dumped)
    for one in restored:
        one.messages = [*one.messages[:kept], asked("Another?"), answered("Other.")]
    await pair("save", restored)
    await pair.compare("c1")
    record = await pair("read_record", "c1")
    for branch in zip(*(one.branches for one in record), strict=True):
        await pair("read_history", branch)
        await pair("read_history", branch, limit=2)


@pytest.mark.parametrize("at", [-1, 0, 1, 3, 6, 7, None])
async def test_branches_can_be_left_and_taken_up_again(pair, at):
    conversation, entries = await pair.grown(messages=TALK)
    stale = await pair("load", "c1")
    branched = await pair("branch", "c1", at=at, expected_revision=revision(conversation))
    await pair.compare("c1")
    if isinstance(branched[0], str):
        return
    for one in branched:
        one.messages += [asked("Else?"), answered("So.")]
    await pair("save", branched)
    for one in stale:
        one.messages.append(asked("Too late?"))
    await pair("save", stale)
    back = tuple(one[-1].id for one in entries)
    await pair("branch", "c1", from_entry=back, expected_revision=revision(branched))
    await pair("branch", "c1", from_entry="nobody", expected_revision=revision(await pair("load", "c1")))
    await pair("branch", "c1", from_entry=back, at=1, expected_revision=revision(await pair("load", "c1")))
    await pair("branch", "c1", at=1, expected_revision="another")
    await pair.compare("c1")


@pytest.mark.parametrize("order", [*permutations(range(3))][:6])
async def test_forks_share_entries_until_the_last_is_deleted(pair, order):
    _, entries = await pair.grown(messages=TALK, scope="ana")
    await pair("fork", "c1", new_conversation_id="c2", at=4)
    forked = await pair("load", "c2")
    for one in forked:
        one.messages += [asked("On?"), answered("And on.")]
    more = await pair("save", forked)
    await pair("fork", "c2", new_conversation_id="c3", from_entry=ids(more, 0), scope="bob")
    await pair("fork", "c1", new_conversation_id="c2")
    await pair("fork", "c1", at=7)
    await pair("fork", "c1", at=-1)
    await pair("fork", "c1", from_entry="nobody")
    await pair("fork", "c1", source_scope="bob")
    for place in order:
        gone = f"c{place + 1}"
        await pair("delete", gone)
        await pair.compare("c1", "c2", "c3")
    for entry in (*zip(*entries, strict=True), *zip(*more, strict=True)):
        found = await pair("read_entry", tuple(one.id for one in entry))
        assert found[1].startswith("KeyError")
    await pair.grown(messages=TALK[:1])
    await pair.compare("c1")


async def test_a_fork_of_nothing_needs_nothing(pair):
    await pair.grown(messages=TALK)
    await pair("fork", "c1", at=0, new_conversation_id="c2")
    await pair("delete", "c1")
    await pair.compare("c1", "c2")
    conversation = await pair("load", "c2")
    for one in conversation:
        one.messages.append(asked("Begin?"))
    await pair("save", conversation)
    await pair.compare("c2")


async def test_scopes_keep_conversations_apart(pair):
    await pair.grown("c1", TALK[:2], scope="ana")
    await pair.grown("c2", TALK[:2], scope="bob")
    await pair.grown("c3", TALK[:2])
    for scope in ("ana", "bob", "nobody", None):
        for id_ in ("c1", "c2", "c3"):
            await pair("load", id_, scope=scope)
            await pair("load_entries", id_, scope=scope)
        await pair("list_conversations", scope=scope)
        await pair("list_conversations", scope=scope, limit=1)
    conversation = await pair("load", "c1")
    await pair("save", conversation, scope="bob")
    await pair("delete", "c1", scope="bob")
    await pair("branch", "c1", at=1, scope="bob", expected_revision=revision(conversation))
    await pair.compare("c1")
    await pair("save", conversation, scope="ana")
    await pair("delete", "c1", scope="ana")
    await pair.compare("c1", "c2", "c3")


async def test_a_save_over_something_newer_is_refused(pair):
    await pair.grown(messages=TALK[:2])
    await pair.grown(messages=TALK[:2])
    first, second = await pair("load", "c1"), await pair("load", "c1")
    for one in (*first, *second):
        one.messages.append(asked("Me?"))
    await pair("save", first)
    await pair("save", second)
    await pair.compare("c1")
    await pair("delete", "c1")
    await pair("save", first)
    await pair.grown(messages=TALK[:1])
    await pair("save", first)
    await pair.compare("c1")


async def test_of_many_saves_at_once_one_wins(pair):
    await pair.grown(messages=TALK[:2])
    for store in pair.each:
        copies = [await store.load("c1") for _ in range(8)]
        for number, one in enumerate(copies):
            one.messages.append(asked(f"From {number}?"))
        tried = await asyncio.gather(*map(store.save, copies), return_exceptions=True)
        assert [type(one) for one in tried].count(ConversationConflict) == 7
        assert len((await store.load("c1")).messages) == 3
    assert [len(await pair.each[1]._listed(path)) for path in ("entries", "ids")] == [3, 3]


async def test_of_many_first_saves_at_once_one_wins(store):
    fresh = [Conversation(conversation_id="c1", messages=[asked(f"From {n}?")]) for n in range(8)]
    tried = await asyncio.gather(*map(store.save, fresh), return_exceptions=True)
    assert [type(one) for one in tried].count(ConversationConflict) == 7
    assert len((await store.load("c1")).messages) == 1


async def test_a_fork_of_what_is_deleted_meanwhile_is_whole_or_refused(store):
    for number in range(10):
        source, fork = f"a{number}", f"b{number}"
        await store.save(Conversation(conversation_id=source, messages=deepcopy(TALK)))
        forked, _ = await asyncio.gather(
            store.fork(source, new_conversation_id=fork), store.delete(source), return_exceptions=True
        )
        standing = await store.load(fork)
        if isinstance(forked, UserError):
            assert standing is None
        else:
            assert standing.messages == TALK


async def test_records_and_entries_are_written_and_read_alike(pair):
    entries = [
        ConversationEntry(id=f"e{n}", parent_id=f"e{n - 1}" if n else None, message=one)
        for n, one in enumerate(TALK)
    ]
    record = ConversationRecord(
        conversation_id="c/1 Ж", head_id="e5", scope="#general", revision="r1", branches=["e2"]
    )
    await pair("write_record", record, new_entries=entries, expected_revision="r0")
    await pair("read_entry", "e0")
    await pair("write_record", record, expected_revision=None)
    await pair("write_record", record, new_entries=entries, expected_revision=None)
    await pair("write_record", record, new_entries=entries, expected_revision=None)
    await pair("read_record", "c/1 Ж")
    await pair("read_history", "e5")
    await pair("read_history", "e2", limit=2)
    await pair("write_record", replace(record, revision="r2", head_id="nobody"), expected_revision="r1")
    await pair("write_record", replace(record, revision="r2", head_id="e1"), expected_revision="r1")
    await pair("read_record", "c/1 Ж")
    await pair("delete_record", "c/1 Ж", expected_revision="r1")
    await pair("delete_record", "c/1 Ж", expected_revision="r2")
    await pair("read_entry", "e5")
    await pair("read_records", scope="#general")


async def test_the_latest_stand_first(pair):
    for n in range(5):
        await pair.grown(f"c{n}", TALK[:1])
    await pair("save", await pair("load", "c1"))
    for limit in (None, 0, 1, 3, 9):
        await pair("list_conversations", limit=limit)


async def test_an_agent_goes_on_where_it_was_and_waits_for_approval(pair):
    agent = Agent(TestModel(seed=1), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def sell(boat: str) -> str:
        return f"sold {boat}"

    @agent.tool
    def weather(context: RunContext, city: str) -> dict:
        if not context.retry:
            raise ModelRetry("Another city.")
        return {"sky": "rain", "city": city}

    told = []
    for store in pair.each:
        conversation = await store.load("c1") or Conversation(conversation_id="c1")
        result = await agent.run("Sell the boat.", conversation=conversation)
        saved = await store.save(result, scope="ana")
        paused = await store.load("c1")
        waiting = paused.deferred_tool_requests
        approved = DeferredToolResults(approvals={one.tool_call_id: True for one in waiting.approvals})
        result = await agent.run(conversation=paused, deferred_tool_results=approved)
        await store.save(result)
        standing = await store.load("c1")
        kinds = [[part.part_kind for part in one.parts] for one in standing.messages]
        assert standing.messages == result.all_messages()
        told.append((len(saved), kinds, standing.usage, standing.deferred_tool_requests, result.output))
    assert told[1] == told[0]


async def test_what_is_said_is_recalled_and_goes_with_its_conversation(store, space):
    talk = [asked("Where is the boat moored?"), answered("The boat is moored in Horta.")]
    await store.save(Conversation(conversation_id="c1", messages=talk), scope="ana")
    await store.fork("c1", new_conversation_id="c2")
    assert MEMORY.recall("Where is the boat?", space=space, user="ana")[0].source.session == "c1"
    assert MEMORY.recall("Where is the boat?", space=space, user="bob") == []
    assert [one.role for one in MEMORY.messages("c1", space=space)] == ["user", "assistant"]
    await store.delete("c1")
    assert MEMORY.recall("Where is the boat?", space=space)
    await store.delete("c2")
    assert MEMORY.recall("Where is the boat?", space=space) == []


async def test_a_secret_stays_in_the_log_and_is_not_recalled(store, space):
    await store.save(Conversation(conversation_id="c1", messages=[MESSAGES["secret"]]))
    assert (await store.load("c1")).messages == [MESSAGES["secret"]]
    assert not any("ghp_" in hit.text for hit in MEMORY.recall("What is it?", space=space))


async def test_a_long_conversation_is_read_whole(store):
    talk = [asked(f"Number {n}?") for n in range(1_300)]
    await store.save(Conversation(conversation_id="c1", messages=talk))
    assert (await store.load("c1")).messages == talk
    assert (await store.load("c1", limit=3)).messages == talk[-3:]
    await store.delete("c1")
    assert await store._listed("entries") == []
