"""Saying which message replaces which, and taking it back."""

from __future__ import annotations

from typing import Annotated

from typing_extensions import Doc

from quipu.app.erasure import AsyncErasures
from quipu.errors import NotFound
from quipu.kernel.base.parameters import Example, Reason, Space
from quipu.kernel.base.scope import check_name, reads_only
from quipu.kernel.db.database import SpaceTransaction
from quipu.record import relations, replacements
from quipu.record.relations import Link
from quipu.record.replacements import Named, Replacement

Newer = Annotated[str, Doc("The id of the message that holds now."), Example("m2")]
Older = Annotated[str, Doc("The id of the earlier message that it replaces."), Example("m1")]
OfNewer = Annotated[
    str | None, Doc("The session of the newer message, where several have its id."), Example("s1")
]
OfOlder = Annotated[
    str | None, Doc("The session of the older message, where several have its id."), Example("s1")
]


class AsyncRelations(AsyncErasures):
    """Methods of a memory that link statements with those that they replace."""

    async def relate(
        self,
        newer: Newer,
        older: Older,
        *,
        space: Space,
        newer_session: OfNewer = None,
        older_session: OfOlder = None,
        reason: Reason = None,
    ) -> Replacement:
        """Say that a message replaces an earlier one, and return the link.

        Nothing is hidden: the older message stays and is found. A link that was removed holds again. Adding
        one again changes nothing but the reason.

        Raises:
            NotFound: there is no such message in the space.
            Conflict: the older message replaces the newer one already, perhaps by way of others.
            BadInput: both are the same, the older one was said later, or several messages have that id.
        """
        why = replacements.reason_of(reason, secrets=self._settings.redact)
        async with self._ready.database.write(check_name("space", space)) as tx:
            ends = await _ends(tx, Named("newer", newer, newer_session), Named("older", older, older_session))
            await replacements.check(tx, *ends)
            link = Link(*ends, reason=why)
            await relations.add(tx, [link], now=self._clock.now(), made_by="person")
            return await replacements.one(tx, *ends)

    async def unrelate(
        self,
        newer: Newer,
        older: Older,
        *,
        space: Space,
        newer_session: OfNewer = None,
        older_session: OfOlder = None,
    ) -> Replacement:
        """Take back that a message replaces an earlier one, and return the link as it is kept.

        Both messages stay. The link is shown as removed, and no rule makes it again.

        Raises:
            NotFound: there is no such message in the space, or no link between the two that holds.
            BadInput: several messages have that id.
        """
        async with self._ready.database.write(check_name("space", space)) as tx:
            ends = await _ends(tx, Named("newer", newer, newer_session), Named("older", older, older_session))
            if not await relations.remove(tx, *ends, now=self._clock.now()):
                raise NotFound(
                    "The newer message does not replace the older one.",
                    hint="The relations of a message show what it replaces.",
                )
            return await replacements.one(tx, *ends)

    @reads_only
    async def relations(
        self,
        message: Annotated[str, Doc("The id of the message."), Example("m1")],
        *,
        space: Space,
        session: Annotated[str | None, Doc("Its session, where several have its id."), Example("s1")] = None,
    ) -> list[Replacement]:
        """Return the replacement links of a message, both ways, oldest first, removed ones included.

        Raises:
            NotFound: there is no such message in the space.
            BadInput: several messages have that id.
        """
        async with self._ready.database.snapshot_read(check_name("space", space)) as tx:
            if tx is None:
                raise NotFound("There is nothing in this space.", hint="Is its name spelled so?")
            number = await replacements.find(tx, Named("message", message, session))
            return await replacements.every(tx, number)


async def _ends(tx: SpaceTransaction, newer: Named, older: Named) -> tuple[int, int]:
    return await replacements.find(tx, newer), await replacements.find(tx, older)
