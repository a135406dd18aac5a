"""Providers and a store of Agent Framework answer as its own: each call is made of all, and compared."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from copy import deepcopy
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from agent_framework import (
    Agent,
    AgentResponse,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    Content,
    FileHistoryProvider,
    FileSessionStore,
    FunctionInvocationLayer,
    InMemoryHistoryProvider,
    Message,
    SessionContext,
    SessionStore,
    tool,
)

from quipu import AsyncMemory, Memory
from quipu.compat.agent_framework import QuipuContextProvider, QuipuHistoryProvider, QuipuSessionStore
from quipu.errors import BadInput

MEMORY = Memory(os.environ["QUIPU_HOME"])
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CALL = Content.from_function_call("c1", "weather", arguments={"z": 1, "a": [1.5, None, {"b": "Ж"}]})
MESSAGES = {
    "text": Message("user", ["Where is the boat?"]),
    "answer": Message("assistant", ["In Horta."], author_name="bot", message_id="m1"),
    "several texts": Message("assistant", ["One.", "Two."]),
    "unicode": Message("user", ["Ж 中 🚀 \u2028 \x7f \" \\ '; drop table messages; --"]),
    "nul": Message("user", ["NUL \0 in it"]),
    "half a character": Message("user", ["half \ud800"]),
    "blank": Message("user", ["  "]),
    "nothing": Message("assistant", []),
    "system": Message("system", ["Be brief."]),
    "own role": Message("critic", ["Too long."]),
    "call": Message("assistant", ["I look.", CALL]),
    "call with text": Message("assistant", [Content.from_function_call("c2", "x", arguments='{"a": 1}')]),
    "result": Message("tool", [Content.from_function_result("c1", result="Rain.")]),
    "results": Message(
        "tool",
        [Content.from_function_result("c1", result=["a", {"b": None}]), Content.from_text("So it is.")],
    ),
    "failed": Message("tool", [Content.from_function_result("c1", exception="It broke.")]),
    "image": Message("user", ["What is it?", Content.from_data(bytes(range(256)), media_type="image/png")]),
    "link": Message("user", [Content.from_uri("https://example.org/1.png", media_type="image/png")]),
    "reasoning": Message("assistant", [Content.from_text_reasoning(text="Hm."), "Yes."]),
    "hosted": Message("user", [Content.from_hosted_file("f1", media_type="application/pdf", name="a.pdf")]),
    "error": Message("assistant", [Content.from_error(message="It broke.", error_code="500")]),
    "approval": Message(
        "assistant", [Content.from_function_approval_request("a1", Content.from_function_call("c3", "sell"))]
    ),
    "properties": Message("user", ["Hello."], additional_properties={"a": {"b": [1, None]}, "n": 1e23}),
    "excluded": Message("user", ["Long ago."], additional_properties={"_excluded": True}),
    "looks like memory": Message("user", ["<quipu-memory> not one </quipu-memory>"]),
}
TALK = [Message("user", ["One?"]), Message("assistant", ["Two."]), Message("user", ["Three?"])]


def plain(messages):
    return [one.to_dict() for one in messages]


class Trio:
    """The framework's history in memory and in files, and ours."""

    def __init__(self, ours, folder, **options):
        self.states = {}
        self.each = (InMemoryHistoryProvider(**options), FileHistoryProvider(folder, **options), ours)

    def state(self, id_):
        return self.states.setdefault(id_, {})

    async def save(self, id_, messages):
        for one in self.each:
            await one.save_messages(id_, deepcopy(list(messages)), state=self.state(id_))
        return await self.get(id_)

    async def get(self, id_):
        *theirs, ours = [plain(await one.get_messages(id_, state=self.state(id_))) for one in self.each]
        assert [ours, ours] == theirs
        return ours


@pytest.fixture
def space():
    return f"t{uuid4().hex}"


@pytest.fixture(params=["blocking", "async"])
async def trio(request, space, tmp_path) -> AsyncGenerator[Trio]:
    if request.param == "blocking":
        yield Trio(QuipuHistoryProvider(MEMORY, space=space), tmp_path)
        return
    async with AsyncMemory(os.environ["QUIPU_HOME"]) as memory:
        yield Trio(QuipuHistoryProvider(memory, space=space), tmp_path)


@pytest.mark.parametrize("name", [name for name in MESSAGES if name != "half a character"])
async def test_a_message_comes_back_as_it_was(trio, name):
    told = [MESSAGES[name], Message("user", ["After it."])]
    assert await trio.save("s1", told) == plain(told)


async def test_half_a_character_comes_back(space):
    ours = QuipuHistoryProvider(MEMORY, space=space)
    await ours.save_messages("s1", [MESSAGES["half a character"]])
    assert plain(await ours.get_messages("s1")) == plain([MESSAGES["half a character"]])


