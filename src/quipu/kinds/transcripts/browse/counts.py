"""Counting what recorded sessions hold, as a caller meets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from annotated_types import Interval
from typing_extensions import Doc

from quipu.kernel.base.parameters import Example, Limit, Since, Space, Until
from quipu.kernel.base.scope import check_name, reads_only, time, whole
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.browse.model import (
    TokenUsage,
    ToolUse,
    TouchedFile,
    TranscriptSizes,
    TranscriptStats,
    TranscriptTotals,
)
from quipu.kinds.transcripts.browse.query import optional_text
from quipu.kinds.transcripts.browse.store import SQL, count_unindexed

InProject = Annotated[str | None, Doc("Only projects whose path holds this, in any case."), Example("quipu")]
InSession = Annotated[str | None, Doc("Only sessions whose id begins so."), Example("4f1c")]


class AsyncCounts:
    """Count tools, files and tokens of recorded sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @reads_only
    async def tools(
        self,
        *,
        space: Space,
        project: InProject = None,
        since: Since = None,
        until: Until = None,
        by_project: Annotated[bool, Doc("Count each project on its own.")] = False,
        limit: Limit = 50,
    ) -> Sequence[ToolUse]:
        """Count the calls of each tool, how many failed, and the median time until it answered.

        The most called stands first.
        """
        values: dict[str, Any] = {
            "project": optional_text("project", project),
            "since": time("since", since),
            "until": time("until", until),
            "by_project": by_project,
            "limit": whole("limit", limit),
        }
        async with self._database.list_read(check_name("space", space)) as tx:
            return [] if tx is None else await tx.fetch(ToolUse, SQL["tools"], **values)

    @reads_only
    async def files(
        self,
        *,
        space: Space,
        project: InProject = None,
        session: InSession = None,
        since: Since = None,
        until: Until = None,
        limit: Limit = 20,
    ) -> Sequence[TouchedFile]:
        """List the files that tools worked on, the most changed first, then the most read."""
        values: dict[str, Any] = {
            "project": optional_text("project", project),
            "session": optional_text("session", session),
            "since": time("since", since),
            "until": time("until", until),
            "limit": whole("limit", limit),
        }
        async with self._database.list_read(check_name("space", space)) as tx:
            return [] if tx is None else await tx.fetch(TouchedFile, SQL["files"], **values)

    @reads_only
    async def stats(
        self,
        *,
        space: Space,
        project: InProject = None,
        since: Since = None,
        until: Until = None,
        limit: Annotated[
            int, Doc("The most days with tokens to return, the latest ones."), Interval(ge=1, le=1000)
        ] = 30,
    ) -> TranscriptStats | None:
        """Count sessions, messages, tool calls and lessons of a space, and tokens by day and model.

        Tokens are counted once for each answer of a model. ``project``, ``since`` and ``until`` narrow the
        tokens by day and model, not the totals. There is no answer where nothing was ever taken in.
        """
        values: dict[str, Any] = {
            "project": optional_text("project", project),
            "since": time("since", since),
            "until": time("until", until),
            "days": whole("limit", limit),
        }
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return None
            usage = await tx.fetch(TokenUsage, SQL["usage"], **values)
            (totals,) = await tx.fetch(TranscriptTotals, SQL["totals"])
            (sizes,) = await tx.fetch(TranscriptSizes, SQL["sizes"])
            return TranscriptStats(totals, tuple(usage), sizes, await count_unindexed(tx))
