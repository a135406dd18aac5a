"""Scan of a directory: its files, without hidden ones and those that .gitignore or .quipuignore names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec

from quipu.kinds.documents.files.model import SkippedFile

MOST_FOLDERS: Final = 100
_IGNORES: Final = (".gitignore", ".quipuignore")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file: its name from the directory on, with slashes, and where it is."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class _Ignore:
    """Names to be left out, by a file of a folder; ``folder`` ends in a slash, or is empty."""

    folder: str
    spec: GitIgnoreSpec


def scan(directory: Path) -> tuple[list[File], list[SkippedFile]]:
    """Return the files below a directory by name, and what is left out for another reason than its name.

    Symbolic links are not followed.
    """
    files: list[File] = []
    skipped: list[SkippedFile] = []
    for one in _below(directory, "", ()):
        (files if isinstance(one, File) else skipped).append(one)  # pyright: ignore[reportArgumentType]
    return files, skipped


def printable(name: str) -> str:
    """Return the name of a file that may have bytes in it that are not UTF-8, with a sign for these."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _below(directory: Path, folder: str, ignores: Sequence[_Ignore]) -> Iterator[File | SkippedFile]:
    if folder.count("/") > MOST_FOLDERS:
        yield SkippedFile(file=printable(folder.rstrip("/")), why=f"more than {MOST_FOLDERS} folders deep")
        return
    try:
        with os.scandir(directory) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield SkippedFile(file=printable(folder.rstrip("/")) or ".", why=_why(error))
        return
    ignores = (*ignores, *_own(directory, folder))
    for entry in found:
        name = folder + entry.name
        if entry.name.startswith("."):
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if _is_ignored(f"{name}/" if is_folder else name, ignores):
            continue
        if is_folder:
            yield from _below(directory / entry.name, f"{name}/", ignores)
        elif entry.is_symlink():
            yield SkippedFile(file=printable(name), why="a symbolic link")
        elif entry.is_file(follow_symlinks=False):
            yield File(name=name, path=directory / entry.name)
        else:
            yield SkippedFile(file=printable(name), why="no regular file")


def _own(directory: Path, folder: str) -> Iterator[_Ignore]:
    """Yield what the files of a folder itself name."""
    for name in _IGNORES:
        path = directory / name
        if path.is_file() and not path.is_symlink():
            text = path.read_bytes().decode("utf-8", "replace")
            yield _Ignore(folder, GitIgnoreSpec.from_lines(text.splitlines()))


def _is_ignored(name: str, ignores: Sequence[_Ignore]) -> bool:
    """Return True if a name is to be left out: the deepest file that names it decides."""
    for one in reversed(ignores):
        named = one.spec.check_file(name[len(one.folder) :]).include
        if named is not None:
            return named
    return False


def _why(error: OSError) -> str:
    return f"it cannot be read: {error.strerror}"
