"""Memory of ADK answers as ADK's own where words alone decide, and finds by meaning besides."""

from __future__ import annotations

import os
from copy import deepcopy
from uuid import uuid4

import pytest
from adk_events import EVENTS, HERE, Parrot, note, said
from google.adk.agents import LlmAgent
from google.adk.memory import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from quipu import Memory
from quipu.compat.adk import QuipuMemoryService, QuipuSessionService

MEMORY = Memory(os.environ["QUIPU_HOME"])


@pytest.fixture
def space():
    return f"t{uuid4().hex}"


@pytest.fixture
def memories(space):
    return InMemoryMemoryService(), QuipuMemoryService(MEMORY, space=space)


TALKS = {
    ("desk", "ana", "s1"): ["The boat is moored in Horta.", "Tea is drunk at five.", "Ж ключ под ковриком."],
    ("desk", "ana", "s2"): ["My sister Bea plays the cello.", "NUL \0 and 🚀 rockets."],
    ("desk", "bob", "s1"): ["The boat is moored in Lisbon."],
    ("lab", "ana", "s1"): ["The boat is moored in Oslo."],
}
QUERIES = {
    "where is the boat moored": "The boat is moored in Horta.",
    "when is tea drunk": "Tea is drunk at five.",
    "Bea cello": "My sister Bea plays the cello.",
    "ключ под": "Ж ключ под ковриком.",
    "rockets": "NUL \0 and 🚀 rockets.",
}


async def talks():
    service, sessions = InMemorySessionService(), []
    for (app, user, id_), texts in TALKS.items():
        session = await service.create_session(app_name=app, user_id=user, session_id=id_)
        for place, text in enumerate(texts):
            author = "bot" if place else "user"
            await service.append_event(session, said(text, author, timestamp=1_700_000_000.0 + place))
        await service.append_event(session, EVENTS["call"])
        await service.append_event(session, EVENTS["no content"])
        sessions.append(session)
    return sessions


async def best(service, query, app="desk", user="ana"):
    found = await service.search_memory(app_name=app, user_id=user, query=query)
    return found.memories


def entry(one):
    return {**one.model_dump(mode="json", exclude={"custom_metadata"}), "text": one.content.parts[0].text}


@pytest.mark.parametrize("query", QUERIES)
async def test_a_query_finds_what_was_said(memories, query):
    sessions = await talks()
    for service in memories:
        for session in [*sessions, *sessions]:
            await service.add_session_to_memory(session)
    theirs, ours = [await best(one, query) for one in memories]
    expected = entry(theirs[0])
    if "\0" in QUERIES[query]:  # no database can hold it: it is found with the mark of a repaired character
        expected = {name: expected[name] for name in ("id", "author", "timestamp")}
        assert {name: entry(ours[0])[name] for name in expected} == expected
    else:
        assert entry(ours[0]) == expected
        assert expected["text"] == QUERIES[query]
    assert len({one.id for one in ours}) == len(ours)


async def test_apps_and_users_are_kept_apart(memories):
    for service in memories:
        for session in await talks():
            await service.add_session_to_memory(session)
    for (app, user), place in {("desk", "bob"): "Lisbon", ("lab", "ana"): "Oslo"}.items():
        theirs, ours = [await best(one, "the boat is moored", app, user) for one in memories]
        assert [one.content.parts[0].text for one in ours] == [f"The boat is moored in {place}."]
        assert [one.content.parts[0].text for one in theirs] == [f"The boat is moored in {place}."]
    for app, user in (("lab", "bob"), ("none", "ana"), ("desk", "nobody")):
        assert [await best(one, "the boat is moored", app, user) for one in memories] == [[], []]


async def test_events_are_added_one_after_the_other_and_once(memories):
    events = [said("The boat is green.", id="e1"), EVENTS["call"], said("The boat is old.", "bot", id="e2")]
    for service in memories:
        for session_id, some in (("s1", events[:1]), ("s1", events), (None, [said("A boat sank.", id="e3")])):
            await service.add_events_to_memory(**HERE, events=some, session_id=session_id)
        await service.add_events_to_memory(**HERE, events=[], session_id="s9")
    theirs, ours = [{one.id for one in await best(service, "boat")} for service in memories]
    assert ours == theirs == {"e1", "e2", "e3"}


async def test_an_empty_query_finds_nothing(memories):
    for service in memories:
        await service.add_events_to_memory(**HERE, events=[said("The boat is green.")])
        assert await best(service, "") == []
        assert await best(service, " \n") == []


async def test_what_was_deleted_is_not_taken_in_again(memories):
    session = (await talks())[0]
    gone = session.events[0].id
    for service in memories:
        await service.add_session_to_memory(session)
        await service.delete_memory(**HERE, memory_id=gone)
        await service.delete_memory(**HERE, memory_id="nobody")
        await service.delete_memory(**HERE)
        await service.add_session_to_memory(session)
        await service.add_events_to_memory(**HERE, events=session.events, session_id="s1")
        assert gone not in {one.id for one in await best(service, "the boat is moored in Horta")}


async def test_a_session_of_our_own_is_not_kept_twice(space):
    sessions, memories = QuipuSessionService(MEMORY, space=space), QuipuMemoryService(MEMORY, space=space)
    session = await sessions.create_session(session_id="s1", **HERE)
    for event in EVENTS.values():
        await sessions.append_event(session, deepcopy(event))
    stored = MEMORY.messages("desk/ana/s1", space=space)
    await memories.add_session_to_memory(session)
    await memories.add_session_to_memory(await sessions.get_session(session_id="s1", **HERE))
    assert MEMORY.messages("desk/ana/s1", space=space) == stored


async def test_memories_can_be_added_as_they_are_worded(space):
    service = QuipuMemoryService(MEMORY, space=space)
    content = types.Content(role="user", parts=[types.Part(text="Ana is allergic to nuts.")])
    told = MemoryEntry(
        content=content, id="m1", author="nurse", timestamp="2024-05-01T10:00:00", custom_metadata={"ward": 3}
    )
    other = MemoryEntry(content=types.Content(parts=[types.Part(text="Ana likes long walks.")]))
    await service.add_memory(**HERE, memories=[told, other], custom_metadata={"by": "hand"})
    (found, *_) = await best(service, "What is Ana allergic to?")
    assert (found.id, found.author, found.timestamp) == ("m1", "nurse", "2024-05-01T10:00:00")
    assert found.custom_metadata == {"ward": 3, "by": "hand"}
    assert found.content.parts[0].text == "Ana is allergic to nuts."
    assert await best(service, "What is Ana allergic to?", user="bob") == []
    await service.delete_memory(**HERE, memory_id="m1")
    assert "m1" not in {one.id for one in await best(service, "What is Ana allergic to?")}


async def test_a_runner_with_both_finds_what_was_said_in_another_session(space):
    sessions, memories = QuipuSessionService(MEMORY, space=space), QuipuMemoryService(MEMORY, space=space)
    agent = LlmAgent(name="parrot", model=Parrot(model="parrot"), tools=[note])
    runner = Runner(app_name="desk", agent=agent, session_service=sessions, memory_service=memories)
    await sessions.create_session(session_id="s1", **HERE)
    message = types.Content(role="user", parts=[types.Part(text="The boat is moored in Horta.")])
    async for _ in runner.run_async(user_id="ana", session_id="s1", new_message=message):
        pass
    found = await best(memories, "Where is the boat?")
    assert found[0].content.parts[0].text.endswith("The boat is moored in Horta.")
