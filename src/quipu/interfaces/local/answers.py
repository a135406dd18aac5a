"""Answers of the service to hooks."""

from __future__ import annotations

from collections.abc import Mapping

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.interfaces.local.rules import Told, asked_space, question
from quipu.recall.render import block

_TOKENS = 400
_HITS = 30
_WORTH_TELLING = 0.5  # what nobody asked for is told only where it surely belongs to the prompt


class Answers:
    """Answers from one open memory."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory
        self._told = Told()

    async def answer(self, request: Mapping[str, object]) -> str:
        """Return the text for the agent; "" if there is nothing to say.

        Raises:
            BadInput: what was asked cannot be understood.
        """
        space = asked_space(request)
        if space is None:
            return ""
        match request.get("do"):
            case "session-start":
                return await self._session_start(request, space)
            case "prompt":
                return await self._prompt(request, space)
            case other:
                raise BadInput(f"{other!r} is nothing that a hook asks.", field="do")

    async def _session_start(self, request: Mapping[str, object], space: str) -> str:
        session, project = request.get("session"), request.get("project")
        if isinstance(session, str):
            self._told.forget(session)
        tokens = _tokens(request)
        left_open = block(
            (),
            budget_tokens=tokens,
            marks=await self._memory.marks(space=space),
            reminders=await self._memory.reminders(space=space),
        )
        made = await self._memory.transcripts.bootstrap(
            space=space,
            project=project if isinstance(project, str) and project else None,
            session=session if isinstance(session, str) and session else None,
            budget_tokens=max(1, tokens - left_open.tokens - 1),
        )
        if made.memories:
            await self._memory.lessons.reinforce([one.id for one in made.memories], space=space)
        return "\n".join(filter(None, (left_open.text, made.text)))

    async def _prompt(self, request: Mapping[str, object], space: str) -> str:
        asked, session = question(request.get("prompt")), str(request.get("session") or "")
        if asked is None:
            return ""
        found = await self._memory.recall(asked, space=space, limit=_HITS)
        hits = [hit for hit in self._told.new(session, found) if hit.score >= _WORTH_TELLING]
        marks = await self._memory.marks(space=space)
        made = block(hits, budget_tokens=_tokens(request), marks=marks)
        self._told.tell(session, made.hits)
        await self._memory.reinforce(made.hits)
        return made.text


def _tokens(request: Mapping[str, object]) -> int:
    given = request.get("tokens", _TOKENS)
    try:
        tokens = int(str(given))
    except ValueError:
        tokens = 0
    if not 1 <= tokens <= 100_000:
        raise BadInput(f"{given!r} is no number of tokens.", field="tokens")
    return tokens
