"""Conversations, as a caller meets them."""

from __future__ import annotations

from typing import get_args

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.outbox import put
from quipu.kernel.redact import redact
from quipu.kinds.episodes.conversing import showing
from quipu.kinds.episodes.conversing.model import Conversation, ConversationStatus, Dialogue, Thread, Topic
from quipu.kinds.episodes.conversing.threads import channel_of
from quipu.kinds.episodes.prompting.asking import AsyncPrompting
from quipu.kinds.episodes.queues import CHUNKER

_MOST = 1_000
_MOST_SHOWN = 10_000
_LONGEST = {"title": 500, "topic": 200}


class AsyncConversations(AsyncPrompting):
    """Conversations: sessions of the record with status, topic and thread, and what each exchange yields.

    A worker reads what ``observe`` took in; without one, ``await memory.work()`` does.
    """

    def __init__(self, database: Database, *, clock: Clock, settings: Settings) -> None:
        super().__init__(database, clock=clock, settings=settings)

    async def listing(
        self,
        *,
        space: str,
        user: str | None = None,
        topic: str | None = None,
        status: ConversationStatus | None = "active",
        limit: int = 50,
        offset: int = 0,
    ) -> list[Conversation]:
        """Conversations, the latest first; ``status=None`` for those that were archived or deleted too.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000, or there is no such status.
        """
        _check_limit(limit)
        _check_status(status)
        values = {"user": optional_name("user", user), "topic": topic, "status": status}
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            return await showing.conversations(within, {**values, "limit": limit, "offset": max(0, offset)})

    async def show(self, session: str, *, space: str) -> Dialogue:
        """A conversation with its messages (their modes too) and its exchanges, up to 10,000 of each.

        Raises:
            NotFound: there is no such session.
        """
        async with self._database.looking(check_name("space", space)) as within:
            found = [] if within is None else await showing.conversations(within, {"session": session})
            if within is None or not found:
                raise _unknown(session)
            messages = await showing.utterances(within, session, limit=_MOST_SHOWN)
            return Dialogue(found[0], messages, await showing.exchanges(within, session, limit=_MOST_SHOWN))

    async def change(
        self,
        session: str,
        *,
        space: str,
        title: str | None = None,
        topic: str | None = None,
        status: ConversationStatus | None = None,
    ) -> Conversation:
        """Set title, topic or status of a conversation; what is not given stays. Secrets are taken out.

        A conversation that is ``deleted`` is not listed, and nothing new of it is read; ``active`` brings it
        back. What was said stays in the record: ``forget(session=...)`` is what erases.

        Raises:
            NotFound: there is no such session.
            BadInput: nothing is given, a text is empty or too long, or there is no such status.
        """
        _check_status(status)
        texts = {name: self._text(name, text) for name, text in (("title", title), ("topic", topic))}
        if status is None and not any(texts.values()):
            raise BadInput("nothing is to be changed.", hint="Give a title, a topic or a status.")
        async with self._database.writing(check_name("space", space)) as within:
            now = self._clock.now()
            if not await showing.change(within, {**texts, "status": status, "session": session, "now": now}):
                raise _unknown(session)
            if status == "active":
                await put(within, CHUNKER, {"session": session}, key=session, session=session)
            return (await showing.conversations(within, {"session": session}))[0]

    async def delete(self, session: str, *, space: str) -> Conversation:
        """Take a conversation out of sight; ``restore`` brings it back. Raises as ``change``."""
        return await self.change(session, space=space, status="deleted")

    async def restore(self, session: str, *, space: str) -> Conversation:
        """Bring a conversation back, and read what came meanwhile. Raises as ``change``."""
        return await self.change(session, space=space, status="active")

    async def threads(
        self, *, space: str, user: str | None = None, session: str | None = None, limit: int = 50
    ) -> list[Thread]:
        """Threads, the latest first; of a person, or of the channel that a session belongs to.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000.
        """
        _check_limit(limit)
        user, session = optional_name("user", user), optional_name("session", session)
        channel = None if session is None else channel_of(session)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            now = self._clock.now()
            return await showing.threads(within, user=user, channel=channel, limit=limit, now=now)

    async def topics(self, *, space: str, user: str | None = None, limit: int = 50) -> list[Topic]:
        """What is talked of, the latest first.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000.
        """
        _check_limit(limit)
        user = optional_name("user", user)
        async with self._database.looking(check_name("space", space)) as within:
            return [] if within is None else await showing.topics(within, user=user, limit=limit)

    async def reread(self, *, space: str, session: str | None = None) -> int:
        """Have exchanges read anew where they were read by others than who would read them now; how many
        sessions that is.

        For when a language model was configured, or the rules have become better. Exchanges keep their ids.
        """
        session = optional_name("session", session)
        async with self._database.writing(check_name("space", space)) as within:
            names = await showing.sessions_read(within, session)
            for name in names:
                await put(within, CHUNKER, {"session": name, "again": True}, key=name, session=name)
        return len(names)

    def _text(self, field: str, text: str | None) -> str | None:
        if text is None:
            return None
        if not text.strip() or len(text) > _LONGEST[field]:
            raise BadInput(f"it can have 1 to {_LONGEST[field]} characters.", field=field)
        return redact(text.strip()).text[: _LONGEST[field]] if self._settings.redact else text.strip()


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= _MOST:
        raise BadInput(f"it can be 1 to {_MOST:,}.", field="limit")


def _check_status(status: str | None) -> None:
    if status is not None and status not in get_args(ConversationStatus):
        raise BadInput(f"{status!r} is no status.", field="status", hint="active, archived or deleted.")


def _unknown(session: str) -> NotFound:
    return NotFound(
        f"There is no conversation {session!r} in this space.", hint="quipu conversations list shows them."
    )
