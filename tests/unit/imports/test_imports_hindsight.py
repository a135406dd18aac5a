"""Banks of Hindsight: documents, facts, observations, mental models, instructions, and what is spoiled."""

from __future__ import annotations

import json
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.found import Filed, Stated
from quipu.app.imports.sources.hindsight import SOURCE
from quipu.errors import BadInput

EXPORT = EXPORTS / "hindsight"
FILES = sorted(path.relative_to(EXPORT).as_posix() for path in EXPORT.rglob("*.json"))


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return shutil.copytree(EXPORT, tmp_path / "bank")


def test_a_document_and_its_facts_come_with_their_times() -> None:
    found, account = imported(SOURCE, EXPORT)
    document = next(one for one in found if isinstance(one, Filed))
    assert (document.id, document.path, document.index) == ("chat-1", ("hindsight", "ana", "documents"), True)
    assert document.body == "Ana moved to Lisbon in May. She restores boats."
    facts = {one.id: one for one in found if isinstance(one, Stated)}
    moved, restores = facts["chat-1#0"], facts["chat-1#1"]
    assert (moved.text, moved.details, moved.category) == ("Ana moved to Lisbon", "move", "world")
    assert moved.time == datetime(2026, 5, 1, tzinfo=UTC), "when it occurred"
    assert restores.time == datetime(2026, 5, 3, 10, tzinfo=UTC), "when it was told"
    assert (moved.valid_from, moved.valid_until) == (None, None), "what is over is still true"
    assert moved.metadata["entities"] == ["Ana", "Lisbon"]
    assert account.version == "schema 1"
    assert account.dropped == {
        "mental_model.subtype": 1, "mental_model.max_tokens": 1, "bank.disposition": 1, "bank.config": 1,
    }  # fmt: skip


def test_an_observation_names_the_facts_that_it_was_drawn_from() -> None:
    found, _ = imported(SOURCE, EXPORT)
    (one,) = (one for one in found if isinstance(one, Stated) and one.category == "observation")
    assert one.text == "Ana works with boats in Lisbon."
    assert one.sources == ["chat-1"]
    assert one.metadata["facts"] == ["chat-1#0", "chat-1#1"]
    assert [again.id for again in imported(SOURCE, EXPORT)[0]] == [again.id for again in found]


def test_a_mental_model_keeps_its_versions_and_its_page() -> None:
    found, _ = imported(SOURCE, EXPORT)
    (model,) = (one for one in found if isinstance(one, Filed) and one.path[-1] == "mental_models")
    assert (model.body, model.metadata["page"]) == ("Ana restores boats in Lisbon.", "People/Ana")
    assert [(one.body, one.time) for one in model.earlier] == [
        ("Ana lives in Berlin.", datetime(2026, 5, 3, 10, tzinfo=UTC))
    ]
    assert model.updated_at == datetime(2026, 5, 5, tzinfo=UTC)


def test_directives_and_the_background_are_instructions_and_secrets_stay_behind() -> None:
    found, account = imported(SOURCE, EXPORT)
    kept = {one.id: one for one in found if isinstance(one, Filed) and one.index is False}
    assert {id_: one.body for id_, one in kept.items()} == {
        "directive/d1": "Be brief.", "bank/ana": "I am a patient helper.",
    }  # fmt: skip
    assert account.left_out == {"webhook": 1}
    assert "example.org" not in repr(found)


def test_a_zip_is_read_as_its_folder_is(bank: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bank.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in FILES:
            archive.write(bank / name, name)
    assert imported(SOURCE, tmp_path / "bank.zip")[0] == imported(SOURCE, EXPORT)[0]
    assert recognised_as(tmp_path / "bank.zip") == recognised_as(bank) == "hindsight"


def test_a_document_without_its_text_is_made_of_its_chunks(bank: Path) -> None:
    path = bank / "documents" / "000000.json"
    document = json.loads(path.read_text())
    document |= {"original_text": None, "chunks": [{"chunk_text": "One."}, {"chunk_text": "Two."}]}
    written(path, document)
    assert next(one.body for one in imported(SOURCE, bank)[0] if isinstance(one, Filed)) == "One.\nTwo."


def test_a_damaged_document_is_refused_and_the_rest_is_read(bank: Path) -> None:
    written(bank / "documents" / "000001.json", "{")
    written(bank / "documents" / "000002.json", {"facts": [{"text": "No id."}]})
    found, account = imported(SOURCE, bank)
    assert len(found) == len(imported(SOURCE, EXPORT)[0])
    assert [one.partition(":")[0] for one in account.refused] == [
        "documents/000001.json", "documents/000002.json",
    ]  # fmt: skip


def test_a_newer_schema_is_refused(bank: Path) -> None:
    written(bank / "manifest.json", {"source_bank_id": "ana", "schema_version": 2})
    with pytest.raises(BadInput, match="of schema 2; 1 is the newest"):
        imported(SOURCE, bank)


def test_pages_in_a_circle_end(bank: Path) -> None:
    pages = [{"id": "a", "parent_id": "b", "name": "A", "mental_model_id": "ana"},
             {"id": "b", "parent_id": "a", "name": "B"}]  # fmt: skip
    written(bank / "knowledge_pages.json", pages)
    assert imported(SOURCE, bank)[1].refused == []


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_a_spoiled_file_is_refused_or_read(name: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        bank = shutil.copytree(EXPORT, Path(folder) / "bank")
        written(bank / name, data.draw(spoiled(json.loads((EXPORT / name).read_text()))))
        imported_or_refused(SOURCE, bank, name="bank")


def test_a_newer_schema_is_refused_by_the_name_of_the_bank(tmp_path: Path) -> None:
    bank = shutil.copytree(EXPORT, tmp_path / "bank")
    manifest = json.loads((bank / "manifest.json").read_text())
    written(bank / "manifest.json", {**manifest, "schema_version": 2})
    with pytest.raises(BadInput, match="bank is of schema 2"):
        imported(SOURCE, bank)
