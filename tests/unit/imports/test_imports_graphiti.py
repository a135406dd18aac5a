"""Graphs of Graphiti and Zep: episodes, facts with two clocks, summaries, and what is spoiled."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.found import Filed, Said, Stated
from quipu.app.imports.sources.bolt import reading
from quipu.app.imports.sources.graphiti import SOURCE
from quipu.errors import BadInput, MissingExtra

EXPORT = EXPORTS / "graphiti" / "dump.json"
DUMP: dict[str, Any] = json.loads(EXPORT.read_text())


def read(tmp_path: Path, value: object) -> tuple[list[Any], Any]:
    return imported(SOURCE, written(tmp_path / "dump.json", value))


def by_id(found: list[Any]) -> dict[str, Any]:
    return {one.id: one for one in found}


def test_a_message_is_words_and_other_episodes_are_documents() -> None:
    found, account = imported(SOURCE, EXPORT)
    said = [one for one in found if isinstance(one, Said)]
    assert [(one.id, one.content, one.role, one.speaker, one.user) for one in said] == [
        ("e1", "Ana: I live in Berlin.", "user", None, "ana"),
        ("e2", "Ana: I moved to Lisbon.\nassistant: Noted.", "transcript", None, "ana"),
        ("e3", "Ben (assistant): Rex is your dog.", "assistant", "Ben", "ana"),
    ]
    assert said[0].time == datetime(2024, 1, 10, tzinfo=UTC)
    assert {one.session for one in said} == {"graphiti/ana"}
    row, page = (one for one in found if isinstance(one, Filed))
    assert (row.id, row.body, row.user, row.path) == (
        "e4", '{"plan": "pro"}', "ana", ("graphiti", "ana", "episodes"),
    )  # fmt: skip
    assert (page.user, page.path, page.metadata["source"]) == (None, ("graphiti", "episodes"), "text")
    assert list(account.assumed) == ["Times without a zone are in UTC, as Graphiti writes them."]
    assert recognised_as(EXPORT) == "graphiti"


def test_a_fact_holds_from_and_until_and_rests_on_words() -> None:
    facts = by_id([one for one in imported(SOURCE, EXPORT)[0] if isinstance(one, Stated)])
    berlin, lisbon, porto = facts["f1"], facts["f2"], facts["f3"]
    assert berlin.text == "Ana lives in Berlin."
    assert (berlin.valid_from, berlin.valid_until) == (
        datetime(2024, 1, 10, tzinfo=UTC),
        datetime(2025, 5, 1, tzinfo=UTC),
    )
    assert (lisbon.valid_from, lisbon.valid_until) == (datetime(2025, 5, 1, tzinfo=UTC), None)
    assert lisbon.sources == ["graphiti/ana/e2"]
    assert (lisbon.metadata["subject"], lisbon.metadata["predicate"]) == ("Ana", "LIVES_IN")
    assert lisbon.metadata["attributes"] == {"since": "May"}
    assert porto.valid_until == datetime(2025, 6, 2, tzinfo=UTC), "it is no longer believed"


def test_each_summary_is_told_once_with_a_fact_that_holds() -> None:
    found, account = imported(SOURCE, EXPORT)
    facts = by_id([one for one in found if isinstance(one, Stated)])
    assert facts["f1"].details is None
    assert facts["f2"].details == "Ana: Ana lives in Lisbon.\nLisbon: A city."
    assert facts["f2"].metadata["entities"][0] == {
        "name": "Ana", "labels": ["Person"], "attributes": {"age": 37},
    }  # fmt: skip
    assert account.left_out == {"summary of an entity that no current fact names": 1}


def test_every_field_is_taken_or_told(tmp_path: Path) -> None:
    dump = json.loads(EXPORT.read_text())
    dump["communities"] = [{"uuid": "c1", "summary": "All"}]
    dump["episodes"][0]["mood"] = "glad"
    dump["facts"][0]["fact_embedding"] = [0.1]
    dump["entities"][0]["name_embedding"] = [0.1]
    found, account = read(tmp_path, dump)
    assert account.dropped == {
        "graph.communities": 1, "episode.mood": 1, "fact.fact_embedding": 1, "entity.name_embedding": 1,
    }  # fmt: skip
    assert not any("embedding" in json.dumps(one.raw) for one in found)


def test_a_fact_that_was_withdrawn_before_it_began_never_holds(tmp_path: Path) -> None:
    fact = {**DUMP["facts"][1], "valid_at": "2030-01-01T00:00:00", "expired_at": "2025-07-01T00:00:00"}
    (one,) = (one for one in read(tmp_path, {"facts": [fact]})[0] if isinstance(one, Stated))
    assert one.valid_from == one.valid_until == datetime(2025, 7, 1, tzinfo=UTC)


def test_what_the_client_of_zep_returns_is_read(tmp_path: Path) -> None:
    zep = {
        "episodes": [
            {"uuid": "z1", "content": "I moved.", "role": "user", "role_name": "Ana", "thread_uuid": "t1",
             "user_uuid": "u1", "source": "message", "reference_time": "2026-05-03T10:00:00Z"},
            {"uuid": "z2", "content": "Noted.", "role": "Sam", "role_type": "assistant", "thread_id": "t1"},
        ],
        "edges": [
            {"uuid": "x1", "fact": "Ana moved.", "name": "MOVED", "episode_uuids": ["z1"], "user_uuid": "u1",
             "source_node_name": "Ana", "target_node_name": "Lisbon", "valid_at": "2026-05-01T00:00:00Z"},
        ],
    }  # fmt: skip
    found, account = read(tmp_path, zep)
    first, second, fact = found
    assert (first.session, first.role, first.speaker, first.user) == ("t1", "user", "Ana", "u1")
    assert (second.role, second.speaker) == ("assistant", "Sam")
    assert (fact.sources, fact.metadata["object"]) == (["t1/z1"], "Lisbon")
    assert account.dropped == {}


def test_lines_that_neo4j_exports_are_read(tmp_path: Path) -> None:
    lines = [
        {"type": "node", "id": "0", "labels": ["Episodic"], "properties": DUMP["episodes"][0]},
        {"type": "node", "id": "1", "labels": ["Entity"], "properties": {"uuid": "n1", "name": "Ana"}},
        {"type": "node", "id": "2", "labels": ["Community"], "properties": {}},
        {"type": "relationship", "label": "RELATES_TO", "start": {"properties": {"uuid": "n1"}}, "end": {},
         "properties": {"uuid": "f9", "fact": "Ana sails.", "valid_at": "2025-06-01T00:00:05.000000001Z[Z]"}},
    ]  # fmt: skip
    path = written(tmp_path / "all.json", "\n".join(map(json.dumps, lines)))
    found, account = imported(SOURCE, path)
    assert [one.id for one in found] == ["e1", "f9"]
    assert found[1].metadata == {"subject": "Ana"}
    assert account.dropped == {"graph.Community": 1}
    assert recognised_as(path) == "graphiti"


@given(st.data())
def test_a_spoiled_dump_is_refused_or_read(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = written(Path(folder) / "dump.json", data.draw(spoiled(DUMP)))
        imported_or_refused(SOURCE, path, name="dump.json")


@pytest.mark.parametrize("text", ["", "[]", '{"episodes": [', '{"episodes": [' + "[" * 10_000, "\x00"])
def test_what_is_no_dump_is_refused_by_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"dump\.json"):
        read(tmp_path, text)


def test_one_bad_record_is_refused_and_the_rest_is_read(tmp_path: Path) -> None:
    found, account = read(tmp_path, {**DUMP, "facts": [{"uuid": 7}, None, *DUMP["facts"]]})
    assert account.refused == [
        f"{'dump.json'}, facts 1: fact.fact: it is missing",
        f"{'dump.json'}, facts 2: fact: it is null, not an object",
    ]
    assert len(found) == 8


def test_a_server_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "neo4j", None)
    with pytest.raises(MissingExtra, match=r"quipu-memory\[neo4j\]"), reading("bolt://u:p@localhost/db"):
        pass
