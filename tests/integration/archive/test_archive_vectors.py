"""An archive with vectors: an import where the same model serves embeds nothing that it has."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import psycopg
import pytest
from archive_space import SPACE

from quipu import AsyncMemory
from quipu.errors import BadInput

pytestmark = pytest.mark.anyio

COPY = "copy"
OWN_VECTORS = """
select v.entry_id, v.own::text from core.recall_vectors v join core.spaces s on s.id = v.space_id
where s.name = %s and v.own is not null
"""


def own_vectors(url: str, space: str) -> dict[int, str]:
    """The vectors of entries in threads by their ids, which are those of the messages."""
    with psycopg.connect(url) as conn:
        return dict(conn.execute(OWN_VECTORS, [space]).fetchall())


def changed(folder: Path, *, digest: str | None = None) -> None:
    """Give every text another vector, or the manifest another model; make the sums right again."""
    path, rows = folder / "manifest.json", next((folder / "vectors").glob("*.npy"))
    if digest is None:
        vectors = np.load(rows)
        vectors[:] = 0
        vectors[:, 7] = 1
        np.save(rows, vectors)
    else:
        manifest = json.loads(path.read_text())
        manifest["vectors"]["digest"] = digest
        path.write_text(json.dumps(manifest))
    names = [line.split("  ", 1)[1] for line in (folder / "CHECKSUMS").read_text().splitlines()]
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "CHECKSUMS").write_text("".join(sums))


async def test_nothing_is_embedded_that_the_archive_has(
    full: AsyncMemory, other: AsyncMemory, other_url: str, tmp_path: Path
) -> None:
    await full.recall("aardvark", space=SPACE)
    done = await full.archives.export(tmp_path / "a", space=SPACE, vectors=True)
    assert done.records["vectors"] > 10
    changed(tmp_path / "a")
    loaded = await other.archives.load(tmp_path / "a", space=COPY)
    assert loaded.vectors == "taken"
    found = set(own_vectors(other_url, COPY).values())
    assert len(own_vectors(other_url, COPY)) > 5
    assert {text.strip("[]").split(",").index("1") for text in found} == {7}


async def test_vectors_of_another_model_are_left_aside(
    full: AsyncMemory, other: AsyncMemory, full_url: str, other_url: str, tmp_path: Path
) -> None:
    await full.recall("aardvark", space=SPACE)
    await full.archives.export(tmp_path / "a", space=SPACE, vectors=True)
    changed(tmp_path / "a")
    changed(tmp_path / "a", digest="another")
    assert (await other.archives.load(tmp_path / "a", space=COPY)).vectors == "ignored"
    for _ in range(3):
        await other.recall("aardvark", space=COPY)
    assert own_vectors(other_url, COPY) == own_vectors(full_url, SPACE)


async def test_the_index_is_the_same_with_them_and_without(
    full: AsyncMemory, other: AsyncMemory, tmp_path: Path
) -> None:
    for _ in range(3):
        await full.recall("aardvark", space=SPACE)
    await full.archives.export(tmp_path / "with.tar", space=SPACE, vectors=True)
    await full.archives.export(tmp_path / "without.tar", space=SPACE)
    await other.archives.load(tmp_path / "with.tar", space="with")
    assert (await other.archives.load(tmp_path / "without.tar", space="without")).vectors == "none"
    for question in ("Where does Una live?", "What did the aardvark say?", "Which boat is blue?"):
        for _ in range(3):
            await other.recall(question, space="without")
        hits = [
            [(hit.kind, hit.text, hit.score) for hit in await other.recall(question, space=space)]
            for space in ("with", "without")
        ]
        assert hits[0] == hits[1]
        assert hits[0]


async def test_they_are_in_an_archive_of_a_whole_space_alone(full: AsyncMemory, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="whole space"):
        await full.archives.export(tmp_path / "a", space=SPACE, user="una", vectors=True)
    with pytest.raises(BadInput, match="whole space"):
        await full.archives.export(tmp_path / "a", space=SPACE, format="mem", vectors=True)


async def test_vectors_without_a_name_each_are_refused(
    full: AsyncMemory, other: AsyncMemory, tmp_path: Path
) -> None:
    await full.recall("aardvark", space=SPACE)
    await full.archives.export(tmp_path / "a", space=SPACE, vectors=True)
    names = next((tmp_path / "a" / "vectors").glob("*.ids"))
    text = names.read_text()
    names.write_text(f"{'z' * 64}{text[64:]}")
    changed(tmp_path / "a")
    with pytest.raises(BadInput, match="vectors/"):
        await other.archives.load(tmp_path / "a", space=COPY)
    assert COPY not in await other.space_names()
