"""Killed at any moment under writers, nothing that was acknowledged is lost, and nothing is half written.

``make test-long`` makes twenty rounds, ``QUIPU_KILL_ROUNDS=200`` as many; ``QUIPU_KILL_SEED`` repeats those
of a seed that was printed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from journal import Account, Call
from kill_rounds import rounds
from kill_writer import do, settings_of
from patience import PATIENCE_SECONDS
from psycopg import sql
from psycopg.rows import dict_row

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.kernel.db.embedded.lock import read_pid_file
from quipu.kernel.db.embedded.place import find_place
from quipu.kernel.db.embedded.postmaster import lives
from quipu.upkeep.consistency import examine

ROUNDS = rounds("writers", short=1, long=20)  # of either kind as many
SEED = os.environ.get("QUIPU_KILL_SEED") or str(random.SystemRandom().randrange(10**6))
SOURCE = Path(__file__).resolve().parent.parent.parent / "src"
WRITER = Path(__file__).with_name("kill_writer.py")
WRITERS = 3
MOST_KEPT = (
    4_000  # more are forgotten at the end of a round, so that the last rounds take no longer than the first
)


@dataclass(frozen=True)
class Running:
    """A writer at work."""

    process: subprocess.Popen[bytes]
    journal: Path

    def kill(self) -> None:
        self.process.kill()

    def stop(self) -> int:
        """Let it end by itself after the call in hand; how it ended."""
        self.journal.with_suffix(".stop").touch()
        return self.process.wait(PATIENCE_SECONDS)

    @property
    def output(self) -> str:
        return self.journal.with_suffix(".log").read_text()


def start_writer(home: Path, journal: Path) -> Running:
    command = [sys.executable, str(WRITER), str(home), str(journal), f"{SEED}-{journal.stem}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUIPU_")}
    with journal.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env=environment | {"PYTHONPATH": str(SOURCE)}
        )
    return Running(process, journal)


def kill_server(settings: Settings) -> int:
    """Kill all processes of the server of this home, as soon as there are any; how many there were."""
    place, until = find_place(settings), time.monotonic() + PATIENCE_SECONDS
    while (found := read_pid_file(place.data)) is None or not lives(place):
        assert time.monotonic() < until, "no server comes up"
        time.sleep(0.005)
    children = Path(f"/proc/{found.pid}/task/{found.pid}/children").read_text().split()
    for pid in [found.pid, *map(int, children)]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return 1 + len(children)


def await_moment(chance: random.Random, writers: list[Running], number: int) -> None:
    """In the first round once enough was acknowledged for the whole test, however slow the machine is.

    Later now and then while everything starts, else once one of them writes, or all of them.
    """
    if number and chance.random() < 0.25:
        time.sleep(chance.random())
        return
    enough, until = chance.choice([any, all]), time.monotonic() + PATIENCE_SECONDS
    while not (
        enough(writer.journal.exists() and writer.journal.stat().st_size for writer in writers)
        and (number or sum(map(acknowledged_by, writers)) > ROUNDS)
    ):
        assert time.monotonic() < until, [writer.output for writer in writers]
        time.sleep(0.01)
    time.sleep(chance.random() * 0.8)


def acknowledged_by(writer: Running) -> int:
    """How many calls of a writer have returned, by the lines of its journal."""
    return writer.journal.read_bytes().count(b"\nnull\n") if writer.journal.exists() else 0


def make_round(settings: Settings, directory: Path, number: int) -> tuple[list[Path], str]:
    """Writers at work, one kill at a random moment; their journals, and what was killed."""
    chance = random.Random(f"{SEED}-{number}")
    writers = [start_writer(settings.home, directory / f"r{number}w{each}") for each in range(WRITERS)]
    killed: list[Running] = []
    try:
        await_moment(chance, writers, number)
        if number % 2 == 0:
            killed = chance.sample(writers, chance.randint(1, WRITERS))
            for writer in killed:
                writer.kill()
            what = f"{len(killed)} of {WRITERS} writers"
        else:
            what = f"the server ({kill_server(settings)} processes)"
        time.sleep(chance.random() * 0.2)
        ended = [(writer, writer.stop()) for writer in writers if writer not in killed]
        assert all(code == 0 for _, code in ended), [writer.output for writer, _ in ended]
    finally:
        for writer in writers:
            writer.kill()
            writer.process.wait(PATIENCE_SECONDS)
    return [writer.journal for writer in writers], what


async def stored(database: Database) -> dict[str, dict[str, Any]]:
    """Every message of every space by its id, in the words of the one who wrote it."""
    async with database.owner() as conn, conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            "select m.external_id as id, m.content, s.name as session, m.speaker, m.user_name as user,"
            " p.name as space from core.messages m join core.spaces p on p.id = m.space_id"
            " left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id"
        )
        rows = await cursor.fetchall()
    assert len(rows) == len({row["id"] for row in rows})
    return {row["id"]: row for row in rows}


async def without_space(database: Database) -> list[str]:
    """The tables with rows of a space that is not there."""
    found: list[str] = []
    async with database.owner() as conn:
        rows = await conn.execute(
            "select c.table_name from information_schema.columns c"
            " join information_schema.tables t using (table_schema, table_name)"
            " where table_schema = 'core' and column_name = 'space_id' and table_type = 'BASE TABLE'"
            " and table_name <> 'erasures'"
        )
        for (table,) in await rows.fetchall():
            name = sql.Identifier(table)
            left = sql.SQL("select 1 from core.{} where space_id not in (select id from core.spaces) limit 1")
            if await (await conn.execute(left.format(name))).fetchone():
                found.append(table)
    return found


async def check(settings: Settings, account: Account, number: int) -> None:
    """The server comes back, everything is as the account says, and what was cut off can be done again."""
    async with (
        await embedded.start(settings) as server,
        Database.open(server.conninfo(), settings, packages=PACKAGES) as database,
        AsyncMemory(settings=settings) as memory,
    ):
        assert account.differences(await stored(database)) == []
        assert await examine(database) == []
        for call in account.cut_off:
            await do(memory, call)
            account.count(call)
        account.cut_off.clear()
        assert account.differences(await stored(database)) == []
        assert await without_space(database) == []
        await recall_some(memory, account, random.Random(f"{SEED}-{number}"))
        if len(account.kept) > MOST_KEPT:
            for space in {message["space"] for message in account.kept.values()}:
                gone = [name for name, message in account.kept.items() if message["space"] == space]
                await do(memory, Call("forget", space))
                account.count(Call("forget", space, gone=gone))
        assert await examine(database) == []


async def recall_some(memory: AsyncMemory, account: Account, chance: random.Random) -> None:
    """What is kept is found by its word, and what is forgotten is not."""
    for name in chance.sample(sorted(account.kept), min(3, len(account.kept))):
        message = account.kept[name]
        # By the one that it alone has: a line that ends in a question mark is no answer to all of its words.
        hits = await memory.recall(name, space=message["space"], limit=20)
        assert name in {hit.source.message for hit in hits}, [(message, hit.parts, hit.text) for hit in hits]
    for name in chance.sample(sorted(account.forgotten), min(3, len(account.forgotten))):
        for space in ("sea", "land"):
            hits = await memory.recall(name, space=space, limit=5)
            assert name not in {hit.source.message for hit in hits}


@pytest.mark.anyio
@pytest.mark.long
@pytest.mark.kills
@pytest.mark.timeout(120 + 30 * ROUNDS)
async def test_kills_at_random_moments_lose_nothing_and_leave_nothing_half_written(
    home: Path, tmp_path: Path
) -> None:
    settings = settings_of(home / "home")
    async with AsyncMemory(settings=settings):
        pass  # the cluster is made; cutting off its making has tests of its own
    account = Account()
    acknowledged = 0
    print(f"seed {SEED}, {ROUNDS} rounds")
    for number in range(ROUNDS):
        journals, killed = make_round(settings, tmp_path, number)
        counts = [account.read(journal) for journal in journals]
        cut_off = [call.do for call in account.cut_off]
        print(f"round {number}: killed {killed}; acknowledged {counts}; cut off {cut_off}", flush=True)
        await check(settings, account, number)
        acknowledged += sum(counts)
    assert acknowledged > ROUNDS
    assert embedded.status(settings).state == "stopped"


MESSAGE = {"id": "a", "content": "boat"}
OTHER = {"id": "b", "content": "oar"}


@pytest.mark.parametrize(
    ("account", "stored", "found"),
    [
        (Account(kept={"a": MESSAGE}), {}, "lost"),
        (Account(kept={"a": MESSAGE}), {"a": MESSAGE | {"content": "goat"}}, "changed"),
        (Account(forgotten={"a"}), {"a": MESSAGE}, "back"),
        (Account(), {"a": MESSAGE}, "strange"),
        (Account(cut_off=[Call("observe", "s", [MESSAGE, OTHER])]), {"a": MESSAGE | {"space": "s"}}, "half"),
        (
            Account(kept={"a": MESSAGE, "b": OTHER}, cut_off=[Call("forget", "s", gone=["a", "b"])]),
            {"a": MESSAGE},
            "half",
        ),
    ],
)
def test_the_account_tells_what_is_not_as_it_must_be(
    account: Account, stored: dict[str, dict[str, Any]], found: str
) -> None:
    (difference,) = account.differences(stored)
    assert difference.startswith(found)


@pytest.mark.parametrize("there", [[], ["a", "b"]])
def test_a_call_that_was_cut_off_may_be_done_or_not(there: list[str]) -> None:
    both = {"a": MESSAGE | {"space": "s"}, "b": OTHER | {"space": "s"}}
    account = Account(cut_off=[Call("observe", "s", [MESSAGE, OTHER])])
    assert account.differences({name: both[name] for name in there}) == []
    account = Account(kept=dict(both), cut_off=[Call("forget", "s", gone=["a", "b"])])
    assert account.differences({name: both[name] for name in there}) == []
