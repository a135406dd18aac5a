"""The language model of tests: it says what is written, and remembers what it was asked."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from quipu.errors import BudgetSpent, LanguageFailed
from quipu.kernel.language.scripted import ScriptedCall
from quipu.testing import ScriptedLLM


class Note(BaseModel):
    text: str


async def note(language: ScriptedLLM, text: str) -> str:
    found = await language.structured(instructions="Note.", text=text, shape=Note, purpose="test.note")
    return found.text


async def test_answers_come_in_their_order_and_in_any_form() -> None:
    language = ScriptedLLM([Note(text="a"), {"text": "b"}, '{"text": "c"}', "d"])
    assert [await note(language, text) for text in "xyz"] == ["a", "b", "c"]
    assert await language.say(instructions="Say.", text="x", purpose="test.say") == "d"
    assert [asked.purpose for asked in language.calls] == ["test.note"] * 3 + ["test.say"]
    assert [asked.shape for asked in language.calls] == [Note, Note, Note, None]


async def test_a_function_may_answer_by_what_is_asked() -> None:
    def answer(asked: ScriptedCall) -> Note:
        return Note(text="two" if "second" in asked.text else "one")

    language = ScriptedLLM(answer)
    assert [await note(language, text) for text in ("the second", "the first")] == ["two", "one"]


async def test_an_error_in_the_script_is_raised() -> None:
    language = ScriptedLLM([BudgetSpent(), Note(text="a")])
    with pytest.raises(BudgetSpent):
        await note(language, "x")
    assert await note(language, "x") == "a"


async def test_a_script_that_has_ended_says_for_what() -> None:
    with pytest.raises(LanguageFailed, match=r"no answer left for 'test\.note'"):
        await note(ScriptedLLM(), "x")
