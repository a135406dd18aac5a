"""Nothing that the ledger of one space holds shows in another, through whatever method."""

from __future__ import annotations

import inspect
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.evidence.evidence import AsyncEvidence
from quipu.kinds.ledger.evidence.model import EvidenceReference
from quipu.kinds.ledger.evidence.trace import AsyncTrace
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.signals.model import Review
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio

# Names, keys and numbers are the same in both spaces; one word in each text tells of which it is.
MARK = {"ana": "aardvark", "bob": "bonobo"}
KEYS = ["boat", "team", "ui.response_depth"]


@pytest.fixture
async def memory(settings: Settings, database: Database, clock: FrozenClock) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=settings, clock=clock) as opened:
        for space, mark in MARK.items():
            await opened.ledger.open_session(space=space, session="shared", user="u")
            program = AsyncLedger(database, clock=clock, settings=settings)
            program.register(mark, str)
            await program.set(mark, "registered", space=space, user="u")
        yield opened
    assert await examine(database) == []


class Turn:
    """One call in a space, with arguments by chance."""

    def __init__(self, memory: AsyncMemory, rng: random.Random, space: str, clock: FrozenClock) -> None:
        self.ledger, self.evidence, self.trace = memory.ledger, memory.evidence, memory.trace
        self.rng, self.space, self.clock = rng, space, clock
        self.here: dict[str, Any] = {"space": space, "session": "shared"}

    @property
    def whose(self) -> dict[str, Any]:
        return self.rng.choice([self.here, {"space": self.space, "user": "u"}])

    @property
    def said(self) -> tuple[str, Any]:
        key = self.rng.choice(KEYS)
        if key == "ui.response_depth":
            return key, {"value": self.rng.choice(["balanced", "verbose"])}
        return key, {"is": f"{MARK[self.space]} {self.rng.randrange(100)}"}

    @property
    def number(self) -> int:
        """An id of an event or a recommendation, of whichever space."""
        return self.rng.randrange(1, 120)

    def advise(self) -> Awaitable[object]:
        at = self.clock.now() - timedelta(days=2)
        excerpt = f"The {MARK[self.space]} waited."
        seen = EvidenceReference(
            theme="wait_time", place_id="p", published_at=at, rating=2.0, excerpt=excerpt
        )
        return self.evidence.recommend(
            f"Feed the {MARK[self.space]}.",
            location="Lisbon",
            time_window="Friday",
            confidence="high",
            source="reviews",
            evidence=[seen],
            **self.here,
        )

    def read(self) -> Awaitable[object]:
        at = self.clock.now() - timedelta(days=2)
        text = f"The {MARK[self.space]} waited an hour for a table. It was long."
        return self.trace.read_reviews(
            [Review(text=text, rating=1.0, published_at=at, place_id="p")], place="p", **self.here
        )


Call = Callable[[Turn], Awaitable[object]]
LEDGER: dict[str, Call] = {
    "open_session": lambda t: t.ledger.open_session(meta={"note": MARK[t.space]}, **t.here),
    "end_session": lambda t: t.ledger.end_session("shared", space=t.space),
    "set": lambda t: t.ledger.set(*t.said, **t.whose),
    "assume": lambda t: t.ledger.assume(*t.said, **t.whose),
    "correct": lambda t: t.ledger.correct(*t.said, **t.whose),
    "expire": lambda t: t.ledger.expire(t.said[0], **t.whose),
    "delete": lambda t: t.ledger.delete(t.said[0], **t.whose),
    "undo": lambda t: t.ledger.undo(t.number, space=t.space, force=True),
    "state": lambda t: t.ledger.state(as_of=t.rng.choice([None, t.clock.now()]), **t.whose),
    "list": lambda t: t.ledger.list(space=t.space),
    "assumptions": lambda t: t.ledger.assumptions(space=t.space),
    "events": lambda t: t.ledger.events(space=t.space),
    "history": lambda t: t.ledger.history(t.said[0], **t.whose),
    "keys": lambda t: t.ledger.keys(space=t.space),
    "diff": lambda t: t.ledger.diff(t.clock.now() - timedelta(days=9), t.clock.now(), **t.whose),
    "rebuild": lambda t: t.ledger.rebuild(space=t.space),
    "retention": lambda t: t.ledger.retention(space=t.space, confirm=t.rng.random() < 0.3),
}
EVIDENCE: dict[str, Call] = {
    "recommend": lambda t: t.advise(),
    "get": lambda t: t.evidence.get(t.number, space=t.space),
    "list": lambda t: t.evidence.list(space=t.space),
    "sources": lambda t: t.evidence.sources(t.number, space=t.space),
    "search": lambda t: t.evidence.search(space=t.space),
    "themes": lambda t: t.evidence.themes(space=t.space),
}
TRACE: dict[str, Call] = {
    "tool_call": lambda t: t.trace.tool_call("look", latency_ms=1, args={"q": MARK[t.space]}, **t.here),
    "source_run": lambda t: t.trace.source_run("weather", space=t.space, started_at=t.clock.now()),
    "competitor_check": lambda t: t.trace.competitor_check(MARK[t.space], status="not_found", **t.here),
    "competitor_checks": lambda t: t.trace.competitor_checks(**t.here),
    "read_reviews": lambda t: t.read(),
    "signal_run": lambda t: t.trace.signal_run(None, status="error", place=MARK[t.space], **t.here),
    "fallback": lambda t: t.trace.fallback("timeout", reason=MARK[t.space], response="Sorry.", **t.here),
}
ALL: dict[str, Call] = {**LEDGER, **TRACE, **{f"evidence.{name}": call for name, call in EVIDENCE.items()}}
OF_NO_SPACE = {"register", "on_correction"}  # what this process knows, not the database


