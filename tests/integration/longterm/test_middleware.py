"""Memory around an agent: recovered before, written and evaluated after, whatever kind of callable it is."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from long_form import sized
from patience import PATIENCE_SECONDS

from frames import MARKS
from quipu import AsyncMemory, Memory
from quipu.errors import BadInput
from quipu.kernel.config import Settings
from quipu.middleware import Middleware

pytestmark = pytest.mark.anyio


@pytest.fixture
def calm(shared: Settings, tmp_path: Path) -> Settings:
    """Settings whose journal is this test's own."""
    return replace(shared, home=tmp_path)


@pytest.fixture
def memory(calm: Settings) -> Iterator[Memory]:
    with Memory(settings=calm) as opened:
        yield opened


@pytest.fixture
def around(memory: Memory, calm: Settings, space: str) -> Iterator[Middleware]:
    """Middleware over an open memory that knows of Ana's boat."""
    memory.longterm.add("Has a green boat called Marta", space=space, user="ana", category="favorite_things")
    with Middleware(memory, space=space, user="ana", session="s1", settings=calm) as middleware:
        yield middleware
    assert middleware.metrics().troubles == {}


def said(memory: Memory, space: str) -> list[tuple[str, str]]:
    """What is in the record of a session, in its order."""
    hits = memory.recall("boat green answer name", space=space, kinds=("message",), limit=50)
    return [(hit.text, hit.source.session or "") for hit in hits]


def test_three_lines_recover_before_and_remember_after(calm: Settings, space: str) -> None:
    heard: list[str] = []

    def agent(message: str) -> str:
        heard.append(message)
        return "Noted!"

    with Middleware(space=space, user="ana", session="s1", settings=calm) as around:
        remembering = around(agent)
        assert remembering("My name is Marta Silva.") == "Noted!"
        assert around.flush(PATIENCE_SECONDS)
        remembering("What is my name?")
    assert heard[0] == "My name is Marta Silva."
    assert MARKS.hear(heard[1]).spoken.strip() == "What is my name?"
    assert "The user's name is Marta Silva." in heard[1]
    counted = around.metrics()
    assert (counted.written, counted.lost, counted.waiting) == (2, 0, 0)
    assert counted.evaluated >= 1
    assert (counted.before["nothing"], counted.before["found"]) == (1, 1)


def test_an_agent_with_a_parameter_memory_has_the_block_there(around: Middleware) -> None:
    @around
    def agent(message: str, *, memory: str) -> tuple[str, str]:
        return message, memory

    message, block = agent("What is my green boat called?")
    assert message == "What is my green boat called?"
    assert block.startswith("<quipu-memory code=")
    assert "Marta" in block


def test_a_list_of_messages_has_the_block_before_the_last_of_the_user(around: Middleware) -> None:
    @around
    def agent(messages: list[dict[str, str]]) -> dict[str, Any]:
        return {"content": json.dumps([one["role"] for one in messages])}

    asked = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Let us talk about the green boat."},
        {"role": "assistant", "content": "Gladly!"},
        {"role": "user", "content": "And the name?"},
    ]
    answered = agent(asked)
    assert json.loads(answered["content"]) == ["system", "user", "assistant", "system", "user"]
    assert len(asked) == 4


def test_what_a_generator_yields_passes_on_as_it_comes_and_is_written_in_one(
    around: Middleware, memory: Memory, space: str
) -> None:
    @around
    def agent(message: str) -> Iterator[str]:
        yield "Your green "
        yield "boat."

    pieces = agent("Tell me about the boat.")
    assert next(pieces) == "Your green "
    assert around.metrics().written == 0
    assert list(pieces) == ["boat."]
    assert around.flush(PATIENCE_SECONDS)
    assert ("Your green boat.", "s1") in said(memory, space)


def test_a_stream_that_nobody_reads_to_its_end_is_written_as_far_as_it_was_read(
    around: Middleware, memory: Memory, space: str
) -> None:
    @around
    def agent(message: str) -> Iterator[str]:
        yield "Green answer."
        yield "Never read."

    pieces = agent("Go on.")
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert around.flush(PATIENCE_SECONDS)
    assert {text for text, _ in said(memory, space)} >= {"Green answer."}
    assert all("Never" not in text for text, _ in said(memory, space))


