"""Receipts of erasures: signed, one chain for the database, and nothing of a person in them."""

from __future__ import annotations

import json
from collections.abc import Mapping

import anyio
import psycopg
import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.config import Settings
from quipu.receipts import key_of, plain, verify

pytestmark = pytest.mark.anyio

NAMES = ("marisolq", "household", "kitchen", "m-17")


async def tell(memory: AsyncMemory, space: str, *, users: int = 1) -> None:
    said = [{"content": f"I am here, {n}.", "user": f"marisolq{n or ''}"} for n in range(users)]
    await memory.observe(said, space=space, session="kitchen")


async def test_every_erasure_is_a_link_of_one_chain(memory: AsyncMemory) -> None:
    with pytest.raises(NotFound):
        await memory.receipts.key()
    for space in ("household", "other", "household"):
        await tell(memory, space)
        done = await memory.forget(space=space, user="marisolq", confirm=True)
        first, *_ = await memory.receipts.get(str(done.receipt), space=space)
        assert first.id == done.receipt
    await memory.forget(space="other", confirm=True)
    key = key_of((await memory.receipts.key()).public_key)
    every = await memory.receipts.list()
    found = verify(every, key=key)
    assert (found.holds, found.missing, found.key_given) == (True, (), True)
    assert [one.number for one in every] == list(range(1, len(every) + 1))
    own = await memory.receipts.list(space="household")
    assert verify(own, key=key).holds
    assert 0 < len(own) < len(every)
    without = [one for one in every if one.number != 2]
    assert verify(without, key=key).missing == (2,)


async def test_a_receipt_tells_nothing_of_a_person(memory: AsyncMemory, settings: Settings) -> None:
    await tell(memory, "household", users=3)
    await memory.forget(space="household", user="marisolq", confirm=True)
    await memory.forget(space="household", session="kitchen", message="m-17", confirm=True)
    await memory.forget(space="household", confirm=True)
    told = json.dumps([plain(one) for one in await memory.receipts.list()])
    assert [name for name in NAMES if name in told] == []
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url) as conn:
        rows = conn.execute("select row(e)::text from core.erasures e").fetchall()
        guessed = "encode(sha256(convert_to(%s, 'UTF8') || '\\x00' || convert_to(%s, 'UTF8')), 'hex')"
        (guess,) = conn.execute(f"select {guessed}".encode(), NAMES[1::-1]).fetchone() or ("",)
    stored = " ".join(row[0] for row in rows)
    assert [name for name in (*NAMES, guess) if name in stored] == []


async def test_erasures_at_once_stand_one_after_the_other(memory: AsyncMemory) -> None:
    spaces = [f"s{n}" for n in range(4)]
    for space in spaces:
        await tell(memory, space, users=3)

    async def forget(space: str, given: Mapping[str, str]) -> None:
        await memory.forget(space=space, confirm=True, **given)

    async with anyio.create_task_group() as tasks:
        for space in spaces:
            for user in ("marisolq", "marisolq1", "marisolq2"):
                tasks.start_soon(forget, space, {"user": user})
    found = await memory.receipts.list()
    assert verify(found).holds
    assert len([one for one in found if one.document["type"] == "erasure"]) == 12


async def test_an_erasure_that_fails_leaves_no_receipt(memory: AsyncMemory, settings: Settings) -> None:
    await tell(memory, "household")
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url, autocommit=True) as conn:
        conn.execute(
            "alter table core.erasures add constraint no check (not (counts ? 'messages')) not valid"
        )
        with pytest.raises(Exception, match="no"):
            await memory.forget(space="household", user="marisolq", confirm=True)
        conn.execute("alter table core.erasures drop constraint no")
    assert await memory.receipts.list() == []
    await memory.forget(space="household", user="marisolq", confirm=True)
    assert verify(await memory.receipts.list()).holds


async def test_the_keys_of_receipts_are_no_table_that_the_application_reads(
    memory: AsyncMemory, settings: Settings
) -> None:
    await tell(memory, "household")
    await memory.forget(space="household", user="marisolq", confirm=True)
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url) as conn:
        conn.execute("set role quipu_app")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("select signing_key from core.erasure_chain")


async def test_what_is_no_receipt_is_told(memory: AsyncMemory) -> None:
    with pytest.raises(BadInput, match="id"):
        await memory.receipts.get("x")
    with pytest.raises(NotFound):
        await memory.receipts.get("123e4567-e89b-42d3-a456-426614174000")
