"""MemPalace: drawers of transcripts, files and agents, facts with how long they held, and Chroma's log."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import ANYTHING, EXPORTS, imported, imported_or_refused, recognised_as
from sqlite_stores import Tables, database, unpacked, with_any_cell

from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import Filed, Found, Said, Stated
from quipu.app.imports.sources.chroma import Chroma
from quipu.app.imports.sources.mempalace import SOURCE
from quipu.errors import BadInput

STORES = EXPORTS / "mempalace"


def local(text: str) -> datetime:
    """A time of this machine."""
    return datetime.fromisoformat(text).astimezone(UTC)


def test_drawers_of_transcripts_are_words_said() -> None:
    found, account = imported(SOURCE, STORES / "transcripts.zip")
    drawers = [one for one in found if isinstance(one, Said)]
    assert [one.id.removeprefix("drawer_boats_general_")[:6] for one in drawers] == [
        "9760a8", "16b3ab", "09fa5d", "e65011", "db1353", "cf58a1",
    ]  # fmt: skip
    notes, _, chat, *_ = drawers
    assert (notes.content, notes.session) == ("# Alba", "/home/ana/mp/src/boats/notes.md")
    assert chat.content.startswith("> I moved to Lisbon in May")
    assert chat.time == local("2026-11-22T11:09:22.688718")
    assert {one.role for one in drawers} == {"transcript"}
    assert chat.metadata["wing"] == "boats"
    assert any(sentence.startswith("2 drawers say word for word") for sentence in account.assumed)
    assert account.refused == []
    assert {"drawer.content_hash", "drawer.source_mtime"} <= account.dropped.keys()
    assert recognised_as(STORES / "transcripts.zip") == recognised_as(STORES / "waiting.zip") == "mempalace"


def test_facts_hold_as_long_as_they_held() -> None:
    found, _ = imported(SOURCE, STORES / "transcripts.zip")
    berlin, lisbon = (one for one in found if isinstance(one, Stated))
    assert (berlin.id, berlin.text, berlin.confidence) == (
        "t_ana_lives_in_berlin_3834520e3ac8",
        "Ana lives in Berlin",
        1.0,
    )
    assert berlin.valid_from == berlin.time == datetime(2020, 1, 1, tzinfo=UTC)
    assert berlin.valid_until == datetime(2025, 5, 1, 23, 59, 59, tzinfo=UTC)
    assert (lisbon.text, lisbon.confidence, lisbon.valid_until) == ("Ana lives in Lisbon", 0.9, None)


def test_drawers_of_agents_are_joined_and_files_are_documents() -> None:
    found, account = imported(SOURCE, STORES / "agents.zip")
    files = [one for one in found if isinstance(one, Filed)]
    assert {one.path for one in files} == {("mempalace", "boats", "general")}
    assert [one.metadata["chunk_index"] for one in files] == [0, 1, 2, 3, 0]
    assert files[0].body is not None
    assert files[0].body.startswith("# Boats")
    mast, note, diary = (one for one in found if isinstance(one, Said))
    assert mast.content == ("The mast is nine metres. " * 80).strip() + " END"
    assert (mast.id, mast.session) == ("drawer_boats_mast_6feab2d239ffc9202e3cf76c", "boats/mast")
    assert (mast.role, mast.speaker) == ("assistant", None)
    assert (note.content, note.session, note.speaker) == ("Short note.", "note.md", "claude")
    assert diary.content == "Today I painted. " * 80 + "FIN"
    assert (diary.session, diary.speaker) == ("wing_claude/diary", "claude")
    works, moved, loves = (one for one in found if isinstance(one, Stated))
    assert (works.text, works.sources, works.confidence) == ("Max works on Alba", (), 0.5)
    assert works.valid_until == moved.valid_from == datetime(2026, 2, 1, tzinfo=UTC)
    assert loves.valid_until is not None
    assert account.left_out == {"a closet, which only points at drawers": 2}
    assert account.dropped["entity.type"] == account.dropped["entity.properties"] == 1


def test_what_waits_in_the_log_of_chroma_counts() -> None:
    """Updates, a deletion, and one that was written anew, behind what the records have."""
    account = Account()
    with SourceFiles.opened(STORES / "waiting.zip") as files, files.sqlite("chroma.sqlite3") as connection:
        database = Chroma(files, connection, "chroma.sqlite3")
        (collection,) = database.collections()
        found = dict(database.records(collection, account))
    assert found.keys() == {"d1", "d2", "d3"}
    assert (found["d1"]["chroma:document"], found["d1"]["room"]) == ("> hi\nhello", "moved")
    lists = {name: found["d1"][name] for name in ("tags", "nums", "fl", "bo")}
    assert lists == {"tags": ["c"], "nums": [1, 2], "fl": [1.5], "bo": [True, False]}
    assert found["d1"]["flag"] is True
    assert "f" not in found["d1"]
    assert found["d2"]["chroma:document"] == "> two\nII changed"
    assert found["d3"] == {"chroma:document": "third again", "wing": "w"}
    assert account.left_out == {"deleted at the source": 1}


def palace(drawers: list[tuple[str, dict[str, Any]]], *, log: list[dict[str, Any]] | None = None) -> Tables:
    """The tables of Chroma with a collection of drawers: ids, and metadata with the text."""
    fields = [
        {
            "id": number,
            "key": key,
            "string_value": value if isinstance(value, str) else None,
            "int_value": value if isinstance(value, int) else None,
            "float_value": value if isinstance(value, float) else None,
            "bool_value": None,
        }
        for number, (_, metadata) in enumerate(drawers)
        for key, value in metadata.items()
    ]
    topic = "persistent://default/default/c1"
    ahead = {"seq_id": 1, "topic": topic, "id": "d0", "operation": 0, "metadata": "{}"}
    return {
        "collections": [{"id": "c1", "name": "mempalace_drawers"}],
        "segments": [{"id": "s1", "collection": "c1", "scope": "METADATA"}],
        "max_seq_id": [{"segment_id": "s1", "seq_id": 1}],
        "embeddings": [
            {"id": number, "segment_id": "s1", "embedding_id": id_} for number, (id_, _) in enumerate(drawers)
        ],
        "embedding_metadata": fields,
        "embeddings_queue": [ahead, *({"topic": topic, **one} for one in log or [])],
    }


DRAWER = {
    "chroma:document": "> Hi.\nHello.",
    "wing": "boats",
    "room": "general",
    "ingest_mode": "convos",
    "source_file": "/home/ana/a.txt",
    "chunk_index": 0,
    "filed_at": "2026-05-03T10:00:00",
}


def read(path: Path, *drawers: dict[str, Any]) -> tuple[list[Found], Account]:
    told = palace([(f"d{number}", drawer) for number, drawer in enumerate(drawers)])
    return imported(SOURCE, database(path / "chroma.sqlite3", told))


def test_a_swept_message_has_its_session_role_and_time(tmp_path: Path) -> None:
    swept = {
        "chroma:document": "USER: Hi.",
        "ingest_mode": "sweep",
        "session_id": "s-1",
        "role": "user",
        "timestamp": "2026-05-03T10:00:00Z",
        "message_uuid": "u-1",
        "source_file": "/home/ana/a.jsonl",
        "filed_at": "2026-05-04T10:00:00",
    }
    (one,), account = read(tmp_path, swept)
    assert isinstance(one, Said)
    assert (one.session, one.role, one.content) == ("s-1", "user", "Hi.")
    assert one.time == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert one.metadata["message"] == "u-1"
    assert account.dropped == {}


def test_marks_and_drawers_without_words_are_told(tmp_path: Path) -> None:
    found, account = read(
        tmp_path,
        {**DRAWER, "ingest_mode": "registry"},
        {**DRAWER, "is_sentinel": 1, "ingest_mode": "extract"},
        {**DRAWER, "chroma:document": " "},
        {name: value for name, value in DRAWER.items() if name != "chroma:document"},
    )
    assert found == []
    assert account.left_out == {"a mark that a file was read": 2, "a drawer without words": 2}


def test_parts_are_joined_in_their_order_wherever_they_stand(tmp_path: Path) -> None:
    parts = [
        {"chroma:document": text, "parent_drawer_id": parent, "chunk_index": place, "wing": "w", "room": "r"}
        for parent, place, text in (("a", 1, "two"), ("b", 0, "alone"), ("a", 0, "one "))
    ]
    found, _ = read(tmp_path, *parts)
    assert {one.id: one.content for one in found if isinstance(one, Said)} == {"a": "one two", "b": "alone"}


def test_a_log_from_before_chroma_counted_in_numbers_is_read(tmp_path: Path) -> None:
    update = '{"chroma:document": "New."}'
    told = palace([("d0", DRAWER)], log=[{"seq_id": 8, "id": "d0", "operation": 1, "metadata": update}])
    for seen, text in (
        (b"\0" * 7 + b"\x07", "New."),
        (b"\0" * 7 + b"\x08", DRAWER["chroma:document"]),
        (None, "New."),
    ):
        tables = {**told, "max_seq_id": [{"segment_id": "s1", "seq_id": seen}]}
        (one,), _ = imported(SOURCE, database(tmp_path / "chroma.sqlite3", tables))
        assert isinstance(one, Said)
        assert one.content == text


@given(tables=with_any_cell(palace([("d0", DRAWER), ("d1", DRAWER)], log=[
    {"seq_id": 2, "id": "d1", "operation": 1, "metadata": '{"wing": "w"}'},
    {"seq_id": 3, "id": "d2", "operation": 2, "metadata": '{"chroma:document": "x"}'},
])))  # fmt: skip
def test_any_palace_is_refused_at_most(tables: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = database(tmp_path_factory.getbasetemp() / "any" / "chroma.sqlite3", tables)
    imported_or_refused(SOURCE, path, name="chroma.sqlite3")


@given(metadata=st.dictionaries(st.sampled_from([*DRAWER, "role", "session_id", "is_sentinel"]), ANYTHING))
def test_any_metadata_is_refused_at_most(metadata: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    log = [{"seq_id": 2, "id": "d0", "operation": 2, "metadata": metadata}]
    path = database(
        tmp_path_factory.getbasetemp() / "any" / "chroma.sqlite3", palace([("d1", DRAWER)], log=log)
    )
    found, account = imported(SOURCE, path)
    assert len(found) + account.unreadable + account.left_out.total() == 2


GRAPH = {
    "entities": [{"id": "ana", "name": "Ana", "type": "unknown", "properties": "{}"}],
    "triples": [
        {
            "id": "t1",
            "subject": "ana",
            "predicate": "lives_in",
            "object": "lisbon",
            "valid_from": None,
            "valid_to": None,
            "confidence": 1.0,
            "source_drawer_id": None,
            "extracted_at": "2026-05-03 10:00:00",
        }
    ],
}


def test_a_fact_without_dates_is_of_when_it_was_written(tmp_path: Path) -> None:
    (fact,), _ = imported(SOURCE, database(tmp_path / "knowledge_graph.sqlite3", GRAPH))
    assert isinstance(fact, Stated)
    assert (fact.text, fact.valid_from, fact.sources) == ("Ana lives in lisbon", None, ())
    assert fact.time == datetime(2026, 5, 3, 10, tzinfo=UTC)


def test_a_fact_rests_on_the_drawer_that_it_names(tmp_path: Path) -> None:
    database(tmp_path / "chroma.sqlite3", palace([("d1", {**DRAWER, "session_id": "s1"})]))
    (triple,) = GRAPH["triples"]
    named = [{**triple, "id": id_, "source_drawer_id": id_} for id_ in ("d1", "d2")]
    database(tmp_path / "knowledge_graph.sqlite3", {**GRAPH, "triples": named})
    found, account = imported(SOURCE, tmp_path)
    facts = [one for one in found if isinstance(one, Stated)]
    assert [fact.sources for fact in facts] == [("s1/d1",), ()]
    assert facts[0].metadata["predicate"] == "lives_in"
    assert account.dropped["triple.source_drawer_id"] == 1


@pytest.mark.parametrize(
    ("ends", "is_heard"),
    [
        (["2026-05-01"], False),
        (["2026-05-01", None], True),
        (["2026-06-01"], True),  # still to come when it was written
        (["not a day"], True),
        ([], True),
    ],
)
def test_a_drawer_is_found_unless_every_fact_of_it_has_ended(
    tmp_path: Path, ends: list[str | None], is_heard: bool
) -> None:
    database(tmp_path / "chroma.sqlite3", palace([("d1", {**DRAWER, "session_id": "s1"})]))
    (triple,) = GRAPH["triples"]
    named = [
        {**triple, "id": f"t{number}", "source_drawer_id": "d1", "valid_to": end}
        for number, end in enumerate(ends)
    ]
    database(tmp_path / "knowledge_graph.sqlite3", {**GRAPH, "triples": named or [triple]})
    found, _ = imported(SOURCE, tmp_path)
    assert [one.heard for one in found if isinstance(one, Said)] == [is_heard]


@given(tables=with_any_cell(GRAPH))
def test_any_graph_is_refused_at_most(tables: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = database(tmp_path_factory.getbasetemp() / "any" / "graph.sqlite3", tables)
    imported_or_refused(SOURCE, path, name="graph.sqlite3")


def test_a_palace_is_only_read(tmp_path: Path) -> None:
    place = unpacked(STORES / "transcripts.zip", tmp_path)
    before = {one: one.read_bytes() for one in place.rglob("*") if one.is_file()}
    imported(SOURCE, place)
    assert {one: one.read_bytes() for one in place.rglob("*") if one.is_file()} == before


def test_what_is_no_palace_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "chroma.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create view collections as select 'mempalace_drawers' as name, 1 as id")
        connection.execute("create view embeddings_queue as select 1 as seq_id")
    with pytest.raises(BadInput, match=r"chroma\.sqlite3"):
        imported(SOURCE, path)
