"""Memory around agents of LangChain and graphs of LangGraph (the extra ``langgraph``).

    from quipu.compat.langchain import agent_middleware

    agent = create_agent(model, tools, middleware=[agent_middleware(around)])

A graph of your own has two nodes of it instead: ``nodes(around)``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from quipu.compat.rounds import Rounds
from quipu.errors import MissingExtra
from quipu.middleware import Middleware

if TYPE_CHECKING:
    from langchain.agents.middleware import AgentMiddleware

Whose = Callable[[Any], Middleware]
"""The conversation, from LangGraph: ``lambda runtime: around.of(user=…, session=…)``."""


def agent_middleware(around: Middleware, *, whose: Whose | None = None) -> AgentMiddleware[Any, Any, Any]:
    """Make middleware for ``create_agent``: memory goes into the system message of each model call.

    It is in no state and no checkpoint. The turn is taken in when the agent ends. ``whose`` tells people
    apart where one agent answers many; without it all is of the person and session of ``around``.

    Raises:
        MissingExtra: LangChain is not installed.
    """
    try:
        from langchain.agents.middleware import AgentMiddleware  # noqa: PLC0415 - an optional extra
        from langchain_core.messages import SystemMessage  # noqa: PLC0415 - as above
    except ImportError as error:
        raise MissingExtra("langgraph", "Memory around an agent of LangChain") from error

    rounds = Rounds()

    def chosen(runtime: Any) -> Middleware:
        return whose(runtime) if whose else around

    def informed(request: Any, block: str) -> Any:
        if not block:
            return request
        content = None if request.system_message is None else request.system_message.content
        return request.override(system_message=SystemMessage(content=_with_block(content, block)))

    class QuipuMemory(AgentMiddleware[Any, Any, Any]):
        """Recovers before the model is called; takes the turn in when the agent ends."""

        def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            recalled = rounds.before(chosen(request.runtime), request.messages)
            return handler(informed(request, recalled.block))

        async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            recalled = await rounds.abefore(chosen(request.runtime), request.messages)
            return await handler(informed(request, recalled.block))

        def after_agent(self, state: Any, runtime: Any) -> None:
            rounds.after(chosen(runtime), state["messages"])

        async def aafter_agent(self, state: Any, runtime: Any) -> None:
            self.after_agent(state, runtime)

    return QuipuMemory()


def _with_block(content: Any, block: str) -> Any:
    """Return the content of a system message with the block after it; in a list, as one more part."""
    if isinstance(content, list):
        return [*cast("list[Any]", content), {"type": "text", "text": block}]
    return f"{content}\n\n{block}" if content else block


@dataclass(frozen=True, slots=True)
class Nodes:
    """Two nodes of a graph whose state has ``messages`` and a text ``memory``.

    ``recall`` goes before the model and fills ``memory``, for its prompt; ``remember`` goes after it.
    """

    recall: Callable[[Mapping[str, Any]], dict[str, str]]
    remember: Callable[[Mapping[str, Any]], dict[str, str]]


def nodes(around: Middleware) -> Nodes:
    """Make the nodes for a graph. They are plain functions; an async graph runs them in a thread."""
    rounds = Rounds()

    def recall(state: Mapping[str, Any]) -> dict[str, str]:
        return {"memory": rounds.before(around, _messages(state)).block}

    def remember(state: Mapping[str, Any]) -> dict[str, str]:
        rounds.after(around, _messages(state))
        return {"memory": ""}

    return Nodes(recall, remember)


def _messages(state: Mapping[str, Any]) -> Sequence[object]:
    return cast("Sequence[object]", state.get("messages") or ())
