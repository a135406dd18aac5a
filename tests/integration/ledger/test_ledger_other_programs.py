"""Keys that another program registered: their shapes are in the database, so every program writes them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from pydantic import BaseModel

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import Scope

pytestmark = pytest.mark.anyio
KEY = "constraint.diet"
NUTS, FISH = {"avoids": ["nuts"]}, {"avoids": ["fish"]}
DANA: dict[str, Any] = {"space": "cafe", "user": "dana"}


class Diet(BaseModel):
    avoids: list[str]


class LooserDiet(Diet):
    strict: bool = True


@pytest.fixture
async def other(settings: Settings, clock: FrozenClock, ledger: AsyncLedger) -> AsyncIterator[AsyncLedger]:
    """The ledger of a second program, which knows nothing but the database."""
    async with AsyncMemory(settings=settings, clock=clock) as opened:
        yield opened.ledger


async def written(ledger: AsyncLedger, scope: Scope | None = "cross_session") -> None:
    ledger.register("constraint.{what}", dict[str, list[str]], namespace="constraint", scope=scope)
    await ledger.open_session(space="cafe", session="s-1", user="dana")
    await ledger.set(KEY, NUTS, space="cafe", session="s-1")


@pytest.mark.parametrize("scope", ["cross_session", "session", None])
async def test_whatever_one_program_does_with_it_another_does_too(
    ledger: AsyncLedger, other: AsyncLedger, scope: Scope | None
) -> None:
    await written(ledger, scope)
    here: dict[str, Any] = {"space": "cafe", "session": "s-1"}
    assert (await other.assume(KEY, FISH, **here)).stands is False
    await other.set(KEY, FISH, **here)
    await other.correct(KEY, NUTS, **here)
    ended = await other.expire(KEY, **here)
    assert ended.event is not None
    await other.undo(ended.event.id, space="cafe")
    await other.delete(KEY, namespace="constraint", **here)
    seen = [await program.history(KEY, **here) for program in (ledger, other)]
    assert seen[0] == seen[1]
    assert [event.event_type for event in seen[0]] == [
        "fact_set",
        "assumption_set",
        "fact_corrected",
        "fact_corrected",
        "fact_expired",
        "fact_set",
        "fact_deleted",
    ]
    assert {(e.namespace, e.scope) for e in seen[0]} == {("constraint", scope or "session")}


async def test_a_key_outside_the_reserved_words_is_found_where_it_belongs(
    ledger: AsyncLedger, other: AsyncLedger
) -> None:
    await other.set("mood", "calm", **DANA)  # it has seen the space before there was a shape
    ledger.register("diet", Diet, namespace="constraint", scope="cross_session")
    await ledger.set("diet", NUTS, **DANA)
    assert [event.new for event in await other.history("diet", **DANA)] == [NUTS]
    with pytest.raises(BadInput) as refusal:
        await other.set("diet", {"avoids": "nuts"}, **DANA)
    assert refusal.value.field == "value.avoids"
    changed = await other.set("diet", FISH, **DANA)
    assert changed.event is not None
    assert (changed.event.namespace, changed.event.old) == ("constraint", NUTS)
    assert (await other.expire("diet", **DANA)).previous == changed.value


@pytest.mark.parametrize("act", ["expire", "delete"])
async def test_what_was_written_before_a_key_was_registered_is_shown_and_ended(
    ledger: AsyncLedger, other: AsyncLedger, act: str
) -> None:
    await other.set("diet", "nuts", **DANA)
    ledger.register("diet", Diet, namespace="constraint")
    with pytest.raises(BadInput, match="namespace other"):
        await ledger.expire("diet", **DANA)
    await ledger.set("diet", NUTS, **DANA)
    for program in (ledger, other):
        said = [(event.namespace, event.new) for event in await program.history("diet", **DANA)]
        assert said == [("other", "nuts"), ("constraint", NUTS)]
        with pytest.raises(BadInput, match="belongs to the namespace 'constraint'"):
            await program.correct("diet", "fish", namespace="other", **DANA)
    ended = await getattr(other, act)("diet", namespace="other", **DANA)
    assert ended.previous.value == "nuts"
    assert [value.value for value in await other.list(**DANA)] == [NUTS]


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"avoids": ["nuts", 1]}, "value.avoids.1"),
        ({}, "value.avoids"),
        ("nuts", "value"),
    ],
)
async def test_a_wrong_value_is_refused_with_the_path_of_the_fault(
    ledger: AsyncLedger, other: AsyncLedger, value: object, field: str
) -> None:
    ledger.register(KEY, Diet, namespace="constraint", scope="cross_session")
    await ledger.set(KEY, NUTS, **DANA)
    for program in (other, ledger):
        for write in (program.set, program.assume, program.correct):
            with pytest.raises(BadInput) as refusal:
                await write(KEY, value, **DANA)
            assert refusal.value.field == field
    assert [value.value for value in await other.list(**DANA)] == [NUTS]


async def test_a_key_that_nobody_used_in_the_space_is_refused(
    ledger: AsyncLedger, other: AsyncLedger
) -> None:
    await written(ledger)
    for key, space in ((KEY, "bar"), ("preference.tea", "cafe")):
        for act in (
            other.history(key, space=space, user="dana"),
            other.expire(key, space=space, user="dana"),
            other.set(key, NUTS, space=space, user="dana"),
        ):
            with pytest.raises(BadInput, match="register"):
                await act


async def test_what_only_events_tell_of_is_shown_and_ended_but_not_written(
    ledger: AsyncLedger, other: AsyncLedger, url: str
) -> None:
    """As SQL writes it, or a version of Quipu did that kept no shapes."""
    await written(ledger)
    with psycopg.connect(url) as conn:
        conn.execute("delete from ledger.shapes")
    assert [event.new for event in await other.history(KEY, **DANA)] == [NUTS]
    with pytest.raises(BadInput, match="register"):
        await other.set(KEY, FISH, **DANA)
    await other.delete(KEY, **DANA)
    await ledger.set(KEY, NUTS, **DANA)  # whose program has the shape keeps it again
    await other.set(KEY, FISH, **DANA)


async def test_the_shape_that_takes_more_is_kept_whoever_comes_first(
    ledger: AsyncLedger, other: AsyncLedger, settings: Settings
) -> None:
    ledger.register(KEY, Diet, namespace="constraint")
    other.register(KEY, LooserDiet, namespace="constraint")
    for program in (ledger, other, ledger):
        await program.set(KEY, NUTS, **DANA)
    for value in (NUTS | {"strict": False}, FISH | {"strict": True}):
        async with AsyncMemory(settings=settings) as third:
            await third.ledger.set(KEY, value, **DANA)
            with pytest.raises(BadInput) as refusal:
                await third.ledger.set(KEY, NUTS | {"strict": "very"}, **DANA)
        assert refusal.value.field == "value.strict"
        await ledger.set(KEY, NUTS, **DANA)  # the narrower one leaves it as it is


async def test_shapes_that_contradict_each_other_are_refused_naming_the_key_and_both(
    ledger: AsyncLedger, other: AsyncLedger
) -> None:
    ledger.register(KEY, Diet, namespace="constraint")
    await ledger.set(KEY, NUTS, **DANA)
    other.register(KEY, int, namespace="constraint")
    with pytest.raises(Conflict, match=r"'constraint.diet'.*avoids.*integer.*replace the other") as refusal:
        await other.set(KEY, 3, **DANA)
    assert refusal.value.field == "key"
    assert [event.new for event in await other.history(KEY, **DANA)] == [NUTS]
    await other.expire(KEY, **DANA)


async def test_a_shape_takes_the_place_of_another_where_it_is_told_to(
    ledger: AsyncLedger, other: AsyncLedger, settings: Settings
) -> None:
    ledger.register(KEY, Diet, namespace="constraint")
    await ledger.set(KEY, NUTS, **DANA)
    other.register(KEY, int, namespace="system", replace=True)
    await other.set(KEY, 3, **DANA)
    with pytest.raises(Conflict):
        await ledger.set(KEY, FISH, **DANA)
    (key,) = [key for key in await ledger.keys(space="cafe") if key.pattern == KEY]
    assert (key.namespace, key.shape) == ("system", {"type": "integer"})


async def test_a_fact_that_is_refused_leaves_no_shape(ledger: AsyncLedger, other: AsyncLedger) -> None:
    ledger.register(KEY, Diet, namespace="constraint")
    for refused in ({"session": "nowhere"}, {"session": "s-1", "turn": 99}):
        with pytest.raises(BadInput):
            await ledger.set(KEY, NUTS, space="cafe", **refused)  # type: ignore[arg-type]
    assert KEY not in [key.pattern for key in await other.keys(space="cafe")]
    await ledger.set(KEY, NUTS, **DANA)
    assert KEY in [key.pattern for key in await other.keys(space="cafe")]


async def test_the_keys_of_a_space_are_listed(
    ledger: AsyncLedger, other: AsyncLedger, clock: FrozenClock
) -> None:
    ledger.register("diet.{meal}", Diet, namespace="constraint", scope="session")
    unused = {key.pattern: key for key in await ledger.keys(space="nowhere")}["diet.{meal}"]
    assert unused.registered_at is None
    await ledger.set("diet.lunch", NUTS, space="cafe", session="s-1")
    listed = await other.keys(space="cafe")
    assert [key.pattern for key in listed] == sorted(key.pattern for key in listed)
    by_pattern = {key.pattern: key for key in listed}
    diet = by_pattern["diet.{meal}"]
    assert (diet.namespace, diet.scope, diet.registered_at) == ("constraint", "session", clock.now())
    assert diet.shape["required"] == ["avoids"]
    assert by_pattern["baseline.scope"].registered_at is None
    assert "diet.{meal}" not in [key.pattern for key in await other.keys(space="bar")]


async def test_a_space_that_is_forgotten_loses_its_shapes(
    cafe: AsyncMemory, ledger: AsyncLedger, other: AsyncLedger, url: str
) -> None:
    await written(ledger)
    await other.set(KEY, FISH, **DANA)
    await cafe.forget(space="cafe", confirm=True)
    with psycopg.connect(url) as conn:
        assert conn.execute("select * from ledger.shapes").fetchall() == []
    with pytest.raises(BadInput, match="register"):
        await other.set(KEY, FISH, **DANA)
    await ledger.set(KEY, NUTS, **DANA)
    await other.set(KEY, FISH, **DANA)


async def test_what_is_no_json_schema_in_the_database_says_so(
    ledger: AsyncLedger, other: AsyncLedger, url: str
) -> None:
    await written(ledger)
    for shape in ('{"type": "mood"}', '{"$ref": "http://127.0.0.1:9/shape"}'):
        with psycopg.connect(url) as conn:
            conn.execute(
                "update ledger.shapes set shape = %s, version = nextval('ledger.shapes_version_seq')", [shape]
            )
        with pytest.raises(BadInput, match="replacing it"):
            await other.set(KEY, FISH, **DANA)
