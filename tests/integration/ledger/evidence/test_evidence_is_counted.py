"""What a recommendation says of its evidence is true, whatever the application writes with SQL of its own."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import anyio
import pytest
from psycopg import errors

from quipu import AsyncMemory
from quipu.errors import QuipuError
from quipu.kernel.db.database import Database, SpaceTransaction

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
RECOMMEND = """
insert into ledger.chat_recommendations (session_id, turn_index, location_label, action, time_window,
    confidence, source_name, rule_version, review_backed, evidence_count, recency_window_days, created_at)
select uid, 1, 'Lisbon', 'Add one person.', 'Friday',
    'medium', 'reviews', 'v1', true, 7, 3, '2026-05-04 12:00+00'
from core.sessions where name = %s
returning id
"""
CITE = """
insert into ledger.chat_recommendation_evidence (recommendation_id, session_id, turn_index, source_name,
    entity_type, place_id, review_publish_at, theme, excerpt)
select %s, session_id, 1, %s, 'own_location', 'p1', %s, 'wait_time', 'We waited.'
from ledger.chat_recommendations where id = %s
returning id
"""
# What is told, and beside it what is so.
TOLD_AND_SO = """
select (review_backed, evidence_count, recency_window_days)::text,
       (select (count(*) filter (where source_name = 'reviews') > 0, count(*),
                ceil(extract(epoch from r.created_at
                    - min(review_publish_at) filter (where source_name = 'reviews')) / 86400)::int2)::text
        from ledger.chat_recommendation_evidence e where e.recommendation_id = r.id)
