"""Sessions of ADK answer as ADK's own: each call is made of both, and the answers are compared."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from copy import deepcopy
from itertools import product
from uuid import uuid4

import pytest
from adk_events import EVENTS, HERE, SECRET, Parrot, changes, note, said
from google.adk.agents import LlmAgent
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

from quipu import AsyncMemory, Memory
from quipu.compat.adk import QuipuSessionService

MEMORY = Memory(os.environ["QUIPU_HOME"])


def plain(answer, *left_out):
    if hasattr(answer, "model_dump"):
        return answer.model_dump(mode="json", exclude=set(left_out))
    return [plain(one, *left_out) for one in answer] if isinstance(answer, list) else answer


class Pair:
    """ADK's service and ours, called alike."""

    def __init__(self, theirs, ours):
        self.each = (theirs, ours)
        self.sessions = {}

    async def call(self, name, *left_out, **arguments):
        answers = [await outcome(getattr(one, name), **deepcopy(arguments)) for one in self.each]
        theirs, ours = [plain(one, *left_out) for one in answers]
        assert ours == theirs
        return answers

    async def create(self, id_, *, app_name="desk", user_id="ana", state=None):
        names = {"app_name": app_name, "user_id": user_id}
        answers = await self.call("create_session", "last_update_time", session_id=id_, state=state, **names)
        self.sessions[app_name, user_id, id_] = answers

    def standing(self, id_, *, app_name="desk", user_id="ana"):
        """Each service with its session."""
        return list(zip(self.each, self.sessions[app_name, user_id, id_], strict=True))

    async def append(self, id_, event, *, app_name="desk", user_id="ana"):
        standing = self.standing(id_, app_name=app_name, user_id=user_id)
        answers = [await outcome(one.append_event, old, deepcopy(event)) for one, old in standing]
        theirs, ours = map(plain, answers)
        assert ours == theirs
        self.compare([old for _, old in standing])
        await self.get(id_, app_name=app_name, user_id=user_id)

    async def get(self, id_, *, app_name="desk", user_id="ana", **config):
        config = GetSessionConfig(**config) if config else None
        names = {"app_name": app_name, "user_id": user_id}
        answers = [await one.get_session(session_id=id_, config=config, **names) for one in self.each]
        self.compare(answers)
        return answers

    def compare(self, sessions):
        left_out = ("last_update_time",) if sessions[0] and not sessions[0].events else ()
        theirs, ours = [plain(one, *left_out) for one in sessions]
        assert ours == theirs


async def outcome(method, *arguments, **named):
    try:
        return await method(*arguments, **named)
    except Exception as error:  # noqa: BLE001 - an error is an answer too
        return type(error).__name__


@pytest.fixture
def space():
    return f"t{uuid4().hex}"


@pytest.fixture(params=["blocking", "async"])
async def pair(request, space) -> AsyncGenerator[Pair]:
    if request.param == "blocking":
        yield Pair(InMemorySessionService(), QuipuSessionService(MEMORY, space=space))
        return
    async with AsyncMemory(os.environ["QUIPU_HOME"]) as memory:
        yield Pair(InMemorySessionService(), QuipuSessionService(memory, space=space))


@pytest.fixture
def service(space):
    return QuipuSessionService(MEMORY, space=space)


async def test_sessions_begin_alike(pair):
    await pair.call("list_sessions", app_name="desk")
    await pair.call("get_session", session_id="s1", **HERE)
    await pair.call("get_user_state", **HERE)
    await pair.create("s1")
    await pair.create("s2", state={"a": 1, "app:x": {"b": [None]}, "user:y": "Ж", "temp:t": 9})
    await pair.create("s3", state={})
    await pair.get("s1")
    assert (await pair.call("create_session", session_id="s1", **HERE))[0] == "AlreadyExistsError"
    await pair.call("create_session", session_id=" s1 ", state={"app:x": "never"}, **HERE)
    await pair.call("create_session", "last_update_time", session_id="  s4  ", **HERE)
    await pair.get(" s4 ")
    await pair.get("s3")
    own = [await one.create_session(**HERE) for one in pair.each]
    assert all(len(one.id) == 36 for one in own)


@pytest.mark.parametrize("name", EVENTS)
async def test_an_event_comes_back_as_it_was(pair, name):
    await pair.create("s1", state={"a": 0})
    await pair.append("s1", EVENTS[name])
    await pair.append("s1", said("After it."))
    await pair.call("list_sessions", app_name="desk")
    await pair.call("get_user_state", **HERE)


