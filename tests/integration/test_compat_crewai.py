"""The storage answers as CrewAI's own; its suites are run by ``make test-peers``.

CrewAI is not installed here, so its classes are stood in for by the few lines that the storage uses.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel, Field

from quipu import Memory
from quipu.compat.crewai import QuipuStorage
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio
START = datetime(2026, 1, 1)


class Record(BaseModel):
    """CrewAI's MemoryRecord."""

    id: str
    content: str
    scope: str = "/"
    categories: list[str] = []
    metadata: dict[str, Any] = {}
    created_at: datetime = START
    private: bool = False
    embedding: list[float] | None = Field(default=None, exclude=True)


@dataclass
class Info:
    """CrewAI's ScopeInfo."""

    path: str
    record_count: int
    categories: list[str]
    oldest_record: datetime | None
    newest_record: datetime | None
    child_scopes: list[str]


class Mismatch(ValueError):
    """CrewAI's EmbeddingDimensionMismatchError."""


@pytest.fixture(autouse=True)
def crewai(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {
        "crewai.memory.types": {"MemoryRecord": Record, "ScopeInfo": Info},
        "crewai.memory.storage.backend": {"EmbeddingDimensionMismatchError": Mismatch},
    }
    for name, members in named.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def core(server_settings: Settings, url: str) -> Iterator[Memory]:
    with Memory(settings=replace(server_settings, database_url=url)) as opened:
        yield opened


def angled(degrees: int) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


def record(id_: str, degrees: int, *, days: int = 0, **named: Any) -> Record:
    at = START + timedelta(days=days)
    return Record(id=id_, created_at=at, embedding=angled(degrees), **{"content": id_, **named})


RECORDS = [
    record("a", 60, scope="/co", categories=["x"], days=1),
    record("b", 40, scope="/co/dev", categories=["x", "y"], metadata={"n": 1, "a.b": None}, days=2),
    record("c", 20, scope="/other", categories=["y"], days=3),
]


@pytest.fixture
def storage(core: Memory) -> QuipuStorage:
    made = QuipuStorage(core, space="crew")
    made.save(RECORDS)
    return made


def ids(found: list[Any]) -> list[str]:
    return [one.id for one in found]


def test_the_nearest_are_found_within_scope_category_and_metadata(storage: QuipuStorage) -> None:
    (best, score), *rest = storage.search(angled(20))
    assert best.model_dump() == RECORDS[2].model_dump()
    assert score == pytest.approx(1.0)
    assert ids([one for one, _ in rest]) == ["b", "a"]
    assert rest[0][1] == pytest.approx(1 / (3 - 2 * math.cos(math.radians(20))), abs=1e-5)
    assert [one.id for one, _ in storage.search(angled(20), scope_prefix="/co")] == ["b", "a"]
    assert [one.id for one, _ in storage.search(angled(20), categories=["x"], limit=1)] == ["b"]
    assert [one.id for one, _ in storage.search(angled(20), metadata_filter={"n": 1, "a.b": None})] == ["b"]
    assert [one.id for one, _ in storage.search(angled(20), min_score=0.8)] == ["c", "b"]


def test_scopes_categories_and_lists_are_told(storage: QuipuStorage) -> None:
    assert ids(storage.list_records(limit=2)) == ["c", "b"]
    assert storage.list_records(limit=2, offset=-1) == []
    assert storage.list_scopes() == ["/co", "/other"]
    assert storage.list_scopes("/co/") == ["/co/dev"]
    assert storage.list_categories("/co") == {"x": 2, "y": 1}
    info = storage.get_scope_info("/co")
    assert (info.record_count, info.categories, info.child_scopes) == (2, ["x", "y"], ["/co/dev"])
    assert (info.oldest_record, info.newest_record) == (START + timedelta(days=1), START + timedelta(days=2))


async def test_records_are_moved_and_deleted(storage: QuipuStorage) -> None:
    storage.update(Record(id="b", content="moved", scope="/far/away"))
    assert storage.get_record("b").scope == "/far/away"
    assert (await storage.asearch(angled(40), limit=1))[0][0].content == "moved"
    assert storage.get_record("nobody") is None
    assert storage.delete(older_than=START + timedelta(days=1)) == 1
    assert await storage.adelete(record_ids=["a", "c"], categories=["y"]) == 1
    storage.reset("/nobody")
    assert ids(storage.list_records()) == ["a"]
    await storage.asave([record("d", 0)])
    storage.reset()
    assert storage.count() == 0


def test_embeddings_of_another_size_are_refused(storage: QuipuStorage) -> None:
    other = Record(id="z", content="z", embedding=[1.0])
    with pytest.raises(Mismatch):
        storage.save([other])
    with pytest.raises(Mismatch):
        storage.update(other)
    with pytest.raises(Mismatch):
        storage.search([1.0])
    assert storage.count() == 3


def test_recall_finds_what_is_not_private(storage: QuipuStorage, core: Memory) -> None:
    storage.save([record("boat", 0, content="The boat is moored in Horta.")])
    storage.save([record("pin", 0, content="The pin of the boat is 4711.", private=True)])
    texts = [hit.text for hit in core.recall("Where is the boat moored, and its pin?", space="crew")]
    assert "The boat is moored in Horta." in texts
    assert all("4711" not in text for text in texts)