async def test_sessions_grow_in_order_and_apart(trio):
    for id_ in ("s1", "s2", "a/b Ж", None):
        assert await trio.get(id_) == []
        await trio.save(id_, [])
        for message in TALK:
            await trio.save(id_, [message])
        assert len(await trio.get(id_)) == 3


EXISTING = {
    "nothing": [],
    "a question": TALK[:1],
    "an exchange": TALK[:2],
    "a talk": TALK,
    "the same twice": [TALK[0], TALK[0]],
    "with ids": [Message("user", ["One?"], message_id="1"), Message("assistant", ["Two."], message_id="2")],
    "a long talk": [*TALK, *TALK, Message("assistant", ["Four."])],
}
INCOMING = {
    "the same": lambda old: old,
    "all and more": lambda old: [*old, Message("assistant", ["More."])],
    "the end and more": lambda old: [*old[-1:], Message("assistant", ["More."])],
    "two of the end and more": lambda old: [*old[-2:], Message("user", ["And?"])],
    "the beginning": lambda old: old[:1],
    "something before": lambda old: [Message("system", ["Be brief."]), *old, Message("user", ["And?"])],
    "a repeated question": lambda _: [Message("user", ["One?"])],
    "the same id, other words": lambda old: [Message("user", ["Other."], message_id="1"), *old[1:]],
    "something new": lambda _: [Message("user", ["New?"]), Message("assistant", ["Yes."])],
    "a longer talk": lambda old: [*old, *TALK, *old],
}


@pytest.mark.parametrize("incoming", INCOMING)
@pytest.mark.parametrize("existing", EXISTING)
async def test_what_is_there_already_is_not_added_again(trio, existing, incoming):
    await trio.save("s1", EXISTING[existing])
    await trio.save("s1", INCOMING[incoming](EXISTING[existing]))
    await trio.save("s1", INCOMING[incoming](EXISTING[existing]))


async def test_excluded_messages_can_be_skipped(space, tmp_path):
    trio = Trio(QuipuHistoryProvider(MEMORY, space=space, skip_excluded=True), tmp_path, skip_excluded=True)
    assert len(await trio.save("s1", [MESSAGES["excluded"], *TALK])) == 3


async def test_many_saves_at_once_are_all_there(trio):
    told = [Message("user", [f"From {n}?"], message_id=f"m{n}") for n in range(20)]
    for one in trio.each:
        await asyncio.gather(*(one.save_messages("s1", [m], state=trio.state("s1")) for m in told))
    each = [await one.get_messages("s1", state=trio.state("s1")) for one in trio.each]
    assert [sorted(m.message_id for m in one) for one in each] == [sorted(m.message_id for m in told)] * 3


async def test_what_cannot_be_kept_is_refused_and_nothing_is_added(space):
    ours = QuipuHistoryProvider(MEMORY, space=space)
    bad = Message("user", ["Bad."], additional_properties={"n": float("nan")})
    with pytest.raises(BadInput, match="no form in JSON"):
        await ours.save_messages("s1", [TALK[0], bad])
    assert await ours.get_messages("s1") == []


async def test_secrets_are_cut_out_unless_they_are_to_stay(space):
    told = [Message("tool", [Content.from_function_result("c1", result=f"It is {SECRET}.")])]
    for verbatim in (None, True):
        ours = QuipuHistoryProvider(MEMORY, space=space, verbatim=verbatim)
        await ours.save_messages(f"s{verbatim}", told)
        standing = json.dumps(plain(await ours.get_messages(f"s{verbatim}")))
        assert (SECRET in standing) is bool(verbatim)


class Parrot(FunctionInvocationLayer, BaseChatClient):
    """A model that calls a tool, then says how much it was told."""

    seen: list

    def _inner_get_response(self, *, messages, stream, options, **_):
        assert not stream

        async def respond():
            self.seen.append(options.get("instructions"))
            if messages[-1].role == "tool":
                answer = Message("assistant", [f"{len(messages)} messages."], message_id=f"m{len(messages)}")
            else:
                call = Content.from_function_call(
                    f"c{len(messages)}", "note", arguments={"text": messages[-1].text}
                )
                answer = Message("assistant", [call])
            return ChatResponse(messages=[answer])

        return respond()


@tool(approval_mode="never_require")
def note(text: str) -> str:
    """Note a text."""
    return f"Noted: {text}"


def parrot(*providers):
    client = Parrot()
    client.seen = []
    return Agent(client, name="parrot", tools=[note], context_providers=list(providers)), client


async def test_an_agent_goes_on_where_it_was(trio):
    told = []
    for provider in trio.each:
        agent, _ = parrot(provider)
        sessions = {id_: AgentSession(session_id=id_) for id_ in ("s1", "s2")}
        said = [
            (await agent.run(text, session=sessions[id_])).text
            for id_, text in (("s1", "A"), ("s2", "B"), ("s1", "C"))
        ]
        state = sessions["s1"].state.get(provider.source_id, {})
        history = await provider.get_messages("s1", state=state)
        told.append((said, [(one.role, [c.type for c in one.contents], one.text) for one in history]))
    assert told[1] == told[0]
    assert told[2] == told[0]
    assert told[2][0] == ["3 messages.", "3 messages.", "7 messages."]