async def test_events_stand_in_the_order_of_their_calls(pair):
    await pair.create("s1")
    for number, event in enumerate(EVENTS.values()):
        await pair.append("s1", event.model_copy(update={"timestamp": 100.0 - number}))
    ours = (await pair.get("s1"))[1]
    assert len(ours.events) == len(EVENTS) - 1


async def test_the_last_events_and_those_since_a_moment(pair):
    await pair.create("s1")
    for moment in (1.0, 2.0, 2.0, 5.0, 3.0, 4.0):
        await pair.append("s1", said(f"It is {moment}.", timestamp=moment))
    for most, moment in product((None, 0, 1, 2, 5, 6, 100), (None, 0.0, 1.0, 2.0, 3.5, 4.0, 9.0)):
        await pair.get("s1", num_recent_events=most, after_timestamp=moment)


async def test_state_is_shared_by_app_and_by_user(pair):
    places = list(product(("desk", "boats/eu"), ("ana", "bo%2Fb"), ("s1", "s2")))
    for app, user, id_ in places:
        await pair.create(id_, app_name=app, user_id=user, state={"own": id_, "user:last": id_})
    for number, (app, user, id_) in enumerate(places):
        event = changes({"app:n": number, "user:n": number, f"app:{id_}": [number], "own": number})
        await pair.append(id_, event, app_name=app, user_id=user)
    for app, user, id_ in places:
        await pair.get(id_, app_name=app, user_id=user)
        await pair.call("get_user_state", app_name=app, user_id=user)
        await pair.call("list_sessions", "*", app_name=app, user_id=user)
    for app in ("desk", "boats/eu", "none"):
        await pair.call("list_sessions", app_name=app)
    await pair.call("list_sessions", app_name="desk", user_id="nobody")


async def test_names_with_slashes_are_kept_apart(pair):
    places = [("a/b", "c", "d"), ("a", "b/c", "d"), ("a", "b", "c/d"), ("a%2Fb", "c", "d")]
    for app, user, id_ in places:
        await pair.create(id_, app_name=app, user_id=user)
        await pair.append(id_, said(f"{app} {user} {id_}"), app_name=app, user_id=user)
    for app, user, id_ in places:
        assert len((await pair.get(id_, app_name=app, user_id=user))[1].events) == 1


async def test_a_deleted_session_is_gone_and_can_begin_anew(pair):
    await pair.create("s1", state={"app:x": 1, "user:y": 2, "a": 3})
    await pair.create("s1", user_id="bob")
    await pair.append("s1", said("Once."))
    await pair.append("s1", said("Bob was here."), user_id="bob")
    await pair.call("delete_session", session_id=" s1 ", **HERE)
    await pair.call("delete_session", session_id="s1", **HERE)
    await pair.get("s1")
    late = [await outcome(one.append_event, old, said("Late.")) for one, old in pair.standing("s1")]
    assert late == ["SessionNotFoundError"] * 2
    await pair.call("list_sessions", app_name="desk")
    await pair.create("s1")
    await pair.append("s1", said("Anew."))
    await pair.get("s1", user_id="bob")


async def test_an_event_that_comes_again_is_there_once(pair):
    await pair.create("s1")
    event = changes({"a": 1}, id="e1", timestamp=5.0)
    await pair.append("s1", event)
    await pair.append("s1", event)
    await pair.append("s1", changes({"a": 2}, id="e2", timestamp=6.0))
    await pair.append("s1", event)
    ours = (await pair.get("s1"))[1]
    assert [one.id for one in ours.events] == ["e1", "e2"]
    assert ours.state == {"a": 2}


async def test_an_answer_that_was_lost_can_be_asked_for_again(pair):
    await pair.create("s1")
    event = changes({"a": 1}, id="e1", timestamp=5.0)
    for one in pair.each:
        await one.append_event(await one.get_session(session_id="s1", **HERE), deepcopy(event))
    again = [await one.append_event(old, deepcopy(event)) for one, old in pair.standing("s1")]
    assert plain(again[0]) == plain(again[1])
    ours = (await pair.get("s1"))[1]
    assert len(ours.events) == 1


async def test_many_events_at_once_are_all_there(pair):
    await pair.create("s1")
    events = [changes({f"k{n}": n, "app:last": 1}, id=f"e{n}", timestamp=float(n)) for n in range(30)]
    for service, session in pair.standing("s1"):
        await asyncio.gather(*(service.append_event(session, deepcopy(one)) for one in events))
        assert len(session.events) == 30
    theirs, ours = [await one.get_session(session_id="s1", **HERE) for one in pair.each]
    assert ours.state == theirs.state
    assert sorted(one.id for one in ours.events) == sorted(one.id for one in theirs.events)


