"""Prompts go in, a worker answers them, each answer stands in the record once."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from hashlib import sha256
from types import ModuleType

import anyio
import pytest
from talk import TRIP, told

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kinds.episodes.prompts.model import AgentRequest
from quipu.kinds.episodes.queues import CHUNKER, HISTORY, PROMPTS

pytestmark = pytest.mark.anyio
ANSWERS = [PROMPTS, HISTORY]


class Agent:
    """Answers with a text, and remembers what it was asked; fails as often as it is told to."""

    def __init__(self) -> None:
        self.asked: list[AgentRequest] = []
        self.failures = 0

    async def answer(self, asked: AgentRequest) -> str:
        self.asked.append(asked)
        if self.failures:
            self.failures -= 1
            raise RuntimeError("the agent is tired")
        return f"Answer {len(self.asked)}."


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Agent:
    module, made = ModuleType("agent_of_prompts"), Agent()
    module.answer = made.answer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return made


@pytest.fixture
async def memory_with_agent(
    settings: Settings, agent: Agent, clock: FrozenClock
) -> AsyncIterator[AsyncMemory]:
    named = replace(
        settings,
        tuned={**settings.tuned, "agent": "agent_of_prompts:answer"},
        job_retry_seconds=0,
        job_tries=2,
    )
    async with AsyncMemory(settings=named, clock=clock) as opened:
        yield opened


async def spoken(memory: AsyncMemory, session: str = "s") -> list[tuple[str, str]]:
    shown = await memory.conversations.get(session, space="a")
    return [(one.role, one.content) for one in shown.messages]


async def test_a_prompt_is_answered_with_what_is_remembered(
    memory_with_agent: AsyncMemory, agent: Agent
) -> None:
    memory = memory_with_agent
    await memory.observe([{"content": "My dog is called Pixel."}], space="a", session="old", user="ana")
    await memory.observe([{"content": "Hello."}], space="a", session="s", user="ana")
    prompt = await memory.conversations.prompt("What is my dog called?", space="a", session="s", user="ana")
    assert (prompt.status, prompt.reply) == ("waiting", None)
    await memory.work(topics=ANSWERS)
    answered = await memory.conversations.await_reply(prompt.id, space="a")
    assert (answered.status, answered.reply) == ("answered", "Answer 1.")
    assert answered.answered_by == "agent_of_prompts:answer"
    assert "Pixel" in agent.asked[0].memory
    assert [line.content for line in agent.asked[0].history] == ["Hello."]
    assert await spoken(memory) == [
        ("user", "Hello."),
        ("user", "What is my dog called?"),
        ("assistant", "Answer 1."),
    ]
    assert (await memory.work(topics=[CHUNKER])).done == 2  # what was said is read as everything else


async def test_whoever_waits_is_told(memory_with_agent: AsyncMemory) -> None:
    memory = memory_with_agent
    prompt = await memory.conversations.prompt("Well?", space="a", session="s")
    replies: list[str | None] = []

    async def wait() -> None:
        replies.append((await memory.conversations.await_reply(prompt.id, space="a")).reply)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.sleep(0.1)
        await memory.work(topics=ANSWERS)
    assert replies == ["Answer 1."]


async def test_waiting_ends_when_the_time_is_over(memory: AsyncMemory) -> None:
    prompt = await memory.conversations.prompt("Well?", space="a", session="s")
    waited = await memory.conversations.await_reply(prompt.id, space="a", timeout_seconds=0.05)
    assert waited.status == "waiting"


async def test_that_there_is_no_agent_is_a_status_and_no_memory(
    memory: AsyncMemory, memory_with_agent: AsyncMemory
) -> None:
    """It was written down as the assistant's words, condensed and recalled."""
    prompt = await memory.conversations.prompt("Is an agent configured?", space="a", session="s")
    await memory.work(topics=ANSWERS)
    (found,) = await memory.conversations.prompts(space="a", status="no_agent")
    assert (found.id, found.reply, found.answered_by) == (prompt.id, None, None)
    assert "QUIPU_AGENT" in (found.error or "")
    assert await spoken(memory) == [("user", "Is an agent configured?")]
    hits = await memory.recall("No agent is configured", space="a")
    assert [hit.text for hit in hits] == ["Is an agent configured?"]
    asked = await memory.conversations.answer("s", space="a")
    await memory.work(topics=ANSWERS)
    assert (await memory.conversations.await_reply(asked.id, space="a")).status == "no_agent"
    asked = await memory.conversations.answer("s", space="a")
    await memory_with_agent.work(topics=ANSWERS)
    assert (await memory.conversations.await_reply(asked.id, space="a")).reply == "Answer 1."


