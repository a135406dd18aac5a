"""The middleware in agents of the real frameworks, whose models answer from a script."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, RunHooks, Runner, Usage, function_tool
from agents.run_config import ModelInputData
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import END, START, StateGraph
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from patience import PATIENCE_SECONDS

from quipu import Memory
from quipu.compat.langchain import agent_middleware, nodes
from quipu.compat.openai_agents import with_memory
from quipu.errors import MissingExtra
from quipu.kernel.config import Settings
from quipu.middleware import Middleware

pytestmark = pytest.mark.anyio


@pytest.fixture
def memory(shared: Settings, tmp_path: Path) -> Iterator[Memory]:
    with Memory(settings=replace(shared, home=tmp_path)) as opened:
        yield opened


@pytest.fixture
def around(memory: Memory, shared: Settings, tmp_path: Path, space: str) -> Iterator[Middleware]:
    """Middleware over a memory that knows of Ana's boat."""
    memory.longterm.add("Has a green boat called Marta", space=space, user="ana", category="favorite_things")
    settings = replace(shared, home=tmp_path)
    with Middleware(
        memory, space=space, user="ana", session="s1", settings=settings, evaluate=False
    ) as middleware:
        yield middleware
    assert middleware.metrics().troubles == {}


def recorded(memory: Memory, space: str, question: str) -> set[str]:
    return {hit.text for hit in memory.recall(question, space=space, kinds=("message",), session="s1")}


