"""What stands is found by recall; what stands no more is not."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kinds.ledger.ledger import AsyncLedger

pytestmark = pytest.mark.anyio

HERE: dict[str, Any] = {"space": "cafe", "session": "s-1"}
DANA: dict[str, Any] = {"space": "cafe", "user": "dana"}


async def found(memory: AsyncMemory, question: str, **more: Any) -> list[str]:
    return [hit.text for hit in await memory.recall(question, space="cafe", kinds=["ledger"], **more)]


async def test_a_fact_is_found_with_its_provenance(cafe: AsyncMemory, ledger: AsyncLedger) -> None:
    written = await ledger.set(
        "baseline.scope", {"value": "single", "locationLabel": "Lisbon"}, user="dana", **HERE
    )
    (hit,) = await cafe.recall("Lisbon baseline", space="cafe", kinds=["ledger"])
    assert written.event is not None
    assert hit.text == "baseline.scope: single (locationLabel Lisbon)"
    assert (hit.kind, hit.source.message, hit.source.session) == ("ledger", str(written.event.id), "s-1")
    assert (hit.source.user, hit.source.role, hit.happened_at) == (
        "dana",
        "explicit",
        written.event.created_at,
    )
    assert "message" in {hit.kind for hit in await cafe.recall("Lisbon", space="cafe")}


async def test_a_superseded_deleted_or_expired_value_never_comes_back(
    cafe: AsyncMemory, ledger: AsyncLedger
) -> None:
    await ledger.set("boat", "the green boat", **DANA)
    assert await found(cafe, "boat") == ["boat: the green boat"]
    await ledger.set("boat", "the blue boat", **DANA)
    assert await found(cafe, "boat") == ["boat: the blue boat"]
    await ledger.delete("boat", **DANA)
    assert await found(cafe, "boat") == []
    await ledger.set("boat", "the red boat", **DANA)
    await ledger.expire("boat", **DANA)
    assert await found(cafe, "boat") == []
    assert len(await ledger.history("boat", **DANA)) == 5


async def test_a_value_whose_time_is_over_is_not_found_though_nobody_wrote_since(
    cafe: AsyncMemory, database: Any, settings: Any
) -> None:
    ledger = AsyncLedger(database, clock=_Now(), settings=settings)
    for seconds in (1.5, 6, 24, 96):  # a busy machine needs the longer ones to find it in time
        expires_at = _Now().now() + timedelta(seconds=seconds)
        await ledger.set("boat", f"the green boat, {seconds}", expires_at=expires_at, **DANA)
        if found_in_time := await found(cafe, "boat"):
            break
    assert found_in_time == [f"boat: the green boat, {seconds}"]
    with psycopg.connect(database.url) as conn:
        conn.execute("select pg_sleep_until(%s + interval '10 ms')", [expires_at])
    assert await found(cafe, "boat") == []


async def test_what_was_written_between_two_recalls_is_filed_once(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    for count in range(700):
        await ledger.set(f"note {count % 600}", f"entry {count}", **HERE)
    assert await found(cafe, "entry 599", limit=1) == ["note 599: entry 599"]
    with psycopg.connect(url) as conn:
        filed = conn.execute("select count(*) from core.recall_entries where kind = 2").fetchone()
        unindexed = conn.execute("select unindexed from core.spaces where name = 'cafe'").fetchone()
    assert (filed, unindexed) == ((600,), (0,))
    await ledger.set("note 1", "entry 601", **HERE)  # says the same: nothing to file
    with psycopg.connect(url) as conn:
        assert conn.execute("select unindexed from core.spaces where name = 'cafe'").fetchone() == (0,)


async def test_facts_of_a_person_are_found_for_that_person(cafe: AsyncMemory, ledger: AsyncLedger) -> None:
    await ledger.set("boat", "green", **DANA)
    await ledger.set("boat", "blue", space="cafe", user="bob")
    assert await found(cafe, "boat", user="dana") == ["boat: green"]
    assert sorted(await found(cafe, "boat")) == ["boat: blue", "boat: green"]


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_is_written_recall_finds_what_stands_and_nothing_else(
    cafe: AsyncMemory, ledger: AsyncLedger, clock: FrozenClock, seed: int
) -> None:
    rng = random.Random(seed)
    for step in range(60):
        whose = rng.choice([HERE, DANA])
        key = rng.choice(["boat a", "boat b", "boat c"])
        act = rng.choice(["set", "set", "infer", "assume", "delete", "undo", "rebuild", "recall"])
        clock.advance(timedelta(minutes=1))
        try:
            if act in ("set", "infer"):
                source = "explicit" if act == "set" else "inferred"
                await ledger.set(key, f"number {step}", source=source, **whose)
            elif act == "assume":
                await ledger.assume(key, f"number {step}", **whose)
            elif act == "delete":
                await ledger.delete(key, **whose)
            elif act == "undo":
                await ledger.undo(step // 2, space="cafe", force=True)
            elif act == "rebuild":
                await ledger.rebuild(space="cafe")
        except (BadInput, NotFound):
            continue
        if act == "recall":
            standing = sorted(f"{v.key}: {v.value}" for v in await ledger.list(space="cafe"))
            assert sorted(await found(cafe, "boat number", limit=20)) == standing


async def test_an_excerpt_is_found_until_it_is_taken_away(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    with psycopg.connect(url, options="-c search_path=ledger") as conn:
        conn.execute("select core.enter('cafe')")
        conn.execute(EVIDENCE)
    assert await found(cafe, "seated soup") == ["wait_time: seated late", "food_quality: cold soup"]
    with psycopg.connect(url) as conn:
        conn.execute("select core.enter('cafe')")
        conn.execute(
            "update ledger.chat_recommendation_evidence set excerpt = null where theme = 'wait_time'"
        )
    assert await found(cafe, "seated soup") == ["food_quality: cold soup"]
    with psycopg.connect(url) as conn:
        left = conn.execute("select content from core.recall_entries where kind = 2").fetchall()
    assert left == [("food_quality: cold soup",)]


EVIDENCE = """
with recommended as (
    insert into chat_recommendations (session_id, turn_index, location_label, action, time_window, confidence,
        source_name, rule_version)
    select uid, 1, 'Lisbon', 'row', 'today', 'low', 'reviews', 'r' from core.sessions where name = 's-1'
    returning id, session_id
)
insert into chat_recommendation_evidence (recommendation_id, session_id, turn_index, source_name, entity_type,
    place_id, review_publish_at, theme, excerpt)
select id, session_id, 1, 'reviews', 'own_location', 'p', now(), theme, excerpt
from recommended, (values ('wait_time', 'seated late'), ('food_quality', 'cold soup')) as e (theme, excerpt)
"""


class _Now:
    def now(self) -> datetime:
        return datetime.now(UTC)