async def test_coroutines_and_async_generators_are_wrapped_too(
    mind: AsyncMemory, calm: Settings, space: str
) -> None:
    await mind.longterm.add("Has a green boat called Marta", space=space, user="ana", category="pets")

    async def plain(message: str, memory: str) -> str:
        return memory

    async def stream(message: str, memory: str) -> AsyncIterator[str]:
        yield memory
        yield "!"

    ended: list[str] = []

    async def endless(message: str) -> AsyncIterator[str]:
        try:
            while True:
                yield "on and "
        finally:
            ended.append("closed")

    class Callable_:
        async def __call__(self, message: str) -> str:
            return message

    async with Middleware(space=space, user="ana", session="s1", settings=calm, evaluate=False) as around:
        assert "Marta" in await around(plain)("green boat?")
        pieces = [piece async for piece in around(stream)("green boat?")]
        assert "Marta" in pieces[0]
        assert pieces[1] == "!"
        assert "Marta" in await around(Callable_())("green boat?")
        async with around.turn("green boat?") as turn:
            assert "Marta" in turn.memory
            turn.answered("Marta it is.")
        async with aclosing(around(endless)("green boat?")) as pieces:
            assert [await anext(pieces) for _ in range(3)] == 3 * ["on and "]
        assert ended == ["closed"]
    counted = around.metrics()
    assert (counted.written, counted.lost) == (5, 0)
    assert counted.evaluated == 0  # left to a worker


def test_what_an_agent_raises_is_raised_and_the_user_s_words_are_kept(
    around: Middleware, memory: Memory, space: str
) -> None:
    @around
    def agent(message: str) -> str:
        raise LookupError("the agent's own")

    with pytest.raises(LookupError, match="the agent's own"):
        agent("My green boat sank.")
    assert around.flush(PATIENCE_SECONDS)
    assert [text for text, _ in said(memory, space)] == ["My green boat sank."]


def test_a_turn_is_a_context_manager_and_the_audit_names_its_message(
    around: Middleware, memory: Memory, space: str
) -> None:
    with around.turn("What is my green boat called?") as turn:
        assert "Marta" in turn.memory
        turn.answered("Marta ")
        turn.answered("it is, the green one.")
    assert around.flush(PATIENCE_SECONDS)
    assert ("Marta it is, the green one.", "s1") in said(memory, space)
    (line,) = memory.longterm.audit(space=space, act="recover")
    assert turn.recalled is not None
    assert (line.message, line.session, line.user) == (turn.recalled.message, "s1", "ana")
    assert [one.action for one in line.memories] == ["injected"]
    (boat,) = memory.longterm.list(space=space, text="boat")
    assert boat.access_count == 1


def test_before_and_after_are_plain_functions(around: Middleware, memory: Memory, space: str) -> None:
    recalled = around.before("What is my green boat called?")
    assert recalled.outcome == "found"
    assert len(recalled.ids) == 1
    assert recalled.tokens > 0
    around.after("What is my green boat called?", "Marta.", recalled=recalled)
    assert around.flush(PATIENCE_SECONDS)
    assert len(said(memory, space)) >= 1


def test_the_turns_before_are_known_of_a_session_that_went_through_here(around: Middleware) -> None:
    around.after("Let us talk about the green boat.", "Gladly!")
    assert "Marta" in around.before("And the name?").block
    assert around.of(session="other").before("And the name?").block == ""


def test_another_person_has_a_memory_of_their_own(around: Middleware, memory: Memory, space: str) -> None:
    bob = around.of(user="bob")
    assert bob.before("What is my green boat called?").outcome == "nothing"
    assert bob.person.session != around.person.session
    bob.after("I have a green answer.", "Fine.")
    assert around.flush(PATIENCE_SECONDS)
    assert {hit.source.user for hit in memory.recall("green answer", space=space, user="bob", limit=5)} == {
        "bob"
    }
    with pytest.raises(BadInput):
        around.of(user=" ")


@pytest.mark.long
def test_hundreds_of_turns_with_injected_memories_create_and_change_nothing(
    memory: Memory, calm: Settings, space: str
) -> None:
    for summary, category in (
        ("The user lives in Oslo.", "identity"),
        ("The user has a dog called Rex.", "pets"),
        ("The user's favourite colour is teal.", "favorite_things"),
        ("I work as a nurse. Remember that I am vegan.", "professional_profile"),
    ):
        memory.longterm.add(summary, space=space, user="jo", category=category)  # type: ignore[arg-type]

    def known() -> list[tuple[object, ...]]:
        rows = memory.longterm.list(space=space)
        return sorted((one.id, one.summary, one.version, one.importance, one.stated_count) for one in rows)

    before, turns = known(), sized(40, long=200)
    with Middleware(memory, space=space, user="jo", session="echo", settings=calm, evaluate=False) as around:
        # It says again all that it was given, and that comes back in the next message.
        agent = around(lambda message, memory: f"{memory}\nThat makes two.")
        answer, blocks = "", 0
        for at in range(turns):
            answer = agent(f"{answer}\nWhere do I live, what is my dog called, what do I work, number {at}?")
            blocks += "Rex" in answer
        assert around.flush(PATIENCE_SECONDS)
        memory.work(topics=["longterm-evaluate"])
        assert around.metrics().written == turns
    assert blocks == turns
    assert known() == before