async def test_an_agent_is_told_what_is_open_and_what_it_is_told_counts_as_used(
    memory_with_agent: AsyncMemory, agent: Agent, clock: FrozenClock
) -> None:
    """It was told of no open loops, and nothing counted, other than with a block."""
    memory = memory_with_agent
    await memory.observe(told(TRIP, session="trip"), space="a")
    await memory.work()
    await memory.episodes.condense(space="a")
    question = "When do I take the night train to Lisbon?"
    await memory.conversations.prompt(question, space="a", session="s", user="ana")
    await memory.work(topics=ANSWERS)
    (episode,) = await memory.episodes.list(space="a")
    assert (episode.uses, episode.used_at) == (1, clock.now())
    opened, recalled = agent.asked[0].memory.split("Open:")[1].split("\n\n", 1)
    assert "list of hotels" in opened
    assert "night train" in recalled
    assert question not in recalled


async def test_an_answer_that_a_killed_worker_has_written_is_not_given_twice(
    memory_with_agent: AsyncMemory, agent: Agent
) -> None:
    memory = memory_with_agent
    prompt = await memory.conversations.prompt("Well?", space="a", session="s")
    written = [
        {"id": f"prompt-{prompt.id}", "role": "user", "content": "Well?"},
        {"id": f"reply-{prompt.id}", "role": "assistant", "content": "Before the kill."},
    ]
    await memory.observe(written, space="a", session="s")
    await memory.work(topics=ANSWERS)
    (found,) = await memory.conversations.prompts(space="a")
    assert (found.status, found.reply) == ("answered", "Before the kill.")
    assert agent.asked == []


async def test_what_fails_is_tried_again_then_given_up_then_taken_up(
    memory_with_agent: AsyncMemory, agent: Agent
) -> None:
    memory = memory_with_agent
    agent.failures = 1
    await memory.conversations.prompt("Well?", space="a", session="s")
    done = await memory.work(topics=ANSWERS)
    assert (done.failed, done.dead) == (1, 0)
    assert [one.status for one in await memory.conversations.prompts(space="a")] == ["answered"]
    agent.failures = 2
    await memory.conversations.prompt("And now?", space="a", session="t")
    assert (await memory.work(topics=ANSWERS)).dead == 1
    failed = (await memory.conversations.prompts(space="a", session="t"))[0]
    assert (failed.status, failed.prompt) == ("failed", "And now?")
    assert "listed as dead" in (failed.error or "")
    assert await memory.conversations.prompts(space="a", status="waiting") == []
    assert await memory.queue.retry() == 1
    assert (
        await memory.conversations.await_reply(failed.id, space="a", timeout_seconds=0)
    ).status == "waiting"
    await memory.work(topics=ANSWERS)
    assert (
        await memory.conversations.await_reply(failed.id, space="a")
    ).reply == f"Answer {len(agent.asked)}."


@pytest.mark.parametrize("reply", ["{memory}", "", " \n", "\u200b\ufeff", "\x00"])
async def test_an_agent_that_says_nothing_of_its_own_has_not_answered(
    memory_with_agent: AsyncMemory, agent: Agent, monkeypatch: pytest.MonkeyPatch, reply: str
) -> None:
    """The memory that it was given stood as an answer of no words; what nobody sees was recalled."""

    async def answer(asked: AgentRequest) -> str:
        return reply.format(memory=asked.memory)

    monkeypatch.setattr(sys.modules["agent_of_prompts"], "answer", answer)
    memory = memory_with_agent
    await memory.observe([{"content": "My dog is called Pixel."}], space="a", session="s", user="ana")
    await memory.conversations.prompt("What is my dog called?", space="a", session="s", user="ana")
    assert (await memory.work(topics=ANSWERS)).dead == 1
    (found,) = await memory.conversations.prompts(space="a")
    assert (found.status, found.reply, found.prompt) == ("failed", None, "What is my dog called?")
    assert [role for role, _ in await spoken(memory)] == ["user"]
    assert "returned no answer" in ((await memory.queue.dead())[0].error or "")


async def test_a_prompt_whose_job_was_thrown_away_waits_no_more(memory: AsyncMemory) -> None:
    prompt = await memory.conversations.prompt("Well?", space="a", session="s")
    await memory.queue.purge(waiting=True, confirm=True)
    found = await memory.conversations.await_reply(prompt.id, space="a")
    assert (found.status, found.prompt) == ("failed", "Well?")
    assert "threw it away" in (found.error or "")


async def test_whoever_waits_is_told_of_a_job_that_is_given_up(
    memory_with_agent: AsyncMemory, agent: Agent
) -> None:
    memory, agent.failures = memory_with_agent, 2
    prompt = await memory.conversations.prompt("Well?", space="a", session="s")
    seen: list[str] = []

    async def wait() -> None:
        seen.append((await memory.conversations.await_reply(prompt.id, space="a")).status)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await memory.work(topics=ANSWERS)
    assert seen == ["failed"]


