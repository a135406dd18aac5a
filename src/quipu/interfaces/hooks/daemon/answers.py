"""Answers of the service to hooks, and the rules they follow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.interfaces.hooks.agent_writes import instruction
from quipu.interfaces.hooks.client import space_of
from quipu.kernel.base.text import count_words
from quipu.recall.model import Hit
from quipu.recall.render import RuleLine, block
from quipu.recall.terms import DEFAULT, question_terms

_TOKENS = 400
_HITS = 30
_WORTH_TELLING = 0.5  # what nobody asked for is told only where it surely belongs to the prompt


_FEWEST_WORDS: Final = 3
_MOST_CHARACTERS: Final = 2_000
_COMMANDS: Final = ("/", "!", "#")
_SESSIONS, _OF_ONE_SESSION = 64, 500


def asked_space(request: Mapping[str, object]) -> str | None:
    """Return the space of a request: the one that it names, else that of its project."""
    name = request.get("space")
    return name if isinstance(name, str) and name else space_of(request.get("project"))


def question(prompt: object) -> str | None:
    """Return the question to look for: the beginning of a prompt; None for commands and under three words."""
    if not isinstance(prompt, str):
        return None
    text = prompt.strip()
    if text.startswith(_COMMANDS) or count_words(text[:_MOST_CHARACTERS]) < _FEWEST_WORDS:
        return None
    return text[:_MOST_CHARACTERS]


class SeenHits:
    """Hits that each session was told already, so that they are not repeated; of the latest sessions."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, OrderedDict[tuple[str, str], None]] = OrderedDict()

    def forget(self, session: str) -> None:
        """Forget what a session was told: it begins again, and its context is empty."""
        self._sessions.pop(session, None)

    def new(self, session: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits that the session was not told, and did not say itself."""
        known = self._sessions.get(session, OrderedDict())
        return [hit for hit in hits if (hit.kind, hit.id) not in known and hit.source.session != session]

    def tell(self, session: str, hits: Sequence[Hit]) -> None:
        """Note that it was told these."""
        known = self._sessions.setdefault(session, OrderedDict())
        self._sessions.move_to_end(session)
        known.update(dict.fromkeys((hit.kind, hit.id) for hit in hits))
        while len(known) > _OF_ONE_SESSION:
            known.popitem(last=False)
        while len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)


class Answers:
    """Answers from one open memory."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory
        self._told = SeenHits()

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
            rules=[RuleLine(one.line) for one in await self._memory.rules.list(space=space)],
        )
        made = await self._memory.transcripts.bootstrap(
            space=space,
            project=project if isinstance(project, str) and project else None,
            session=session if isinstance(session, str) and session else None,
            budget_tokens=max(1, tokens - left_open.tokens - 1),
        )
        if made.memories:
            await self._memory.lessons.reinforce([one.id for one in made.memories], space=space)
        writes = instruction(session) if request.get("agent-writes") else ""
        return "\n".join(filter(None, (writes, left_open.text, made.text)))

    async def _prompt(self, request: Mapping[str, object], space: str) -> str:
        text, session = question(request.get("prompt")), str(request.get("session") or "")
        if text is None:
            return ""
        recalled = await self._memory.recall(text, space=space, limit=_HITS)
        hits = [hit for hit in self._told.new(session, recalled) if hit.score >= _WORTH_TELLING]
        marks = await self._memory.marks(space=space)
        terms = question_terms(text, [DEFAULT])
        made = block(hits, budget_tokens=_tokens(request), marks=marks, terms=terms)
        self._told.tell(session, made.hits)
        await self._memory.reinforce(made.hits)
        return made.text


def _tokens(request: Mapping[str, object]) -> int:
    value = request.get("budget-tokens", _TOKENS)
    try:
        tokens = int(str(value))
    except ValueError:
        tokens = 0
    if not 1 <= tokens <= 100_000:
        raise BadInput(f"{value!r} is no number of tokens.", field="budget_tokens")
    return tokens