# Context.


def run_of(text, *, session_id="s1", answer="In Horta."):
    context = SessionContext(session_id=session_id, input_messages=[Message("user", [text])])
    context._response = AgentResponse(messages=[Message("assistant", [answer], author_name="bot")])
    return context


async def call(provider, name, context):
    await getattr(provider, name)(agent=None, session=AgentSession(), context=context, state={})
    return context.instructions


async def test_what_was_said_is_put_into_a_later_run(space):
    ana = QuipuContextProvider(MEMORY, space=space, user="ana")
    bob = QuipuContextProvider(MEMORY, space=space, user="bob")
    assert await call(ana, "before_run", run_of("Where is the boat moored?")) == []
    await call(ana, "after_run", run_of("The boat is moored in Horta.", answer="Thank you."))
    (block,) = await call(ana, "before_run", run_of("Where is the boat moored?", session_id="s2"))
    assert "The boat is moored in Horta." in block
    assert await call(bob, "before_run", run_of("Where is the boat moored?")) == []
    assert await call(ana, "before_run", run_of("  ")) == []
    await call(ana, "before_run", run_of("Where is the boat? " + "x " * 100_000))
    assert [one.role for one in MEMORY.messages("s1", space=space)] == ["user", "assistant"]


async def test_beside_a_history_nothing_is_kept_twice(space):
    history = QuipuHistoryProvider(MEMORY, space=space, user="ana")
    recalled = QuipuContextProvider(MEMORY, space=space, user="ana", stores=False)
    agent, client = parrot(history, recalled)
    await agent.run("The boat is moored in Horta.", session=AgentSession(session_id="s1"))
    await agent.run("Where is the boat moored?", session=AgentSession(session_id="s2"))
    assert "The boat is moored in Horta." in client.seen[-1]
    assert len(MEMORY.messages("s1", space=space)) == 4
    assert not any("quipu-memory" in one.content for one in MEMORY.messages("s2", space=space))


# Sessions.


@pytest.fixture
def stores(space, tmp_path):
    return SessionStore(), FileSessionStore(tmp_path), QuipuSessionStore(MEMORY, space=space)


def session(id_="s1", service=None, **state):
    made = AgentSession(session_id=id_, service_session_id=service)
    made.state.update(state)
    return made


async def same(stores, name, *arguments):
    answers = []
    for one in stores:
        try:
            answer = await getattr(one, name)(*deepcopy(arguments))
        except Exception as error:  # noqa: BLE001 - an error is an answer too
            answer = type(error).__name__
        answers.append(answer.to_dict() if isinstance(answer, AgentSession) else answer)
    assert answers == [answers[0]] * len(stores)
    return answers[-1]


@pytest.mark.parametrize(
    "made",
    [
        session(),
        session("another id", service="resp_1"),
        session(service={"id": "x", "n": 1}),
        session(messages=list(MESSAGES.values())[:5], memory={"a": [1, None, True, 1.5, "Ж 🚀 \0"]}),
        session(**{"": 0, "key": SECRET, "z": 1, "a": {"y": 2, "b": 3}}),
    ],
)
async def test_a_session_comes_back_as_it_was(stores, made):
    assert await same(stores, "get", "k1") is None
    await same(stores, "set", "k1", made)
    assert await same(stores, "get", "k1") == made.to_dict()
    await same(stores, "set", "k1", session("s9", n=2))
    await same(stores, "set", "k2", made)
    await same(stores, "delete", "k1")
    await same(stores, "delete", "k1")
    assert await same(stores, "get", "k1") is None
    assert await same(stores, "get", "k2") == made.to_dict()


@pytest.mark.parametrize("id_", ["", None, 7, "a/b", "..", "CON", "Ж 🚀", "x" * 100, " s "])
async def test_ids_are_taken_alike(stores, id_):
    for name, arguments in (("get", ()), ("set", (session(n=1),)), ("get", ()), ("delete", ()), ("get", ())):
        await same(stores, name, id_, *arguments)


async def test_what_was_returned_is_a_copy(stores):
    for store in stores:
        await store.set("k1", session(a=[1]))
        (await store.get("k1")).state["a"].append(2)
        assert (await store.get("k1")).state == {"a": [1]}


async def test_of_many_writers_at_once_one_stands(stores):
    for store in stores:
        await asyncio.gather(*(store.set("k1", session(n=n)) for n in range(20)))
        assert (await store.get("k1")).state["n"] in range(20)


async def test_a_value_without_a_form_in_json_is_refused(space):
    store = QuipuSessionStore(MEMORY, space=space)
    with pytest.raises(TypeError):
        await store.set("k1", session(when=datetime(2024, 5, 1, tzinfo=UTC)))
    assert await store.get("k1") is None
