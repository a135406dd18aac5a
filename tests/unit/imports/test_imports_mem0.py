"""mem0: what comes out of its stores is what mem0 itself gave, and what it deleted is nowhere."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import ANYTHING, EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written
from sqlite_stores import database, unpacked, with_any_cell

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Filed, Found, Said
from quipu.app.imports.sources.mem0 import SOURCE
from quipu.app.imports.sources.mem0_history import History
from quipu.app.imports.sources.mem0_memories import PATH, Memories
from quipu.compat.mem0 import payload as face
from quipu.errors import BadInput

STORES = EXPORTS / "mem0"


def memories(found: list[Found]) -> dict[str, Filed]:
    return {one.id: one for one in found if isinstance(one, Filed)}


def as_the_face_gives(memory: Filed) -> dict[str, Any]:
    """What ``Memory.get`` of our face returns, without what differs by kind of answer."""
    item = face.item_of(SimpleNamespace(key=memory.key, body=memory.body, metadata=memory.metadata))
    return {
        name: value for name, value in item.items() if name != "score" and value != {} and value is not None
    }


def events_of_the_face(memory: Filed) -> list[tuple[Any, ...]]:
    versions = [
        SimpleNamespace(
            body=one.body, metadata=one.metadata, document=memory.id, version=number, ended_by=None
        )
        for number, one in enumerate([*memory.earlier, memory], start=1)
    ]
    names = ("old_memory", "new_memory", "event", "created_at", "updated_at", "is_deleted", "role")
    return [tuple(row[name] for name in names) for row in face.events_of(memory.id, versions)]


@pytest.mark.parametrize("store", ["qdrant", "chroma"])
def test_memories_are_what_mem0_gave(store: str) -> None:
    truth = json.loads((STORES / f"{store}.json").read_text())
    given = {one["id"]: one for person in ("ana", "ben", "bot") for one in truth[person]}
    found, account = imported(SOURCE, STORES / f"{store}.zip")
    assert memories(found).keys() == given.keys()
    for id_, memory in memories(found).items():
        assert (memory.path, memory.key, memory.value) == (face.PATH, id_, None) == (PATH, id_, None)
        told = {name: value for name, value in given[id_].items() if value is not None}
        assert as_the_face_gives(memory) == told
        assert memory.user == told.get("user_id")
        assert memory.created_at == datetime.fromisoformat(told["created_at"])
        assert memory.updated_at == datetime.fromisoformat(told["updated_at"])
        assert json.dumps(memory.raw)
        if len(truth["history"][id_]) > 1:
            assert events_of_the_face(memory) == [
                tuple(row[name] for name in (*row,) if name in _EVENT) for row in truth["history"][id_]
            ]
    assert account.dropped == {"memory.hash": 6, "memory.text_lemmatized": 6}
    assert account.refused == []


_EVENT = {"old_memory", "new_memory", "event", "created_at", "updated_at", "is_deleted", "role"}


@pytest.mark.parametrize("store", ["qdrant", "chroma"])
def test_a_memory_keeps_its_earlier_versions(store: str) -> None:
    found, _ = imported(SOURCE, STORES / f"{store}.zip")
    (changed,) = (one for one in memories(found).values() if one.earlier)
    assert changed.body == "Is vegan again."
    assert [one.body for one in changed.earlier] == ["Is vegetarian.", "Is vegan.", "Is vegan again."]
    times = [one.time for one in changed.earlier]
    assert times == sorted(time for time in times if time)
    assert changed.created_at == times[0]


@pytest.mark.parametrize("store", ["qdrant", "chroma"])
def test_what_was_deleted_is_nowhere(store: str, tmp_path: Path) -> None:
    """Its text stands in the history, in the log of Chroma, and in words that the user said."""
    place = unpacked(STORES / f"{store}.zip", tmp_path)
    assert any(b"Likes olives." in one.read_bytes() for one in place.rglob("history.db"))
    found, account = imported(SOURCE, place)
    assert "olives" not in repr(found)
    assert account.left_out["deleted at the source"] == 2  # the memory, and the message that says it


def test_a_last_day_is_over_when_the_next_begins() -> None:
    found, _ = imported(SOURCE, STORES / "qdrant.zip")
    (expired,) = (one for one in memories(found).values() if one.expires_at)
    assert expired.expires_at == datetime(2020, 2, 1, tzinfo=UTC)
    assert expired.metadata["expiration_date"] == "2020-01-31"


def test_last_messages_are_words_said() -> None:
    found, _ = imported(SOURCE, STORES / "qdrant.zip")
    (said,) = (one for one in found if isinstance(one, Said))
    assert (said.session, said.user, said.role, said.content) == ("r2", "ana", "assistant", "Lovely!")


@pytest.mark.parametrize("store", ["qdrant", "chroma"])
def test_a_store_is_recognised(store: str) -> None:
    assert recognised_as(STORES / f"{store}.zip") == "mem0"


def test_a_store_is_only_read_and_its_log_too(tmp_path: Path) -> None:
    place = unpacked(STORES / "qdrant.zip", tmp_path)
    (storage,) = place.rglob("storage.sqlite")
    with closing(sqlite3.connect(storage)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("delete from points where rowid = 1")
        connection.commit()
        before = {one: one.read_bytes() for one in place.rglob("*") if one.is_file()}
        found, _ = imported(SOURCE, place)
        assert {one: one.read_bytes() for one in place.rglob("*") if one.is_file()} == before
    assert len(memories(found)) == 5


def test_a_store_and_an_export_of_it_give_each_memory_once(tmp_path: Path) -> None:
    place = unpacked(STORES / "qdrant.zip", tmp_path)
    truth = json.loads((STORES / "qdrant.json").read_text())
    deleted = {"id": truth["deleted"], "memory": "Likes olives.", "user_id": "ana"}
    written(place / "get_all.json", {"results": [deleted, *truth["ana"]]})
    found, account = imported(SOURCE, place)
    assert len(memories(found)) == 6
    assert account.left_out["the same memory once more"] == 4
    assert "olives" not in repr(found)


HISTORY = {
    "history": [
        {
            "id": "h1",
            "memory_id": "m1",
            "old_memory": None,
            "new_memory": "Is vegetarian.",
            "event": "ADD",
            "created_at": "2026-05-03T10:00:00+00:00",
            "updated_at": "2026-05-03T10:00:00+00:00",
            "is_deleted": 0,
            "actor_id": "Ana",
            "role": "user",
        }
    ],
    "messages": [
        {
            "id": "w1",
            "session_scope": "agent_id=a%26b&user_id=ana",
            "role": "user",
            "content": "I eat no meat.",
            "name": "Ana",
            "created_at": "2026-05-03T10:00:00+00:00",
        }
    ],
}
VECTORS = {
    "vectors": [
        {
            "id": "m1",
            "vector": b"\0\0",
            "payload": {
                "data": "Is vegan.",
                "hash": "1",
                "textLemmatized": "be vegan",
                "userId": "ana",
                "createdAt": "2026-05-03T10:00:00.000Z",
                "updatedAt": "2026-05-04T10:00:00.000Z",
                "topic": "food",
            },
        }
    ]
}


def test_the_typescript_edition_has_other_names(tmp_path: Path) -> None:
    database(tmp_path / "vector_store.db", VECTORS)
    changes = {
        "memory_history": [
            {
                "id": 1,
                "memory_id": "m1",
                "previous_value": None,
                "new_value": "Is vegetarian.",
                "action": "ADD",
                "created_at": "2026-05-03T10:00:00.000Z",
                "updated_at": None,
                "is_deleted": 0,
            }
        ]
    }
    database(tmp_path / "history.db", changes)
    found, account = imported(SOURCE, tmp_path)
    (memory,) = memories(found).values()
    assert as_the_face_gives(memory) | {"hash": ""} == {
        "id": "m1",
        "memory": "Is vegan.",
        "hash": "",
        "user_id": "ana",
        "metadata": {"topic": "food"},
        "created_at": "2026-05-03T10:00:00.000Z",
        "updated_at": "2026-05-04T10:00:00.000Z",
    }
    assert [one.body for one in memory.earlier] == ["Is vegetarian."]
    assert account.dropped == {"memory.hash": 1, "memory.textLemmatized": 1}


def test_messages_without_a_run_are_of_their_scope(tmp_path: Path) -> None:
    found, account = imported(SOURCE, database(tmp_path / "history.db", HISTORY))
    (said,) = found
    assert isinstance(said, Said)
    assert (said.session, said.user, said.speaker) == ("agent_id=a%26b&user_id=ana", "ana", "Ana")
    assert account.refused == []


def test_a_system_message_is_found_by_nobody(tmp_path: Path) -> None:
    system = {**HISTORY["messages"][0], "role": "system"}
    (said,), _ = imported(SOURCE, database(tmp_path / "history.db", {**HISTORY, "messages": [system]}))
    assert isinstance(said, Said)
    assert not said.heard


def test_entities_and_other_points_are_no_memories(tmp_path: Path) -> None:
    place = unpacked(STORES / "qdrant.zip", tmp_path)
    (storage,) = place.rglob("storage.sqlite")
    for name in ("mem0_entities", "mem0migrations"):
        copy = place / "qdrant" / "collection" / name / "storage.sqlite"
        copy.parent.mkdir()
        copy.write_bytes(storage.read_bytes())
    found, account = imported(SOURCE, place)
    assert len(memories(found)) == 6
    assert account.left_out["an entity that mem0 derived"] == 6


def test_a_point_that_is_no_memory_is_told() -> None:
    with History() as history:
        account = Account()
        history.close_off(account)
        made = Memories(history, account)
        for payload in (None, {}, {"user_id": "ana"}, {"data": 0}, [1], {"data": [1]}):
            assert list(made.of_payload("here", "a", payload)) == []
        for id_ in (None, "", [1], True, 1.5):
            assert list(made.of_payload("here", id_, {"data": "x"})) == []
    assert account.left_out == {"a point that is no memory": 5}
    assert account.unreadable == 6


@given(payload=st.dictionaries(st.sampled_from([*face._PROMOTED, "data", "created_at", "x"]), ANYTHING))
def test_any_payload_is_refused_at_most(payload: dict[str, Any]) -> None:
    with History() as history:
        account = Account()
        history.close_off(account)
        for memory in Memories(history, account).of_payload("here", "a", payload):
            assert memory.body
            assert memory.metadata.keys() <= payload.keys()


@given(tables=with_any_cell(HISTORY))
def test_any_history_is_refused_at_most(tables: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = database(tmp_path_factory.getbasetemp() / "any" / "history.db", tables)
    imported_or_refused(SOURCE, path, name="history.db")


@given(tables=with_any_cell(VECTORS))
def test_any_vectors_are_refused_at_most(tables: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = database(tmp_path_factory.getbasetemp() / "any" / "vector_store.db", tables)
    imported_or_refused(SOURCE, path, name="vector_store.db")


def test_tables_that_are_views_run_nothing(tmp_path: Path) -> None:
    view = "create view points as select 'a' as id, randomblob(9) as point"
    path = database(tmp_path / "storage.sqlite", {"other": [{"x": 1}]}, more=view)
    with pytest.raises(BadInput, match="no memories of mem0"):
        imported(SOURCE, path)


def test_what_is_no_store_is_refused_by_its_name(tmp_path: Path) -> None:
    for name, content in (("a.db", b"SQLite format 3\0" + b"x" * 200), ("a.json", b"{}"), ("a.txt", b"x")):
        path = written(tmp_path / name, content)
        with pytest.raises(BadInput, match=name):
            imported(SOURCE, path)


ITEM = {
    "id": "p1",
    "memory": "Is vegan.",
    "user_id": "ana",
    "agent_id": None,
    "app_id": "shop",
    "run_id": "r1",
    "metadata": {"topic": "food"},
    "categories": ["food"],
    "created_at": "2026-05-03T10:00:00.5-07:00",
    "updated_at": "2026-05-03T11:00:00-07:00",
    "expiration_date": None,
    "hash": "1",
    "owner": "me",
    "score": 0.5,
}


@pytest.mark.parametrize(
    "form",
    [
        [ITEM],
        {"count": 1, "next": None, "previous": None, "results": [ITEM]},
        {"version": 1, "kind": "mem0_oss_qdrant_export", "records": [{**ITEM, "source_payload": {"k": 1}}]},
    ],
)
def test_exports_of_the_platform_are_read(form: Any, tmp_path: Path) -> None:
    found, account = imported(SOURCE, written(tmp_path / "memories.json", form))
    (memory,) = memories(found).values()
    told = as_the_face_gives(memory)
    assert told["metadata"] == {"topic": "food", "app_id": "shop", "categories": ["food"]} | (
        {"k": 1} if "kind" in form else {}
    )
    assert (told["id"], told["memory"], told["user_id"], told["run_id"]) == ("p1", "Is vegan.", "ana", "r1")
    assert memory.created_at == datetime(2026, 5, 3, 17, 0, 0, 500_000, UTC)
    assert account.dropped == {"memory.hash": 1, "memory.owner": 1}
    assert recognised_as(tmp_path) == "mem0"


def test_memories_without_an_id_keep_one_across_exports(tmp_path: Path) -> None:
    item = {"memory": "Is vegan.", "user_id": "ana"}
    first, _ = imported(SOURCE, written(tmp_path / "a.json", [item]))
    second, _ = imported(
        SOURCE, written(tmp_path / "b.json", [{**item, "score": 1}, {**item, "user_id": "ben"}])
    )
    assert memories(first).keys() < memories(second).keys()


def test_markdown_of_the_plugin_is_read(tmp_path: Path) -> None:
    text = """---
