"""Calls of CrewAI's LanceDBStorage and of our storage, answered alike."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from unittest.mock import MagicMock
from uuid import uuid4

import pytest
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.storage.factory import set_memory_storage_factory
from crewai.memory.storage.lancedb_storage import LanceDBStorage
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory as CrewMemory

from quipu import Memory
from quipu.compat.crewai import QuipuStorage
from quipu.errors import BadInput

MEMORY = Memory(os.environ["QUIPU_HOME"])
START = datetime(2026, 1, 1)


@pytest.fixture
def theirs(tmp_path):
    return LanceDBStorage(path=str(tmp_path), vector_dim=4, compact_every=0)


@pytest.fixture
def ours():
    return QuipuStorage(MEMORY, space=f"t{uuid4().hex}")


def record(id_, content="x", *, days=0, embedding=(1.0, 0.0, 0.0, 0.0), **named):
    at = START + timedelta(days=days)
    return MemoryRecord(
        id=id_, content=content, created_at=at, last_accessed=at, embedding=list(embedding), **named
    )


def angled(degrees):
    return (math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0.0, 0.0)


RECORDS = [
    record("root", "At the root.", days=0, embedding=angled(80)),
    record("a", "Olá, 舟 🌊\r\n\t", scope="/co", categories=["x"], days=1, embedding=angled(60)),
    record(
        "b", "Two.", scope="/co/dev", categories=["x", "y"], metadata={"n": 1}, days=2, embedding=angled(40)
    ),
    record(
        "c",
        "",
        scope="/co/dev/ana",
        metadata={"n": 2, "a.b": "c"},
        days=3,
        embedding=angled(20),
        importance=0.9,
    ),
    record("d", "' OR 1=1 --", scope="/co/ops", categories=["y", "ü"], days=4, source="ana", private=True),
    record(
        "e", "E.", scope="/other/50%_x", categories=["y"], metadata={"n": None}, days=5, embedding=angled(180)
    ),
]


def filled(*storages, records=RECORDS):
    for storage in storages:
        storage.save(records)


def shown(answer):
    """An answer whose scores are rounded, without embeddings; the order of equals does not count."""
    if isinstance(answer, MemoryRecord):
        return answer.model_dump()
    if isinstance(answer, tuple):
        return shown(answer[0]), round(answer[1], 5)
    if isinstance(answer, list):
        return [shown(one) for one in answer]
    return answer.model_dump() if hasattr(answer, "model_dump") else answer


def both(theirs, ours, name, *arguments, **named):
    expected = shown(getattr(theirs, name)(*arguments, **named))
    assert shown(getattr(ours, name)(*arguments, **named)) == expected
    return expected


def test_it_is_a_storage_backend(ours):
    assert isinstance(ours, StorageBackend)


def test_records_come_back_as_they_were(theirs, ours):
    filled(theirs, ours)
    for one in RECORDS:
        assert both(theirs, ours, "get_record", one.id) == one.model_dump()
    assert both(theirs, ours, "get_record", "nobody") is None


SCOPES = [None, "", "/", "/co", "/co/", "/co/dev", "/co/dev/ana", "/nobody", "/other/50%_x", "/other/50_%x"]


@pytest.mark.parametrize("scope", SCOPES)
def test_scopes_are_told_alike(theirs, ours, scope):
    filled(theirs, ours)
    both(theirs, ours, "count", scope)
    both(theirs, ours, "list_categories", scope)
    both(theirs, ours, "list_records", scope)
    both(theirs, ours, "list_scopes", scope or "/")
    both(theirs, ours, "get_scope_info", scope or "/")


@pytest.mark.parametrize("limit", [-1, 0, 1, 2, 100])
@pytest.mark.parametrize("offset", [-1, 0, 1, 4, 9])
def test_lists_come_in_pages_the_newest_first(theirs, ours, limit, offset):
    filled(theirs, ours)
    both(theirs, ours, "list_records", "/co", limit, offset)
    both(theirs, ours, "list_records", None, limit, offset)


SEARCHES = [
    {},
    {"limit": 2},
    {"limit": 0},
    {"scope_prefix": "/"},
    {"scope_prefix": "/co"},
    {"scope_prefix": "/co/dev/"},
    {"scope_prefix": "/nobody"},
    {"categories": ["x"]},
    {"categories": ["x", "ü"]},
    {"categories": ["none"]},
    {"categories": []},
    {"metadata_filter": {"n": 1}},
    {"metadata_filter": {"n": 2, "a.b": "c"}},
    {"metadata_filter": {"n": None}},
    {"metadata_filter": {"n": "1"}},
    {"metadata_filter": {}},
    {"categories": ["y"], "metadata_filter": {"n": 1}, "scope_prefix": "/co"},
    {"min_score": 0.5},
    {"min_score": 0.9, "limit": 3},
    {"min_score": 1.1},
]


@pytest.mark.parametrize("asked", SEARCHES, ids=str)
@pytest.mark.parametrize("degrees", [0, 35, 180])
def test_searches_find_alike(theirs, ours, asked, degrees):
    filled(theirs, ours)
    if asked.get("limit") == 0:
        assert ours.search(list(angled(degrees)), **asked) == []
        return
    both(theirs, ours, "search", list(angled(degrees)), **asked)


@pytest.mark.parametrize(
    "criteria",
    [
        {},
        {"record_ids": ["a", "c", "nobody"]},
        {"record_ids": ["' OR 1=1 --"]},
        {"categories": ["x"]},
        {"categories": ["ü", "none"]},
        {"categories": ["y"], "scope_prefix": "/co"},
        {"metadata_filter": {"n": 2}},
        {"older_than": START + timedelta(days=2)},
        {"older_than": START},
        {"categories": ["y"], "older_than": START + timedelta(days=4)},
        {"metadata_filter": {"n": 1}, "categories": ["y"], "scope_prefix": "/co/dev"},
    ],
    ids=str,
)
def test_records_are_deleted_alike(theirs, ours, criteria):
    filled(theirs, ours)
    both(theirs, ours, "delete", **criteria)
    both(theirs, ours, "list_records")


@pytest.mark.parametrize("scope", [None, "", "/", "/co/dev", "/nobody"])
def test_scopes_are_reset_alike(theirs, ours, scope):
    filled(theirs, ours)
    both(theirs, ours, "reset", scope)
    both(theirs, ours, "list_records")
    filled(theirs, ours, records=RECORDS[2:4] if scope == "/co/dev" else [])
    both(theirs, ours, "count")


def test_a_record_is_changed_in_its_place_or_moved(theirs, ours):
    filled(theirs, ours)
    for changed in (
        record("b", "New.", scope="/co/dev", embedding=angled(4)),
        record(
            "b", "New.", scope="/moved/far", metadata={"deep": {"z": [1, 2.5, None]}}, embedding=angled(4)
        ),
        record("new", "Not there before.", scope="/co", embedding=angled(10)),
    ):
        both(theirs, ours, "update", changed)
        both(theirs, ours, "get_record", changed.id)
        both(theirs, ours, "search", list(angled(1)), limit=2)
        both(theirs, ours, "list_scopes")
    both(theirs, ours, "count")


def test_an_id_in_two_scopes_is_one_record_once_it_is_changed(theirs, ours):
    twice = [record("1", "a", scope="/a"), record("1", "b", scope="/b"), record("2", "c", scope="/b")]
    filled(theirs, ours, records=twice)
    both(theirs, ours, "count")
    for scope in ("/b", "/new"):
        both(theirs, ours, "update", record("1", "changed", scope=scope))
        both(theirs, ours, "get_record", "1")
        both(theirs, ours, "count")
        both(theirs, ours, "count", "/a")
    filled(theirs, ours, records=twice[:2])
    both(theirs, ours, "update", record("1", "changed", scope="/c"))
    both(theirs, ours, "list_scopes")
    both(theirs, ours, "count")


def test_embeddings_of_another_size_are_refused_alike(theirs, ours):
    filled(theirs, ours)
    other = record("z", embedding=(1.0, 0.0))
    for storage in (theirs, ours):
        for call in (
            lambda one: one.save([other]),
            lambda one: one.update(other),
            lambda one: one.search([1.0, 0.0]),
        ):
            with pytest.raises(EmbeddingDimensionMismatchError):
                call(storage)
        assert storage.count() == len(RECORDS)


def test_nothing_is_found_where_nothing_is(theirs, ours):
    for name in ("count", "list_records", "list_categories", "list_scopes", "delete"):
        both(theirs, ours, name)
    both(theirs, ours, "get_scope_info", "/co")
    assert ours.search([1.0, 0.0, 0.0, 0.0]) == []
    ours.save([])


def test_where_we_differ(theirs, ours):
    """The peer compares scopes letter by letter, filters after the nearest, and keeps an id twice."""
    beside = [
        record("1", scope="/co"),
        record("2", scope="/company"),
        record("3", categories=["rare"], embedding=angled(179)),
        *(record(f"n{number}") for number in range(50)),
    ]
    filled(theirs, ours, records=beside)
    assert (theirs.count("/co"), ours.count("/co")) == (2, 1)
    query = list(angled(0))
    assert (len(theirs.search(query, categories=["rare"])), len(ours.search(query, categories=["rare"]))) == (
        0,
        1,
    )
    assert (theirs.delete(scope_prefix="/company"), ours.delete(scope_prefix="/company")) == (52, 1)
    for storage in (theirs, ours):
        storage.save([record("1", "again", scope="/co")])
    assert (theirs.count("/co"), ours.count("/co")) == (2, 1)
    assert (
        theirs.delete(record_ids=["1"], categories=["x"])
        == 0
        == ours.delete(record_ids=["1"], categories=["x"])
    )
    with pytest.raises(BadInput):
        ours.save([record("4", "a\0b")])


def test_a_record_without_an_embedding_is_kept_and_keeps_the_one_it_had(ours):
    ours.save([MemoryRecord(id="1", content="a")])
    assert ours.get_record("1").content == "a"
    ours.save([record("2", "b", scope="/x", embedding=angled(0))])
    ours.update(MemoryRecord(id="2", content="b", scope="/y"))
    ((found, score),) = ours.search(list(angled(0)))
    assert (found.id, found.scope, round(score, 5)) == ("2", "/y", 1.0)
    with pytest.raises(EmbeddingDimensionMismatchError):
        ours.search([1.0])


def test_times_with_and_without_zones_have_an_order(ours):
    ours.save(
        [
            MemoryRecord(id="1", content="a", created_at=datetime(2026, 1, 1, 12, tzinfo=UTC)),
            MemoryRecord(id="2", content="b", created_at=datetime(2026, 1, 1, 11, 59, 59, 5)),
        ]
    )
    assert [one.id for one in ours.list_records()] == ["1", "2"]
    assert ours.get_record("1").created_at.tzinfo is not None
    assert ours.get_scope_info("/").oldest_record == datetime(2026, 1, 1, 11, 59, 59, 5)
    assert ours.delete(older_than=datetime(2026, 1, 1, 12)) == 1


def test_records_of_many_threads_are_all_there(theirs, ours):
    for storage in (theirs, ours):
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(storage.save, [[record(f"r{number}", str(number))] for number in range(48)]))
    assert {one.id for one in ours.list_records()} == {one.id for one in theirs.list_records()}
    assert len({one.id for one in ours.list_records()}) == 48


def test_more_than_a_page_is_saved_listed_and_deleted(ours):
    filled(ours, records=[record(f"{number:04}", str(number), days=number) for number in range(2_003)])
    assert ours.count() == 2_003
    assert [one.id for one in ours.list_records(limit=2, offset=2_000)] == ["0002", "0001"]
    assert len(ours.search([1.0, 0.0, 0.0, 0.0], limit=1_500)) == 1_500
    assert ours.delete() == 2_003


async def test_the_async_calls_do_the_same(ours):
    await ours.asave(RECORDS)
    found = await ours.asearch(list(angled(35)), scope_prefix="/co", limit=1)
    assert found[0][0].id == "b"
    assert await ours.adelete(categories=["y"]) == 3


def test_two_crews_know_nothing_of_each_other():
    space = f"t{uuid4().hex}"
    one, other = (
        QuipuStorage(MEMORY, space=space, path="one"),
        QuipuStorage(MEMORY, space=space, path="other"),
    )
    filled(one)
    assert (one.count(), other.count()) == (6, 0)
    assert other.search([1.0, 0.0, 0.0, 0.0]) == []
    other.reset()
    assert one.count() == 6


def test_recall_finds_what_is_not_private():
    space = f"t{uuid4().hex}"
    storage = QuipuStorage(MEMORY, space=space)
    storage.save(
        [record("1", "The boat is moored in Horta."), record("2", "Ana's pin is 4711.", private=True)]
    )
    assert MEMORY.recall("Where is the boat moored?", space=space)[0].text == "The boat is moored in Horta."
    assert all("4711" not in hit.text for hit in MEMORY.recall("What is Ana's pin?", space=space))


def test_a_memory_of_crewai_remembers_and_recalls(ours):
    embedder = MagicMock(side_effect=lambda texts: [[float(len(text)), 1.0, 0.0, 0.0] for text in texts])
    set_memory_storage_factory(lambda _: ours)
    try:
        memory = CrewMemory(llm=MagicMock(), embedder=embedder)
    finally:
        set_memory_storage_factory(None)
    memory.remember("We moor in Horta.", scope="/boats", categories=["place"], importance=0.7)
    memory.drain_writes()
    (match,) = memory.recall("Where do we moor", depth="shallow")
    assert (match.record.content, match.record.scope) == ("We moor in Horta.", "/boats")
    assert memory.list_scopes() == ["/boats"]
    changed = memory.update(match.record.id, scope="/harbours")
    assert ours.get_record(changed.id).scope == "/harbours"
    assert memory.recall("Where do we moor", depth="shallow")[0].record.scope == "/harbours"
    assert memory.forget(scope="/harbours") == 1