from ledger.chat_recommendations r order by id
"""


async def do(tx: SpaceTransaction, statement: str, *values: object) -> int:
    """Run one statement; the id that it returns, or 0."""
    cursor = await tx.conn.execute(statement.encode(), values)
    row = await cursor.fetchone() if cursor.description else None
    return row[0] if row else 0


async def recommend(tx: SpaceTransaction) -> int:
    return await do(tx, RECOMMEND, "s-1")


async def cite(
    tx: SpaceTransaction, recommendation: int, *, source: str = "reviews", days: float = 10
) -> int:
    return await do(tx, CITE, recommendation, source, NOW - timedelta(days=days), recommendation)


async def told(tx: SpaceTransaction) -> list[str]:
    """What every recommendation tells, all of which is checked."""
    rows = await (await tx.conn.execute(TOLD_AND_SO.encode())).fetchall()
    assert [said for said, _ in rows] == [so for _, so in rows]
    return [said for said, _ in rows]


@pytest.mark.usefixtures("recommendations")
async def test_what_is_claimed_of_evidence_when_a_recommendation_is_inserted_is_not_believed(
    database: Database,
) -> None:
    async with database.write("cafe") as tx:
        await recommend(tx)
        assert await told(tx) == ["(f,0,)"]


@pytest.mark.usefixtures("recommendations")
async def test_evidence_that_comes_changes_or_goes_is_counted_at_once(database: Database) -> None:
    async with database.write("cafe") as tx:
        one, two = await recommend(tx), await recommend(tx)
        old, new = await cite(tx, one, days=40.5), await cite(tx, one, days=2)
        await cite(tx, one, source="weather", days=300)
        assert await told(tx) == ["(t,3,41)", "(f,0,)"]
        table = "ledger.chat_recommendation_evidence"
        await do(tx, f"update {table} set review_publish_at = %s where id = %s", NOW, old)
        assert await told(tx) == ["(t,3,2)", "(f,0,)"]
        await do(tx, f"update {table} set recommendation_id = %s where id = %s", two, new)
        assert await told(tx) == ["(t,2,0)", "(t,1,2)"]
        await do(tx, f"update {table} set source_name = 'weather' where id = %s", new)
        assert await told(tx) == ["(t,2,0)", "(f,1,)"]
        await do(tx, f"delete from {table} where recommendation_id = %s", one)
        assert await told(tx) == ["(f,0,)", "(f,1,)"]
        await do(tx, "delete from ledger.chat_recommendations where id = %s", two)
        assert await told(tx) == ["(f,0,)"]


@pytest.mark.parametrize(
    "lie",
    [
        "update ledger.chat_recommendations set review_backed = true",
        "update ledger.chat_recommendations set evidence_count = evidence_count + 1",
        "update ledger.chat_recommendations set recency_window_days = 1",
        "update ledger.chat_recommendations set created_at = now()",
        "select ledger.count_evidence(array[1])",
        "truncate ledger.chat_recommendation_evidence",
        "alter table ledger.chat_recommendation_evidence disable trigger evidence_added",
        "set session_replication_role = replica",
    ],
)
@pytest.mark.usefixtures("recommendations")
async def test_the_application_may_not_write_the_counts_nor_switch_the_counting_off(
    database: Database, lie: str
) -> None:
    with pytest.raises(QuipuError) as refused:  # noqa: PT012 - the error is translated at the end of the block
        async with database.write("cafe") as tx:
            await cite(tx, await recommend(tx))
            await do(tx, lie)
    assert isinstance(refused.value.__cause__, errors.InsufficientPrivilege)


@pytest.mark.usefixtures("recommendations")
async def test_what_else_a_recommendation_says_may_be_corrected(database: Database) -> None:
    async with database.write("cafe") as tx:
        await cite(tx, await recommend(tx))
        await do(tx, "update ledger.chat_recommendations set confidence = 'low', impact_score = 3")
        assert await told(tx) == ["(t,1,10)"]


@pytest.mark.usefixtures("recommendations")
async def test_evidence_cannot_be_of_another_session_than_its_recommendation(
    memory: AsyncMemory, database: Database
) -> None:
    await memory.observe([{"content": "Hello."}], space="cafe", session="s-2")
    with pytest.raises(QuipuError) as refused:  # noqa: PT012 - as above
        async with database.write("cafe") as tx:
            await cite(tx, await recommend(tx))
            await do(
                tx,
                "update ledger.chat_recommendation_evidence set session_id ="
                " (select uid from core.sessions where name = 's-2')",
            )
    assert isinstance(refused.value.__cause__, errors.ForeignKeyViolation)


@pytest.mark.usefixtures("recommendations")
async def test_two_who_add_evidence_to_the_same_recommendation_are_both_counted(database: Database) -> None:
    async with database.write("cafe") as tx:
        number = await recommend(tx)
    start = anyio.Event()

    async def add() -> None:
        async with database.write("cafe") as tx:
            await start.wait()
            for days in range(3):
                await cite(tx, number, days=days)
                await anyio.sleep(0.01)

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(add)
        await anyio.sleep(0.05)
        start.set()
    async with database.transaction("cafe") as tx:
        assert tx is not None
        assert await told(tx) == ["(t,12,2)"]


@pytest.mark.usefixtures("recommendations")
async def test_it_stays_true_over_any_history(database: Database) -> None:
    rng = random.Random(5)
    table = "ledger.chat_recommendation_evidence"
    async with database.write("cafe") as tx:
        numbers = [await recommend(tx) for _ in range(3)]
        for _ in range(60):
            number = rng.choice(numbers)
            match rng.randrange(5):
                case 0 | 1:
                    source = rng.choice(["reviews", "reviews", "weather"])
                    await cite(tx, number, source=source, days=rng.random() * 100)
                case 2:
                    await do(
                        tx,
                        f"delete from {table} where id %% 3 = %s and recommendation_id = %s",
                        0,
                        number,
                    )
                case 3:
                    changed = "source_name = 'system', recommendation_id = %s"
                    await do(tx, f"update {table} set {changed} where id %% 4 = 0", number)
                case _:
                    await do(tx, f"update {table} set review_publish_at = %s where id %% 5 = 0", NOW)
            await told(tx)
