"""claude-mem: prompts in the sessions of Claude Code, what was learned, and what is to be done."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written
from sqlite_stores import database, unpacked, with_any_cell

from quipu.app.imports.found import Said, Stated, ToDo
from quipu.app.imports.sources.claude_mem import SOURCE
from quipu.errors import BadInput

STORE = EXPORTS / "claude_mem" / "claude-mem.zip"


def test_prompts_observations_summaries_and_next_steps_are_read() -> None:
    found, account = imported(SOURCE, STORE)
    first, second, learned, decided, summary, step = found
    assert isinstance(first, Said)
    assert isinstance(second, Said)
    assert (first.id, first.session, first.content) == (
        "prompt/1",
        "c-1",
        "Fix the csrf token of the login form",
    )
    assert first.time == datetime(2026, 11, 22, 11, 2, 8, 872_000, UTC)
    assert (second.id, second.role) == ("prompt/2", "user")
    assert isinstance(learned, Stated)
    assert (learned.id, learned.lesson, learned.category, learned.session) == (
        "observation/1",
        True,
        "bugfix",
        "c-1",
    )
    assert learned.text == (
        "CSRF token sent with login\nThe login form did not send the token.\n"
        "The token is read from the meta tag\nTests pass"
    )
    assert learned.time == datetime(2025, 5, 3, 10, tzinfo=UTC)
    assert learned.metadata == {
        "project": "boats",
        "subtitle": "form.ts",
        "prompt_number": 1,
        "concepts": ["problem-solution"],
        "files_read": ["src/form.ts"],
        "files_modified": ["src/form.ts"],
    }
    assert isinstance(decided, Stated)
    assert decided.category == "decision"
    assert isinstance(summary, Stated)
    assert (summary.id, summary.category) == ("summary/1", "context")
    assert summary.text == (
        "request: Fix the token\ninvestigated: the login form\nlearned: The meta tag holds the token\n"
        "completed: The form sends it\nnext_steps: Deploy"
    )
    assert isinstance(step, ToDo)
    assert (step.id, step.text, step.session) == ("summary/1/next_steps", "Deploy", "c-1")
    assert account.version == "schema 52"
    assert account.refused == []
    assert {
        "observation.content_hash",
        "session.status",
        "summary.discovery_tokens",
    } <= account.dropped.keys()
    assert recognised_as(STORE) == "claude-mem"


def rows(connection: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(f"select * from {table}")]


def exported(path: Path) -> dict[str, Any]:
    """What its script exports of a database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {
            "exportedAt": "2026-11-22T12:00:00Z",
            "exportedAtEpoch": 1,
            "query": "*",
            "totalObservations": 2,
            "observations": rows(connection, "observations"),
            "sessions": rows(connection, "sdk_sessions"),
            "summaries": rows(connection, "session_summaries"),
            "prompts": rows(connection, "user_prompts"),
            "new": 1,
        }


def test_its_export_gives_the_same(tmp_path: Path) -> None:
    whole = exported(unpacked(STORE, tmp_path / "db") / "claude-mem.db")
    path = written(tmp_path / "export.json", whole)
    found, account = imported(SOURCE, path)
    assert found == imported(SOURCE, STORE)[0]
    assert account.dropped["export.new"] == 1
    assert recognised_as(path) == "claude-mem"


@given(place=spoiled({"prompts": [], "summaries": [{}], "observations": [{}], "sessions": [{}]}))
def test_any_export_is_refused_at_most(place: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = {"exportedAt": "x", "totalObservations": 1, **place} if isinstance(place, dict) else place
    path = written(tmp_path_factory.getbasetemp() / "any" / "export.json", whole)
    imported_or_refused(SOURCE, path, name="export.json")


SESSION = {
    "id": 1,
    "claude_session_id": "c-1",
    "sdk_session_id": "m-1",
    "project": "boats",
    "user_prompt": "First prompt.",
    "started_at": "2025-12-01T10:00:00.000Z",
    "started_at_epoch": 1_764_583_200_000,
}
OBSERVATION = {
    "id": 7,
    "sdk_session_id": "m-1",
    "project": "boats/worktree",
    "merged_into_project": "boats",
    "text": "An old one.",
    "type": "discovery",
    "facts": "no JSON",
    "created_at": "2025-12-01T10:00:00.000Z",
    "created_at_epoch": None,
    "metadata": '{"more": 1}',
}
SUMMARY = {
    "id": 3,
    "sdk_session_id": "m-2",
    "project": "boats",
    "request": None,
    "next_steps": "",
    "notes": "",
    "created_at_epoch": 1_764_583_200_000,
}
TOOL = {"id": 1, "tool_name": "Bash", "tool_input": "secret words"}
OLD = {
    "sdk_sessions": [SESSION],
    "observations": [OBSERVATION, {**OBSERVATION, "id": 8, "text": "", "facts": None}],
    "session_summaries": [SUMMARY, {**SUMMARY, "id": 4, "notes": "Beware."}],
    "tool_uses": [TOOL],
}


def test_old_schemas_are_read_by_the_columns_that_they_have(tmp_path: Path) -> None:
    found, account = imported(SOURCE, database(tmp_path / "claude-mem.db", OLD))
    prompt, learned, summary = found
    assert isinstance(prompt, Said)
    assert (prompt.id, prompt.session, prompt.content) == ("session/1", "c-1", "First prompt.")
    assert prompt.time == datetime(2025, 12, 1, 10, tzinfo=UTC)
    assert isinstance(learned, Stated)
    assert (learned.text, learned.session) == ("An old one.\nno JSON", "c-1")
    assert learned.metadata == {"project": "boats", "more": 1}
    assert isinstance(summary, Stated)
    assert (summary.text, summary.session) == ("notes: Beware.", "m-2")
    assert account.left_out == {
        "an observation without words": 1,
        "a summary without words": 1,
        "a call of a tool, which the transcripts of Claude Code have": 1,
    }
    assert "secret words" not in repr(found)


@given(tables=with_any_cell(OLD))
def test_any_database_is_refused_at_most(tables: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = database(tmp_path_factory.getbasetemp() / "any" / "claude-mem.db", tables)
    imported_or_refused(SOURCE, path, name="claude-mem.db")


PROMPT = {
    "id": 1,
    "content_session_id": "c-1",
    "prompt_number": 1,
    "prompt_text": "Hi.",
    "platform_source": "codex",
    "created_at_epoch": 1,
}


def test_a_first_prompt_that_stands_among_the_prompts_comes_once(tmp_path: Path) -> None:
    found, _ = imported(SOURCE, database(tmp_path / "a.db", {**OLD, "user_prompts": [PROMPT]}))
    prompts = [one for one in found if isinstance(one, Said)]
    assert [(one.id, one.metadata) for one in prompts] == [("prompt/1", {"platform": "codex"})]


def test_what_is_waiting_in_the_log_is_read(tmp_path: Path) -> None:
    path = unpacked(STORE, tmp_path) / "claude-mem.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("update user_prompts set prompt_text = 'Changed.' where id = 1")
        connection.commit()
        found, _ = imported(SOURCE, path)
    assert isinstance(found[0], Said)
    assert found[0].content == "Changed."


def test_what_is_none_of_it_is_refused_by_its_name(tmp_path: Path) -> None:
    path = written(tmp_path / "other.json", json.dumps({"exportedAt": 1}))
    with pytest.raises(BadInput, match=r"other\.json"):
        imported(SOURCE, path)
