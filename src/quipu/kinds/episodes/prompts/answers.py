"""Answering: topics ``prompt_queue`` (a prompt goes in) and ``chat_history`` (a conversation goes on)."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast
from uuid import UUID

from anyio import to_thread

from quipu.errors import BadInput, ConfigError, QuipuError
from quipu.kernel.base.prompt_text import without_invisible
from quipu.kernel.language.model import Language
from quipu.kernel.language.prompt import entry, label, latest
from quipu.kernel.queue.model import Payload
from quipu.kinds.episodes.prompts import store
from quipu.kinds.episodes.prompts.model import AgentRequest, ChatMessage
from quipu.kinds.episodes.settings import AGENT, PROMPT_HISTORY, PROMPT_MEMORY_TOKENS
from quipu.kinds.plug import Context
from quipu.record.service import Record

_LONGEST_QUESTION: Final = 4_000


PURPOSE: Final = "episodes.answer"
"""Under which the tokens of a language model are counted."""

_PROMPT: Final = Path(__file__).with_name("prompts") / "answer.md"
_MOST_CHARACTERS: Final = 24_000
_FORM: Final = "It is module:function, such as my_agent:answer."


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """Answer to a prompt, and who gave it."""

    text: str
    by: str


Agent = Callable[[AgentRequest], Awaitable[PromptAnswer]]


@dataclass(frozen=True, slots=True)
class _Task:
    """Prompts to be answered. ``prompts`` wait for it; ``new``: the prompt is not in the record yet."""

    session: str
    user: str | None
    prompt: str
    prompt_message: str
    reply_message: str
    history: Sequence[store.PromptMessage]
    prompts: Sequence[UUID]
    new: bool


async def answer_prompt(context: Context, payload: Payload) -> None:
    """Answer the prompt that the payload names: ``{"prompt": id}``. Nothing is done where it is answered.

    Raises:
        BadInput: the payload names no prompt.
    """
    number = _id(payload)
    async with context.database.snapshot_read(context.space) as tx:
        prompts = [] if tx is None else await store.prompts(tx, id_=number, limit=1)
        if tx is None or not prompts or prompts[0].status != "waiting":
            return
        prompt = prompts[0]
        history = await store.history(tx, prompt.session, limit=tx.settings.of(PROMPT_HISTORY) + 2)
    prompted, replied = f"prompt-{number}", f"reply-{number}"
    before = [one for one in history if one.message not in (prompted, replied)]
    await _do(
        context,
        _Task(prompt.session, prompt.user, prompt.prompt, prompted, replied, before, [number], new=True),
    )


async def continue_chat(context: Context, payload: Payload) -> None:
    """Answer what was said last in the session that the payload names: ``{"session": name}``.

    Nothing is done where the last word is not a user's.

    Raises:
        BadInput: the payload names no session.
    """
    session = payload.get("session")
    if not isinstance(session, str):
        raise BadInput("the job names no session.", field="session", hint='{"session": "s1"}')
    async with context.database.snapshot_read(context.space) as tx:
        if tx is None:
            return
        history = await store.history(tx, session, limit=tx.settings.of(PROMPT_HISTORY))
        waiting = await store.waiting(tx, session)
    spoken = [one for one in history if one.role != "system"]
    last = next((one for one in reversed(spoken) if one.role == "user"), None)
    if last is None:
        return
    replied = f"reply-{hashlib.sha256(last.message.encode()).hexdigest()[:32]}"
    if spoken[-1].message not in (last.message, replied):
        return
    before = [one for one in history if one is not last]
    await _do(
        context,
        _Task(session, last.user, last.content, last.message, replied, before, waiting, new=False),
    )


async def _do(context: Context, task: _Task) -> None:
    """Have it answered, unless it was before this try was cut off; then write it all down.

    The answer stands in the record under an id made from the prompt's, so that it stands there once; the rest
    is the one transaction of the job. Where nobody can answer, only what was asked is written down.
    """
    async with context.database.snapshot_read(context.space) as tx:
        known = None if tx is None else await store.message(tx, task.session, task.reply_message)
    answer = PromptAnswer(known, "an earlier try") if known is not None else await _answered(context, task)
    if known is None:
        await _record(context, task, answer)
    prompts = list(task.prompts)
    async with context.effect() as tx:
        await tx.execute(
            store.SQL["settle"],
            ids=prompts,
            status="no_agent" if answer is None else "answered",
            by=None if answer is None else answer.by,
            prompt_message=task.prompt_message,
            reply_message=task.reply_message,
            now=context.clock.now(),
        )
        await tx.execute(store.SQL["tell"], ids=prompts)


async def _answered(context: Context, task: _Task) -> PromptAnswer | None:
    agent = agent_of(context.settings.of(AGENT), context.language)
    if agent is None:
        return None
    answer = await agent(await _asked(context, task))
    marks = await context.database.marks(context.space)
    if not without_invisible(marks.hear(answer.text).text).strip():
        raise QuipuError(f"{answer.by} returned no answer.", hint="What is empty, or only recalled, is none.")
    return answer


async def _asked(context: Context, task: _Task) -> AgentRequest:
    memory = ""
    if context.recall_block is not None:
        made = await context.recall_block(
            task.prompt[:_LONGEST_QUESTION],
            space=context.space,
            user=task.user,
            budget_tokens=context.settings.of(PROMPT_MEMORY_TOKENS),
            besides=task.prompt_message,
        )
        memory = made.text
    history = [ChatMessage(one.role, one.speaker, one.content) for one in task.history]
    return AgentRequest(task.prompt, context.space, task.session, task.user, history, memory)


async def _record(context: Context, task: _Task, answer: PromptAnswer | None) -> None:
    record = Record(
        context.database,
        context.models,
        clock=context.clock,
        language=context.settings.language,
        redact=context.settings.redact,
        subscribes=context.subscribes,
    )
    messages: list[dict[str, object]] = []
    if task.new:
        messages.append({"id": task.prompt_message, "role": "user", "content": task.prompt})
    if answer is not None:
        messages.append({"id": task.reply_message, "role": "assistant", "content": answer.text})
    if messages:
        await record.observe(
            messages, space=context.space, session=task.session, user=task.user, as_of=context.job.as_of
        )


def _id(payload: Payload) -> UUID:
    try:
        return UUID(str(payload.get("prompt")))
    except ValueError:
        raise BadInput("the job names no prompt.", field="prompt", hint='{"prompt": "its id"}') from None


def agent_of(name: str | None, language: Language | None) -> Agent | None:
    """Return the agent that is configured, None where nobody is.

    Raises:
        ConfigError: ``name`` (QUIPU_AGENT) is no function that can be had.
    """
    if name is not None:
        return partial(_call, named(name), name)
    return None if language is None else partial(_say, language)


def named(name: str) -> Callable[[AgentRequest], Any]:
    """Import the function of a name, for example ``my_agent:answer``.

    Raises:
        ConfigError: there is no such module, or no such function in it.
    """
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise ConfigError(f"QUIPU_AGENT is {name!r}.", hint=_FORM)
    try:
        part_of: object = import_module(module)
        for part in attribute.split("."):
            part_of = getattr(part_of, part)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"QUIPU_AGENT {name!r} cannot be had: {error}.", hint=_FORM) from error
    if not callable(part_of):
        raise ConfigError(f"QUIPU_AGENT {name!r} is no function.", hint=_FORM)
    return cast("Callable[[AgentRequest], Any]", part_of)


async def _call(function: Callable[[AgentRequest], Any], name: str, request: AgentRequest) -> PromptAnswer:
    """Call the function; await it if it is async, else run it in a thread."""
    if inspect.iscoroutinefunction(function):
        said = await function(request)
    else:
        said = await to_thread.run_sync(function, request)
        said = await said if inspect.isawaitable(said) else said
    if not isinstance(said, str):
        raise QuipuError(f"The agent {name} returned no answer.", hint="It returns the answer as text.")
    return PromptAnswer(said, name)


async def _say(language: Language, request: AgentRequest) -> PromptAnswer:
    history = [(line.speaker or line.role, line.content) for line in request.history]
    talk = [*history, (request.user or "user", request.prompt[-_MOST_CHARACTERS:])]
    known = [entry("Memory:", request.memory)] if request.memory else []
    parts = [*known, *(entry(f"{label(who)} wrote:", text) for who, text in talk)]
    said = await language.say(
        instructions=_PROMPT.read_text("utf-8"),
        text=latest(parts, most=_MOST_CHARACTERS),
        purpose=PURPOSE,
    )
    return PromptAnswer(said, f"llm:{language.name}")