id: m1
created_at: 2026-05-03T10:00:00Z
type: task_learnings
confidence: 0.9
branch: main
files: src/a.py, src/b.py
categories: coding: style
---
Use pnpm.

---
not a head, but a rule in the text
---

---
id: m2
created_at:
type:
confidence:
branch:
files:
categories:
---

---
id: m3
confidence: 1
---
Last.
"""
    found, account = imported(SOURCE, written(tmp_path / "mem0-export-x.md", text.replace("\n", "\r\n")))
    first, last = memories(found).values()
    assert (first.id, last.id, last.body) == ("m1", "m3", "Last.")
    assert first.body == "Use pnpm.\n\n---\nnot a head, but a rule in the text\n---"
    assert first.metadata == {
        "created_at": "2026-05-03T10:00:00Z",
        "type": "task_learnings",
        "confidence": "0.9",
        "branch": "main",
        "files": ["src/a.py", "src/b.py"],
        "categories": ["coding: style"],
    }
    assert account.left_out == {"a block without text": 1}
    assert len(account.assumed) == 1
    assert recognised_as(tmp_path) == "mem0"


@given(items=spoiled([ITEM, ITEM]))
def test_any_export_is_refused_at_most(items: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = written(tmp_path_factory.getbasetemp() / "any" / "export.json", items)
    imported_or_refused(SOURCE, path, name="export.json")