async def test_a_conversation_whose_answer_a_killed_worker_has_written_is_not_answered_twice(
    memory_with_agent: AsyncMemory, agent: Agent
) -> None:
    """The last word was not the user's any more, so nothing was done and the prompt waited for ever."""
    memory = memory_with_agent
    await memory.observe([{"id": "m", "content": "Well?"}], space="a", session="s")
    asked = await memory.conversations.answer("s", space="a")
    reply = {
        "id": f"reply-{sha256(b'm').hexdigest()[:32]}",
        "role": "assistant",
        "content": "Before the kill.",
    }
    await memory.observe([reply], space="a", session="s")
    await memory.work(topics=ANSWERS)
    found = await memory.conversations.await_reply(asked.id, space="a")
    assert (found.status, found.reply) == ("answered", "Before the kill.")
    assert agent.asked == []
    assert await memory.conversations.list(space="a", status="all") != []


async def test_a_conversation_goes_on(memory_with_agent: AsyncMemory, agent: Agent) -> None:
    memory = memory_with_agent
    said = [
        {"role": "user", "content": "I plan a trip to Faro."},
        {"role": "assistant", "content": "When?"},
        {"role": "user", "content": "In May."},
    ]
    await memory.observe(said, space="a", session="s", user="ana")
    asked = await memory.conversations.answer("s", space="a")
    assert (asked.prompt, asked.status) == ("In May.", "waiting")
    await memory.work(topics=ANSWERS)
    assert (await memory.conversations.await_reply(asked.id, space="a")).reply == "Answer 1."
    assert [line.content for line in agent.asked[0].history] == ["I plan a trip to Faro.", "When?"]
    assert (await spoken(memory))[-1] == ("assistant", "Answer 1.")
    with pytest.raises(NotFound, match="Nothing waits"):
        await memory.conversations.answer("s", space="a")


async def test_secrets_in_a_prompt_are_cut_out(memory: AsyncMemory) -> None:
    key = "ghp_" + "a1B2" * 9
    prompt = await memory.conversations.prompt(f"Is {key} still valid?", space="a", session="s")
    assert key not in prompt.prompt


@pytest.mark.parametrize("text", ["", "  ", "\u200b\ufeff", "x" * 200_001])
async def test_a_prompt_that_is_none_is_refused(memory: AsyncMemory, text: str) -> None:
    with pytest.raises(BadInput):
        await memory.conversations.prompt(text, space="a", session="s")


async def test_a_prompt_that_is_only_recalled_memory_is_refused(memory: AsyncMemory) -> None:
    """It was not written down, and its prompt failed as if somebody had thrown its job away."""
    await memory.observe([{"content": "My dog is called Pixel."}], space="a", session="old")
    block = await memory.recall_block("What is my dog called?", budget_tokens=300, space="a")
    with pytest.raises(BadInput, match="only what was recalled"):
        await memory.conversations.prompt(block.text, space="a", session="s")
    await memory.conversations.prompt(f"{block.text}\nAnd now?", space="a", session="s")
    await memory.work(topics=ANSWERS)
    assert await spoken(memory) == [("user", "And now?")]


async def test_prompts_are_forgotten_with_their_session_and_message(memory: AsyncMemory) -> None:
    first = await memory.conversations.prompt("Well?", space="a", session="s")
    await memory.conversations.prompt("Waiting?", space="a", session="t")
    await memory.work(topics=ANSWERS)
    await memory.conversations.prompt("More?", space="a", session="t")
    assert (await memory.forget(space="a", session="t")).counts["prompts"] == 2
    await memory.forget(space="a", session="t", confirm=True)
    assert [one.id for one in await memory.conversations.prompts(space="a")] == [first.id]
    await memory.forget(space="a", message=f"prompt-{first.id}", confirm=True)
    assert await memory.conversations.prompts(space="a") == []
    with pytest.raises(NotFound):
        await memory.conversations.await_reply(first.id, space="a")


async def test_a_prompt_claims_no_session_and_without_a_user_goes_with_the_one_whose_session_it_is(
    memory: AsyncMemory,
) -> None:
    """What waited in the session of a person who was forgotten stayed, as a prompt that failed."""
    ask, told = memory.conversations.prompt, {"space": "a", "session": "s"}
    await memory.observe([{"content": "My boat is green."}], user="dana", **told)
    for user, text in {"bob": "Is mine red?", None: "How old is my boat?", "dana": "Is it green?"}.items():
        await ask(text, user=user, **told)
    await ask("And mine?", space="a", session="nobody's")
    await memory.ledger.set("boat", "green", user="dana", **told)
    with pytest.raises(BadInput, match="somebody else's"):
        await memory.ledger.set("boat", "red", user="bob", **told)
    assert (await memory.forget(space="a", user="dana")).counts["prompts"] == 2
    await memory.forget(space="a", user="dana", confirm=True)
    left = await memory.conversations.prompts(space="a")
    assert {one.prompt for one in left} == {"Is mine red?", "And mine?"}
