"""What cannot be taken: a clear error with the way out, and nothing lost or half stored."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from long_form import sized

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict
from quipu.kernel.db.database import Database
from quipu.recall.model import Hit
from quipu.upkeep.consistency import examine

pytestmark = pytest.mark.anyio

GOOD = {"content": "The boat is green."}
LINES = sized(5_000, long=50_000)


async def everything(memory: AsyncMemory, question: str = "boat", *, space: str = "s") -> list[Hit]:
    return await memory.recall(question, space=space, limit=1000)


# ---- Messages --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({}, "content"),
        ({"content": ""}, "content"),
        ({"content": " \n\t"}, "content"),
        ({"content": None}, "content"),
        ({"content": 5}, "content"),
        ({"content": b"bytes"}, "content"),
        ({"content": "x" * (16 * 1024 * 1024 + 1)}, "content"),
        (GOOD | {"role": "w" * 65}, "role"),
        (GOOD | {"role": 7}, "role"),
        (GOOD | {"time": "tomorrow"}, "time"),
        (GOOD | {"time": "0001-01-01T00:00:00Z"}, "time"),
        (GOOD | {"time": "9999-12-31T23:59:59Z"}, "time"),
        (GOOD | {"time": datetime(9999, 12, 31, tzinfo=UTC)}, "time"),
        (GOOD | {"time": datetime.now(UTC) + timedelta(days=2)}, "time"),
        (GOOD | {"time": -1}, "time"),
        (GOOD | {"time": float("nan")}, "time"),
        (GOOD | {"time": 10**400}, "time"),
        (GOOD | {"session": "x" * 513}, "session"),
        (GOOD | {"session": "a\0b"}, "session"),
        (GOOD | {"id": ["list"]}, "id"),
        (GOOD | {"id": "\ud800"}, "id"),
        (GOOD | {"speaker": "line\nbreak"}, "speaker"),
        (GOOD | {"user": True}, "user"),
        ("just text", None),
        (None, None),
        (["a", "list"], None),
    ],
)
async def test_a_message_that_cannot_be_taken_is_named_by_place_and_field_and_nothing_is_stored(
    memory: AsyncMemory, message: Any, field: str | None
) -> None:
    with pytest.raises(BadInput) as refused:
        await memory.observe([GOOD, message], space="s")
    assert refused.value.field == ("messages[1]" if field is None else f"messages[1].{field}")
    assert str(refused.value).endswith("Nothing was stored.")
    assert await everything(memory) == []
    report = await memory.import_messages([GOOD, message, {"content": "The boat is red."}], space="s")
    assert (report.imported, [(r.line, r.field) for r in report.refused]) == (2, [(2, field)])


@pytest.mark.parametrize("messages", ["text", GOOD, b"bytes", 5, None])
async def test_what_is_no_list_of_messages_is_refused(memory: AsyncMemory, messages: Any) -> None:
    with pytest.raises(BadInput, match="messages"):
        await memory.observe(messages, space="s")
    with pytest.raises(BadInput, match="messages"):
        await memory.import_messages(messages, space="s")


async def test_no_messages_are_no_error(memory: AsyncMemory) -> None:
    assert (await memory.observe([], space="s")).imported == 0
    assert (await memory.import_messages([], space="s")).imported == 0
    assert (await memory.health()).spaces == 0


async def test_characters_that_cannot_be_stored_are_replaced_and_counted(memory: AsyncMemory) -> None:
    report = await memory.observe([{"content": "The boat\0 is \ud800green \ud83d\ude00."}], space="s")
    assert (report.imported, report.repaired) == (1, 2)
    (hit,) = await everything(memory)
    assert hit.text == "The boat\ufffd is \ufffdgreen 😀."


async def test_a_time_without_a_zone_is_utc_and_counted(memory: AsyncMemory) -> None:
    report = await memory.observe([GOOD | {"time": "2024-05-03T10:00:00"}], space="s")
    assert report.assumed_utc == 1
    (hit,) = await everything(memory)
    assert hit.happened_at == datetime(2024, 5, 3, 10, tzinfo=UTC)
    assert hit.recorded_at > hit.happened_at


async def test_times_at_the_edge_are_kept_to_the_microsecond(memory: AsyncMemory) -> None:
    times = [datetime(1970, 1, 1, tzinfo=UTC), datetime(2024, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)]
    await memory.import_messages(
        [{"content": f"The boat was seen in {time.year}.", "time": time, "id": str(time)} for time in times],
        space="s",
    )
    assert sorted(hit.happened_at for hit in await everything(memory)) == times


PIECES = ["word ", "中", "sk-abcdef1234 ", "x", "a_b ", "<", "line\n", "😀", "e\u0301"]


@pytest.mark.long
@pytest.mark.parametrize("piece", PIECES[: sized(3, long=9)])
async def test_ten_megabytes_are_taken_in_found_and_forgotten(memory: AsyncMemory, piece: str) -> None:
    content = "The boat is green. " + piece * (10_000_000 // len(piece.encode()))
    await memory.observe([{"id": "long", "content": content}], space="s")
    (hit,) = await everything(memory)
    assert hit.source.message == "long"
    assert len(hit.text) <= 2_000
    await memory.forget(space="s", message="long", confirm=True)
    assert await everything(memory) == []


async def test_many_long_messages_in_one_import_are_taken_in_turn(memory: AsyncMemory) -> None:
    """Many more of them in one batch would be gigabytes, in memory several times over, in one statement."""
    lines = [{"content": f"The boat {n} is green. " + "word " * 600_000} for n in range(5)]
    longest: list[int] = []
    report = await memory.import_messages(lines, space="s", progress=longest.append)
    assert report.imported == 5
    assert max(longest) <= 3


@pytest.mark.long
async def test_thousands_of_lines_with_broken_ones_among_them_are_taken_but_for_these(
    memory: AsyncMemory, database: Database
) -> None:
    every = LINES // 10

    def lines() -> Iterator[Any]:
        for n in range(1, LINES + 1):
            if n % every == 7:
                yield [{"content": ""}, "garbage", {"content": "x", "role": 7}, None, 5][n // every % 5]
            else:
                yield {"content": f"boat {n}"}

    report = await memory.import_messages(lines(), space="s")
    assert [refusal.line for refusal in report.refused] == [n * every + 7 for n in range(10)]
    assert report.imported == LINES - 10
    assert (await memory.health()).entries == LINES - 10


async def test_other_words_under_a_known_id_are_refused_in_an_import_and_the_rest_is_taken(
    memory: AsyncMemory,
) -> None:
    await memory.observe([GOOD | {"id": "m1"}], space="s")
    with pytest.raises(Conflict, match="stored already"):
        await memory.observe([{"content": "New."}, {"id": "m1", "content": "Other."}], space="s")
    lines = [
        {"id": "m1", "content": "Other."},
        {"id": "m2", "content": "boat"},
        {"id": "m2", "content": "Other."},
    ]
    report = await memory.import_messages(lines, space="s")
    assert (report.imported, [r.line for r in report.refused]) == (1, [1, 3])
    assert sorted(hit.text for hit in await everything(memory)) == ["The boat is green.", "boat"]


class Boom(Exception):
    """Raised by an input that breaks off."""


def breaking_off(after: int) -> Iterator[dict[str, str]]:
    for n in range(after):
        yield {"content": f"boat {n}"}
    raise Boom


async def test_an_input_that_breaks_off_leaves_no_half_of_an_observation(memory: AsyncMemory) -> None:
    with pytest.raises(Boom):
        await memory.observe(breaking_off(3), space="s")
    assert await everything(memory) == []


@pytest.mark.parametrize("after", [3, 400, 900])
async def test_an_import_whose_input_breaks_off_keeps_what_was_committed(
    memory: AsyncMemory, database: Database, after: int
) -> None:
    with pytest.raises(Boom):
        await memory.import_messages(breaking_off(after), space="s")
    assert await examine(database) == []
    taken = (await memory.health()).entries
    assert taken % 400 == 0
    report = await memory.import_messages(({"content": f"boat {n}"} for n in range(after)), space="s")
    assert (report.duplicates, report.imported) == (taken, after - taken)


async def test_what_the_progress_of_an_import_raises_ends_it(memory: AsyncMemory, database: Database) -> None:
    def progress(_: int) -> None:
        raise Boom

    with pytest.raises(Boom):
        await memory.import_messages(
            ({"content": f"boat {n}"} for n in range(5_000)), space="s", progress=progress
        )
    assert await examine(database) == []
