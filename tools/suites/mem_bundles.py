"""Bundles of .mem that we write, read by the package of the format."""

from __future__ import annotations

from exports import export
from portable_memory import BundleImporter, BundleValidator, InMemoryStore


def test_a_bundle_is_valid(tmp_path):
    export(tmp_path / "una", format="mem")
    found = BundleValidator().validate(tmp_path / "una")
    assert found.issues == []
    assert found.manifest.counts.keys() == {"context", "episode", "fact", "resource", "chunk"}


class Store(InMemoryStore):
    """A store that keeps facts and chunks, too."""

    def __init__(self):
        super().__init__()
        self.facts = []
        self.chunks = []

    def import_fact(self, f):
        self.facts.append(f)

    def import_chunk(self, c):
        self.chunks.append(c)


def test_a_bundle_is_taken_in_whole(tmp_path):
    export(tmp_path / "una", format="mem")
    store = Store()
    report = BundleImporter().import_bundle(store, tmp_path / "una")
    assert report.warnings == []
    texts = {one.text: one for one in store.facts}
    assert texts["The boat is blue."].t_valid_to is None
    assert texts["The boat is red."].t_valid_to is not None
    assert {one.details for one in store.export_episodes()} >= {"I live in Berlin.", "Said alone."}
    assert {one.text for one in store.chunks} == {"# Plan\n\nRow *home*.\n", '{"depth":[1,2.5]}'}
