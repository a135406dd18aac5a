"""A session of the OpenAI Agents SDK, and memory around its runs (the extra ``openai-agents``).

from quipu.compat.openai_agents import Session, with_memory

result = await Runner.run(agent, "What shall I cook?", session=Session("chat-17"), **with_memory(around))
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, cast

from quipu.compat.face import BlockingFace
from quipu.errors import MissingExtra
from quipu.middleware import Middleware, Recalled, message_of, text_of

if TYPE_CHECKING:
    from agents import Agent, RunConfig, RunHooks, TResponseInputItem
    from agents.memory import SessionSettings
    from agents.run_config import CallModelData, ModelInputData

    from quipu import AsyncMemory, Memory


class Session(BlockingFace):
    """A session of the SDK: its items are messages of a session in a space, and are recalled as others are.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the session opened itself it closes (``close``, or ``async with``).

    Items come back as they were given. Secrets are cut out of them, unless the session is ``verbatim``.
    """

    def __init__(
        self,
        session_id: str,
        memory: AsyncMemory | Memory | str | None = None,
        *,
        space: str = "default",
        user: str | None = None,
        verbatim: bool | None = None,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        """Name the session; nothing is opened yet.

        Raises:
            MissingExtra: the SDK is not installed.
        """
        try:
            from agents.memory import SessionSettings  # noqa: PLC0415 - an optional extra
            from agents.memory.session_settings import coerce_session_settings  # noqa: PLC0415 - as above
        except ImportError as error:
            raise MissingExtra("openai-agents", "A session of the OpenAI Agents SDK") from error
        self.session_id = session_id
        self.session_settings: SessionSettings | None = coerce_session_settings(
            SessionSettings() if session_settings is None else session_settings
        )
        super().__init__(memory, space=space)
        self._user = user
        self._verbatim = verbatim

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items in order: the last ``limit``, or as many as the settings say, or all."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        if limit == 0:
            return []
        most = None if limit is None or limit < 0 else limit
        return [_item(one) for one in await self._do("messages", self.session_id, limit=most)]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end: all of them, or none."""
        if items:
            await self._do(
                "observe",
                [{"item": item} for item in items],
                session=self.session_id,
                user=self._user,
                verbatim=self._verbatim,
                index="later",
            )

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the last item and return it; callers at once each get another. None if there is none."""
        taken = await self._do("take_last", self.session_id)
        return None if taken is None else _item(taken)

    async def clear_session(self) -> None:
        """Remove all items."""
        await self._do("clear", self.session_id)


def _item(message: Any) -> TResponseInputItem:
    """Return a message as an item; one that did not come as an item is its role and text."""
    if message.item is not None:
        return message.item
    return cast("TResponseInputItem", {"role": message.role, "content": message.content})


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
            self._message = message_of(data.model_data.input) or ""
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
            answer = output if text_of(output) is not None else str(output)
            self._around.after(self._message, answer, recalled=self._recalled)
