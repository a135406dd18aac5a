"""Forgetting leaves nothing behind: no word, no name, no share in a neighbour, no count."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import psycopg
import pytest
from long_form import sized
from psycopg import sql

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.recall.terms import bag

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
NUMBERS = count()
MEMORIES = sized(600, long=12_000)
# What differs between two databases that were told the same: when it was, and random ids of receipts.
CHANCE = {"created_at", "applied_at", "mark_key"}
RECEIPTS = {"core.erasures", "core.erasure_chain", "core.tombstones"}

Databases = Callable[[], Settings]


@pytest.fixture
def databases(server: embedded.EmbeddedServer, server_settings: Settings) -> Iterator[Databases]:
    """Makes migrated databases that have seen the same: every number they give will be the same."""
    with psycopg.connect(server.conninfo(), autocommit=True) as conn, ExitStack() as stack:

        def make() -> Settings:
            name = f"erasure{next(NUMBERS)}"
            conn.execute(
                sql.SQL("create database {} template template strategy file_copy").format(
                    sql.Identifier(name)
                )
            )
            drop = sql.SQL("drop database {} with (force)").format(sql.Identifier(name))
            stack.callback(conn.execute, drop)
            return replace(server_settings, database_url=server.conninfo(name))

        yield make


def rows(settings: Settings, *, without: set[str] = CHANCE) -> dict[str, list[str]]:
    """Every row of every table of ours, as text."""
    found: dict[str, list[str]] = {}
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url) as conn:
        tables = conn.execute(
            "select table_schema, table_name, array_agg(column_name::text order by ordinal_position)"
            " from information_schema.columns join information_schema.tables using (table_schema, table_name)"
            " where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'"
            " group by 1, 2"
        ).fetchall()
        for schema, table, columns in tables:
            chosen = sql.SQL(", ").join(map(sql.Identifier, sorted({*columns} - without)))
            query = sql.SQL("select row({})::text from {}").format(chosen, sql.Identifier(schema, table))
            found[f"{schema}.{table}"] = sorted(row[0] for row in conn.execute(query))
    return found


def traces(settings: Settings, needles: list[str]) -> list[str]:
    """Where one of the texts occurs, in whatever column; terms are looked for by their numbers as well."""
    texts = [needle.lower() for needle in needles]
    found = [
        f"{table}: {needle}"
        for table, held in rows(settings).items()
        for needle in texts
        if any(needle in row.lower() for row in held)
    ]
    hashes = {int(h) for needle in needles for h in bag(needle).hashes}
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url) as conn:
        found += [
            f"{table}: hash of a term"
            for table, query in {
                "recall_terms": "select term from core.recall_terms",
                "recall_postings": "select term from core.recall_postings",
                "recall_entries": "select unnest(terms) from core.recall_entries",
            }.items()
            if hashes & {row[0] for row in conn.execute(query.encode())}
        ]
    return found


async def tell(memory: AsyncMemory) -> None:
    """Two conversations of three people, and what stands alone. Every text and name is a word of its own."""

    def said(word: str, speaker: str, user: str, minute: int) -> dict[str, object]:
        return {
            "id": f"id-{word}",
            "content": f"{word} is what was said?",
            "speaker": speaker,
            "user": user,
            "time": NOW - timedelta(days=1, minutes=-minute),
        }

    first = [
        said("aardvark", "Quentin", "qqq", 0),
        said("bonobo", "Roswitha", "rrr", 1),
        said("capybara", "Quentin", "rrr", 2),
        said("dugong", "Quentin", "qqq", 3),
        said("echidna", "Quentin", "qqq", 4),
    ]
    await memory.observe(first, space="zoo", session="savanna")
    await memory.observe([said("flamingo", "Roswitha", "rrr", 5)], space="zoo", session="savanna")
    await memory.import_messages(
        [said("gibbon", "Quentin", "qqq", 6) | {"session": "jungle"}, said("hoopoe", "Quentin", "qqq", 7)],
        space="zoo",
    )
    await memory.observe([said("aardvark", "Quentin", "qqq", 8)], space="other", session="savanna")


ERASED = {
    "session": (
        {"session": "savanna"},
        ["bonobo", "capybara", "dugong", "echidna", "flamingo", "roswitha", "rrr"],
    ),
    "user": (
        {"user": "rrr"},
        ["bonobo", "capybara", "flamingo", "roswitha", "rrr"],
    ),
    "speaker": ({"user": "Quentin"}, ["capybara", "dugong", "echidna", "gibbon", "hoopoe", "jungle"]),
    "message": ({"message": "id-dugong"}, ["dugong"]),
    "session of a user": (
        {"session": "savanna", "user": "rrr"},
        ["bonobo", "capybara", "flamingo", "roswitha", "rrr"],
    ),
    "space": (
        {},
        ["zoo", "bonobo", "capybara", "dugong", "echidna", "flamingo", "gibbon", "hoopoe", "jungle", "rrr"],
    ),
}


@pytest.mark.parametrize("what", ERASED)
async def test_no_table_holds_a_trace_of_what_was_erased(databases: Databases, what: str) -> None:
    settings = databases()
    given, needles = ERASED[what]
    async with AsyncMemory(settings=settings) as memory:
        await tell(memory)
        assert len(traces(settings, needles)) > len(needles)
        await memory.forget(space="zoo", confirm=True, **given)  # type: ignore[arg-type]
    assert traces(settings, needles) == []
    # The other space says "aardvark" in a session of the same name, and keeps it.
    assert traces(settings, ["aardvark", "savanna"]) != []


async def test_the_preview_counts_what_goes_and_changes_nothing(databases: Databases) -> None:
    settings = databases()
    async with AsyncMemory(settings=settings) as memory:
        await tell(memory)
        before = rows(settings)
        for given, _ in ERASED.values():
            preview = await memory.forget(space="zoo", **given)  # type: ignore[arg-type]
            assert (preview.receipt, preview.erased_at) == (None, None)
            assert rows(settings) == before
        promised = await memory.forget(space="zoo", user="rrr")
        done = await memory.forget(space="zoo", user="rrr", confirm=True)
        assert done.counts == promised.counts == {"messages": 3}
        assert done.receipt is not None


async def test_erasing_again_finds_nothing_and_unknown_names_are_no_error(databases: Databases) -> None:
    async with AsyncMemory(settings=databases()) as memory:
        await tell(memory)
        for given in (
            {"user": "rrr"},
            {"user": "rrr"},
            {"session": "nowhere"},
            {"message": "none"},
            {"user": "%"},
        ):
            await memory.forget(space="zoo", confirm=True, **given)
            again = await memory.forget(space="zoo", confirm=True, **given)
            assert sum(again.counts.values()) == 0
        await memory.forget(space="zoo", confirm=True)
        for space in ("zoo", "never"):
            assert sum((await memory.forget(space=space, confirm=True)).counts.values()) == 0
        with pytest.raises(BadInput, match="user"):
            await memory.forget(space="zoo", user="", confirm=True)


async def test_a_forgotten_space_can_be_begun_again(databases: Databases) -> None:
    async with AsyncMemory(settings=databases()) as memory:
        await tell(memory)
        await memory.recall("flamingo", space="zoo")
        await memory.forget(space="zoo", confirm=True)
        assert await memory.recall("flamingo", space="zoo") == []
        assert await memory.sessions(space="zoo") == []
        await memory.observe([{"content": "The flamingo is pink."}], space="zoo", session="savanna")
        (hit,) = await memory.recall("flamingo", space="zoo")
        assert hit.text == "The flamingo is pink."


def conversation(rng: random.Random, words: list[str]) -> list[dict[str, object]]:
    """Turns of three sessions and alone; ``words`` are those of them that will be erased, by place."""
    turns: list[dict[str, object]] = []
    for n in range(40):
        secret = n in ERASED_PLACES
        text = (
            words[n]
            if secret
            else f"turn {n} about {rng.choice(['ships', 'soup', 'roses'])} and {rng.randrange(9)}"
        )
        turns.append(
            {
                "id": f"m{n}",
                "session": rng.choice(["s1", "s2", "s3", None]),
                "user": "gone" if secret else "stays",
                "content": text + rng.choice(["", "?"]),
                "role": rng.choice(["user", "assistant"]),
                "speaker": words[n].split()[0] if secret else rng.choice(["Ana", "Boris", None]),
                "time": NOW - timedelta(days=1, minutes=-n * rng.choice([1, 1, 20])),
            }
        )
    return turns


ERASED_PLACES = {3, 4, 9, 17, 18, 19, 25, 39}
LANGUAGES = [
    "Das Boot ist nicht mehr im Hafen und wir haben es auch nicht gesehen",
    "was it you who told them about the house that they had been in before",
    "昨天我们在花园里种了玫瑰",
    "yes",
    "one two three four five six seven " * 30,
    "El barco no está en el puerto y nosotros no lo hemos visto desde ayer",
    "why",
    "src/app.py failed",
]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(1, long=6)))
@pytest.mark.parametrize("by", ["user", "message"])
async def test_what_is_left_does_not_depend_on_what_was_erased(
    databases: Databases, seed: int, by: str
) -> None:
    """Two databases that were told different things, and forgot just these, are the same to the last bit."""
    left: list[dict[str, list[str]]] = []
    for variant in range(2):
        settings = databases()
        async with AsyncMemory(settings=settings, clock=FrozenClock(NOW)) as memory:
            rng = random.Random(seed)
            words = [f"N{variant}{n} {LANGUAGES[(n + 3 * variant) % len(LANGUAGES)]}" for n in range(40)]
            turns = conversation(rng, words)
            for at in range(0, 40, 4):
                await memory.import_messages(turns[at : at + 4], space="s")
            if by == "user":
                await memory.forget(space="s", user="gone", confirm=True)
            else:
                for place in sorted(ERASED_PLACES, key=lambda n: n % 5):
                    await memory.forget(space="s", message=f"m{place}", confirm=True)
        left.append(rows(settings))
    one, other = ({t: r for t, r in each.items() if t not in RECEIPTS} for each in left)
    for table in one:
        assert one[table] == other[table], table


async def test_a_space_is_as_if_a_forgotten_session_had_never_been(databases: Databases) -> None:
    turns = conversation(random.Random(7), ["x"] * 40)
    left: list[dict[str, list[str]]] = []
    for told in (turns, [t for t in turns if t["session"] != "s2"]):
        settings = databases()
        async with AsyncMemory(settings=settings, clock=FrozenClock(NOW)) as memory:
            await memory.import_messages(told, space="s")
            await memory.forget(space="s", session="s2", confirm=True)
        numbers = {"id", "entry_id", "session_id", "version", "epoch", "speaker", "owner", "speakers"}
        left.append(rows(settings, without=CHANCE | numbers))
    one, other = ({t: r for t, r in each.items() if t not in RECEIPTS} for each in left)
    for table in one.keys() - {"core.spaces"}:  # its sum of floats depends on the order
        assert one[table] == other[table], table


async def test_the_receipt_proves_without_telling(databases: Databases) -> None:
    settings = databases()
    async with AsyncMemory(settings=settings, clock=FrozenClock(NOW)) as memory:
        await tell(memory)
        done = await memory.forget(space="zoo", user="Roswitha", confirm=True)
        assert done.erased_at == NOW
        kept = rows(settings)["core.erasures"]
        assert len(kept) == 2  # the receipt, and the note on what is left on the disk
        assert all(str(done.receipt) in row for row in kept)
        for told in ("roswitha", "zoo", "savanna", "bonobo", "rrr"):
            assert not any(told in row.lower() for row in kept)


@pytest.mark.long
async def test_a_user_of_hundreds_of_memories_is_forgotten_at_once(
    databases: Databases, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(3)
    lines = [
        {
            "content": " ".join(rng.choices(["boat", "garden", "soup", "engine", "letter"], k=12)),
            "session": f"s{n // 40}",
            "user": "gone" if n % 24 == 0 else f"u{n % 500}",
            "speaker": f"P{n % 300}",
        }
        for n in range(MEMORIES)
    ]
    async with AsyncMemory(settings=databases()) as memory:
        await memory.import_messages(lines, space="big")
        started = time.perf_counter()
        done = await memory.forget(space="big", user="gone", confirm=True)
        seconds = time.perf_counter() - started
        assert done.counts == {"messages": MEMORIES // 24}
        with capsys.disabled():
            print(f"\n{MEMORIES // 24} of {MEMORIES:,} memories forgotten in {seconds * 1000:.0f} ms")
