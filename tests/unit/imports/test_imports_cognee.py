"""Archives of cognee: conversations, documents, facts, memories, blocks, and what is spoiled."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.found import Filed, Said, Stated
from quipu.app.imports.sources.cognee import SOURCE
from quipu.errors import BadInput

EXPORT = EXPORTS / "cognee"
LINES = sorted(path.name for path in EXPORT.glob("*.jsonl"))


def test_words_and_documents_come_with_whose_they_are() -> None:
    found, account = imported(SOURCE, EXPORT)
    said = [one for one in found if isinstance(one, Said)]
    assert [(one.session, one.id, one.role, one.content, one.user) for one in said] == [
        ("e1", "1", "user", "I moved to Lisbon.", "ana"),
        ("e1", "2", "assistant", "Noted.", "ana"),
    ]
    (document,) = (one for one in found if isinstance(one, Filed) and one.index is True)
    assert (document.id, document.body, document.metadata["title"]) == ("d1", "Alba is green.", "alba")
    assert account.version == "COGX 0.1"
    assert (account.dropped, account.refused) == ({}, [])
    assert recognised_as(EXPORT) == "cognee"


def test_facts_name_their_ends_hold_and_rest_on_words() -> None:
    facts = {one.id: one for one in imported(SOURCE, EXPORT)[0] if isinstance(one, Stated)}
    lisbon, berlin = facts["f1"], facts["f0"]
    assert (lisbon.text, lisbon.confidence, lisbon.sources) == ("Ana lives in Lisbon", 0.9, ["e1/1", "e1/2"])
    assert (lisbon.valid_until, lisbon.details) == (None, "Ana: restores boats")
    assert (berlin.text, berlin.valid_until) == ("Ana lives in Berlin", datetime(2026, 5, 3, 10, tzinfo=UTC))
    assert (facts["m1"].text, facts["m1"].category, facts["m1"].user) == ("Likes olives", "food", "ana")


def test_a_persona_is_an_instruction_and_the_own_graph_of_cognee_stays_behind() -> None:
    found, account = imported(SOURCE, EXPORT)
    assert [one.body for one in found if isinstance(one, Filed) and one.index is False] == ["I am kind"]
    assert account.left_out == {
        "edge of a node of the graph that is no entity": 1,
        "graph node of the type TextSummary": 1,
    }


def test_permissions_are_never_read(tmp_path: Path) -> None:
    archive = shutil.copytree(EXPORT, tmp_path / "archive")
    written(archive / "permissions.json", '{"owner": {"hashed_password": "its-hash"}')  # no JSON at all
    found, account = imported(SOURCE, archive)
    assert account.left_out["people's permissions and passwords"] == 1
    assert "its-hash" not in repr((found, account))


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    archive = shutil.copytree(EXPORT, tmp_path / "archive")
    written(archive / "manifest.json", {"cogx_version": "1.0"})
    with pytest.raises(BadInput, match="COGX 1; 0 is the newest"):
        imported(SOURCE, archive)


def test_bad_lines_are_refused_by_their_place(tmp_path: Path) -> None:
    archive = shutil.copytree(EXPORT, tmp_path / "archive")
    bad = ["{", "[" * 200, "7", '{"external_id": "m2", "content": ["x"]}', "\ud800", ""]
    written(archive / "memories.jsonl", "\n".join([*bad, (EXPORT / "memories.jsonl").read_text()]))
    found, account = imported(SOURCE, archive)
    assert "Likes olives" in [one.text for one in found if isinstance(one, Stated)]
    places = [one.split(":")[0] for one in account.refused]
    assert places == [f"memories.jsonl, line {number}" for number in range(1, 6)]


@pytest.mark.parametrize("name", LINES)
@given(data=st.data())
def test_a_spoiled_line_is_refused_or_read(name: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        archive = shutil.copytree(EXPORT, Path(folder) / "archive")
        lines = [json.loads(line) for line in (EXPORT / name).read_text().splitlines()]
        written(archive / name, "\n".join(json.dumps(one) for one in data.draw(spoiled(lines))))
        imported_or_refused(SOURCE, archive, name="archive")
