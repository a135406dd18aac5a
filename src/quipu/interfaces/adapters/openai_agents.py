"""Memory around a run of the OpenAI Agents SDK (the extra ``openai-agents``).

from quipu.interfaces.adapters.openai_agents import with_memory

result = await Runner.run(agent, "What shall I cook?", **with_memory(around))
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

from quipu.errors import MissingExtra
from quipu.interfaces.middleware import prompt
from quipu.interfaces.middleware.middleware import Middleware
from quipu.interfaces.middleware.model import Recalled

if TYPE_CHECKING:
    from agents import Agent, RunConfig, RunHooks
    from agents.run_config import CallModelData, ModelInputData


class Arguments(TypedDict):
    """Arguments of ``Runner.run``, ``run_sync`` and ``run_streamed``."""

    run_config: RunConfig
    hooks: RunHooks[Any]


def with_memory(
    around: Middleware, *, run_config: RunConfig | None = None, hooks: RunHooks[Any] | None = None
) -> Arguments:
    """Make the arguments that put memory around one run; make them again for each.

    Recalled memory is added to the instructions of the model, once for the message that the run answers. The
    turn is taken in when the run has its final output. Your own ``run_config`` and ``hooks`` are kept.

    Raises:
        MissingExtra: the SDK is not installed.
    """
    try:
        from agents import RunConfig, RunHooks  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise MissingExtra("openai-agents", "Memory around the OpenAI Agents SDK") from error

    inner = hooks or RunHooks()
    config = run_config or RunConfig()
    turn = _Turn(around, config)

    class Hooks(RunHooks[Any]):
        """The caller's hooks, and the end of the turn."""

        def __getattribute__(self, name: str) -> Any:
            if name.startswith("on_") and name != "on_agent_end":
                return getattr(inner, name)
            return super().__getattribute__(name)

        async def on_agent_end(self, context: Any, agent: Agent[Any], output: Any) -> None:
            turn.end(output)
            await inner.on_agent_end(context, agent, output)

    return Arguments(run_config=replace(config, call_model_input_filter=turn.informed), hooks=Hooks())


class _Turn:
    """One run: its message, and what was recovered for it."""

    def __init__(self, around: Middleware, config: RunConfig) -> None:
        self._around = around
        self._filter = config.call_model_input_filter
        self._message = ""
        self._recalled: Recalled | None = None

    async def informed(self, data: CallModelData[Any]) -> ModelInputData:
        """Return the input of the model, with recalled memory in its instructions."""
        if self._recalled is None:
            self._message = prompt.message_of(data.model_data.input) or ""
            self._recalled = await self._around.abefore(data.model_data.input)
        filtered = await self._filtered(data)
        texts = [text for text in (filtered.instructions, self._recalled.block) if text]
        return replace(filtered, instructions="\n\n".join(texts) or None)

    async def _filtered(self, data: CallModelData[Any]) -> ModelInputData:
        """Return the input after the caller's own filter."""
        if self._filter is None:
            return data.model_data
        made = self._filter(data)
        return await made if inspect.isawaitable(made) else made

    def end(self, output: object) -> None:
        """End the turn with the final output of the run."""
        if self._recalled is not None:
            answer = output if prompt.text_of(output) is not None else str(output)
            self._around.after(self._message, answer, recalled=self._recalled)
