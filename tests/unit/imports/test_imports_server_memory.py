"""Memory files of server-memory: names, twins, order, and what is spoiled."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Filed, Found
from quipu.app.imports.sources.server_memory import SOURCE

EXPORT = EXPORTS / "server_memory" / "memory.jsonl"
LINES = [json.loads(line) for line in EXPORT.read_text().splitlines()]


def read(tmp_path: Path, *lines: Any) -> tuple[list[Found], Account]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return imported(SOURCE, written(tmp_path / "memory.jsonl", text))


def test_entities_and_relations_are_documents_of_the_time_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "memory.json", EXPORT.read_text())
    os.utime(path, (0, 1_777_802_400))
    found, account = imported(SOURCE, path)
    assert [one.id for one in found] == ["Ana", "Alba", "Ana>owns>Alba"]
    ana, alba, owns = (one for one in found if isinstance(one, Filed))
    assert ana.value["sentences"] == [
        "Ana (person)",
        "Ana: Vegetarian",
        "Ana: Lives in Lisbon since May 2025",
    ]
    assert (alba.metadata, owns.metadata, owns.index) == ({"place": 1}, {"place": 0}, ["sentences[*]"])
    assert ana.created_at == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert len(account.assumed) == 1
    assert recognised_as(path) == recognised_as(EXPORT) == "server-memory"


def test_twins_are_kept_apart(tmp_path: Path) -> None:
    found, _ = read(tmp_path, LINES[0], LINES[0], LINES[2], LINES[2])
    assert [one.id for one in found] == ["Ana", "Ana (2)", "Ana>owns>Alba", "Ana>owns>Alba (2)"]
    keys = [one.key for one in found if isinstance(one, Filed)]
    assert [key[-2:] for key in keys] == ["-0", "-1", "-0", "-1"]


def test_lines_that_are_none_are_refused_by_their_place(tmp_path: Path) -> None:
    wrong = {**LINES[0], "observations": [{"text": "Vegan"}]}
    more = {**LINES[0], "name": "Ben", "createdAt": "2026-05-03"}
    found, account = read(
        tmp_path, LINES[0], "", "{", wrong, {"type": "note"}, [], {**LINES[0], "name": 7}, more
    )
    assert [one.id for one in found] == ["Ana", "Ben"]
    assert [one.partition(": ")[0] for one in account.refused] == [
        f"memory.jsonl, line {number}" for number in (3, 4, 6, 7)
    ]
    assert account.left_out == {"line of the type note": 1}
    assert account.dropped == {"line.createdAt": 1}


def test_a_long_first_line_is_still_recognised(tmp_path: Path) -> None:
    line = {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["x" * 100_000]}
    text = json.dumps(line, separators=(",", ":"))
    assert recognised_as(written(tmp_path / "memory.jsonl", text)) == "server-memory"


@given(st.data())
def test_a_spoiled_file_is_refused_or_read(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        text = "\n".join(map(json.dumps, data.draw(spoiled(LINES))))
        imported_or_refused(SOURCE, written(Path(folder) / "memory.jsonl", text), name="memory.jsonl")


@pytest.mark.parametrize("text", ["", "\n\n", "\x00", "[" * 100_000])
def test_nothing_is_made_of_nothing(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text)[0] == []
