"""While the model changes, others search, write and erase; processes are killed, and two do the same."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio
import psycopg
import pytest
import true_vectors
from long_form import sized
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory
from quipu.app.answer import Answering
from quipu.app.kinds import KINDS
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kernel.embedding.prefixes import Role
from quipu.recall import generations
from quipu.recall.generations import Embedded, Models
from quipu.recall.search import Search
from quipu.recall.signatures import Cache
from quipu.recall.store import lock_space
from quipu.upkeep.reembed.batches import Batches

pytestmark = pytest.mark.anyio

WORDS = [
    "harbour",
    "lantern",
    "copper",
    "willow",
    "marble",
    "thunder",
    "saddle",
    "violet",
    "anchor",
    "pepper",
]


def said(count: int, *, first: int = 0, sessions: int = 5) -> list[dict[str, object]]:
    return [
        {
            "id": f"m{n}",
            "content": f"Number {n} is about {WORDS[n % 10]} and {WORDS[n // 10 % 10]}.",
            "session": f"s{n % sessions}",
            "time": datetime(2020, 5, 1, tzinfo=UTC) + timedelta(minutes=n),
        }
        for n in range(first, first + count)
    ]


def with_dimensions(settings: Settings, dimensions: int) -> Settings:
    return replace(settings, embedding_dimensions=dimensions)


async def until_stopped(done: anyio.Event, work: Callable[[int], Awaitable[object]]) -> int:
    """Do ``work`` again and again; how often."""
    times = 0
    while not done.is_set():
        await work(times)
        times += 1
        await anyio.sleep(0.001)
    return times


async def test_recall_writing_and_forgetting_go_on_through_several_changes(
    settings: Settings, url: str
) -> None:
    recalls = 0

    async def searches(memory: AsyncMemory, done: anyio.Event) -> None:
        async def ask(turn: int) -> None:
            nonlocal recalls
            hits = await memory.recall(f"What is about {WORDS[turn % 10]}?", space="ana", limit=5)
            assert len(hits) == 5
            # Without vectors that fit to the question's there would be no such part.
            assert all(hit.parts.get("meaning", 0) > 0.05 for hit in hits), [hit.parts for hit in hits]
            recalls += 1

        await until_stopped(done, ask)

    async def writes(memory: AsyncMemory, done: anyio.Event) -> None:
        async def tell(turn: int) -> None:
            first = 10_000 + 10 * turn
            if turn % 5 == 4:
                await memory.import_messages(said(300, first=first * 100), space=f"new{turn}")
            else:
                await memory.observe(said(3, first=first), space=("ana", "bob")[turn % 2])

        await until_stopped(done, tell)

    async def forgets(memory: AsyncMemory, done: anyio.Event) -> None:
        async def forget(turn: int) -> None:
            await memory.forget(space="ana", message=f"m{7 * turn}", confirm=True)
            await anyio.sleep(0.05)

        await until_stopped(done, forget)

    async with (
        AsyncMemory(settings=settings) as first,
        AsyncMemory(settings=settings) as second,
        AsyncMemory(settings=settings) as third,
    ):
        await first.import_messages(said(1500), space="ana")
        await first.import_messages(said(300), space="bob")
        done = anyio.Event()
        async with anyio.create_task_group() as tasks:
            for memory, work in ((first, searches), (second, writes), (third, forgets)):
                tasks.start_soon(work, memory, done)
            for dimensions in (100, 384):
                async with AsyncMemory(settings=with_dimensions(settings, dimensions)) as changing:
                    await changing.reembed()
            done.set()
    assert recalls > 20
    checked = true_vectors.check(url)
    assert checked.missing == []
    assert checked.compared > 1500
    with psycopg.connect(url) as conn:
        left = conn.execute(
            "select count(*) from core.recall_vectors v join core.spaces s on s.id = v.space_id"
            " where v.generation <> s.generation or not exists (select from core.recall_entries e"
            " where e.space_id = v.space_id and e.id = v.entry_id)"
        ).fetchone()
    assert left == (0,)


CHANGE = """
import anyio, sys
from quipu import AsyncMemory
from quipu.kernel.config import Settings

