"""Exports that were made to harm: nothing of them is run or followed, and the source stays as it is."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from quipu.app.imports.files import SourceFiles
from quipu.errors import BadInput, NotFound


@pytest.mark.parametrize("name", ["../evil.json", "/etc/evil.json", "a/../../evil.json", "..\\evil.json"])
def test_a_zip_with_a_name_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "[]")
    with pytest.raises(BadInput, match="leads out of it"), SourceFiles.opened(tmp_path / "a.zip"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.zip"]


def test_a_zip_that_unpacks_to_far_more_than_it_is_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            with archive.open(f"{number}.json", "w", force_zip64=True) as file:
                for _ in range(100):
                    file.write(b" " * (1 << 20))
    with pytest.raises(BadInput, match="unpacks to more than"), SourceFiles.opened(tmp_path / "bomb.zip"):
        pass


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    export = tmp_path / "export"
    export.mkdir()
    (export / "note.md").write_text("note")
    (export / "linked.md").symlink_to(outside / "secret.md")
    (export / "folder").symlink_to(outside)
    os.mkfifo(export / "pipe.md")
    with SourceFiles.opened(export) as files:
        assert files.names == ["note.md"]


@pytest.mark.parametrize(
    "data", [b"[" * 1_000_000, b'{"a":' * 1_000_000, b"[[" + b"[" * 100_000 + b"]" * 100_002]
)
def test_json_that_is_nested_without_end_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "deep.json").write_bytes(data)
    with SourceFiles.opened(tmp_path / "deep.json") as files:
        with pytest.raises(BadInput, match=r"deep\.json"):
            files.json("deep.json")
        with pytest.raises(BadInput, match=r"deep\.json"):
            list(files.each("deep.json"))


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_a_database_is_read_with_its_log_and_stays_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "store"
    place.mkdir()
    with closing(sqlite3.connect(place / "a.db")) as writing:
        writing.execute("pragma journal_mode = wal")
        writing.execute("create table items (id integer, text text)")
        writing.execute("insert into items values (1, 'boats')")
        writing.commit()
        writing.execute("insert into items values (2, 'in the log')")
        writing.commit()
        for name in ("a.db", "a.db-wal"):
            (tmp_path / name).write_bytes((place / name).read_bytes())
    kept = tmp_path / "kept"
    kept.mkdir()
    for name in ("a.db", "a.db-wal"):
        (tmp_path / name).rename(kept / name)
    before = digests(kept)
    for path in (kept, kept / "a.db"):  # a folder, or the one file
        with SourceFiles.opened(path) as files, files.sqlite("a.db") as database:
            assert files.tables(database) == {"items": ["id", "text"]}
            assert [row["text"] for row in database.execute("select text from items")] == [
                "boats",
                "in the log",
            ]
    assert digests(kept) == before


def test_nothing_that_a_database_holds_is_run(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "evil.db")) as making:
        making.execute("create table points (id integer, text text)")
        making.execute("insert into points values (1, 'boats')")
        making.execute("create table log (text text)")
        making.execute("create trigger spy after insert on points begin insert into log values ('run'); end")
        making.execute("create view items as select hex(zeroblob(200000000)) as text from points")
        making.commit()
    with SourceFiles.opened(tmp_path / "evil.db") as files, files.sqlite("evil.db") as database:
        assert sorted(files.tables(database)) == ["log", "points"]
        assert [tuple(row) for row in database.execute("select * from points")] == [(1, "boats")]
        for refused in (
            "select text from items",
            "insert into points values (2, 'x')",
            "attach database 'other.db' as other",
            "select load_extension('evil.so')",
            "pragma writable_schema = on",
            "create table more (id integer)",
        ):
            with pytest.raises(sqlite3.DatabaseError):
                database.execute(refused).fetchall()


def test_a_file_that_is_no_database_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4_000)
    with (
        SourceFiles.opened(tmp_path / "a.db") as files,
        pytest.raises(BadInput, match=r"a\.db"),
        files.sqlite("a.db") as database,
    ):
        files.tables(database)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound), SourceFiles.opened(tmp_path / "missing"):
        pass
