"""What every queue promises, asked of the one in PostgreSQL and of the one in Redis."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from errands import CHIMING, appears, started
from patience import PATIENCE_SECONDS

from quipu.errors import DatabaseUnavailable
from quipu.kernel.queue.model import Ticket, Worked
from quipu.kernel.queue.outbox import put

if TYPE_CHECKING:
    from conftest import Works

pytestmark = pytest.mark.anyio

_LATE = "update core.schedules set due_at = now() - interval '3 hours'"


async def test_a_job_that_was_put_is_done_once(works: Works) -> None:
    await works.put("note", {"about": "the boat"})
    assert await works.burst() == Worked(done=1)
    assert [trace["about"] for trace in await works.traces()] == ["the boat"]
    assert await works.left() == []
    assert await works.burst() == Worked()


@pytest.mark.parametrize("carrier", ["redis"])
async def test_the_redis_of_connections_json_carries_jobs(works: Works, tmp_path: Path) -> None:
    assert works.redis is not None
    connections = tmp_path / "connections.json"
    await works.put("note", {"about": "the boat"})
    connections.write_text(json.dumps({"redis": {"url": f"unix://{tmp_path}/nobody.sock"}}))
    with pytest.raises(DatabaseUnavailable, match="Redis does not answer"):
        await works.burst(redis_url=None, connections=connections)
    connections.write_text(json.dumps({"redis": {"url": works.redis.url}, "topics": {}}))
    assert await works.burst(redis_url=None, connections=connections) == Worked(done=1)


async def test_a_write_that_is_undone_sends_nothing(works: Works) -> None:
    await works.put("note", {"n": 0})
    with suppress(ZeroDivisionError):
        async with works.database.write(works.space) as tx:
            await put(tx, "note", {"n": 1})
            raise ZeroDivisionError
    await works.burst()
    assert [trace["n"] for trace in await works.traces()] == [0]


async def test_the_same_key_twice_while_it_waits_is_one_job_with_the_later_payload(works: Works) -> None:
    for n in range(3):
        await works.put("note", {"n": n}, key="a")
    await works.put("note", {"n": 9}, key="b")
    assert await works.burst() == Worked(done=2)
    assert {trace["key"]: trace["n"] for trace in await works.traces()} == {"a": 2, "b": 9}


async def test_what_is_put_again_while_it_is_done_is_done_again(works: Works, tmp_path: Path) -> None:
    """The first run did not see what the second put was written with, so its effect must not be the last."""
    go = tmp_path / "go"
    await works.put("note", {"n": 1, "until": str(go), **started(tmp_path / "started")}, key="a")
    async with works.working():
        await appears(tmp_path / "started")
        await works.put("note", {"n": 2}, key="a")
        go.touch()
        await works.until_done()
    assert [trace["n"] for trace in await works.traces()] == [2]


async def test_a_job_that_is_handed_to_two_workers_has_its_effect_once(works: Works) -> None:
    await works.put("note", {"seconds": 0.1})
    row = await works.one()
    ticket = Ticket(row["space_id"], row["id"], "note")
    outcomes: list[str] = []
    async with works.worker() as hired:

        async def make() -> None:
            verdict = await hired.attempts.make(ticket, limit_seconds=PATIENCE_SECONDS)
            outcomes.append(verdict.outcome)

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(make)
    assert Counter(outcomes) == {"done": 1, "again": 2}
    assert len(await works.traces()) == 1


async def test_a_job_that_fails_is_tried_again_after_a_pause(works: Works) -> None:
    await works.put("fail", {"times": 2})
    async with works.working():
        await works.until_done()
    (trace,) = await works.traces()
    assert trace["attempt"] == 3


async def test_a_job_that_goes_on_failing_is_given_up_and_can_be_tried_again(works: Works) -> None:
    await works.put("fail", {"times": 3, "secret": "hunter2-is-not-enough-4f9a"}, key="k")
    async with works.working():
        with anyio.fail_after(PATIENCE_SECONDS):
            while not (dead := await works.store.dead(topic=None, limit=5)):  # noqa: ASYNC110 - a worker does it
                await anyio.sleep(0.02)
    assert (dead[0].key, dead[0].attempts, dead[0].space) == ("k", 3, works.space)
    assert "ValueError: not yet" in (dead[0].error or "")
    assert "hunter2" not in (dead[0].error or "")
    assert await works.burst() == Worked()
    await works.put("note", {"n": 1})
    assert await works.store.revive([dead[0].id], topic=None) == 1
    assert await works.burst(job_retry_seconds=60) == Worked(done=1, failed=1)
    assert (await works.one())["attempts"] == 1


async def test_a_job_that_takes_too_long_is_stopped(works: Works) -> None:
    await works.put("hang", {"seconds": 60})
    assert await works.burst(job_retry_seconds=60) == Worked(failed=1)
    assert (await works.one())["error"] == "It took longer than 0.2 s."
    assert await works.traces() == []


@pytest.mark.parametrize(("way", "told"), [("cancelled", "CancelledError"), ("exit", "SystemExit")])
async def test_a_job_that_ends_as_if_its_worker_did_fails_and_the_worker_works_on(
    works: Works, way: str, told: str
) -> None:
    """The try was not counted, and the worker took one job less at a time from then on, or ended."""
    await works.put("end", {"as": way})
    assert await works.burst(job_retry_seconds=60) == Worked(failed=1)
    assert told in (await works.one())["error"]
    await works.put("note", {"n": 1})
    assert await works.burst() == Worked(done=1)


async def test_a_job_for_which_no_tokens_are_left_waits_for_the_next_day_and_loses_no_try(
    works: Works,
) -> None:
    await works.put("spend")
    assert await works.burst() == Worked()
    row = await works.one()
    assert (row["attempts"], row["dead_at"]) == (0, None)
    assert "Nothing is left" in row["error"]
    (status,) = await works.store.status(now=datetime.now(UTC))
    assert (status.waiting, status.later, status.dead) == (0, 1, 0)


async def test_a_job_waits_until_it_is_due(works: Works) -> None:
    await works.put("note", due=datetime.now(UTC) + timedelta(hours=1), key="later")
    await works.put("note", due=datetime.now(UTC) - timedelta(hours=1), key="now")
    assert await works.burst() == Worked(done=1)
    assert [trace["key"] for trace in await works.traces()] == ["now"]
    assert await works.left() == ["note"]


async def test_several_workers_do_each_job_once(works: Works) -> None:
    async with works.database.write(works.space) as tx, tx.conn.pipeline():
        for n in range(100):
            await put(tx, "note", {"n": n})
    async with works.working(3, concurrency=3):
        await works.until_done()
    assert sorted(trace["n"] for trace in await works.traces()) == list(range(100))


async def test_a_job_that_has_no_transaction_is_done_when_its_handler_returns(
    works: Works, tmp_path: Path
) -> None:
    await works.put("tell", {"file": str(tmp_path / "told")})
    assert await works.burst() == Worked(done=1)
    assert (tmp_path / "told").read_text() == f"{works.space}\n"
    assert await works.left() == []


async def test_what_the_queue_loses_is_handed_over_again(works: Works) -> None:
    await works.put("note", {"n": 1})
    async with works.worker() as hired:
        assert await hired.relay.hand_over() == 1
        await works.lose_everything()
        assert await hired.relay.look_for_lost() == 0  # it may still be on its way
        async with works.database.transaction(works.space) as tx:
            assert tx is not None
            await tx.conn.execute("update core.outbox set sent_at = sent_at - interval '1 hour'")
        assert await hired.relay.look_for_lost() == 1
        assert await hired.relay.look_for_lost() == 0
    await works.burst()
    assert [trace["n"] for trace in await works.traces()] == [1]


async def test_what_was_handed_over_and_not_marked_is_not_done_twice(works: Works) -> None:
    """As after a crash between the queue's answer and ours: it is handed over again, under the same name."""
    await works.put("note", {"n": 1})
    async with works.worker() as hired:
        assert await hired.relay.hand_over() == 1
        async with works.database.transaction(works.space) as tx:
            assert tx is not None
            await tx.conn.execute("update core.outbox set sent_at = null")
        assert await hired.relay.hand_over() == 1
    assert await works.burst() == Worked(done=1)
    assert len(await works.traces()) == 1