class Scripted(Model):
    """A model of the Agents SDK that says what it is to say, and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str | None, Any]] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *args: Any, **kwargs: Any
    ) -> ModelResponse:
        self.asked.append((system_instructions, input))
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def answer(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="1", content=[part], role="assistant", status="completed", type="message")


QUIET = RunConfig(tracing_disabled=True)


async def test_a_run_of_the_agents_sdk_knows_and_is_remembered(
    around: Middleware, memory: Memory, space: str
) -> None:
    @function_tool
    def weather() -> str:
        """Tell the weather."""
        return "Sunny."

    call = ResponseFunctionToolCall(arguments="{}", call_id="c1", name="weather", type="function_call")
    model = Scripted(call, answer("Marta is your green boat."))
    agent = Agent(name="helper", instructions="Be kind.", model=model, tools=[weather])
    result = await Runner.run(agent, "What is my green boat called?", **with_memory(around, run_config=QUIET))
    assert result.final_output == "Marta is your green boat."
    assert len(model.asked) == 2  # with the tool between them
    for instructions, _ in model.asked:
        assert instructions is not None
        assert instructions.startswith("Be kind.\n\n")
        assert "Has a green boat called Marta" in instructions
    assert around.metrics().before["found"] == 1  # once for the run
    assert around.flush(PATIENCE_SECONDS)
    assert recorded(memory, space, "green boat") == {
        "What is my green boat called?",
        "Marta is your green boat.",
    }


async def test_hooks_and_filters_of_one_s_own_are_kept(around: Middleware) -> None:
    heard: list[str] = []

    class Own(RunHooks[Any]):
        async def on_agent_start(self, context: Any, agent: Any) -> None:
            heard.append("start")

        async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            heard.append(f"end {output}")

    def shouted(data: Any) -> ModelInputData:
        return ModelInputData(input=data.model_data.input, instructions="LOUD")

    model = Scripted(answer("Aye."))
    config = RunConfig(tracing_disabled=True, call_model_input_filter=shouted)
    await Runner.run(
        Agent(name="helper", model=model),
        "My green boat?",
        **with_memory(around, run_config=config, hooks=Own()),
    )
    assert heard == ["start", "end Aye."]
    assert model.asked[0][0].startswith("LOUD\n\n<quipu-memory")  # type: ignore[union-attr]


async def test_a_run_does_not_need_memory(shared: Settings, tmp_path: Path, space: str) -> None:
    settings = replace(
        shared, home=tmp_path, database_url="postgresql://x@127.0.0.1:9/x", connect_seconds=0.2
    )
    around = Middleware(space=space, settings=settings)
    model = Scripted(answer("Fine."))
    agent = Agent(name="helper", instructions="Be kind.", model=model)
    result = await Runner.run(agent, "Hello!", **with_memory(around, run_config=QUIET))
    assert result.final_output == "Fine."
    assert model.asked[0][0] == "Be kind."
    around.close(0.0)
    assert around.metrics().before["failed"] == 1


class Talking(BaseChatModel):
    """A chat model of LangChain that says what it is to say, and keeps what it was asked."""

    answers: list[AIMessage]
    asked: list[list[BaseMessage]]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.asked.append(list(messages))
        return ChatResult(generations=[ChatGeneration(message=self.answers.pop(0))])


def weather() -> str:
    """Tell the weather."""
    return "Sunny."


def talking() -> Talking:
    call = AIMessage("", tool_calls=[{"name": "weather", "args": {}, "id": "c1"}])
    return Talking(answers=[call, AIMessage("Marta is your green boat.")], asked=[])


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_agent_of_langchain_knows_and_is_remembered(
    around: Middleware, memory: Memory, space: str, is_async: bool
) -> None:
    model = talking()
    agent = create_agent(model, [weather], system_prompt="Be kind.", middleware=[agent_middleware(around)])
    asked: Any = {"messages": [{"role": "user", "content": "What is my green boat called?"}]}
    done = await agent.ainvoke(asked) if is_async else agent.invoke(asked)
    assert len(model.asked) == 2
    for messages in model.asked:
        assert isinstance(messages[0], SystemMessage)
        assert str(messages[0].content).startswith("Be kind.\n\n")
        assert "Has a green boat called Marta" in str(messages[0].content)
    assert all("quipu-memory" not in str(one.content) for one in done["messages"])
    assert around.metrics().before["found"] == 1
    assert around.flush(PATIENCE_SECONDS)
    assert recorded(memory, space, "green boat") == {
        "What is my green boat called?",
        "Marta is your green boat.",
    }


def test_one_agent_of_langchain_answers_many_people(around: Middleware) -> None:
    model = Talking(answers=[AIMessage("I do not know.")], asked=[])
    bob = around.of(user="bob", session="b")
    agent = create_agent(model, middleware=[agent_middleware(around, whose=lambda runtime: bob)])
    agent.invoke({"messages": [{"role": "user", "content": "What is my green boat called?"}]})
    assert all(not isinstance(one, SystemMessage) for one in model.asked[0])
    assert around.metrics().before["nothing"] == 1


class State(TypedDict):
    messages: list[Any]
    memory: str


async def test_a_graph_has_memory_as_two_nodes(around: Middleware, memory: Memory, space: str) -> None:
    def agent(state: State) -> dict[str, Any]:
        text = "Marta is your green boat." if "Marta" in state["memory"] else "No idea."
        return {"messages": [*state["messages"], AIMessage(text)]}

    known = nodes(around)
    graph = StateGraph(State)
    graph.add_node("recall", known.recall)
    graph.add_node("agent", agent)
    graph.add_node("remember", known.remember)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "agent")
    graph.add_edge("agent", "remember")
    graph.add_edge("remember", END)
    start: Any = {"messages": [HumanMessage("What is my green boat called?", id="m1")], "memory": ""}
    done = await graph.compile().ainvoke(start)
    assert done["messages"][-1].content == "Marta is your green boat."
    assert around.flush(PATIENCE_SECONDS)
    assert recorded(memory, space, "green boat") == {
        "What is my green boat called?",
        "Marta is your green boat.",
    }


@pytest.mark.parametrize(
    ("module", "extra", "make"),
    [
        ("agents", "openai-agents", with_memory),
        ("langchain.agents.middleware", "langgraph", agent_middleware),
    ],
)
def test_what_is_not_installed_is_named(
    around: Middleware, monkeypatch: pytest.MonkeyPatch, module: str, extra: str, make: Any
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"quipu-memory\[{extra}\]"):
        make(around)
