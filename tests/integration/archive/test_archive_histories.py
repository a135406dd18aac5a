"""Random histories of every kind: an archive brings all of it back, and the doors say the same of it."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_form import sized

from quipu import AsyncMemory
from quipu.errors import QuipuError

pytestmark = pytest.mark.anyio

SPACES = count()
PEOPLE, SESSIONS, KEYS = ("ana", "bo"), ("s1", "s2", "s3"), ("tone", "budget.total", "home")
TEXTS = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=40
).filter(str.strip)
WORDS = st.sampled_from(
    [
        "I live in Berlin.",
        "I live in Lisbon now, not in Berlin.",
        "I will send you the report tomorrow.",
        "I sent you the report.",
        "From now on answer in one sentence.",
        "Everyone calls him Bo.",
        "I am vegetarian, and I have a dog.",
        "What was the budget?",
    ]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=6,
)
Act = Callable[["History", random.Random, str, Any], Awaitable[object]]


class History:
    """What happens in a space; an act that the memory refuses does not happen."""

    def __init__(self, memory: AsyncMemory, space: str) -> None:
        self.memory = memory
        self.space = space
        self._number = count()

    async def said(self, chance: random.Random, text: str, value: Any) -> object:
        item = {"content": text, "metadata": {"value": value}} if chance.random() < 0.3 else {"content": text}
        message: dict[str, object] = {
            "id": f"m{next(self._number)}",
            "role": chance.choice(["user", "assistant"]),
        }
        session = chance.choice([*SESSIONS, None])
        user = chance.choice([*PEOPLE, None])
        return await self.memory.observe(
            [{**message, **item}],
            space=self.space,
            session=session,
            user=user,
            index=chance.choice(["now", "later"]),
        )

    async def took_back(self, chance: random.Random, _text: str, _value: Any) -> object:
        return await self.memory.take_last(chance.choice(SESSIONS), space=self.space)

    async def told(self, chance: random.Random, _text: str, value: Any) -> object:
        act = chance.choice([self.memory.ledger.set, self.memory.ledger.assume, self.memory.ledger.correct])
        who: dict[str, Any] = {"user": chance.choice(PEOPLE)}
        if chance.random() < 0.5:
            who = {"session": chance.choice(SESSIONS)}
        return await act(chance.choice(KEYS), value, space=self.space, **who)

    async def ended(self, chance: random.Random, _text: str, _value: Any) -> object:
        act = chance.choice([self.memory.ledger.expire, self.memory.ledger.delete])
        return await act(chance.choice(KEYS), space=self.space, user=chance.choice(PEOPLE))

    async def undid(self, chance: random.Random, _text: str, _value: Any) -> object:
        events = await self.memory.ledger.events(space=self.space)
        return events and await self.memory.ledger.undo(
            chance.choice(events).id, space=self.space, force=True
        )

    async def kept(self, chance: random.Random, text: str, _value: Any) -> object:
        return await self.memory.longterm.add(text, space=self.space, user=chance.choice([*PEOPLE, None]))

    async def changed(self, chance: random.Random, text: str, _value: Any) -> object:
        kept = await self.memory.longterm.list(space=self.space, state="all")
        if not kept:
            return None
        one = chance.choice(kept).id
        act = chance.choice(["edit", "archive", "unarchive"])
        if act == "edit":
            return await self.memory.longterm.edit(one, space=self.space, details=text)
        return await getattr(self.memory.longterm, act)(one, space=self.space)

    async def wrote(self, chance: random.Random, text: str, value: Any) -> object:
        form: dict[str, Any] = {"body": text} if value is None or chance.random() < 0.5 else {"value": value}
        return await self.memory.documents.put(
            "notes", chance.choice(KEYS), space=self.space, user=chance.choice([*PEOPLE, None]), **form
        )

    async def moved(self, chance: random.Random, _text: str, _value: Any) -> object:
        if chance.random() < 0.5:
            return await self.memory.documents.delete("notes", chance.choice(KEYS), space=self.space)
        return await self.memory.documents.rename("notes", chance.choice(KEYS), to="old", space=self.space)

    async def learnt(self, chance: random.Random, text: str, value: Any) -> object:
        known = await self.memory.lessons.list(space=self.space, state="all")
        if known and chance.random() < 0.5:
            return await self.memory.lessons.edit(chance.choice(known).id, space=self.space, fact=text)
        return await self.memory.lessons.add(text, space=self.space, metadata={"of": value})

    async def ruled(self, chance: random.Random, text: str, _value: Any) -> object:
        rules = await self.memory.rules.list(space=self.space)
        if rules and chance.random() < 0.5:
            return await self.memory.rules.archive(chance.choice(rules).id, space=self.space)
        return await self.memory.rules.add(text, space=self.space, user=chance.choice([*PEOPLE, None]))

    async def marked(self, chance: random.Random, _text: str, _value: Any) -> object:
        beliefs = await self.memory.beliefs.list(space=self.space)
        return beliefs and await self.memory.corrections.add(chance.choice(beliefs).id, space=self.space)

    async def worked(self, _chance: random.Random, _text: str, _value: Any) -> object:
        await self.memory.work(concurrency=2)
        return await self.memory.episodes.condense(space=self.space)

    async def forgot(self, chance: random.Random, _text: str, _value: Any) -> object:
        return await self.memory.forget(space=self.space, session=chance.choice(SESSIONS), confirm=True)


ACTS: tuple[Act, ...] = (
    History.said,
    History.said,
    History.said,
    History.took_back,
    History.told,
    History.told,
    History.ended,
    History.undid,
    History.kept,
    History.changed,
    History.wrote,
    History.moved,
    History.learnt,
    History.ruled,
    History.marked,
    History.worked,
    History.forgot,
)
STEPS = st.lists(
    st.tuples(st.sampled_from(ACTS), st.integers(0, 2**32), WORDS | TEXTS, JSON), min_size=8, max_size=30
)


def records(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.ndjson"))}


async def shown(memory: AsyncMemory, space: str, moments: list[datetime]) -> dict[str, object]:
    """What the doors say of a space."""
    longterm = await memory.longterm.list(space=space, state="all")
    documents = await memory.documents.list(space=space)
    beliefs = await memory.beliefs.list(space=space, state="all", ended=True)
    states = [
        await memory.ledger.state(space=space, user=user, as_of=moment)
        for moment in moments
        for user in PEOPLE
    ]
    return {
        "messages": [await memory.messages(name, space=space) for name in SESSIONS],
        "sessions": await memory.sessions(space=space),
        "states": states,
        "events": await memory.ledger.events(space=space, limit=500),
        "facts": [
            await memory.ledger.history(key, space=space, user=user) for key in KEYS for user in PEOPLE
        ],
        "longterm": [(one, await memory.longterm.history(one.id, space=space)) for one in longterm],
        "documents": [
            (one, await memory.documents.history(one.path, one.key, space=space)) for one in documents
        ],
        "lessons": await memory.lessons.list(space=space, state="all"),
        "rules": await memory.rules.list(space=space, state="all"),
        "loops": await memory.loops.list(space=space, state="all"),
        "beliefs": [(one, await memory.beliefs.history(one.id, space=space)) for one in beliefs],
        "conflicts": await memory.beliefs.conflicts(space=space, settled=True),
        "corrections": await memory.corrections.list(space=space),
        "aliases": await memory.aliases.list(space=space),
        "threads": await memory.conversations.threads(space=space),
    }


@given(steps=STEPS)
@settings(
    max_examples=sized(4, long=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_an_archive_brings_back_whatever_happened(
    memory: AsyncMemory, other: AsyncMemory, tmp_path_factory: pytest.TempPathFactory, steps: list[Any]
) -> None:
    space, folder = f"history {next(SPACES)}", tmp_path_factory.mktemp("archive")
    history, moments = History(memory, space), list[datetime]()
    await memory.observe([{"content": "It begins.", "id": "first"}], space=space, session="s1")
    for act, seed, text, value in steps:
        try:
            await act(history, random.Random(seed), text, value)
        except QuipuError:
            continue
        moments.append(memory._clock.now())
    await memory.archives.export(folder / "first", space=space)
    await other.archives.load(folder / "first", space=space)
    await other.archives.export(folder / "second", space=space)
    assert records(folder / "second") == records(folder / "first")
    assert await shown(other, space, moments) == await shown(memory, space, moments)
    events = await memory.ledger.events(space=space, limit=500)
    for one in events[:3]:
        outcomes = [await undone(where, space, one.id) for where in (memory, other)]
        assert outcomes[0] == outcomes[1]


async def undone(memory: AsyncMemory, space: str, event: int) -> object:
    """What undoing an event comes to, or why it does not."""
    try:
        done = await memory.ledger.undo(event, space=space)
    except QuipuError as error:
        return type(error)
    event = done.event
    return None if event is None else (event.event_type, event.key, event.old, event.new, done.stands)
