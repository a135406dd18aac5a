"""Looking into recorded sessions, as a caller meets it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    MOST_PASSED_OVER,
    Confirm,
    Example,
    Limit,
    Matching,
    Offset,
    Since,
    Space,
    Until,
    Words,
)
from quipu.kernel.base.scope import check_name, one_of, reads_only, time, whole
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.browse import compaction, excerpts, indexing, readers, search, store
from quipu.kinds.transcripts.browse.counts import AsyncCounts, InProject, InSession
from quipu.kinds.transcripts.browse.model import (
    PARTS,
    ROLES,
    SORTS,
    CompactedOutput,
    IndexedTexts,
    Part,
    QueryRows,
    QueryTable,
    RecordedSession,
    Role,
    Sort,
    Transcript,
    TranscriptHits,
    TranscriptMatches,
)
from quipu.kinds.transcripts.browse.query import Narrowed, optional_text, several
from quipu.kinds.transcripts.browse.readers import Readers
from quipu.kinds.transcripts.browse.store import SQL
from quipu.recall import filters
from quipu.recall.search import Search
from quipu.record.ids import behind

Sorted = Annotated[Sort, Doc("By relevance, or by time: the latest or the earliest first.")]
Meaning = Annotated[bool, Doc("Search by meaning as well as by words.")]


class AsyncBrowse(AsyncCounts):
    """List, show and search recorded sessions, and ask of them in SQL."""

    def __init__(self, database: Database, *, clock: Clock, search: Search | None = None) -> None:
        super().__init__(database)
        self._readers = Readers(database)
        self._clock = clock
        self._meaning = search

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        project: InProject = None,
        since: Since = None,
        until: Until = None,
        after: Annotated[str | None, Doc("Continue after the session with this id.")] = None,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Sequence[RecordedSession]:
        """List recorded sessions, the latest first, with title, span, counts and tokens.

        Sessions of subagents stand inside the session that called them.

        Raises:
            NotFound: There is no session ``after`` any more.
            BadInput: An argument is out of range.
        """
        values: dict[str, Any] = {
            "after": optional_text("after", after),
            "project": optional_text("project", project),
            "since": time("since", since),
            "until": time("until", until),
            "limit": whole("limit", limit),
            "offset": whole("offset", offset, least=0, most=2**40),
        }
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            if after is not None:
                await behind(_check_session(tx, after))
            chosen = await tx.column(SQL["sessions"], **values)
            return sorted(await store.families(tx, chosen), key=_latest, reverse=True)

    @reads_only
    async def get(
        self,
        session: Annotated[
            str, Doc("The id of the session, or a beginning that no other id has."), Example("s1")
        ],
        *,
        space: Space,
        limit: Annotated[int, Doc("The most lines to return."), Interval(ge=1, le=1000)] = 100,
        offset: Annotated[int, Doc("The number of lines to skip."), Interval(ge=0, le=MOST_PASSED_OVER)] = 0,
    ) -> Transcript:
        """Show a session as it went, the oldest line first.

        Lines are what was said and thought, the tools that were called and what they answered.

        Raises:
            NotFound: There is no such session.
            BadInput: Several ids begin so.
        """
        check_name("session", session)
        whole("limit", limit)
        whole("offset", offset, least=0, most=2**40)
        async with self._database.list_read(check_name("space", space)) as tx:
            number = None if tx is None else await _one_session(tx, session)
            if tx is None or number is None:
                raise NotFound(
                    f"No session of the space {space!r} has a name that begins with {session!r}.",
                    hint="The list of sessions shows them.",
                )
            (seen,) = await store.families(tx, [number])
            lines = await store.readable(tx, number, limit=limit, offset=offset)
            ((total,),) = await tx.rows(SQL["count_readable"], session=number)
        return Transcript(seen, tuple(lines), total)

    async def search(
        self,
        query: Annotated[
            str, Doc("The words to look for."), Words(), Example('"connection refused" -docker')
        ],
        *,
        space: Space,
        project: InProject = None,
        session: InSession = None,
        since: Since = None,
        until: Until = None,
        part: Annotated[
            Part | Sequence[Part] | None,
            Doc("Only there: what was said, thought, given to a tool, or answered by one."),
            Example("said"),
        ] = None,
        role: Annotated[Role | Sequence[Role] | None, Doc("Only of these."), Example("user")] = None,
        tool: Annotated[str | Sequence[str] | None, Doc("Only of these tools."), Example("Bash")] = None,
        errors: Annotated[bool, Doc("Only what failed.")] = False,
        filter: Matching = None,
        sort: Sorted = "relevance",
        meaning: Meaning = True,
        limit: Limit = 10,
    ) -> TranscriptHits:
        """Search recorded sessions for words: what was said and thought, what tools were given and answered.

        All words must be there. Words in quotes stand side by side, as do those that a sign joins
        (``fix-login``, ``src/app.py``); ``login*`` lets a word go on; ``-word`` leaves texts with it out;
        ``OR`` stands between alternatives. No other character means anything. What was synced a moment ago is
        found, too.

        Sorted by relevance, messages that are near in meaning count more, and where the query is nothing but
        words they join without having them.

        ``filter`` sets conditions on the metadata of the message, and on ``model``, ``branch``,
        ``directory`` (in which it was said) and ``sidechain`` (if a subagent said it).

        Raises:
            BadInput: There is no word in the query, or an argument is out of range.
        """
        wanted = search.text_search(
            query,
            narrowed=Narrowed(
                project=optional_text("project", project),
                session=optional_text("session", session),
                since=time("since", since),
                until=time("until", until),
                parts=several("part", part, known=PARTS),
                roles=several("role", role, known=ROLES),
                tools=several("tool", tool),
                errors=errors,
                filter=None if (by := filters.parse(filter)) is None else by.over_metadata,
            ),
            sort=one_of("sort", sort, SORTS),
            limit=whole("limit", limit),
        )
        recall = self._meaning if meaning else None
        return await search.search(self._database, recall, check_name("space", space), wanted)

    async def recall(
        self,
        term: Annotated[
            str,
            Doc("The words to look for, written as for a search."),
            Words(),
            Example("connection refused"),
        ],
        *,
        space: Space,
        turns: Annotated[
            int, Doc("The number of messages to show on each side of a match."), Interval(ge=0, le=100)
        ] = 2,
        characters: Annotated[
            int, Doc("The most characters of each message."), Interval(ge=1, le=1_000_000)
        ] = 2_000,
        project: InProject = None,
        session: InSession = None,
        since: Since = None,
        until: Until = None,
        sort: Sorted = "relevance",
        meaning: Meaning = True,
        limit: Annotated[int, Doc("The most matches to return."), Interval(ge=1, le=200)] = 5,
    ) -> TranscriptMatches:
        """Find messages that have the words, with the messages before and after them.

        Matches that stand near each other are shown as one. A message that only called tools reads
        "[used tools: …]".

        Raises:
            BadInput: There is no word in the term, or an argument is out of range.
        """
        whole("turns", turns, least=0, most=100)
        whole("characters", characters, most=1_000_000)
        whole("limit", limit, most=200)
        hits = await self.search(
            term,
            space=space,
            project=project,
            session=session,
            since=since,
            until=until,
            part=("said", "thinking"),
            sort=sort,
            meaning=meaning,
            limit=limit * excerpts.OVERFETCH,
        )
        return await excerpts.recalled(
            self._database, space, hits, turns=turns, characters=characters, limit=limit
        )

    async def query(
        self,
        sql: Annotated[str, Doc("One select over the views and tables of the schema.")],
        *,
        space: Space,
        limit: Annotated[int, Doc("The most rows to return."), Interval(ge=1, le=100_000)] = 100,
        seconds: Annotated[float, Doc("The most seconds that it may take: 0.01 to 3,600.")] = 10,
        megabytes: Annotated[float, Doc("The most megabytes that may come back: 0.001 to 4,096.")] = 16,
    ) -> QueryRows:
        """Run one ``select`` over recorded sessions, as a role that can only read what is in the space.

        ``truncated`` says that rows are left out, ``cut_by`` which limit did it.

        Raises:
            BadInput: The server refuses the statement, or its first row alone has more than ``megabytes``.
            DatabaseError: It took too long.
        """
        whole("limit", limit, most=100_000)
        if not 0.01 <= seconds <= 3600:
            raise BadInput("0.01 to 3,600.", field="seconds")
        if not 0.001 <= megabytes <= 4096:
            raise BadInput("0.001 to 4,096.", field="megabytes")
        bounds = readers.Bounds(rows=limit, megabytes=megabytes, seconds=seconds)
        return await readers.ask(self._readers, check_name("space", space), sql, bounds)

    @reads_only
    async def schema(
        self,
        table: Annotated[str | None, Doc("Only this view or table."), Example("sessions")] = None,
        *,
        space: Space,
    ) -> Sequence[QueryTable]:
        """List the views and tables that a query in SQL can name, with their columns and what they mean.

        Raises:
            NotFound: There is no such table.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            rows = [] if tx is None else await store.relations(tx)
        if table is None:
            return rows
        named = [one for one in rows if one.name == table.removeprefix("transcripts.")]
        if not named:
            raise NotFound(f"There is no table {table!r}.", hint="The schema lists them.")
        return named

    async def compact(
        self,
        *,
        space: Space,
        older_than_days: Annotated[
            int, Doc("Only output that is older than so many days."), Interval(ge=0, le=36_500)
        ] = 30,
        project: InProject = None,
        confirm: Confirm = False,
    ) -> CompactedOutput:
        """Replace old bulky output of tools by markers that say how long it was.

        What was said stays. What is replaced is gone from the database and is not found any more; when and
        how much is kept in ``tool_results.compacted_at`` and ``compacted_bytes``. Nothing is replaced twice.
        """
        whole("older_than_days", older_than_days, least=0, most=36_500)
        return await compaction.compact(
            self._database,
            check_name("space", space),
            project=optional_text("project", project),
            older_than_days=older_than_days,
            now=self._clock.now(),
            confirm=confirm,
        )

    async def index_texts(
        self,
        *,
        space: Space,
        seconds: Annotated[
            float | None, Doc("The most seconds that it may take; as many as it needs if None.")
        ] = None,
        progress: Annotated[
            Callable[[int], None] | None, Doc("Called with the number of lines of each batch.")
        ] = None,
    ) -> IndexedTexts:
        """Put the texts of lines that were synced since into the text index.

        Searching does not need it, but is quicker after it.
        """
        return await indexing.advance(
            self._database, check_name("space", space), seconds=seconds, progress=progress
        )

    async def unindexed(self, *, space: Space) -> int:
        """Count the lines that the text index does not know yet."""
        return await indexing.left(self._database, check_name("space", space))


def _latest(one: RecordedSession) -> tuple[bool, float, str]:
    return (
        one.last_timestamp is not None,
        one.last_timestamp.timestamp() if one.last_timestamp else 0.0,
        one.id,
    )


async def _check_session(tx: SpaceTransaction, session: str) -> None:
    if not await tx.rows(SQL["session"], session=session):
        raise NotFound(f"There is no session {session!r} in this space.")


async def _one_session(tx: SpaceTransaction, session: str) -> int | None:
    rows = await tx.rows(SQL["named_sessions"], session=session)
    if len(rows) > 1:
        raise BadInput(f"{len(rows)} sessions have a name that begins with {session!r}.", field="session")
    return rows[0][0] if rows else None
