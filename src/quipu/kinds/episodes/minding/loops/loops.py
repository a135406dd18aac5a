"""Open loops as a caller meets them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, Within
from quipu.kinds.episodes.minding import store as minding
from quipu.kinds.episodes.minding.given import one_or_all, words_of
from quipu.kinds.episodes.minding.loops import store
from quipu.kinds.episodes.minding.loops.model import LOOP_KINDS, LOOP_STATES, Loop
from quipu.kinds.episodes.minding.loops.reminding import most_urgent_of
from quipu.record.given import behind, id_of, only, whole

_HINT: Final = "quipu loops list --state all shows them."
_LONGEST_EVIDENCE: Final = 1_000
_OUTCOMES: Final = ("resolved", "dropped")


class AsyncLoops:
    """What was asked, promised, given to do or waited for in conversations, until it is resolved.

    Workers find and resolve loops as conversations go on. Every call names the ``space``. An id is a loop's
    whole id or the beginning of it, at least four digits.
    """

    def __init__(self, database: Database, *, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._clock = clock
        self._settings = settings

    async def listing(
        self,
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
        state: str = "open",
        kind: str | None = None,
        limit: int = 50,
        offset: int = 0,
        after: UUID | str | None = None,
    ) -> list[Loop]:
        """Loops, the latest first: those that are open, those that were (``closed``), or ``all``.

        ``kind``: question, promise, task, waiting or followup. The latest is what was said or closed last.
        ``after`` is the id of a loop: the list goes on behind where it stands now.

        Raises:
            BadInput: an argument cannot be taken.
        """
        wanted = one_or_all("state", state, LOOP_STATES), one_or_all("kind", kind, LOOP_KINDS)
        user, session = optional_name("user", user), optional_name("session", session)
        whole("limit", limit)
        whole("offset", offset, least=0, most=10**9)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            return await store.listed(
                within,
                after=None if after is None else await behind(_one(within, after)),
                state=wanted[0],
                kind=wanted[1],
                user=user,
                session=session,
                limit=limit,
                offset=offset,
            )

    async def get(self, id: UUID | str, *, space: str) -> Loop:
        """The loop with an id.

        Raises:
            NotFound: there is none.
        """
        async with self._database.looking(check_name("space", space)) as within:
            return await _one(within, id)

    async def remind(
        self, *, space: str, user: str | None = None, session: str | None = None, limit: int = 5
    ) -> list[Loop]:
        """The open loops that matter now, the most urgent first.

        What is due comes first; what has no date fades with the weeks since it was last mentioned. Being
        reminded of changes nothing.

        Raises:
            BadInput: an argument cannot be taken.
        """
        user, session = optional_name("user", user), optional_name("session", session)
        whole("limit", limit, most=100)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            now = self._clock.now()
            return await most_urgent_of(within, user=user, session=session, now=now, limit=limit)

    async def close(
        self, id: UUID | str, *, space: str, evidence: str | None = None, outcome: str = "resolved"
    ) -> Loop:
        """Close a loop by hand: it is ``resolved``, or ``dropped``; ``evidence`` says why, in words.

        A loop that is closed already stays as it is.

        Raises:
            NotFound: there is none.
            BadInput: an argument cannot be taken.
        """
        if outcome not in _OUTCOMES:
            raise BadInput(f"it is none of {', '.join(_OUTCOMES)}.", field="outcome")
        secrets = self._settings.redact
        words = evidence and words_of("evidence", evidence, longest=_LONGEST_EVIDENCE, secrets=secrets)
        async with self._database.writing(check_name("space", space)) as within:
            await minding.hold(within)
            one = await _one(within, id)
            now = self._clock.now()
            await store.close(within, one.id, at=now, outcome=outcome, evidence=words or None, message=None)
            return await _one(within, one.id)

    async def reopen(self, id: UUID | str, *, space: str) -> Loop:
        """Open a closed loop again; what closed it is forgotten. One that is open stays as it is.

        Raises:
            NotFound: there is none.
        """
        async with self._database.writing(check_name("space", space)) as within:
            await minding.hold(within)
            one = await _one(within, id)
            await store.reopen(within, one.id)
            return await _one(within, one.id)


async def _one(within: Within | None, id_: UUID | str) -> Loop:
    asked = id_of(id_, what="a loop", hint=_HINT)
    found: UUID | None = asked if isinstance(asked, UUID) else None
    if within is not None and isinstance(asked, str):
        found = only(await store.ids_like(within, asked), asked)
    rows = await store.loops(within, [found]) if within is not None and found is not None else []
    if not rows:
        raise NotFound(f"There is no loop {asked} in this space.", hint=_HINT)
    return rows[0]