@pytest.mark.parametrize(
    ("face", "calls"), [(AsyncLedger, LEDGER), (AsyncEvidence, EVIDENCE), (AsyncTrace, TRACE)]
)
def test_every_public_method_is_tried(face: type, calls: dict[str, Call]) -> None:
    public = {name for name, _ in inspect.getmembers(face, callable) if not name.startswith("_")}
    assert public - OF_NO_SPACE == calls.keys()


@pytest.mark.parametrize("seed", range(5))
async def test_no_method_shows_anything_of_another_space(
    memory: AsyncMemory, clock: FrozenClock, seed: int
) -> None:
    rng, calls = random.Random(seed), ALL
    seen: set[str] = set()
    for _ in range(260):
        clock.advance(timedelta(hours=rng.choice([0, 1, 30])))
        space, other = rng.sample(sorted(MARK), 2)
        name = rng.choice([*calls, "set", "set", "evidence.recommend"])
        try:
            shown = repr(await calls[name](Turn(memory, rng, space, clock)))
        except (BadInput, NotFound) as error:
            shown = str(error)
        assert MARK[other] not in shown, name
        if MARK[space] in shown:
            seen.add(name)
    assert {"set", "state", "history", "list", "keys", "evidence.list", "evidence.search"} <= seen
    for space, other in (("ana", "bob"), ("bob", "ana")):
        hits = await memory.recall("aardvark bonobo waited boat", space=space, limit=100)
        assert hits
        assert all(MARK[other] not in hit.text for hit in hits)


async def test_what_is_written_in_one_space_changes_no_row_of_another(
    memory: AsyncMemory, clock: FrozenClock, url: str
) -> None:
    rng = random.Random(7)

    def rows(space: str) -> list[list[str]]:
        with psycopg.connect(url) as conn:
            names = conn.execute(
                "select oid::regclass::text from pg_class where relkind = 'r'"
                " and relnamespace in ('ledger'::regnamespace, 'core'::regnamespace)"
                " and exists (select from pg_attribute where attrelid = pg_class.oid"
                " and attname = 'space_id')"
            ).fetchall()
            here = conn.execute("select id from core.spaces where name = %s", [space]).fetchone()
            return [
                sorted(
                    row
                    for (row,) in conn.execute(
                        f"select t::text from {name} t where space_id = %s".encode(), here
                    )
                )
                for (name,) in names
            ]

    for _ in range(60):
        await ALL[rng.choice(["set", "assume", "evidence.recommend"])](Turn(memory, rng, "ana", clock))
    before = rows("ana")
    assert sum(map(len, before)) > 60
    for _ in range(150):
        try:
            await rng.choice(list(ALL.values()))(Turn(memory, rng, "bob", clock))
        except (BadInput, NotFound):
            continue
    await memory.forget(space="bob", user="u", confirm=True)
    await memory.forget(space="bob", confirm=True)
    assert rows("ana") == before


async def test_a_query_that_forgets_the_space_still_sees_no_other(
    memory: AsyncMemory, database: Database
) -> None:
    """Row level security, where our own SQL would fail."""
    for space, mark in MARK.items():
        await memory.ledger.set("boat", mark, space=space, session="shared")
    async with database.transaction("ana") as tx:
        assert tx is not None
        for table in ("chat_memory_events", "chat_session_memory", "chat_sessions"):
            found = await (await tx.conn.execute(f"select t::text from ledger.{table} t".encode())).fetchall()
            assert found
            assert all("bonobo" not in row for (row,) in found)
        done = await tx.conn.execute("delete from ledger.chat_sessions")
        assert done.rowcount == 1
    assert (await memory.ledger.state(space="bob", session="shared"))["boat"].value == "bonobo"
    assert await memory.ledger.state(space="ana", session="shared") == {}
