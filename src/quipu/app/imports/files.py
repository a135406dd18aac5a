"""Files of an export, wherever they lie: one file, a folder, a zip, or a folder with zips. Only read.

What is hostile is refused by name: links that lead out, names with ``..``, archives that unpack to far more
than they are, JSON that is nested without end, databases with anything but plain tables that are read.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, Self

from quipu.app.imports.fields import Account
from quipu.app.imports.stream import elements, members
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep
from quipu.kernel.base.lines import LINE_BYTES, TOO_LONG, next_line, open_regular, rest_of_line
from quipu.kernel.base.sqlite import told_plainly
from quipu.kernel.db import queries

_PIECE: Final = 1 << 20
_MOST_FILES: Final = 200_000
_MOST_BYTES: Final = 64 << 20  # of a file that is read whole
_MOST_TIMES: Final = 200  # texts compress to a tenth or so
_FREE_BYTES: Final = 64 << 20
_SQLITE_MAGIC: Final = b"SQLite format 3\0"
_READS: Final = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)
_READS_COLUMNS: Final = (sqlite3.SQLITE_PRAGMA, "table_info")
_MOST_VALUE: Final = 256 << 20
_ENCRYPTED: Final = 0x1
_READ: Final = queries.load("quipu.app.imports", folder="rows")

Rows = Callable[..., Iterator[sqlite3.Row]]


@dataclass(frozen=True, slots=True)
class _File:
    """A file: on the disk, or a member of a zip."""

    path: Path
    member: zipfile.ZipInfo | None = None


class SourceFiles:
    """Files of an export by their names, with slashes between folders; a zip inside a folder is a folder."""

    def __init__(self, path: Path, files: dict[str, _File], stack: ExitStack) -> None:
        self.path = path
        self._files = files
        self._stack = stack
        self._zips: dict[Path, zipfile.ZipFile] = {}
        self._copies: Path | None = None

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Generator[Self]:
        """Open a file, a folder or a zip for the block.

        Raises:
            NotFound: there is nothing at that path.
            BadInput: a name leads out of it, or it has more than 200,000 files.
        """
        path = path.expanduser()
        with ExitStack() as stack:
            found = cls(path, {}, stack)
            if path.is_dir():
                for name, one in _walk(path):
                    found._add(name, one)
            elif path.is_file():
                found._add(path.name, path, alone=True)
            else:
                raise NotFound(f"There is nothing at {path}.", hint="Name a file, a folder or a zip.")
            yield found

    @property
    def names(self) -> Sequence[str]:
        """The names of all files, sorted."""
        return sorted(self._files)

    def like(self, pattern: str) -> list[str]:
        """Return the names that a regular expression matches whole, in the order of their numbers."""
        wanted = re.compile(pattern)
        return sorted((name for name in self._files if wanted.fullmatch(name)), key=_in_numbers)

    def __contains__(self, name: str) -> bool:
        return name in self._files

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open a file to read its bytes."""
        one = self._files[name]
        if one.member is None:
            with open_regular(one.path) as file:
                yield file
        else:
            try:
                with self._zip(one.path).open(one.member) as file:
                    yield file
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
                raise BadInput(f"{name} is damaged in {one.path}: {error}.", field="path") from error

    def modified(self, name: str) -> datetime:
        """Return when a file was last changed; of one in a zip, by the clock of who made it."""
        one = self._files[name]
        if one.member is None:
            return datetime.fromtimestamp(one.path.stat().st_mtime, UTC)
        try:
            return datetime(*one.member.date_time).astimezone(UTC)
        except ValueError:  # a zip may say any number
            return datetime.fromtimestamp(one.path.stat().st_mtime, UTC)

    def begin(self, name: str, size: int = 4096) -> bytes:
        """Return the first bytes of a file, to recognise it by."""
        with self.open(name) as file:
            return file.read(size)

    def bytes(self, name: str) -> bytes:
        """Return a file whole, of at most 64 MB.

        Raises:
            BadInput: it has more.
        """
        with self.open(name) as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise BadInput(f"{name} has more than {_MOST_BYTES >> 20} MB.", field="path")
        return data

    def text(self, name: str) -> str:
        """Return a text in UTF-8, with or without a byte order mark.

        Raises:
            BadInput: it is none.
        """
        try:
            return self.bytes(name).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInput(f"{name} is no text in UTF-8.", field="path") from error

    def json(self, name: str) -> Any:
        """Return the value in a file of JSON, of at most 64 MB and a hundred levels.

        Raises:
            BadInput: it is no JSON.
        """
        data = self.bytes(name)
        if is_too_deep(data):
            raise BadInput(f"{name}: {TOO_DEEP}.", field="path")
        try:
            return json.loads(data.decode("utf-8-sig"))
        except ValueError as error:
            raise BadInput(f"{name} is no JSON: {error}.", field="path") from error

    def each(self, name: str) -> Iterator[Any]:
        """Yield the elements of a file that is one array of JSON, one at a time, however many there are.

        Raises:
            BadInput: it is no array, an element is no JSON, or one is larger than 256 MB.
        """
        with self.open(name) as file:
            yield from elements(file, name)

    def members(self, name: str, keys: Collection[str] | None = None) -> Iterator[tuple[str, Any]]:
        """Yield members of a file that is one object of JSON; of one that is a list, each element by itself.

        Raises:
            BadInput: it is no object, an element is no JSON, or one is larger than 256 MB.
        """
        with self.open(name) as file:
            yield from members(file, name, keys)

    def objects(self, name: str, account: Account) -> Iterator[tuple[str, Any]]:
        """Yield what each line of JSON says, with its place; one that is no JSON is refused.

        Blank lines are passed over.
        """
        for number, line in self.lines(name):
            where = f"{name}, line {number:,}"
            if line is None:
                account.refuse(where, TOO_LONG)
            elif line.strip():
                if is_too_deep(line):
                    account.refuse(where, TOO_DEEP)
                    continue
                try:
                    value = json.loads(line.decode("utf-8-sig"))
                except ValueError as error:
                    account.refuse(where, f"it is no JSON: {error}")
                else:
                    yield where, value

    def lines(self, name: str) -> Iterator[tuple[int, bytes | None]]:
        """Yield the lines of a file with their numbers; None for one that is longer than 64 MB."""
        with self.open(name) as file:
            number = 0
            while (line := next_line(file, LINE_BYTES)) is not None:
                number += 1
                if line.whole:
                    yield number, line.data
                else:
                    for _ in rest_of_line(file):
                        pass
                    yield number, None

    def is_sqlite(self, name: str) -> bool:
        """Return True if a file is a database of SQLite."""
        return self.begin(name, len(_SQLITE_MAGIC)) == _SQLITE_MAGIC

    @contextmanager
    def sqlite(self, name: str) -> Generator[sqlite3.Connection]:
        """Open a copy of a database of SQLite, with what its write-ahead log holds; rows go by column name.

        Only its plain tables can be read: views and triggers of it run nothing.

        Raises:
            BadInput: it is no database, or damaged.
        """
        copy = self._copied(name)
        with told_plainly(Path(name), program="it"), closing(_connect(copy)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = _text
            connection.execute("pragma trusted_schema = off")
            connection.execute("pragma query_only = on")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
            views = {row["name"] for row in connection.execute(_READ["views"])}
            self.tables(connection)  # SQLite declares its table of columns at the first use, which is a write

            def allowed(action: int, first: str | None, second: str | None, *_: str | None) -> int:
                reads_view = first in views or (
                    action == sqlite3.SQLITE_FUNCTION and second == "load_extension"
                )
                reads = action in _READS or (action, first) == _READS_COLUMNS
                return sqlite3.SQLITE_OK if reads and not reads_view else sqlite3.SQLITE_DENY

            connection.set_authorizer(allowed)
            yield connection

    def tables_in(self, name: str) -> dict[str, list[str]]:
        """Return the tables of a database with their columns; none of a file that is none, or damaged."""
        if not self.is_sqlite(name):
            return {}
        try:
            with self.sqlite(name) as connection:
                return self.tables(connection)
        except BadInput:
            return {}

    def tables(self, connection: sqlite3.Connection) -> dict[str, list[str]]:
        """Return the columns of each table of a database."""
        columns: dict[str, list[str]] = {}
        for table, column in connection.execute(_READ["columns"]):
            columns.setdefault(str(table), []).append(str(column))
        return columns

    @property
    def sha256(self) -> str:
        """The digest of the file that was named, or of the names and digests of all files in a folder."""
        if self.path.is_file():
            return _digest(self.path)
        paths = {one.path for one in self._files.values()}
        lines = (f"{_digest(path)}  {path.relative_to(self.path).as_posix()}\n" for path in sorted(paths))
        return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()

    def _add(self, name: str, path: Path, *, alone: bool = False) -> None:
        if (alone or name.lower().endswith(".zip")) and zipfile.is_zipfile(path):
            before = "" if alone else f"{name}/"
            for member in _members(self._zip(path), path):
                self._files[before + member.filename] = _File(path, member)
        else:
            self._files[name] = _File(path)
        if len(self._files) > _MOST_FILES:
            raise BadInput(f"{self.path} has more than {_MOST_FILES:,} files.", field="path")

    def _zip(self, path: Path) -> zipfile.ZipFile:
        if path not in self._zips:
            try:
                self._zips[path] = self._stack.enter_context(zipfile.ZipFile(path))
            except zipfile.BadZipFile as error:
                raise BadInput(f"{path} is a damaged zip: {error}.", field="path") from error
        return self._zips[path]

    def _copied(self, name: str) -> Path:
        """Copy a database and its log to where SQLite may open it."""
        if self._copies is None:
            self._copies = Path(
                self._stack.enter_context(tempfile.TemporaryDirectory(prefix="quipu-import-"))
            )
        target = self._copies / hashlib.sha256(name.encode()).hexdigest()
        if not target.exists():
            with self.open(name) as file, target.open("xb") as copy:
                shutil.copyfileobj(file, copy, _PIECE)
            with ExitStack() as beside:
                if (log := self._log_of(name, beside)) is not None:
                    with Path(f"{target}-wal").open("xb") as copy:
                        shutil.copyfileobj(log, copy, _PIECE)
        return target

    def _log_of(self, name: str, stack: ExitStack) -> IO[bytes] | None:
        """Return the write-ahead log of a database, if there is one: in the export, or beside its file."""
        if f"{name}-wal" in self._files:
            return stack.enter_context(self.open(f"{name}-wal"))
        one = self._files[name]
        log = one.path.with_name(f"{one.path.name}-wal")
        alone = one.member is None and log.is_file() and not log.is_symlink()
        return stack.enter_context(open_regular(log)) if alone else None


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _walk(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder. Links are passed over: they may lead anywhere."""
    for folder, folders, files in os.walk(root, followlinks=False):
        folders.sort()
        for name in sorted(files):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(root).as_posix(), path


def _members(archive: zipfile.ZipFile, path: Path) -> Iterator[zipfile.ZipInfo]:
    """Yield the files in a zip.

    Raises:
        BadInput: a name leads out of it, or it unpacks to far more than its size.
    """
    left = _FREE_BYTES + _MOST_TIMES * path.stat().st_size
    for member in archive.infolist():
        name = PurePosixPath(member.filename)
        if name.is_absolute() or ".." in name.parts or "\\" in member.filename:
            raise BadInput(f"{path}: {member.filename!r} leads out of it; nothing was read.", field="path")
        if member.flag_bits & _ENCRYPTED:
            raise BadInput(f"{path}: {member.filename!r} is encrypted.", field="path")
        left -= member.file_size
        if left < 0:
            raise BadInput(f"{path} unpacks to more than {_MOST_TIMES} times its size.", field="path")
        if not member.is_dir():
            yield member


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, check_same_thread=False)  # one thread at a time, though not always the same


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _in_numbers(name: str) -> list[str | int]:
    """Return a key that sorts numbers in a name by their value."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d{1,18})", name)]
