"""Random histories: what stands is what the rules say, at every moment, and what the events alone would make.

The rules are written here once more, in the plainest form: a dictionary of what stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_form import sized

from quipu.errors import BadInput
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import Change, Value

pytestmark = [pytest.mark.anyio, pytest.mark.long]

START = datetime(2026, 3, 14, 12, tzinfo=UTC)
NUMBERS = count()
RANK = {"default": 0, "assumed": 1, "inferred": 2, "explicit": 3}
# A key, and values that it can have. Each is tried in sessions and for persons; the canonical ones where
# they belong.
KEYS: dict[str, list[object]] = {
    "colour": ["green", "red", None],
    "team size": [{"value": 3}, {"value": 4}],
    "baseline.scope": [{"value": "all"}, {"value": "single", "locationLabel": "Lisbon"}],
    "baseline.default_scope": [{"value": "all"}, {"value": "single"}],
    "ui.response_depth": [{"value": "balanced"}, {"value": "verbose"}],
}
PLACES: list[dict[str, str]] = [
    {"session": "of ana"},
    {"session": "of nobody"},
    {"user": "ana"},
    {"user": "bob"},
    {"session": "of ana", "user": "ana", "scope": "cross_session"},
]


@dataclass(frozen=True)
class Step:
    act: str
    key: str
    value: object
    place: dict[str, str]
    source: str = "explicit"
    cap: str = "medium"
    days: int | None = None
    wait: timedelta = timedelta(0)


WAITS = [timedelta(0), timedelta(seconds=1), timedelta(hours=7), timedelta(days=3), timedelta(days=50)]


def steps(*waits: timedelta) -> st.SearchStrategy[list[Step]]:
    one = st.sampled_from(sorted(KEYS)).flatmap(
        lambda key: st.builds(
            Step,
            act=st.sampled_from(["set", "set", "set", "assume", "correct", "expire", "delete", "undo"]),
            key=st.just(key),
            value=st.sampled_from(KEYS[key]),
            place=st.sampled_from(PLACES),
            source=st.sampled_from(["explicit", "inferred", "default"]),
            cap=st.sampled_from(["medium", "low"]),
            days=st.sampled_from([None, None, 1, 10]),
            wait=st.sampled_from(waits),
        )
    )
    return st.lists(one, min_size=1, max_size=25)


def where(step: Step) -> tuple[str, str]:
    """Whose key it is: of a session or of a person."""
    settled = {"baseline.scope": "session", "baseline.default_scope": "cross_session"}
    settled["ui.response_depth"] = "cross_session"
    given = step.place
    scope = (
        given.get("scope") or settled.get(step.key) or ("session" if "session" in given else "cross_session")
    )
    if scope == "session":
        return scope, given["session"]
    return scope, given["user"] if "user" in given else {"of ana": "ana"}[given["session"]]


@dataclass
class Told:
    """A ledger, what was done in it, and what the rules say that it holds."""

    ledger: AsyncLedger
    clock: FrozenClock
    space: str
    stands: dict[tuple[str, str, str], Value] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    @classmethod
    async def begin(cls, database: Database) -> Told:
        clock = FrozenClock(START)
        told = cls(AsyncLedger(database, clock=clock, settings=Settings()), clock, f"space {next(NUMBERS)}")
        await told.ledger.open_session(space=told.space, session="of ana", user="ana")
        await told.ledger.open_session(space=told.space, session="of nobody")
        return told

    async def do(self, step: Step) -> None:
        """One step, and the same step by the rules."""
        self.clock.advance(step.wait)
        try:
            change = await self._done(step)
        except BadInput:
            assert not self._ought_to_work(step)
            return
        assert step.act == "undo" or self._ought_to_work(step)
        if change is None or change.event is None:
            return
        self.changes.append(change)
        self._note(step, change)

    async def _done(self, step: Step) -> Change | None:
        at = {"space": self.space, **step.place}
        expires = {} if step.days is None else {"expires_at": self.clock.now() + timedelta(days=step.days)}
        match step.act:
            case "set":
                return await self.ledger.set(step.key, step.value, source=step.source, **at, **expires)  # type: ignore[arg-type]
            case "assume":
                return await self.ledger.assume(step.key, step.value, cap=step.cap, **at, **expires)  # type: ignore[arg-type]
            case "correct":
                return await self.ledger.correct(step.key, step.value, **at, **expires)  # type: ignore[arg-type]
            case "expire":
                return await self.ledger.expire(step.key, **at)  # type: ignore[arg-type]
            case "delete":
                return await self.ledger.delete(step.key, **at)  # type: ignore[arg-type]
            case _:
                return await self._undo()

    async def _undo(self) -> Change | None:
        if not self.changes or self.changes[-1].event is None:
            return None
        return await self.ledger.undo(self.changes[-1].event.id, space=self.space)

    def _place(self, step: Step) -> tuple[str, str, str] | None:
        try:
            return (*where(step), step.key)
        except KeyError:
            return None

    def _lives(self, value: Value | None) -> bool:
        return value is not None and (value.expires_at is None or value.expires_at > self.clock.now())

    def _ought_to_work(self, step: Step) -> bool:
        place = self._place(step)
        if place is None or step.act == "undo":
            return False
        standing = self.stands.get(place)
        if step.act == "correct":
            return self._lives(standing)
        return step.act in {"set", "assume"} or standing is not None

    def _note(self, step: Step, change: Change) -> None:
        event = change.event
        assert event is not None
        owner = event.session if event.scope == "session" else event.user
        assert owner is not None
        place = (event.scope, owner, event.key)
        standing = self.stands.get(place)
        if event.event_type in ("fact_expired", "fact_deleted"):
            del self.stands[place]
        elif (
            not self._lives(standing)
            or step.act in ("correct", "undo")
            or RANK[event.source] >= RANK[standing.source]  # type: ignore[union-attr]
        ):
            assert change.stands
            assert change.value is not None
            self.stands[place] = change.value
        else:
            assert not change.stands
            assert change.value is not None
            assert standing is not None
            assert replace(change.value, session=None) == replace(standing, session=None)

    async def holds(self) -> None:
        """The ledger says what the rules say."""
        for scope, owner in [("session", "of ana"), ("session", "of nobody")]:
            own = {
                k: v for (s, o, k), v in self.stands.items() if (s, o) == (scope, owner) and self._lives(v)
            }
            gaps = {
                k: v
                for (s, o, k), v in self.stands.items()
                if (s, o) == ("cross_session", {"of ana": "ana"}.get(owner)) and self._lives(v)
            }
            assert plain(await self.state(session=owner)) == plain({**gaps, **own})
        for person in ("ana", "bob"):
            own = {k: v for (s, o, k), v in self.stands.items() if (s, o) == ("cross_session", person)}
            lives = {key: value for key, value in own.items() if self._lives(value)}
            assert plain(await self.state(user=person)) == plain(lives)

    async def state(self, as_of: datetime | None = None, **whose: str) -> dict[str, Value]:
        return await self.ledger.state(space=self.space, as_of=as_of, **whose)  # type: ignore[arg-type]

    async def everything(self, as_of: datetime | None = None) -> list[dict[str, Value]]:
        names = [{"session": "of ana"}, {"session": "of nobody"}, {"user": "ana"}, {"user": "bob"}]
        return [plain(await self.state(as_of, **name)) for name in names]


def plain(values: dict[str, Value]) -> dict[str, Value]:
    """Without the session in which a preference was said: a value by itself does not have to know it."""
    return {key: replace(value, session=None) for key, value in values.items()}


def rows(url: str) -> list[tuple[object, ...]]:
    """Both projections, with every column."""
    with psycopg.connect(url) as conn:
        return [
            row
            for table in ("chat_session_memory", "chat_user_preferences")
            for row in conn.execute(f"select * from ledger.{table} order by space_id, id".encode())
        ]


quickly = settings(
    max_examples=sized(20, long=100),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@quickly
@given(done=steps(*WAITS, timedelta(hours=-5)))
async def test_what_stands_is_what_the_events_alone_would_make(
    database: Database, url: str, done: Sequence[Step]
) -> None:
    told = await Told.begin(database)
    for step in done:
        await told.do(step)
    before = rows(url)
    rebuilt = await told.ledger.rebuild(space=told.space)
    assert (rebuilt.events, rebuilt.changed) == (len(told.changes), 0)
    assert rows(url) == before


@quickly
@given(done=steps(*WAITS))
async def test_after_every_step_what_stands_is_what_the_rules_say(
    database: Database, done: Sequence[Step]
) -> None:
    told = await Told.begin(database)
    for step in done:
        await told.do(step)
        await told.holds()


@quickly
@given(done=steps(*WAITS), later=st.sampled_from([0, 1, 400]))
async def test_what_was_believed_at_a_moment_is_what_stood_then(
    database: Database, done: Sequence[Step], later: int
) -> None:
    told = await Told.begin(database)
    seen: dict[datetime, list[dict[str, Value]]] = {}
    for step in done:
        await told.do(step)
        seen[told.clock.now()] = await told.everything()  # of one moment, what stood last
    told.clock.advance(timedelta(days=later))
    for moment, stood in seen.items():
        assert await told.everything(as_of=moment) == stood
    assert await told.everything(as_of=START - timedelta(seconds=1)) == [{}, {}, {}, {}]


def beliefs(states: Sequence[dict[str, Value]]) -> list[dict[str, tuple[object, ...]]]:
    """What is believed and how, without the events that say so."""
    return [
        {key: (v.value, v.source, v.assumed, v.confidence_cap, v.expires_at) for key, v in state.items()}
        for state in states
    ]


@quickly
@given(done=steps(timedelta(0), timedelta(seconds=1)))
async def test_undoing_the_events_one_after_the_other_goes_back_through_every_state(
    database: Database, url: str, done: Sequence[Step]
) -> None:
    told = await Told.begin(database)
    before: list[tuple[int, list[dict[str, tuple[object, ...]]]]] = []
    for step in done:
        was = beliefs(await told.everything())
        events = len(told.changes)
        await told.do(step)
        if len(told.changes) > events and step.act != "undo":
            event = told.changes[-1].event
            assert event is not None
            before.append((event.id, was))
        elif step.act == "undo" and before:
            before.clear()  # what was undone cannot be undone again
    for event_id, was in reversed(before):
        if beliefs(await told.everything()) != was:
            undone = await told.ledger.undo(event_id, space=told.space, force=True)
            assert undone.event is not None
            assert undone.event.correlation_id == str(event_id)
        assert beliefs(await told.everything()) == was
    assert (await told.ledger.rebuild(space=told.space)).changed == 0


@pytest.mark.parametrize(
    "damage",
    [
        "delete from ledger.chat_session_memory",
        "delete from ledger.chat_user_preferences",
        "update ledger.chat_session_memory set assumed = true, confidence_cap = 'low'",
        "update ledger.chat_user_preferences set source_event_id = null, expires_at = null",
        "insert into ledger.chat_user_preferences (distinct_id, preference_namespace, preference_key,"
        " value_json, value_source) values ('eve', 'ui', '', '1', 'explicit')",
    ],
)
async def test_a_rebuild_repairs_projections_that_were_damaged(
    database: Database, url: str, damage: str
) -> None:
    told = await Told.begin(database)
    for place in PLACES:
        for key in ("colour", "team size"):
            await told.do(Step("set", key, KEYS[key][0], place))
    await told.do(Step("correct", "colour", "red", PLACES[0]))
    right = rows(url)
    with psycopg.connect(url, options="-c session_replication_role=replica") as conn:
        conn.execute("select core.enter(%s)", [told.space])
        conn.execute(damage.encode())  # nothing tells of it
    assert rows(url) != right
    assert (await told.ledger.rebuild(space=told.space)).changed > 0
    assert rows(url) == right
    assert (await told.ledger.rebuild(space=told.space)).changed == 0
