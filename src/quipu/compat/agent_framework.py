"""History, context and sessions of Microsoft's Agent Framework over a memory.

from quipu.compat.agent_framework import QuipuContextProvider, QuipuHistoryProvider

history = QuipuHistoryProvider(memory, space="desk", user="ana")
recalled = QuipuContextProvider(memory, space="desk", user="ana", stores=False)
agent = Agent(client, context_providers=[history, recalled])
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from quipu.compat.face import AsyncFace
from quipu.errors import NotFound

if TYPE_CHECKING:
    from quipu import AsyncMemory, Memory

_framework: Any = import_module("agent_framework")
_following: Any = import_module("agent_framework._sessions").filter_new_messages

_MOST_ASKED: Final = 10_000  # characters
_NO_SESSION: Final = "default"


class QuipuHistoryProvider(AsyncFace, _framework.HistoryProvider):
    """History of sessions: their messages are messages of a space, and are recalled as others are.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the provider opened itself it closes (``close``, or ``async with``). ``user`` is whose
    the sessions are. ``skip_excluded`` and ``options`` are those of the framework's own providers.

    Messages come back as they were given. Secrets are cut out of them, unless ``verbatim``.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory | str | None = None,
        *,
        space: str = "default",
        user: str | None = None,
        verbatim: bool | None = None,
        source_id: str = "quipu_history",
        skip_excluded: bool = False,
        **options: Any,
    ) -> None:
        AsyncFace.__init__(self, memory, space=space)
        _framework.HistoryProvider.__init__(self, source_id, **options)
        self.skip_excluded = skip_excluded
        self._user = user
        self._verbatim = verbatim

    async def get_messages(
        self,
        session_id: str | None,
        *,
        state: dict[str, Any] | None = None,  # noqa: ARG002 - the framework's
        **_: Any,
    ) -> list[Any]:
        """Return the messages of a session in order."""
        messages = await self._last(session_id, None)
        if self.skip_excluded:
            return [one for one in messages if not one.additional_properties.get("_excluded", False)]
        return messages

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Any],
        *,
        state: dict[str, Any] | None = None,  # noqa: ARG002 - the framework's
        **_: Any,
    ) -> None:
        """Add messages at the end of a session, without those that are its end already: all, or none."""
        if not messages:
            return
        # More of the end cannot be repeated by the messages, and the framework's rule asks for no more.
        standing = await self._last(session_id, len(messages) + 1)
        if new := _following(standing, messages):
            told = [{**_told(one), "item": json.loads(_json(one))} for one in new]
            session = session_id or _NO_SESSION
            await self._do("observe", told, session=session, user=self._user, verbatim=self._verbatim)

    async def _last(self, session_id: str | None, most: int | None) -> list[Any]:
        found = await self._do("messages", session_id or _NO_SESSION, limit=most)
        return [_message(one) for one in found]


class QuipuContextProvider(AsyncFace, _framework.ContextProvider):
    """Context of a run: what is known goes into its instructions, and what was said is taken in.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the provider opened itself it closes (``close``, or ``async with``). ``user`` is the
    person whose memory it is. ``stores`` is False beside a history provider that keeps what was said.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory | str | None = None,
        *,
        space: str = "default",
        user: str | None = None,
        budget_tokens: int = 1_000,
        stores: bool = True,
        source_id: str = "quipu_memory",
    ) -> None:
        AsyncFace.__init__(self, memory, space=space)
        _framework.ContextProvider.__init__(self, source_id)
        self._user = user
        self._budget_tokens = budget_tokens
        self._stores = stores

    async def before_run(
        self,
        *,
        agent: Any,  # noqa: ARG002 - the framework's
        session: Any,  # noqa: ARG002 - as above
        context: Any,
        state: dict[str, Any],  # noqa: ARG002 - as above
    ) -> None:
        """Put what is known of the messages of the user into the instructions."""
        question = "\n".join(one.text for one in context.input_messages if one.role == "user")
        if not question.strip():
            return
        block = await self._do(
            "recall_block", question[-_MOST_ASKED:], budget_tokens=self._budget_tokens, user=self._user
        )
        if block.text:
            context.extend_instructions(self.source_id, block.text)

    async def after_run(
        self,
        *,
        agent: Any,  # noqa: ARG002 - the framework's
        session: Any,  # noqa: ARG002 - as above
        context: Any,
        state: dict[str, Any],  # noqa: ARG002 - as above
    ) -> None:
        """Take in what the user and the agent said."""
        said = [*context.input_messages, *(context.response.messages if context.response else ())]
        told = [_told(one) for one in said if one.role in ("user", "assistant") and one.text.strip()]
        if self._stores and told:
            await self._do("observe", told, session=context.session_id or _NO_SESSION, user=self._user)


class QuipuSessionStore(AsyncFace, _framework.SessionStore):
    """A store of sessions: each is a document, letter for letter.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the store opened itself it closes (``close``, or ``async with``). ``path`` is where the
    sessions stand among the documents. ``user`` is whose they are.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory | str | None = None,
        *,
        space: str = "default",
        path: str = "agent-framework",
        user: str | None = None,
    ) -> None:
        AsyncFace.__init__(self, memory, space=space)
        _framework.SessionStore.__init__(self)
        self._path = path
        self._user = user

    async def get(self, session_id: str) -> Any:
        """Return a copy of a session, None if there is none."""
        self.validate_session_id(session_id)
        try:
            found = await self._do("documents.get", self._path, session_id)
        except NotFound:
            return None
        return _framework.AgentSession.from_dict(json.loads(found.body))

    async def set(self, session_id: str, session: Any) -> None:
        """Write a session, over what stands there."""
        self.validate_session_id(session_id)
        body = json.dumps(session.to_dict())
        await self._do(
            "documents.put", self._path, session_id, body=body, user=self._user, index=False, verbatim=True
        )

    async def delete(self, session_id: str) -> None:
        """Take a session away, if it is there."""
        self.validate_session_id(session_id)
        try:
            await self._do("documents.delete", self._path, session_id)
        except NotFound:
            return


def _told(message: Any) -> dict[str, Any]:
    return {"role": message.role, "content": message.text, "speaker": message.author_name}


def _json(message: Any) -> str:
    """Return a message as JSON; a value of another type in it as text."""
    return json.dumps(message.to_dict(), default=str)


def _message(found: Any) -> Any:
    """Return a message of the framework; one that did not come as an item is its role and text."""
    if found.item is None:
        return _framework.Message(found.role, [found.content])
    return _framework.Message.from_dict(dict(found.item))
