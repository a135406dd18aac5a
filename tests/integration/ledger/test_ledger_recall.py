"""What stands is found by recall; what stands no more is not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from quipu import AsyncMemory
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
    await ledger.set("boat", "the green boat", expires_at=_Now().now() + timedelta(seconds=1.5), **DANA)
    assert await found(cafe, "boat") == ["boat: the green boat"]
    with psycopg.connect(database.url) as conn:
        conn.execute("select pg_sleep(2)")
    assert await found(cafe, "boat") == []


async def test_what_was_written_between_two_recalls_is_filed_once(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    for count in range(700):
        await ledger.set(f"note {count % 600}", f"entry {count}", **HERE)
    assert await found(cafe, "entry 599", limit=1) == ["note 599: entry 599"]
    with psycopg.connect(url) as conn:
        filed = conn.execute("select count(*) from core.recall_entries where kind = 2").fetchone()
        unfiled = conn.execute("select unfiled from core.spaces where name = 'cafe'").fetchone()
    assert (filed, unfiled) == ((600,), (0,))
    await ledger.set("note 1", "entry 601", **HERE)  # says the same: nothing to file
    with psycopg.connect(url) as conn:
        assert conn.execute("select unfiled from core.spaces where name = 'cafe'").fetchone() == (0,)


async def test_facts_of_a_person_are_found_for_that_person(cafe: AsyncMemory, ledger: AsyncLedger) -> None:
    await ledger.set("boat", "green", **DANA)
    await ledger.set("boat", "blue", space="cafe", user="bob")
    assert await found(cafe, "boat", user="dana") == ["boat: green"]
    assert sorted(await found(cafe, "boat")) == ["boat: blue", "boat: green"]


class _Now:
    def now(self) -> datetime:
        return datetime.now(UTC)
