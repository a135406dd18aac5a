"""What is being made of somebody's words while they are forgotten is made again, of the rest."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from everywhere import found
from gates import Gate

from quipu import AsyncMemory
from quipu.app.workers import duties, worker
from quipu.errors import LanguageFailed
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.language.model import Shape
from quipu.kernel.queue.attempt import Run
from quipu.kinds.episodes.building.rebuild import condense
from quipu.kinds.episodes.building.service import EpisodeWriter
from quipu.kinds.episodes.prompts.model import AgentRequest
from quipu.kinds.episodes.queues import CHUNKER, EPISODES, EXTRACTION
from quipu.kinds.longterm.evaluation.jobs import EVALUATE
from quipu.kinds.plug import Context
from quipu.kinds.transcripts.extract.model import Extraction, Finding, SessionTurn
from quipu.longterm import Edit, Evaluation, Inclusion
from quipu.testing import ScriptedLLM
from quipu.upkeep.answers.answers import Asking, KeptAnswer

pytestmark = pytest.mark.anyio
SPACE, SHARED, PERSON = "team", "planning", "marisolq"
WORDS = ("zanderfeld", "kestrelwick", "drumlanrig", "pellworm")
AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


AGENT: list[Gate] = []


async def answer(asked: AgentRequest) -> str:
    """The agent of these tests says again what it was asked."""
    await AGENT[-1].wait()
    return f"You asked: {asked.prompt} {' '.join(one.content for one in asked.history)}"


class HeldRun(Run):
    """A job that waits before it writes."""

    def __init__(self, run: Run, gate: Gate) -> None:
        super().__init__(run._database, run.job)
        self._run, self._gate = run, gate

    @asynccontextmanager
    async def effect(self) -> AsyncGenerator[SpaceTransaction]:
        await self._gate.wait()
        async with self._run.effect() as tx:
            yield tx


@pytest.fixture
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    """A memory whose agent, and whose evaluations, are near at hand."""
    changed = replace(settings, tuned={**settings.tuned, "agent": f"{__name__}:answer", "longterm_every": 1})
    async with AsyncMemory(settings=changed) as opened:
        yield opened


def said(text: str, minute: int, user: str = PERSON, role: str = "user") -> dict[str, Any]:
    return {
        "role": role,
        "content": text,
        "user": user,
        "speaker": user.title(),
        "time": AT + timedelta(minutes=minute),
    }


async def tell(memory: AsyncMemory) -> None:
    """A conversation of two people."""
    talk = [
        said("Let us plan the zanderfeld festival in zanderfeld. I live in zanderfeld.", 0),
        said("Noted.", 1, "bo", "assistant"),
        said("I bring the chairs and I promise to rent a van on Monday.", 2, "bo"),
        said("Always book the kestrelwick hall for the festival, never the old one!", 3),
        said("I promise to call my doctor in drumlanrig on Friday.", 4),
        said("I agree, the chairs and the van are mine. I live in Porto.", 5, "bo"),
    ]
    await memory.observe(talk, space=SPACE, session=SHARED)


def left(settings: Settings) -> set[tuple[str, str]]:
    return found(settings.database_url or "", [*WORDS, PERSON])


async def forget(memory: AsyncMemory) -> None:
    assert (await memory.forget(space=SPACE, user=PERSON, confirm=True)).receipt


@pytest.mark.parametrize("topic", [CHUNKER, EPISODES, EXTRACTION, EVALUATE])
async def test_a_job_that_has_read_what_is_erased_is_done_again_of_the_rest(
    memory: AsyncMemory, settings: Settings, topic: str
) -> None:
    await tell(memory)
    gate = Gate()
    known = duties()
    handler = known.handlers[topic]

    async def held(context: Context, payload: Mapping[str, Any]) -> None:
        await handler(replace(context, run=HeldRun(context.run, gate)), payload)

    parts = memory._ready
    async with worker(
        parts.database,
        parts.models,
        memory._settings,
        clock=SystemClock(),
        known=replace(known, handlers={**known.handlers, topic: held}),
    ) as hired:
        worked = await gate.meanwhile(hired.burst, lambda: forget(memory))
    assert (worked.failed, left(settings)) == (0, set())
    assert (await memory.work()).failed == 0
    assert left(settings) == set()
    assert found(settings.database_url or "", ["chairs"])


async def test_an_answer_to_a_prompt_that_was_erased_is_not_written(
    memory: AsyncMemory, settings: Settings
) -> None:
    AGENT.append(gate := Gate())
    await tell(memory)
    await memory.conversations.prompt("What do I do in pellworm?", space=SPACE, session=SHARED, user=PERSON)
    worked = await gate.meanwhile(memory.work, lambda: forget(memory))
    assert (worked.failed, left(settings)) == (0, set())


async def test_a_lesson_of_what_is_erased_is_read_again_of_the_rest(
    memory: AsyncMemory, settings: Settings
) -> None:
    """An extractor draws a fact of the words of two people together, and cites one of them."""
    await tell(memory)
    gate = Gate()

    class Drawing:
        name, version = "drawing", 1

        async def extract(self, turns: Sequence[SessionTurn], *, project: str | None = None) -> Extraction:
            await gate.wait()
            (one,) = [turn for turn in turns if "van" in turn.text and "Monday" in turn.text]
            return Extraction(
                (
                    Finding(
                        fact=" ".join(turn.text for turn in turns),
                        category="knowledge",
                        confidence=0.9,
                        turn_index=one.index,
                        excerpt=one.text,
                        message_id=one.message_id,
                    ),
                )
            )

    done = await gate.meanwhile(
        lambda: memory.lessons.extract(space=SPACE, session=SHARED, extractor=Drawing(), again=True),
        lambda: forget(memory),
    )
    assert [one.status for one in done.sessions] == ["done"]
    assert left(settings) == set()
    (lesson,) = await memory.lessons.list(space=SPACE)
    assert "chairs" in lesson.fact


async def test_an_evaluation_of_what_is_erased_is_made_again_of_the_rest(
    memory: AsyncMemory, settings: Settings
) -> None:
    """An evaluator rewords a memory of somebody else with what it has heard."""
    await tell(memory)
    kept = await memory.longterm.add("Bo likes boats.", space=SPACE, user="bo")
    gate = Gate()

    class Rewording:
        name, version = "rewording", 1

        async def evaluate(self, conversation: Any, *, since: int = 0) -> Evaluation:
            await gate.wait()
            heard = " ".join(one.content for one in conversation.recent_conversation)
            new = Inclusion(category="context", importance="low", summary=f"Heard: {heard}", reason="heard")
            edit = Edit(id=kept.id, summary=f"Bo likes boats, and heard: {heard}", reason="heard")
            return Evaluation(inclusions=(new,), edits=(edit,))

    await gate.meanwhile(
        lambda: memory.longterm.evaluate_session(SHARED, space=SPACE, evaluator=Rewording()),
        lambda: forget(memory),
    )
    assert left(settings) == set()
    assert "chairs" in (await memory.longterm.get(kept.id, space=SPACE)).summary


class FailingLLM(ScriptedLLM):
    """A model that waits, and says nothing: rules do its work."""

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate

    async def structured(self, *, instructions: str, text: str, shape: type[Shape], purpose: str) -> Shape:
        await self._gate.wait()
        raise LanguageFailed("It is silent.")


async def test_an_episode_of_what_is_erased_is_written_of_the_rest(
    memory: AsyncMemory, settings: Settings
) -> None:
    await tell(memory)
    await memory.work(topics=[CHUNKER])
    gate, parts = Gate(), memory._ready
    writer = EpisodeWriter(
        parts.database, parts.models, clock=SystemClock(), language=FailingLLM(gate), secrets=True
    )
    await gate.meanwhile(
        lambda: condense(parts.database, writer, space=SPACE, session=SHARED), lambda: forget(memory)
    )
    assert left(settings) == set()


async def test_an_answer_that_may_repeat_what_is_erased_is_not_kept_for_a_repeated_request(
    memory: AsyncMemory, settings: Settings
) -> None:
    await tell(memory)
    asking = Asking(SPACE, "caller", "key", b"." * 32)
    assert await memory.answers.begin(asking) is None
    await forget(memory)
    await memory.answers.keep(asking, KeptAnswer(200, {}, WORDS[0].encode()))
    assert left(settings) == set()


async def test_why_a_job_failed_does_not_repeat_what_is_erased(
    memory: AsyncMemory, settings: Settings, database: Database
) -> None:
    """One has failed before the erasure, one fails after it with what it had read."""
    await tell(memory)
    await memory.observe([said("The van is blue.", 6, "bo")], space=SPACE, session="van")
    gate, known = Gate(), duties()
    tries: list[str] = []

    async def fail(context: Context, payload: Mapping[str, Any]) -> None:
        tries.append(str(payload["session"]))
        if len(tries) > 1:
            await gate.wait()
        raise ValueError(f"{WORDS[0]} is no word.")

    parts = memory._ready
    async with worker(
        parts.database,
        parts.models,
        memory._settings,
        clock=SystemClock(),
        wanted=[CHUNKER],
        concurrency=1,
        known=replace(known, handlers={CHUNKER: fail}, schedules={}),
    ) as hired:
        worked = await gate.meanwhile(hired.burst, lambda: forget(memory))
    assert worked.failed == 2
    assert left(settings) == set()
