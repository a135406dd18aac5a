"""Vectors in an archive: those of the model that the space is searched by, named by what was embedded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from quipu.errors import BadInput
from quipu.kernel.db import queries
from quipu.kernel.db.arrays import halfvecs
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.known import KnownVectors, digest_of
from quipu.recall import store
from quipu.upkeep.archive.manifest import ArchivedFile, ArchivedVectors
from quipu.upkeep.reembed.batches import Cite, texts_of
from quipu.upkeep.snapshots.shelf import digest

KIND: Final = "vectors"
_SQL: Final = queries.load("quipu.upkeep.archive")
_AT_ONCE: Final = 1_000
_FIRST: Final = -(2**63)
_DIGITS: Final = 64


@dataclass(frozen=True, slots=True)
class WrittenVectors:
    """Vectors that were written: what they are, and their files with the sum of each."""

    about: ArchivedVectors
    files: Sequence[tuple[ArchivedFile, str]]


class _VectorFiles:
    """A file of vectors and one of their names, which grow together."""

    def __init__(self, rows: Path, names: Path, *, dimensions: int) -> None:
        rows.parent.mkdir(exist_ok=True)
        self._dimensions = dimensions
        self._rows: BinaryIO = rows.open("xb")
        self._names: BinaryIO = names.open("xb")
        self.count = 0
        self._begin()

    def add(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Write vectors with the names of their texts."""
        self._rows.write(vectors.astype("<f2").tobytes())
        self._names.write("".join(f"{digest_of(text).hex()}\n" for text in texts).encode())
        self.count += len(texts)

    def close(self) -> None:
        """Write how many vectors there are, and close both."""
        self._rows.seek(0)
        self._begin()
        self._rows.close()
        self._names.close()

    def _begin(self) -> None:
        """Write the head of an array, which is as long for any number of rows."""
        head = {"descr": "<f2", "fortran_order": False, "shape": (self.count, self._dimensions)}
        np.lib.format.write_array_header_1_0(self._rows, head)


async def write_vectors(
    tx: SpaceTransaction, folder: Path, cites: Mapping[int, Cite]
) -> WrittenVectors | None:
    """Write the vectors of a space; None if it has none."""
    if tx.space.generation is None:
        return None
    of = await store.generation(tx.conn, tx.space.generation)
    rows, names = (f"{KIND}/{of.id}.{end}" for end in ("npy", "ids"))
    written = await to_thread.run_sync(
        lambda: _VectorFiles(folder / rows, folder / names, dimensions=of.dimensions)
    )
    try:
        after = _FIRST
        while found := await _vectors_after(tx, of.id, after):
            after = max(found)
            texts = await texts_of(tx, list(found), cites)
            packed = b"".join(found[number] for number in texts)
            if texts:
                await to_thread.run_sync(written.add, list(texts.values()), halfvecs(packed))
    finally:
        await to_thread.run_sync(written.close)
    about = ArchivedVectors(file=rows, ids=names, model=of.model, digest=of.digest, dimensions=of.dimensions)
    sums = [await to_thread.run_sync(_file, folder, *one) for one in ((rows, written.count), (names, 0))]
    return WrittenVectors(about, sums)


async def _vectors_after(tx: SpaceTransaction, generation: int, after: int) -> dict[int, bytes]:
    rows = await tx.rows(
        _SQL["vectors_after"], binary=True, generation=generation, after=after, limit=_AT_ONCE
    )
    return dict(rows)


def _file(folder: Path, name: str, records: int) -> tuple[ArchivedFile, str]:
    path = folder / name
    file = ArchivedFile(name=name, kind=KIND, records=records, bytes=path.stat().st_size)
    return file, digest(path)


def read_vectors(folder: Path, of: ArchivedVectors) -> KnownVectors:
    """Return the vectors of an archive; they stay on disk until they are needed.

    Raises:
        BadInput: they are no list of vectors with a name for each.
    """
    try:
        rows: NDArray[Any] = np.load(folder / of.file, mmap_mode="r", allow_pickle=False)
        lines = (folder / of.ids).read_text("ascii").splitlines()
        names = [bytes.fromhex(line) for line in lines if len(line) == _DIGITS]
    except (ValueError, EOFError) as error:
        raise _bad(of.file, str(error)) from error
    if rows.dtype != np.float16 or rows.shape != (len(lines), of.dimensions) or len(names) < len(lines):
        raise _bad(of.file, "it has not one vector for each name")
    if not all(np.isfinite(rows[place : place + _AT_ONCE]).all() for place in range(0, len(rows), _AT_ONCE)):
        raise _bad(of.file, "it has what is no number")
    return KnownVectors(of.digest, names, rows)


def _bad(name: str, problem: str) -> BadInput:
    return BadInput(f"{name}: {problem}.", field="path", hint="Nothing was taken in.")
