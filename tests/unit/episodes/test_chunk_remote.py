"""An exchange read by a language model, and by the rules where that fails."""

from __future__ import annotations

import pytest

from quipu.errors import BudgetSpent
from quipu.kinds.episodes.chunking.chunkers import MOST_CHARACTERS, RemoteChunker, chunk
from quipu.kinds.episodes.chunking.model import Talk, Turn
from quipu.kinds.episodes.shapes import Chunk, Gist, Scope
from quipu.testing import ScriptedLLM

pytestmark = pytest.mark.anyio
TALK = Talk([Turn("Ana", "I moved to Porto.", began=True), Turn(None, "Nice!", began=False)])
KEY = "ghp_" + "a1B2" * 9


def answer(content: str) -> Chunk:
    scope = Scope(intent="telling", sentiment="neutral", emotion="calm", confidence=8)
    return Chunk(
        scope=scope, emotion=chunk(TALK).emotion, gists=(Gist(type="fact", content=content, confidence=9),)
    )


async def test_the_model_reads_and_is_told_who_spoke() -> None:
    model = ScriptedLLM([answer("Ana lives in Porto.")])
    (read,) = await RemoteChunker(model).read([TALK])
    assert (read.chunker, read.trouble) == ("llm:scripted", None)
    assert read.chunk.gists[0].content == "Ana lives in Porto."
    assert "Ana: I moved to Porto.\nthe assistant: Nice!" in model.calls[0].text
    assert "call the person Ana" in model.calls[0].turns[0].content


async def test_the_rules_read_what_the_model_fails_at_and_it_shows() -> None:
    model = ScriptedLLM(["no JSON", "none either", BudgetSpent("Spent.")])
    first, second = await RemoteChunker(model).read([TALK, TALK])
    assert {first.chunker, second.chunker} == {"rules"}
    assert first.trouble is not None
    assert "twice" in first.trouble
    assert second.trouble == "Spent."
    assert first.chunk == chunk(TALK)


async def test_nothing_is_asked_where_nobody_wrote_a_word() -> None:
    model = ScriptedLLM([])
    (read,) = await RemoteChunker(model).read([Talk([Turn(None, "🎉🎉", began=True)])])
    assert model.calls == []
    assert (read.chunker, read.chunk.scope.sentiment) == ("rules", "positive")


async def test_secrets_that_a_model_writes_are_cut_out() -> None:
    (read,) = await RemoteChunker(ScriptedLLM([answer(f"The key is {KEY}.")])).read([TALK])
    assert KEY not in read.chunk.model_dump_json()


async def test_a_long_exchange_is_cut() -> None:
    model = ScriptedLLM([answer("x")])
    await RemoteChunker(model).read([Talk([Turn(None, "word " * 50_000, began=True)] * 4)])
    assert len(model.calls[0].text) < MOST_CHARACTERS + 200
