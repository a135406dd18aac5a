"""Archives of COGX that we write, read by cognee."""

from __future__ import annotations

from cognee.modules.migration.cogx import read_archive, read_manifest
from exports import export


def test_cognee_reads_every_record(tmp_path):
    export(tmp_path / "una", format="cogx")
    manifest, records = read_manifest(tmp_path / "una"), list(read_archive(tmp_path / "una"))
    assert (manifest.cogx_version, manifest.source_system) == ("0.1", "quipu")
    kinds = {kind: sum(one.kind == kind for one in records) for kind in manifest.counts}
    assert kinds == manifest.counts
    assert sum(kinds.values()) == len(records)
    talk = next(one for one in records if one.external_id == "talk")
    assert [turn.content for turn in talk.turns][:2] == ["I live in Berlin.", "Noted – „gut“."]
    assert "The boat is blue." in {one.content for one in records if one.kind == "memory"}
    ended = next(one for one in records if one.kind == "fact" and one.fact_text == "The boat is red.")
    assert ended.invalid_at is not None
    assert {one.title for one in records if one.kind == "document"} == {"plan.md", "value"}
