"""Vectors that are made while their rows are being inserted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import numpy as np
import pytest

from quipu.errors import EmbeddingError
from quipu.kinds.tables.access import SchemaPlace
from quipu.kinds.tables.embedding.ahead import FEW_TEXTS, Habit, Habits, embedding_ahead
from quipu.kinds.tables.embedding.model import Relation, RowChange, Written
from quipu.kinds.tables.embedding.rules import digest
from quipu.recall.generations import Embedded, Models

ROW = {"id": 1, "name": "Thorin", "story": "He lost the mountain.", "level": 3, "note": None}
PLACE = SchemaPlace(space="default", schema="memory", agent=None)


class Counting:
    """Embeds a text as its length, and counts the texts; one that says "fail" fails."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], *, generation: int | None = None) -> Embedded:
        self.texts += texts
        if "fail" in texts:
            raise EmbeddingError
        return Embedded(generation or 1, np.array([[len(text)] for text in texts], np.float32))


@pytest.fixture
def models() -> Counting:
    return Counting()


def ahead_of(models: Counting, *rows: dict[str, Any]) -> Any:
    return embedding_ahead(cast(Models, models), rows)


@pytest.mark.anyio
async def test_texts_of_embedded_fields_are_embedded_once_and_found_by_their_hash(models: Counting) -> None:
    wanted = {digest("Thorin"), digest("He lost the mountain.")}
    async with ahead_of(models, ROW) as ahead:
        await ahead.begin(["name", "story", "level", "note", "gone"], generation=7)
        await ahead.begin(["name"], generation=7)
        found = await ahead.vectors(wanted, generation=7)
    assert {one: float(vector[0]) for one, vector in found.items()} == {
        digest("Thorin"): 6,
        digest("He lost the mountain."): 21,
    }
    assert models.texts == ["Thorin", "He lost the mountain."]


@pytest.mark.anyio
async def test_vectors_of_another_model_or_of_other_texts_are_of_no_use(models: Counting) -> None:
    async with ahead_of(models, ROW) as ahead:
        assert await ahead.vectors({digest("Thorin")}, generation=7) == {}
        await ahead.begin(["name"], generation=7)
        assert await ahead.vectors({digest("Thorin")}, generation=8) == {}
        assert await ahead.vectors({digest("Bilbo")}, generation=7) == {}


@pytest.mark.anyio
async def test_many_texts_and_none_are_not_begun_with(models: Counting) -> None:
    for rows, fields in (
        ([ROW] * (FEW_TEXTS + 1), ["name"]),
        (
            [{"name": str(number), "story": f"story {number}"} for number in range(FEW_TEXTS)],
            ["name", "story"],
        ),
        ([ROW], []),
        ([ROW], ["note"]),
    ):
        async with ahead_of(models, *rows) as ahead:
            await ahead.begin(fields, generation=1)
    assert models.texts == []


@pytest.mark.anyio
async def test_an_embedding_that_fails_is_told_to_who_waits_for_it_and_to_nobody_else(
    models: Counting,
) -> None:
    async with ahead_of(models, {"name": "fail"}) as ahead:
        await ahead.begin(["name"], generation=1)
        with pytest.raises(EmbeddingError):
            await ahead.vectors({digest("fail")}, generation=1)
    async with ahead_of(models, {"name": "fail"}) as ahead:
        await ahead.begin(["name"], generation=1)


RELATION = Relation(
    id=3,
    oid=90,
    schema_name="memory",
    table_name="heroes",
    key=["id"],
    types=["int"],
    fields=["name", "note"],
    ruled=False,
)
CHANGE = RowChange(3, "1", 5, datetime(2026, 1, 1, tzinfo=UTC), 700)
WRITTEN = Written(90, 700, "1", {"name": "Thorin", "note": ""})


@pytest.mark.anyio
async def test_what_a_statement_returned_is_what_its_row_says_where_nothing_else_changed_it(
    models: Counting,
) -> None:
    async with ahead_of(models, ROW) as ahead:
        assert ahead.values(RELATION, [CHANGE]) is None
        ahead.take([WRITTEN])
        assert ahead.values(RELATION, [CHANGE]) == {"1": {"name": "Thorin"}}
        for others in (
            [CHANGE, CHANGE],
            [replace(CHANGE, transaction=701)],
            [replace(CHANGE, source_id="2")],
            [CHANGE, replace(CHANGE, source_id=None)],
        ):
            assert ahead.values(RELATION, others) is None
        for other in (
            replace(RELATION, ruled=True),
            replace(RELATION, oid=91),
            replace(RELATION, fields=["name"]),
        ):
            assert ahead.values(other, [CHANGE]) is None
        ahead.take([replace(WRITTEN, fields={"name": "", "note": ""})])
        assert ahead.values(RELATION, [CHANGE]) is None


def test_a_habit_is_known_to_who_had_it_and_of_a_name_only() -> None:
    habits = Habits()
    habits.learn(PLACE, "heroes", Habit(["story"], 1))
    habits.learn(PLACE, ["no", "name"], Habit(["story"], 1))
    assert habits.of(PLACE, "heroes") == Habit(["story"], 1)
    assert habits.of(SchemaPlace(space="default", schema="memory", agent="ghost"), "heroes") is None
    assert habits.of(PLACE, ["no", "name"]) is None
