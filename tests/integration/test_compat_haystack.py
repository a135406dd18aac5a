"""The document store answers as Haystack's; its own suite is run by ``make test-peers``.

Haystack is not installed here, so its classes are stood in for by the few lines that the store uses.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from types import ModuleType
from typing import Any

import pytest

from quipu import Memory
from quipu.compat.haystack import QuipuDocumentStore
from quipu.errors import BadInput
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio


class Policy(Enum):
    NONE = "none"
    SKIP = "skip"
    OVERWRITE = "overwrite"
    FAIL = "fail"


@dataclass
class Paper:
    """A document with the fields of Haystack's."""

    id: str
    content: str | None = None
    meta: dict[str, Any] = field(default_factory=dict[str, Any])
    embedding: list[float] | None = None
    score: float | None = None

    def to_dict(self, *, flatten: bool) -> dict[str, Any]:
        assert not flatten
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Paper:
        return cls(**data)


class Wrong(Exception):
    """Haystack's FilterError."""


class Twice(Exception):
    """Haystack's DuplicateDocumentError."""


@pytest.fixture(autouse=True)
def haystack(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {
        "haystack": {"Document": Paper},
        "haystack.errors": {"FilterError": Wrong},
        "haystack.document_stores.errors": {"DuplicateDocumentError": Twice},
    }
    for name, members in named.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def core(server_settings: Settings, url: str) -> Iterator[Memory]:
    with Memory(settings=replace(server_settings, database_url=url)) as opened:
        yield opened


@pytest.fixture
def store(core: Memory) -> QuipuDocumentStore:
    return QuipuDocumentStore(core, space="desk")


PAPERS = [
    Paper("1", "The boat is moored in Horta.", {"rank": 1, "day": "2024-01-02T00:00:00"}, [1.0, 0.0]),
    Paper("2", "Tea is drunk at five.", {"rank": 2, "topic": "tea"}, [0.0, 1.0]),
    Paper("3", None, {"topic": None}),
]


def condition(name: str, operator: str, value: object) -> dict[str, Any]:
    return {"field": name, "operator": operator, "value": value}


def test_documents_come_back_equal_and_in_order(store: QuipuDocumentStore) -> None:
    assert store.write_documents(PAPERS[:2]) == 2
    assert store.write_documents(PAPERS[2:]) == 1
    assert store.filter_documents() == PAPERS
    store.delete_documents(["1", "nobody"])
    assert store.count_documents() == 2


def test_what_is_there_already_is_refused_skipped_or_replaced(store: QuipuDocumentStore) -> None:
    store.write_documents(PAPERS[:1])
    changed = Paper("1", "Changed.")
    for policy in (None, Policy.NONE, Policy.FAIL):
        with pytest.raises(Twice, match="'1' already exists"):
            store.write_documents([PAPERS[1], changed], policy)
    assert store.filter_documents() == PAPERS[:1]
    assert store.write_documents([PAPERS[1], changed], Policy.SKIP) == 1
    assert store.filter_documents() == PAPERS[:2]
    assert store.write_documents([changed], Policy.OVERWRITE) == 1
    assert store.filter_documents(condition("id", "==", "1")) == [changed]
    with pytest.raises(ValueError, match="list of Documents"):
        store.write_documents("text")
    with pytest.raises(ValueError, match="list of Documents"):
        store.write_documents(["text"])


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (condition("meta.rank", "==", 1), ["1"]),
        (condition("rank", "==", 1), ["1"]),
        (condition("meta.rank", "!=", 1), ["2", "3"]),
        (condition("meta.topic", "==", None), ["1", "3"]),
        (condition("meta.topic", "!=", None), ["2"]),
        (condition("content", "==", None), ["3"]),
        (condition("meta.rank", ">", None), []),
        (condition("meta.day", "<", "2024-02-01T00:00:00"), ["1"]),
        (condition("meta.rank", "in", [2, 9]), ["2"]),
        (condition("meta.rank", "not in", [2, 9]), ["1", "3"]),
        (
            {"operator": "NOT", "conditions": [condition("rank", "==", 1), condition("rank", "==", 2)]},
            ["1", "2", "3"],
        ),
        (
            {"operator": "OR", "conditions": [condition("rank", ">=", 2), condition("id", "==", "3")]},
            ["2", "3"],
        ),
    ],
)
def test_filters_hold_as_in_haystack(store: QuipuDocumentStore, filters: Any, ids: list[str]) -> None:
    store.write_documents(PAPERS)
    assert [one.id for one in store.filter_documents(filters)] == ids
    assert store.count_documents_by_filter(filters) == len(ids)


@pytest.mark.parametrize(
    "filters",
    [
        {"conditions": []},
        {"operator": "AND"},
        {"field": "meta.a", "value": 1},
        {"field": "meta.a", "operator": "=="},
        condition("meta.a", "~", 1),
        condition("meta.a", ">", "1"),
        condition("meta.a", ">", [1]),
        condition("meta.a", "in", 9),
    ],
)
def test_filters_that_mean_nothing_are_refused(store: QuipuDocumentStore, filters: Any) -> None:
    with pytest.raises(Wrong):
        store.filter_documents(filters)


def test_a_query_and_an_embedding_find_what_is_nearest(store: QuipuDocumentStore, core: Memory) -> None:
    store.write_documents(PAPERS)
    assert store.retrieve("Where is the boat moored?", top_k=1)[0].id == "1"
    assert [one.id for one in store.embedding_retrieval([0.1, 0.9])] == ["2", "1"]
    assert store.embedding_retrieval([0.1, 0.9], filters=condition("rank", "==", 1))[0].id == "1"
    assert core.recall("Where is the boat moored?", space="desk")[0].kind == "document"


async def test_metadata_is_described_and_changed(store: QuipuDocumentStore) -> None:
    await store.write_documents_async(PAPERS)
    assert await store.update_by_filter_async(condition("rank", ">", 0), {"new": True}) == 2
    assert store.get_metadata_fields_info()["new"] == {"type": "boolean"}
    assert store.get_metadata_field_min_max("meta.rank") == {"min": 1, "max": 2}
    assert store.get_metadata_field_unique_values("rank", size=1) == ([1], 2)
    assert store.count_unique_metadata_by_filter({}, ["meta.new"]) == {"new": 1}
    assert await store.delete_by_filter_async(condition("new", "==", True)) == 2
    await store.delete_all_documents_async()
    assert await store.count_documents_async() == 0


def test_a_store_is_described_and_opened_again() -> None:
    made = QuipuDocumentStore("postgresql://nobody@localhost/none", space="desk", path="library")
    data = made.to_dict()
    assert data["type"] == "quipu.compat.haystack.QuipuDocumentStore"
    assert QuipuDocumentStore.from_dict(data).to_dict() == data


def test_an_id_that_cannot_be_kept_is_refused_and_nothing_is_written(store: QuipuDocumentStore) -> None:
    with pytest.raises(BadInput):
        store.write_documents([PAPERS[0], Paper("a\0b", "x")])
    assert store.count_documents() == 0