async def test_many_sessions_change_shared_state_at_once(pair):
    for n in range(20):
        await pair.create(f"s{n}")
    each = [pair.standing(f"s{n}") for n in range(20)]
    for some in zip(*each, strict=True):
        changed = [changes({f"app:k{n}": n, f"user:k{n}": n}) for n in range(20)]
        await asyncio.gather(
            *(one.append_event(old, event) for (one, old), event in zip(some, changed, strict=True))
        )
    await pair.call("get_user_state", **HERE)
    theirs, ours = [await one.get_session(session_id="s0", **HERE) for one in pair.each]
    assert ours.state == theirs.state
    assert len(ours.state) == 40


async def test_a_session_that_has_moved_on_is_refused_as_by_adks_store_in_sqlite(service, tmp_path):
    each = (SqliteSessionService(str(tmp_path / "adk.db")), service)
    for one in each:
        first = await one.create_session(session_id="s1", **HERE)
        second = await one.get_session(session_id="s1", **HERE)
        await one.append_event(first, changes({"a": 1}, timestamp=first.last_update_time + 1))
        with pytest.raises(ValueError, match="session"):
            await one.append_event(second, changes({"a": 2}, timestamp=second.last_update_time + 2))
        fresh = await one.get_session(session_id="s1", **HERE)
        await one.append_event(fresh, changes({"b": 3}, timestamp=fresh.last_update_time + 1))
        standing = await one.get_session(session_id="s1", **HERE)
        assert standing.state == {"a": 1, "b": 3}
        assert len(standing.events) == 2


async def test_of_many_writers_at_once_one_wins(service):
    await service.create_session(session_id="s1", **HERE)
    copies = [await service.get_session(session_id="s1", **HERE) for _ in range(8)]
    others = [QuipuSessionService(MEMORY, space=service._space) for _ in copies]
    tried = await asyncio.gather(
        *(
            outcome(one.append_event, copy, changes({"n": 1}))
            for one, copy in zip(others, copies, strict=True)
        )
    )
    assert sorted(str(one) for one in tried if isinstance(one, str)) == ["StaleSessionError"] * 7
    standing = await service.get_session(session_id="s1", **HERE)
    assert len(standing.events) == 1
    assert len(MEMORY.messages("desk/ana/s1", space=service._space)) == 1


async def test_what_cannot_be_kept_is_refused_and_nothing_has_changed(service):
    session = await service.create_session(session_id="s1", state={"a": 1}, **HERE)
    await service.append_event(session, said("First.", id="e1"))
    for event in (changes({"a": "NUL \0"}), said("Other words.", id="e1"), changes({"a": 5}, id="x" * 600)):
        assert isinstance(await outcome(service.append_event, session, event), str)
    standing = await service.get_session(session_id="s1", **HERE)
    assert standing.state == {"a": 1}
    assert [one.id for one in standing.events] == ["e1"]
    await service.append_event(standing, said("On it goes."))


async def test_secrets_are_cut_out_of_events_unless_they_are_to_stay(space):
    for verbatim in (None, True):
        service = QuipuSessionService(MEMORY, space=space, verbatim=verbatim)
        session = await service.create_session(session_id=f"s{verbatim}", state={"key": SECRET}, **HERE)
        await service.append_event(session, said(f"It is {SECRET}."))
        standing = await service.get_session(session_id=f"s{verbatim}", **HERE)
        assert standing.state == {"key": SECRET}
        assert (SECRET in standing.events[0].content.parts[0].text) is bool(verbatim)
    assert not any(SECRET in hit.text for hit in MEMORY.recall("What is it?", space=space))


async def test_a_runner_goes_on_where_it_was(pair):
    told = []
    for service in pair.each:
        agent = LlmAgent(name="parrot", model=Parrot(model="parrot"), tools=[note], output_key="answer")
        runner = Runner(app_name="desk", agent=agent, session_service=service)
        for id_ in ("s1", "s2"):
            await service.create_session(session_id=id_, **HERE)
        events = []
        for id_, text in (("s1", "Milk."), ("s2", "Bread."), ("s1", "Eggs.")):
            message = types.Content(role="user", parts=[types.Part(text=text)])
            async for one in runner.run_async(user_id="ana", session_id=id_, new_message=message):
                events.append((one.author, one.content.parts[0].text, one.is_final_response()))
        sessions = [await service.get_session(session_id=id_, **HERE) for id_ in ("s1", "s2")]
        told.append((events, [one.state for one in sessions], [len(one.events) for one in sessions]))
    assert told[1] == told[0]
    assert told[1][1][0]["user:count"] == 3
