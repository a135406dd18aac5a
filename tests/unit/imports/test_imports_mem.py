"""Bundles of Portable Memory, as its own exporter writes them: records, validity, deletions, damage."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.found import Filed, Said, Stated
from quipu.app.imports.sources.mem import SOURCE
from quipu.errors import BadInput

EXPORT = EXPORTS / "mem" / "boats.mem"
KINDS = sorted(path.stem for path in (EXPORT / "items").iterdir())


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def bundle(folder: Path, **items: list[Any]) -> Path:
    """Write the sample with other records of some kinds, and the digests that they have."""
    shutil.copytree(EXPORT, folder)
    for kind, records in items.items():
        written(folder / "items" / f"{kind}.jsonl", "".join(json.dumps(one) + "\n" for one in records))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] = [
        {"path": str(path.relative_to(folder)), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for part in ("items", "audit")
        for path in sorted((folder / part).iterdir())
    ]
    written(folder / "manifest.json", manifest)
    return folder


def test_words_statements_and_documents_are_told_apart() -> None:
    found, account = imported(SOURCE, EXPORT)
    (said,) = (one for one in found if isinstance(one, Said))
    assert (said.id, said.session, said.content, said.role) == (
        "a",
        "c1",
        "I moved to Lisbon in May.",
        "user",
    )
    assert said.metadata["title"] == "Boats"
    stated = {one.id: one for one in found if isinstance(one, Stated)}
    assert (stated["m0"].text, stated["m0"].user) == ("Likes olives.", "ana")
    assert stated["uses-pnpm"].category == "project"
    assert stated["g1"].text == "Ana owns Alba"
    assert stated["g1"].valid_until == datetime(2026, 5, 1, tzinfo=UTC)
    assert stated["e1"].text == "Ana: restores boats"
    assert stated["preference/language"].text == "language: Portuguese"
    filed = {one.id: one for one in found if isinstance(one, Filed)}
    assert {one.id: one.index for one in filed.values()} == {
        "CLAUDE": False,
        "persona": False,
        "p1": True,
        "r1": True,
    }
    assert (filed["r1"].body, filed["r1"].metadata["uri"]) == ("first\n\nsecond", "file:///a.md")
    assert account.version == ".mem 1.1.0"
    assert account.left_out["secretRef of .mem"] == 1


def test_a_statement_that_another_replaced_ended_when_that_one_began() -> None:
    found, _ = imported(SOURCE, EXPORT)
    stated = {one.id: one for one in found if isinstance(one, Stated)}
    assert stated["f1"].valid_until == stated["f2"].valid_from == datetime(2025, 5, 1, tzinfo=UTC)
    assert stated["f2"].valid_until is None
    assert (stated["f1"].confidence, list(stated["f1"].sources)) == (0.9, ["c1/a"])


def test_a_statement_that_was_replaced_is_never_current_whatever_is_missing(tmp_path: Path) -> None:
    facts = lines(EXPORT / "items" / "fact.jsonl")[:1]
    facts[0].pop("tValidFrom")
    found, _ = imported(SOURCE, bundle(tmp_path / "x.mem", fact=facts))
    (fact,) = (one for one in found if one.id == "f1")
    assert isinstance(fact, Stated)
    assert fact.valid_until is not None


def test_what_was_deleted_and_what_rests_on_it_is_nowhere() -> None:
    found, account = imported(SOURCE, EXPORT)
    assert not {"gone", "f3", "f4"} & {one.id for one in found}
    assert "SECRET GONE" not in repr(found)
    assert account.left_out["deleted at the source"] == 3


def test_a_zip_of_a_bundle_says_what_its_folder_says(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "boats.zip", "w") as archive:
        for one in EXPORT.rglob("*"):
            archive.write(one, one.relative_to(EXPORT.parent))
    assert imported(SOURCE, tmp_path / "boats.zip")[0] == imported(SOURCE, EXPORT)[0]
    assert recognised_as(tmp_path / "boats.zip") == recognised_as(EXPORT) == "mem"


def test_damaged_missing_and_surplus_files_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    damaged = shutil.copytree(EXPORT, tmp_path / "damaged")
    facts = damaged / "items" / "fact.jsonl"
    facts.write_bytes(facts.read_bytes().replace(b"Berlin", b"Merlin"))
    with pytest.raises(BadInput, match=r"fact\.jsonl is not as the manifest says"):
        imported(SOURCE, damaged)
    facts.unlink()
    with pytest.raises(BadInput, match=r"fact\.jsonl is listed in the manifest, and missing"):
        imported(SOURCE, damaged)
    surplus = shutil.copytree(EXPORT, tmp_path / "surplus")
    written(surplus / "items" / "extra.jsonl", "{}")
    with pytest.raises(BadInput, match=r"extra\.jsonl is not listed"):
        imported(SOURCE, surplus)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    newer = shutil.copytree(EXPORT, tmp_path / "newer")
    manifest = json.loads((newer / "manifest.json").read_text())
    written(newer / "manifest.json", {**manifest, "format": "2.0.0"})
    with pytest.raises(BadInput, match=r"format '2\.0\.0'; 1\.x is read"):
        imported(SOURCE, newer)


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path) -> None:
    written(tmp_path / "manifest.json", "{}")
    with pytest.raises(BadInput, match=r"no bundle of \.mem"):
        imported(SOURCE, tmp_path)


def test_a_line_that_is_no_record_is_refused_by_its_place(tmp_path: Path) -> None:
    made = bundle(tmp_path / "x.mem", fact=[7, {"id": "f9"}])
    _, account = imported(SOURCE, made)
    assert [one.partition(":")[0] for one in account.refused] == ["items/fact.jsonl, line 1"]
    assert account.left_out["fact without text"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_any_place_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, kind: str) -> None:
    @given(spoiled(lines(EXPORT / "items" / f"{kind}.jsonl")))
    def read_it(records: list[Any]) -> None:
        made = bundle(tmp_path_factory.mktemp("spoiled") / "x.mem", **{kind: records})
        imported_or_refused(SOURCE, made, name=".jsonl")

    read_it()


@given(spoiled(json.loads((EXPORT / "manifest.json").read_text())))
def test_nothing_in_the_manifest_breaks_the_reader(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    made = shutil.copytree(EXPORT, tmp_path_factory.mktemp("spoiled") / "x.mem")
    written(made / "manifest.json", value)
    imported_or_refused(SOURCE, made, name="")
