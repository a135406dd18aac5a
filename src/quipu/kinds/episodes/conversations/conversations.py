"""Conversations, as a caller meets them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal, get_args

from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    MOST_PASSED_OVER,
    Example,
    Limit,
    Offset,
    OnlySession,
    OnlyUser,
    Space,
    TheSession,
)
from quipu.kernel.base.scope import check_name, optional_name, reads_only, whole
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.outbox import put
from quipu.kernel.redact import redact
from quipu.kinds.episodes.conversations import store
from quipu.kinds.episodes.conversations.exchanges import channel_of
from quipu.kinds.episodes.conversations.model import (
    Conversation,
    ConversationStatus,
    Dialogue,
    Exchange,
    Thread,
    Topic,
    Utterance,
)
from quipu.kinds.episodes.prompts.prompts import AsyncPrompts
from quipu.kinds.episodes.queues import CHUNKER

_MOST_SHOWN: Final = 10_000
_LONGEST: Final = {"title": 500, "topic": 200}


class AsyncConversations(AsyncPrompts):
    """Look up conversations: sessions with a status, a topic and a thread, and what each exchange yields.

    A worker reads what ``observe`` took in; without one, ``await memory.work()`` does.
    """

    def __init__(self, database: Database, *, clock: Clock, settings: Settings) -> None:
        super().__init__(database, clock=clock, settings=settings)

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        topic: Annotated[str | None, Doc("Only conversations about this topic."), Example("travel")] = None,
        status: Annotated[
            ConversationStatus | Literal["all"], Doc("Only conversations with this status, or all.")
        ] = "active",
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Sequence[Conversation]:
        """List conversations, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        whole("limit", limit)
        whole("offset", offset, least=0, most=MOST_PASSED_OVER)
        only = None if status == "all" else _checked(status)
        user = optional_name("user", user)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            return await store.conversations(
                tx, user=user, topic=topic, status=only, limit=limit, offset=offset
            )

    @reads_only
    async def get(self, session: TheSession, *, space: Space) -> Dialogue:
        """Show a conversation with its messages and exchanges, the oldest first, up to 10,000 of each.

        Raises:
            NotFound: There is no such conversation.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            rows = [] if tx is None else await store.conversations(tx, session=session)
            if tx is None or not rows:
                raise _unknown(session)
            messages = await tx.fetch(
                Utterance, store.SQL["utterances"], session=session, after=0, limit=_MOST_SHOWN
            )
            exchanges = await tx.fetch(Exchange, store.SQL["exchanges"], session=session, limit=_MOST_SHOWN)
            return Dialogue(rows[0], messages, exchanges)

    async def edit(
        self,
        session: TheSession,
        *,
        space: Space,
        title: Annotated[str | None, Doc("A new title."), Example("The move to Lisbon")] = None,
        topic: Annotated[str | None, Doc("A new topic."), Example("travel")] = None,
        status: Annotated[
            ConversationStatus | None, Doc("A new status; nothing new is read where it is `deleted`.")
        ] = None,
    ) -> Conversation:
        """Change the title, topic or status of a conversation.

        What is not given stays. Secrets are taken out. The messages stay, whatever the status;
        `forget` erases them.

        Raises:
            NotFound: There is no such conversation.
            BadInput: Nothing is given, or an argument is invalid; the error names it.
        """
        if status is not None:
            _checked(status)
        texts = {name: self._text(name, text) for name, text in (("title", title), ("topic", topic))}
        if status is None and not any(texts.values()):
            raise BadInput("nothing is to be changed.", hint="Give a title, a topic or a status.")
        async with self._database.write(check_name("space", space)) as tx:
            now = self._clock.now()
            if not await tx.execute(store.SQL["change"], session=session, status=status, now=now, **texts):
                raise _unknown(session)
            if status == "active":
                await put(tx, CHUNKER, {"session": session}, key=session, session=session)
            return (await store.conversations(tx, session=session))[0]

    async def archive(self, session: TheSession, *, space: Space) -> Conversation:
        """Archive a conversation, so that it is not listed any more.

        Nothing is lost, and what is said there is still read; `unarchive` brings it back.

        Raises:
            NotFound: There is no such conversation.
        """
        return await self.edit(session, space=space, status="archived")

    async def unarchive(self, session: TheSession, *, space: Space) -> Conversation:
        """Bring an archived or deleted conversation back, and read what was said meanwhile.

        Raises:
            NotFound: There is no such conversation.
        """
        return await self.edit(session, space=space, status="active")

    @reads_only
    async def threads(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        session: Annotated[
            str | None, Doc("Only threads of the channel of this session."), Example("s1")
        ] = None,
        limit: Limit = 50,
    ) -> Sequence[Thread]:
        """List threads, the latest first: runs of exchanges in a channel without a long pause.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        whole("limit", limit)
        user, session = optional_name("user", user), optional_name("session", session)
        channel = None if session is None else channel_of(session)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            now = self._clock.now()
            return await store.threads(tx, user=user, channel=channel, limit=limit, now=now)

    @reads_only
    async def topics(self, *, space: Space, user: OnlyUser = None, limit: Limit = 50) -> Sequence[Topic]:
        """List topics of conversation, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        whole("limit", limit)
        user = optional_name("user", user)
        async with self._database.list_read(check_name("space", space)) as tx:
            return (
                [] if tx is None else await tx.fetch(Topic, store.SQL["list_topics"], user=user, limit=limit)
            )

    async def reread(self, *, space: Space, session: OnlySession = None) -> int:
        """Have exchanges read again by the present reader, and return of how many sessions.

        Use it when a language model was configured, or the rules have become better. Exchanges that the
        present reader has read are left alone; all keep their ids. A worker does it.
        """
        session = optional_name("session", session)
        async with self._database.write(check_name("space", space)) as tx:
            names = await store.sessions_read(tx, session)
            for name in names:
                await put(tx, CHUNKER, {"session": name, "again": True}, key=name, session=name)
        return len(names)

    def _text(self, field: str, text: str | None) -> str | None:
        if text is None:
            return None
        if not text.strip() or len(text) > _LONGEST[field]:
            raise BadInput(f"it can have 1 to {_LONGEST[field]} characters.", field=field)
        return redact(text.strip()).text[: _LONGEST[field]] if self._settings.redact else text.strip()


def _checked(status: str) -> str:
    if status not in get_args(ConversationStatus):
        raise BadInput(f"{status!r} is no status.", field="status", hint="active, archived or deleted.")
    return status


def _unknown(session: str) -> NotFound:
    return NotFound(
        f"There is no conversation {session!r} in this space.", hint="The list of conversations shows them."
    )
