"""Verifying an archive before anything of it is written: its files, their sums, their number of lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from quipu.errors import BadInput
from quipu.kernel.base.lines import open_regular
from quipu.upkeep.archive.manifest import (
    CHECKSUMS,
    MANIFEST,
    MOST_MANIFEST_BYTES,
    ArchivedFile,
    Manifest,
    checksums,
    parse,
)

_PIECE: Final = 1 << 20
_FOLDERS: Final = ("tables", "vectors")


def verify(folder: Path) -> Manifest:
    """Return the manifest of an archive of which every file is there, as it was written, and no other.

    Raises:
        BadInput: a file is missing, surplus, changed, or no file; it is named.
    """
    manifest = parse(_small(folder, MANIFEST))
    sums = checksums(_small(folder, CHECKSUMS))
    named = {one.name: one for one in manifest.files}
    expected = {MANIFEST, *named}
    if wrong := sorted(sums.keys() ^ expected):
        raise _bad(f"{wrong[0]}: {CHECKSUMS} and {MANIFEST} do not name the same files")
    there = set(_names(folder))
    if missing := sorted(expected - there):
        raise _bad(f"{missing[0]}: the file is missing")
    if surplus := sorted(there - expected - {CHECKSUMS}):
        raise _bad(f"{surplus[0]}: the file does not belong to the archive")
    for name, sha256 in sums.items():
        _check(folder, name, sha256, named.get(name))
    for schema in manifest.schemas:
        if schema.file not in named:
            raise _bad(f"{MANIFEST}: there is no file {schema.file}")
    if (vectors := manifest.vectors) is not None:
        for name in (vectors.file, vectors.ids):
            if name not in named:
                raise _bad(f"{MANIFEST}: there is no file {name}")
    return manifest


def _check(folder: Path, name: str, sha256: str, file: ArchivedFile | None) -> None:
    digest, size, lines, end = hashlib.sha256(), 0, 0, b"\n"
    with open_regular(folder / name) as opened:
        while piece := opened.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            lines += piece.count(b"\n")
            end = piece[-1:]
    if digest.hexdigest() != sha256:
        raise _bad(f"{name}: the file was changed since it was written")
    if file is None:
        return
    if file.bytes != size or (name.endswith(".ndjson") and (file.records != lines or end != b"\n")):
        raise _bad(f"{name}: {MANIFEST} says {file.records:,} records and {file.bytes:,} bytes")


def _names(folder: Path) -> Iterator[str]:
    """Yield the names of all files below a folder.

    Raises:
        BadInput: there is something else than files.
    """
    for path in folder.iterdir():
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise _bad(f"{path.name}: it is no regular file")
        if path.is_file():
            yield path.name
        elif path.name in _FOLDERS:
            yield from (f"{path.name}/{name}" for name in _names(path))
        else:
            raise _bad(f"{path.name}: the folder does not belong to the archive")


def _small(folder: Path, name: str) -> bytes:
    path = folder / name
    try:
        with open_regular(path) as file:
            data = file.read(MOST_MANIFEST_BYTES + 1)
    except OSError as error:
        raise _bad(f"{name}: {(error.strerror or str(error)).lower()}") from error
    if len(data) > MOST_MANIFEST_BYTES or path.is_symlink():
        raise _bad(f"{name}: it cannot be what it is called")
    return data


def _bad(problem: str) -> BadInput:
    return BadInput(f"{problem}.", field="path", hint="Nothing was taken in.")
