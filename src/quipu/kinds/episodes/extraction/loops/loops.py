"""Open loops as a caller meets them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import After, Example, Id, Limit, Offset, OnlySession, OnlyUser, Space
from quipu.kernel.base.scope import check_name, optional_name, reads_only, whole
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.episodes.extraction import store as marks
from quipu.kinds.episodes.extraction.arguments import one_or_all, words_of
from quipu.kinds.episodes.extraction.loops import store
from quipu.kinds.episodes.extraction.loops.model import LOOP_KINDS, LOOP_STATES, Loop, LoopKind, Outcome
from quipu.kinds.episodes.extraction.loops.reminders import most_urgent_of
from quipu.record.ids import behind

_LONGEST_EVIDENCE: Final = 1_000
_OUTCOMES: Final = ("resolved", "dropped")


class AsyncLoops:
    """Find and close what was asked, promised, given to do or waited for.

    Workers find loops in conversations, and close them when a later exchange resolves them.
    """

    def __init__(self, database: Database, *, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._clock = clock
        self._settings = settings

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        session: OnlySession = None,
        state: Annotated[Literal["open", "closed", "all"], Doc("Open loops, closed ones, or all.")] = "open",
        kind: Annotated[LoopKind | None, Doc("Only loops of this kind."), Example("promise")] = None,
        limit: Limit = 50,
        offset: Offset = 0,
        after: After = None,
    ) -> Sequence[Loop]:
        """List loops, the latest first.

        The latest is what was said or closed last.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        wanted = one_or_all("state", state, LOOP_STATES), one_or_all("kind", kind, LOOP_KINDS)
        user, session = optional_name("user", user), optional_name("session", session)
        whole("limit", limit)
        whole("offset", offset, least=0, most=10**9)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            return await store.listed(
                tx,
                after=None if after is None else await behind(store.loop(tx, after)),
                state=wanted[0],
                kind=wanted[1],
                user=user,
                session=session,
                limit=limit,
                offset=offset,
            )

    @reads_only
    async def get(self, id: Id, *, space: Space) -> Loop:
        """Show a loop, where it was said, and what closed it.

        Raises:
            NotFound: There is no such loop.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            return await store.loop(tx, id)

    @reads_only
    async def remind(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        session: OnlySession = None,
        limit: Annotated[int, Doc("The most loops to return."), Interval(ge=1, le=100)] = 5,
    ) -> Sequence[Loop]:
        """Show the open loops that matter now, the most urgent first.

        What is due comes first; what has no date matters less with each week since it was last mentioned.
        These are the loops that prompts are told of. Looking changes nothing.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        user, session = optional_name("user", user), optional_name("session", session)
        whole("limit", limit, most=100)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            now = self._clock.now()
            return await most_urgent_of(tx, user=user, session=session, now=now, limit=limit)

    async def close(
        self,
        id: Id,
        *,
        space: Space,
        evidence: Annotated[str | None, Doc("Why it is closed, in words."), Example("She sent it.")] = None,
        outcome: Annotated[
            Outcome, Doc("`resolved`: it came about; `dropped`: nobody wants it any more.")
        ] = "resolved",
    ) -> Loop:
        """Close a loop by hand.

        A loop that is closed already stays as it is. `reopen` opens it again.

        Raises:
            NotFound: There is no such loop.
            BadInput: An argument is invalid; the error names it.
        """
        if outcome not in _OUTCOMES:
            raise BadInput(f"it is none of {', '.join(_OUTCOMES)}.", field="outcome")
        secrets = self._settings.redact
        words = evidence and words_of("evidence", evidence, longest=_LONGEST_EVIDENCE, secrets=secrets)
        async with self._database.write(check_name("space", space)) as tx:
            await marks.hold(tx)
            one = await store.loop(tx, id)
            now = self._clock.now()
            await store.close(tx, one.id, at=now, outcome=outcome, evidence=words or None, message=None)
            return await store.loop(tx, one.id)

    async def reopen(self, id: Id, *, space: Space) -> Loop:
        """Open a closed loop again.

        What closed it is forgotten. A loop that is open stays as it is.

        Raises:
            NotFound: There is no such loop.
        """
        async with self._database.write(check_name("space", space)) as tx:
            await marks.hold(tx)
            one = await store.loop(tx, id)
            await store.reopen(tx, one.id)
            return await store.loop(tx, one.id)
