"""Looking into recorded sessions, as a caller meets it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name
from quipu.kernel.db.database import Database, Within
from quipu.kinds.transcripts.seeing import asking, compacting, indexing, recalling, searching, store
from quipu.kinds.transcripts.seeing.asked import Narrowed, optional_text, several
from quipu.kinds.transcripts.seeing.model import (
    PARTS,
    ROLES,
    SORTS,
    Answer,
    Compacted,
    Indexed,
    Part,
    Recalled,
    Relation,
    Role,
    Searched,
    Seen,
    ShownSession,
    Sort,
    Stats,
    ToolUse,
    Touched,
)
from quipu.kinds.transcripts.seeing.reader import Readers
from quipu.recall.search import Search
from quipu.record.given import behind, time, whole


class AsyncSeeing:
    """Lists, shows, searches and counts the recorded sessions of a database.

    ``project`` is part of a path, in any case; ``session`` the beginning of a name; ``since`` is included and
    ``until`` is not. Sessions, lines and calls are those of one space.
    """

    def __init__(self, database: Database, *, clock: Clock, search: Search | None = None) -> None:
        self._database = database
        self._readers = Readers(database)
        self._clock = clock
        self._meaning = search

    async def sessions(
        self,
        *,
        space: str,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        after: str | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> list[Seen]:
        """Sessions, the latest first, with title, span, counts and tokens; subagents inside their parents.

        ``after``: the id of a session; only those that stand behind it in this order.

        Raises:
            BadInput: an argument cannot be taken, or there is no session ``after`` any more.
        """
        values = {
            "after": optional_text("after", after),
            "project": optional_text("project", project),
            "since": time("since", since),
            "until": time("until", until),
            "limit": whole("limit", limit),
            "offset": whole("offset", offset, least=0, most=2**40),
        }
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            if after is not None:
                await behind(_known(within, after))
            chosen = await store.numbers(within, "sessions", values)
            return sorted(await store.families(within, chosen), key=_latest, reverse=True)

    async def show(self, session: str, *, space: str, limit: int = 100, offset: int = 0) -> ShownSession:
        """A session as it went: what was said and thought, the tools that were called and what they answered.

        ``session`` is its name, or a beginning that no other name has.

        Raises:
            NotFound: there is no such session in the space.
            BadInput: several names begin so.
        """
        check_name("session", session)
        whole("limit", limit)
        whole("offset", offset, least=0, most=2**40)
        async with self._database.looking(check_name("space", space)) as within:
            number = None if within is None else await _one_session(within, session)
            if within is None or number is None:
                raise NotFound(
                    f"No session of the space {space!r} has a name that begins with {session!r}.",
                    hint="The list of sessions shows them.",
                )
            (seen,) = await store.families(within, [number])
            lines = await store.readable(within, number, limit=limit, offset=offset)
            (total,) = await store.numbers(within, "count_readable", {"session": number})
        return ShownSession(seen, tuple(lines), total)

    async def search(
        self,
        query: str,
        *,
        space: str,
        project: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        part: Part | Iterable[Part] | None = None,
        role: Role | Iterable[Role] | None = None,
        tool: str | Iterable[str] | None = None,
        errors: bool = False,
        sort: Sort = "relevance",
        meaning: bool = True,
        limit: int = 10,
    ) -> Searched:
        """Texts that have the words of the query: what was said and thought, what tools were given and
        answered.

        Words in quotes stand side by side, as do those that a sign joins (``fix-login``, ``src/app.py``);
        ``*`` at the end of a word lets it go on; ``-`` in front leaves texts with the word out; ``OR``
        stands between alternatives. No other character means anything. What was synced a moment ago is
        found, too.

        ``part``, ``role`` and ``tool`` keep to these, ``errors`` to what failed. Sorted by relevance,
        messages that recall holds for near in meaning count more, and where the query is nothing but words
        they join without having them; ``meaning=False`` leaves that out.

        Raises:
            BadInput: there is no word in the query, or an argument is out of range.
        """
        what = searching.asked(
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
            ),
            sort=_sort(sort),
            limit=whole("limit", limit),
        )
        recall = self._meaning if meaning else None
        return await searching.search(self._database, recall, check_name("space", space), what)

    async def recall(
        self,
        term: str,
        *,
        space: str,
        turns: int = 2,
        characters: int = 2_000,
        project: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        sort: Sort = "relevance",
        meaning: bool = True,
        limit: int = 5,
    ) -> Recalled:
        """Messages that have the words of ``term`` (as for ``search``), with ``turns`` messages on each side.

        Windows that overlap are one match. A message that only called tools reads "[used tools: …]". Each
        is cut to so many characters.
        """
        whole("turns", turns, least=0, most=100)
        whole("characters", characters, most=1_000_000)
        whole("limit", limit, most=200)
        found = await self.search(
            term,
            space=space,
            project=project,
            session=session,
            since=since,
            until=until,
            part=("said", "thinking"),
            sort=sort,
            meaning=meaning,
            limit=limit * recalling.OVERFETCH,
        )
        return await recalling.recalled(
            self._database, space, found, turns=turns, characters=characters, limit=limit
        )

    async def tools(
        self,
        *,
        space: str,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        by_project: bool = False,
        limit: int = 50,
    ) -> list[ToolUse]:
        """Tools, the most called first: calls, failures, and the median time until the answer."""
        values = {
            "project": optional_text("project", project),
            "since": time("since", since),
            "until": time("until", until),
            "by_project": by_project,
            "limit": whole("limit", limit),
        }
        async with self._database.looking(check_name("space", space)) as within:
            return [] if within is None else await store.tools(within, values)

    async def files(
        self,
        *,
        space: str,
        project: str | None = None,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 20,
    ) -> list[Touched]:
        """Files that tools worked on, the most changed first, then the most read."""
        values = {
            "project": optional_text("project", project),
            "session": optional_text("session", session),
            "since": time("since", since),
            "until": time("until", until),
            "limit": whole("limit", limit),
        }
        async with self._database.looking(check_name("space", space)) as within:
            return [] if within is None else await store.files(within, values)

    async def stats(
        self,
        *,
        space: str,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 30,
    ) -> Stats | None:
        """What the space holds, and the tokens of the last ``limit`` days that had any; None if there is no
        space.

        ``project``, ``since`` and ``until`` narrow the tokens by day, not the totals.
        """
        values = {
            "project": optional_text("project", project),
            "since": time("since", since),
            "until": time("until", until),
            "days": whole("limit", limit),
        }
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return None
            usage = await store.usage(within, values)
            totals, sizes = await store.totals(within), await store.sizes(within)
            return Stats(totals, tuple(usage), sizes, await store.count_unindexed(within))

    async def query(
        self, sql: str, *, space: str, limit: int = 100, seconds: float = 10, megabytes: float = 16
    ) -> Answer:
        """The rows of one ``select`` over the views and tables of schema transcripts, of this space alone.

        It runs as a role that can only read them. At most ``limit`` rows come back, of no more than
        ``megabytes`` together (``truncated``, ``cut_by``), and it may take ``seconds``.

        Raises:
            BadInput: the server refuses the statement, or its first row alone has more than ``megabytes``.
            DatabaseError: it took too long.
        """
        whole("limit", limit, most=100_000)
        if not 0.01 <= seconds <= 3600:
            raise BadInput("0.01 to 3,600.", field="seconds")
        if not 0.001 <= megabytes <= 4096:
            raise BadInput("0.001 to 4,096.", field="megabytes")
        bounds = asking.Bounds(rows=limit, megabytes=megabytes, seconds=seconds)
        return await asking.ask(self._readers, check_name("space", space), sql, bounds)

    async def schema(self, table: str | None = None, *, space: str) -> list[Relation]:
        """The views and tables that ``query`` can name, with their columns and comments; or one of them.

        Raises:
            NotFound: there is none of that name.
        """
        async with self._database.looking(check_name("space", space)) as within:
            found = [] if within is None else await store.relations(within)
        if table is None:
            return found
        named = [one for one in found if one.name == table.removeprefix("transcripts.")]
        if not named:
            raise NotFound(f"There is no table {table!r}.", hint="The schema lists them.")
        return named

    async def compact(
        self, *, space: str, older_than_days: int = 30, project: str | None = None, confirm: bool = False
    ) -> Compacted:
        """Replace old bulky tool output by a marker that says how long it was; never twice.

        Without ``confirm`` nothing is changed: it says what would be. What is replaced is gone from the
        database and from the text index; when and how much is kept in ``tool_results.compacted_at`` and
        ``compacted_bytes``.
        """
        whole("older_than_days", older_than_days, least=0, most=36_500)
        return await compacting.compact(
            self._database,
            check_name("space", space),
            project=optional_text("project", project),
            older_than_days=older_than_days,
            now=self._clock.now(),
            confirm=confirm,
        )

    async def index_texts(
        self, *, space: str, seconds: float | None = None, progress: Callable[[int], None] | None = None
    ) -> Indexed:
        """Put the texts of lines that were synced since into the text index: all, or for so many seconds.

        Searching does not need it, but is quicker after it. ``progress`` is called with the lines of each
        batch.
        """
        return await indexing.advance(
            self._database, check_name("space", space), seconds=seconds, progress=progress
        )

    async def unindexed(self, *, space: str) -> int:
        """How many lines the text index does not know yet."""
        return await indexing.left(self._database, check_name("space", space))


def _latest(one: Seen) -> tuple[bool, float, str]:
    return (
        one.last_timestamp is not None,
        one.last_timestamp.timestamp() if one.last_timestamp else 0.0,
        one.id,
    )


def _sort(value: object) -> Sort:
    for known in SORTS:
        if value == known:
            return known
    raise BadInput(f"{value!r} is none of {', '.join(SORTS)}.", field="sort")


async def _known(within: Within, session: str) -> int:
    found = await store.numbers(within, "session", {"session": session})
    if not found:
        raise NotFound(f"There is no session {session!r} in this space.")
    return found[0]


async def _one_session(within: Within, session: str) -> int | None:
    found = await store.numbers(within, "named_sessions", {"session": session})
    if len(found) > 1:
        raise BadInput(f"{len(found)} sessions have a name that begins with {session!r}.", field="session")
    return found[0] if found else None
