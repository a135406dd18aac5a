"""OpenAI Agents SDK: items as our session writes them, with branches beside them and without secrets."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from importing import ANYTHING, EXPORTS, imported, imported_or_refused, recognised_as
from sqlite_stores import database, with_any_cell

from quipu.app.imports.found import Found, Said
from quipu.app.imports.sources.openai_agents import SOURCE
from quipu.compat import openai_agents as face
from quipu.errors import BadInput
from quipu.record.items import text_of

STORE = EXPORTS / "openai_agents" / "branches.zip"


def items(found: list[Found], session: str) -> list[Any]:
    """What ``Session.get_items`` of our face gives, once messages stand in the record."""
    return [
        face._item(SimpleNamespace(item=one.item))
        for one in found
        if isinstance(one, Said) and one.session == session and one.heard
    ]


def test_a_session_gives_the_items_that_it_had() -> None:
    truth = json.loads(STORE.with_suffix(".json").read_text())
    found, account = imported(SOURCE, STORE)
    assert items(found, "adv") == truth["adv"]
    assert [list(one) for one in items(found, "adv")] == [list(one) for one in truth["adv"]]
    assert account.left_out == {"encrypted at the source": 1}
    assert account.refused == []
    assert recognised_as(STORE) == "openai-agents"


def test_another_branch_is_a_session_of_its_own_that_nobody_finds() -> None:
    found, _ = imported(SOURCE, STORE)
    branch = [one for one in found if isinstance(one, Said) and one.session == "adv/other"]
    assert [(one.content, one.heard, one.metadata) for one in branch] == [
        ("two again", False, {"branch": True, "branch_id": "other"}),
        ("2b", False, {"branch": True, "branch_id": "other"}),
    ]


def test_words_are_those_that_our_session_would_find() -> None:
    found, _ = imported(SOURCE, STORE)
    for one in found:
        assert isinstance(one, Said)
        assert one.item is not None
        assert one.content == ("" if one.role == "system" else text_of(one.item))
    assert {one.role for one in found if isinstance(one, Said)} == {"system", "user", "assistant", "tool"}


MESSAGE = {
    "id": 1,
    "session_id": "s",
    "message_data": '{"role": "user", "content": "Hi."}',
    "created_at": "2026-05-03 10:00:00",
}
SESSION = {"session_id": "s", "created_at": "2026-05-03 10:00:00", "updated_at": "2026-05-03 10:00:00"}
STRUCTURE = {"id": 1, "session_id": "s", "message_id": 1, "branch_id": "main", "sequence_number": 1}


def test_tables_may_have_other_names(tmp_path: Path) -> None:
    tables = {'my "messages" {x}': [MESSAGE], "my_sessions": [SESSION]}
    (one,), account = imported(SOURCE, database(tmp_path / "a.db", tables))
    assert isinstance(one, Said)
    assert (one.id, one.session, one.content) == ("1", "s", "Hi.")
    assert one.time == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert account.dropped == {"my_sessions.created_at": 1, "my_sessions.updated_at": 1}


def test_what_is_no_item_is_refused_alone(tmp_path: Path) -> None:
    told = ["{", "[1]", "null", None, b"\xff", "[" * 5_000, '{"a": 1}']
    rows = [{**MESSAGE, "id": place, "message_data": data} for place, data in enumerate(told)]
    found, account = imported(SOURCE, database(tmp_path / "a.db", {"agent_messages": rows}))
    assert [one.id for one in found] == ["6"]
    assert account.unreadable == 6


def test_what_is_no_session_is_refused_by_its_name(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", {"agent_sessions": [SESSION]})
    with pytest.raises(BadInput, match=r"a\.db"):
        imported(SOURCE, path)


@given(tables=with_any_cell({"agent_messages": [MESSAGE], "message_structure": [STRUCTURE]}))
def test_any_session_is_refused_at_most(tables: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = database(tmp_path_factory.getbasetemp() / "any" / "agents.db", tables)
    imported_or_refused(SOURCE, path, name="agents.db")


@given(item=ANYTHING)
def test_any_item_is_refused_at_most(item: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    row = {**MESSAGE, "message_data": json.dumps(item)}
    path = database(tmp_path_factory.getbasetemp() / "any" / "agents.db", {"agent_messages": [row]})
    found, account = imported(SOURCE, path)
    assert len(found) + account.unreadable == 1
