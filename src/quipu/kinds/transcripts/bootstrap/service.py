"""The briefing of an agent when a session begins, as a caller meets it."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final

from annotated_types import Interval
from typing_extensions import Doc

from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Example, Space
from quipu.kernel.base.scope import check_name, optional_name, whole
from quipu.kernel.base.text import Marks
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.bootstrap import rules
from quipu.kinds.transcripts.bootstrap.model import (
    Bootstrap,
    FrequentFile,
    KnownFacts,
    KnownLesson,
    OpenTask,
    RecentSession,
)
from quipu.kinds.transcripts.lessons.index import CODE, filed
from quipu.kinds.transcripts.settings import ARCHIVE_BELOW, HALF_LIFE_DAYS, LASTING, LASTING_IN_PROJECTS
from quipu.recall.model import Filters
from quipu.recall.search import Search

_SQL: Final = queries.load("quipu.kinds.transcripts.bootstrap")
_EDITING: Final = ("Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch")
_FILES_OF_DAYS: Final = 90
_MOST, _MOST_TOKENS = 100, 100_000


class AsyncBootstrap:
    """Tells what an agent should know when a session begins."""

    def __init__(self, database: Database, *, search: Search, clock: Clock) -> None:
        self._database = database
        self._search = search
        self._clock = clock

    async def bootstrap(
        self,
        *,
        space: Space,
        query: Annotated[
            str | None,
            Doc("Pick the lessons by what they mean; without it the surest come."),
            Example("tests"),
        ] = None,
        project: Annotated[
            str | None, Doc("Only of this project: its path, or the last part of it."), Example("quipu")
        ] = None,
        session: Annotated[
            str | None, Doc("Leave this session out: it is the one that begins."), Example("s2")
        ] = None,
        limit: Annotated[int, Doc("The most of each kind."), Interval(ge=1, le=_MOST)] = 10,
        budget_tokens: Annotated[int, Doc("The most tokens in all."), Interval(ge=1, le=_MOST_TOKENS)] = 400,
    ) -> Bootstrap:
        """Show the memories that an agent should know when a session begins.

        It is told recent sessions, lessons, files often edited and open tasks, as lists and as text for a
        prompt. The text is marked as recalled memory, so that it is not taken in again when it comes back in
        a transcript.

        Raises:
            BadInput: An argument is out of range.
        """
        check_name("space", space)
        project, session = optional_name("project", project), optional_name("session", session)
        whole("limit", limit, most=_MOST)
        whole("budget_tokens", budget_tokens, most=_MOST_TOKENS)
        async with filed(self._database, self._search.models, space) as tx:
            known = KnownFacts() if tx is None else await self._known(tx, query, project, session, limit)
            marks = Marks.of_nobody() if tx is None else await tx.marks()
        return rules.fit(known, budget_tokens=budget_tokens, marks=marks, project=project)

    async def _known(
        self, tx: SpaceTransaction, query: str | None, project: str | None, session: str | None, limit: int
    ) -> KnownFacts:
        now = self._clock.now()
        folder = None if project is None else project.rstrip("/\\") or "/"
        by_meaning = query is not None and bool(query.strip())
        values: dict[str, Any] = {
            "project": folder,
            "below": f"{folder}/",
            "named": f"/{folder}",
            "session": session,
            "limit": limit,
            "now": now,
            "lasting": [*LASTING],
            "in_projects": [*LASTING_IN_PROJECTS],
            "half_life_days": tx.settings.of(HALF_LIFE_DAYS),
            "since": now - timedelta(days=_FILES_OF_DAYS),
            "editing": list(_EDITING),
            "entries": Int8s(await self._meant(tx, query or "", limit)) if by_meaning else None,
        }
        least = tx.settings.of(ARCHIVE_BELOW)
        lessons = await tx.fetch(KnownLesson, _SQL["lessons"], **values)
        return KnownFacts(
            sessions=await tx.fetch(RecentSession, _SQL["activity"], **values),
            memories=[one for one in lessons if one.confidence >= least],
            frequent_files=await tx.fetch(FrequentFile, _SQL["files"], **values),
            todos=await tx.fetch(OpenTask, _SQL["todos"], **values),
        )

    async def _meant(self, tx: SpaceTransaction, query: str, limit: int) -> list[int]:
        """Return the entries of lessons that a query means, best first: more than are shown."""
        filters = Filters(kinds=(CODE,))
        ((_, hits),) = await self._search.find(tx, [query], filters=filters, limit=3 * limit)
        return [one.id for one in hits]
