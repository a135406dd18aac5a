"""Who answers a prompt."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from quipu.errors import ConfigError, QuipuError
from quipu.kinds.episodes.prompts.answers import PromptAnswer, agent_of
from quipu.kinds.episodes.prompts.model import AgentRequest, ChatMessage
from quipu.testing import ScriptedLLM

pytestmark = pytest.mark.anyio
ASKED = AgentRequest(
    "And when?", "a", "s", "ana", [ChatMessage("user", None, "I plan a trip.")], "- a memory"
)


async def answered(name: str | None, model: ScriptedLLM | None = None) -> PromptAnswer:
    agent = agent_of(name, model)
    assert agent is not None
    return await agent(ASKED)


@pytest.fixture
def agents(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("agents_of_a_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


async def test_a_function_answers_blocking_or_async(agents: ModuleType) -> None:
    async def later(asked: AgentRequest) -> str:
        return asked.prompt.upper()

    agents.now = lambda asked: f"{asked.memory} {len(asked.history)}"  # type: ignore[attr-defined]
    agents.later = later  # type: ignore[attr-defined]
    assert await answered("agents_of_a_test:now") == PromptAnswer("- a memory 1", "agents_of_a_test:now")
    assert (await answered("agents_of_a_test:later")).text == "AND WHEN?"


async def test_an_agent_that_returns_no_text_is_an_error(agents: ModuleType) -> None:
    agents.silent = lambda _: None  # type: ignore[attr-defined]
    with pytest.raises(QuipuError, match="returned no answer"):
        await answered("agents_of_a_test:silent")


@pytest.mark.parametrize("name", ["nowhere_at_all:f", "json:nothing", "json", ":f", "json:__name__"])
async def test_a_function_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match="QUIPU_AGENT"):
        agent_of(name, None)


async def test_a_language_model_is_told_memory_history_and_prompt() -> None:
    model = ScriptedLLM(["In May."])
    answer = await answered(None, model)
    assert (answer.text, answer.by) == ("In May.", "llm:scripted")
    text = model.calls[0].text
    assert text.index("- a memory") < text.index("I plan a trip.") < text.index("ana wrote: And when?")


def test_where_nobody_is_configured_there_is_no_agent() -> None:
    assert agent_of(None, None) is None