async def main():
    url, dimensions = sys.argv[1:]
    settings = Settings(database_url=url, embedding_model="hashing", embedding_dimensions=dimensions)
    async with AsyncMemory(settings=settings) as memory:
        report = await memory.reembed(progress=lambda n: print(n, flush=True))
        print("done", report.entries, flush=True)

anyio.run(main)
"""


def changing_process(url: str, dimensions: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHANGE, url, str(dimensions)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def vectors(url: str) -> dict[str, int]:
    with psycopg.connect(url) as conn:
        return dict(
            conn.execute(
                "select g.state, count(*) from core.recall_vectors v"
                " join core.recall_generations g on g.id = v.generation group by 1"
            ).fetchall()
        )


@pytest.mark.long
async def test_a_change_that_is_killed_goes_on_where_it_was(memory: AsyncMemory, url: str) -> None:
    entries = sized(2_000, long=10_000)
    await memory.import_messages(said(entries), space="ana")
    rounds = 0
    while True:
        process = changing_process(url, 100)
        assert process.stdout is not None
        line = ""
        for count, line in enumerate(process.stdout, start=1):
            if line.startswith("done") or count == 2:
                break
        process.kill()
        assert process.wait() == -signal.SIGKILL or line.startswith("done")
        process.stdout.close()
        assert len(await memory.recall("What is about copper?", space="ana")) == 10
        if line.startswith("done"):
            break
        rounds += 1
        assert vectors(url)["building"] >= 400 * rounds
    assert rounds >= 2
    async with AsyncMemory(settings=replace(memory._settings, embedding_dimensions=100)) as last:
        report = await last.reembed()  # whatever the last kill left
    assert report.entries == 0
    assert vectors(url) == {"serving": entries}
    assert true_vectors.check(url) == true_vectors.Checked(entries, [])


async def test_two_processes_at_once_share_the_work(memory: AsyncMemory, url: str) -> None:
    for n in range(4):
        await memory.import_messages(said(450), space=f"space{n}")  # more than a batch
    processes = [changing_process(url, 100) for _ in range(2)]
    outputs = [await anyio.to_thread.run_sync(process.communicate) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    done = [int(output.split("done ")[1]) for output, _ in outputs]
    assert sum(done) == 1800
    assert vectors(url) == {"serving": 1800}
    assert true_vectors.check(url) == true_vectors.Checked(1800, [])


async def test_a_write_that_waits_for_the_change_of_its_space_gets_the_new_vectors(
    memory: AsyncMemory, settings: Settings, url: str
) -> None:
    """The space changes between the moment when a write enters it and the moment when it files."""
    await memory.import_messages(said(50), space="ana")
    async with AsyncMemory(settings=with_dimensions(settings, 100)) as changing:
        with psycopg.connect(url) as conn:
            # Whoever holds the thread keeps the write waiting: it has entered the space, but not filed.
            conn.execute("select from core.recall_threads for update")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: memory.observe(said(1, first=60), space="ana"))
                await somebody_waits(url)
                await changing.reembed()
                conn.rollback()
    assert true_vectors.check(url) == true_vectors.Checked(51, [])


async def test_an_erasure_that_waits_for_a_batch_of_new_vectors_takes_them_along(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.import_messages(said(50), space="ana")
    embedder = HashEmbedder(dimensions=100)
    with psycopg.connect(url) as conn:
        conn.execute(
            "insert into core.recall_generations (model, digest, dimensions, state)"
            " values ('hashing', %s, 100, 'building')",
            [embedder.digest],
        )
        row = conn.execute("select id from core.recall_generations where state = 'building'").fetchone()
    assert row is not None
    batches = Batches(embedder, row[0], {kind.code: kind.cite for kind in KINDS}, None)

    async def forget() -> None:
        await memory.forget(space="ana", message="m20", confirm=True)

    async with anyio.create_task_group() as tasks, database.transaction("ana") as tx:
        assert tx is not None
        batch = await batches.read(tx)
        assert batch is not None
        assert await batches.make(tx, batch) == 50
        tasks.start_soon(forget)
        await somebody_waits(url)
    checked = true_vectors.check(url, generation=row[0])
    assert vectors(url) == {"serving": 49, "building": checked.compared}
    # The two after it and the one before it had inherited from it: theirs went too, to be made again.
    assert len(checked.missing) == 3


async def test_old_vectors_are_cleared_away_beside_one_who_deletes_them_in_another_order(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.import_messages(said(50), space="ana")
    with psycopg.connect(url) as conn:
        conn.execute(
            "with old as (insert into core.recall_generations (model, digest, dimensions, state)"
            " values ('old', 'old', 384, 'retired') returning id)"
            " insert into core.recall_vectors select space_id, old.id, entry_id, own, context"
            " from core.recall_vectors cross join old"
        )
    delete = (
        "delete from core.recall_vectors v using core.recall_generations g where g.id = v.generation"
        " and g.model = 'old' and entry_id = (select {}(entry_id) from core.recall_vectors)"
    )
    async with anyio.create_task_group() as tasks, database.transaction("ana") as tx:
        assert tx is not None
        await lock_space(tx)  # as every write and erasure does before it touches a vector
        await tx.conn.execute(delete.format("max"))
        tasks.start_soon(memory.reembed)
        await somebody_waits(url)
        await tx.conn.execute(delete.format("min"))
    assert vectors(url) == {"serving": 50}


async def test_a_recall_during_which_its_space_changes_over_is_answered_by_the_old_vectors(
    memory: AsyncMemory, database: Database, settings: Settings, url: str
) -> None:
    await memory.import_messages(said(3000), space="ana")
    question = "What is about copper?"
    before = await memory.recall(question, space="ana")

    class ChangesMeanwhile(Models):
        """Between reading the signatures of a space and searching it, the question is embedded."""

        async def embed(
            self, texts: Sequence[str], *, generation: int | None = None, role: Role = "passage"
        ) -> Embedded:
            async with AsyncMemory(settings=with_dimensions(settings, 100)) as changing:
                await changing.reembed()
            return await super().embed(texts, generation=generation, role=role)

    async with ChangesMeanwhile.open(database, settings) as models:
        answering = Answering(
            database,
            Search(models, clock=SystemClock(), cache=Cache()),
            models,
            clock=SystemClock(),
        )
        (during,) = await answering.answer(
            [question], space="ana", user=None, session=None, kinds=None, since=None, until=None, limit=10
        )
    assert during == before
    assert vectors(url) == {"serving": 3000}
    assert len(await memory.recall(question, space="ana")) == 10


async def test_a_model_that_nobody_needs_any_more_is_closed(
    memory: AsyncMemory, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.observe(said(1), space="ana")
    async with Models.open(database, settings) as models:
        old = (await models.embed(["tea"])).generation
        async with AsyncMemory(settings=with_dimensions(settings, 100)) as changing:
            await changing.reembed()
        async with database.snapshot_read("ana") as tx:
            assert tx is not None
            new = tx.space.generation
        assert (await models.embed(["tea"], generation=new)).vectors.shape == (1, 100)
        assert models.open_generations == {old, new}
        monkeypatch.setattr(generations, "_IDLE_SECONDS", 0.0)
        await models.embed(["salt"], generation=new)
        assert models.open_generations <= {new}
        assert (await models.embed(["salt"], generation=old)).vectors.shape == (1, 384)


async def somebody_waits(url: str) -> None:
    """Return once a connection waits for a lock."""
    waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    with psycopg.connect(url, autocommit=True) as conn, anyio.fail_after(PATIENCE_SECONDS):
        while conn.execute(waits).fetchone() is None:  # noqa: ASYNC110 - the database knows
            await anyio.sleep(0.02)
