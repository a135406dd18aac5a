"""The messages of a session as agents read and take them: in order, the last ones, taken back, put back."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Interval
from typing_extensions import Doc

from quipu.app.contents import AsyncContents
from quipu.app.kinds import KINDS
from quipu.kernel.base.parameters import Example, OnlySession, Space, TheSession
from quipu.kernel.base.scope import check_name, everybody_only, optional_name, reads_only, whole
from quipu.record import removal
from quipu.record.model import SessionMessage
from quipu.record.removal import EVERY_MESSAGE

MessageId = Annotated[str, Doc("The id of the message."), Example("m-17")]


class AsyncMessages(AsyncContents):
    """Methods of a memory for the messages of one session."""

    @reads_only
    async def messages(
        self,
        session: TheSession,
        *,
        space: Space,
        limit: Annotated[
            int | None, Doc("The most messages; all, if not given."), Interval(ge=1, le=EVERY_MESSAGE)
        ] = None,
        after: Annotated[str | None, Doc("Only messages behind the one with this id.")] = None,
        before: Annotated[str | None, Doc("Only messages before the one with this id.")] = None,
    ) -> list[SessionMessage]:
        """Return the messages of a session in order: the last ``limit``, or the first ``limit`` after one.

        A message that came with an ``item`` has it back as it was, and its text as ``content``.

        Raises:
            BadInput: an argument is out of range.
            NotFound: the session has no message with the id ``after`` or ``before``.
        """
        check_name("space", space)
        check_name("session", session)
        after, before = optional_name("after", after), optional_name("before", before)
        most = EVERY_MESSAGE if limit is None else whole("limit", limit, least=1, most=EVERY_MESSAGE)
        async with self._ready.database.snapshot_read(space) as tx:
            return await removal.listed(tx, session, limit=most, after=after, before=before)

    @reads_only
    async def message(
        self, message: MessageId, *, space: Space, session: OnlySession = None
    ) -> SessionMessage:
        """Return the message with an id; where several sessions have one, that of the latest session.

        Raises:
            NotFound: there is no such message, or it was taken back.
        """
        check_name("message", message)
        session = optional_name("session", session)
        async with self._ready.database.snapshot_read(check_name("space", space)) as tx:
            return await removal.one(tx, message, session=session)

    async def take_last(self, session: TheSession, *, space: Space) -> SessionMessage | None:
        """Take back the last message of a session and return it, if there is one.

        Several who call it at once each get another message. It is gone from every read and from recall at
        once, and can be restored until ``removed_days`` are over. What was derived from it stays: `forget`
        takes that too, for good.
        """
        everybody_only("Taking back a message concerns")
        check_name("session", session)
        return await removal.take_last(
            self._ready.database, session, space=check_name("space", space), now=self._clock.now()
        )

    async def clear(self, session: TheSession, *, space: Space) -> int:
        """Take back all messages of a session and return how many there were.

        They can be restored one by one, as after `take_last`.
        """
        everybody_only("Taking back messages concerns")
        check_name("session", session)
        return await removal.clear(
            self._ready.database, session, space=check_name("space", space), now=self._clock.now()
        )

    async def restore(
        self, message: MessageId, *, space: Space, session: OnlySession = None
    ) -> SessionMessage:
        """Put a message that was taken back at its old place in its session, searchable again.

        Raises:
            NotFound: no message with that id was taken back, or its time is over.
            Conflict: the session has another message with that id by now.
        """
        everybody_only("Taking back a message concerns")
        ready = self._ready
        return await removal.restore(
            ready.database,
            ready.models,
            check_name("message", message),
            space=check_name("space", space),
            session=optional_name("session", session),
            language=self._settings.language,
            follows=[kind.restored for kind in KINDS if kind.restored is not None],
        )