async def test_a_worker_that_is_stopped_finishes_what_it_has_in_hand(works: Works, tmp_path: Path) -> None:
    go = tmp_path / "go"
    await works.put("note", {"until": str(go), **started(tmp_path / "started")})
    async with works.working(concurrency=1) as (hired,):
        await appears(tmp_path / "started")
        await works.put("note")
        hired.stop()
        go.touch()
    assert len(await works.traces()) == 1
    assert await works.left() == ["note"]


async def test_what_a_stopped_worker_cannot_finish_is_given_back_untouched(
    works: Works, tmp_path: Path
) -> None:
    mark = tmp_path / "started"
    await works.put("note", {"until": str(tmp_path / "never"), **started(mark)}, key="k")
    async with works.worker() as hired, anyio.create_task_group() as tasks:

        async def stop() -> None:
            await appears(mark)
            hired.stop()

        tasks.start_soon(stop)
        with anyio.fail_after(PATIENCE_SECONDS):
            assert await hired.run(grace_seconds=0.05) == Worked()
    row = await works.one()
    assert (row["attempts"], row["sent_at"], row["started_at"], row["dead_at"]) == (0, None, None, None)
    await works.put("note", {"n": 2}, key="k")
    assert await works.burst() == Worked(done=1)


async def test_a_schedule_fires_once_however_many_workers_there_are(works: Works) -> None:
    for space in (works.space, f"{works.space} too"):
        async with works.database.write(space):
            pass
    async with works.working(3, known=CHIMING):
        with anyio.fail_after(PATIENCE_SECONDS):
            async with works.database.owner() as conn:
                while not (await conn.execute(_LATE)).rowcount:  # noqa: ASYNC110 - a worker notes it first
                    await anyio.sleep(0.02)
            while not await works.traces():  # noqa: ASYNC110 - a worker does it
                await anyio.sleep(0.02)
        await anyio.sleep(0.3)
    assert await works.traces() == [{"chimed": "chime"}]
    (schedule,) = await works.store.schedules()
    assert schedule.fired_at is not None
    assert timedelta() < schedule.due_at - schedule.fired_at <= timedelta(days=366)


async def test_a_job_of_a_space_that_was_forgotten_goes(works: Works) -> None:
    async with works.database.owner() as conn:
        await conn.execute("insert into core.outbox (space_id, topic, key) values (999999, 'note', 'x')")
    assert await works.burst() == Worked()
    assert await works.store.status(now=datetime.now(UTC)) == []
