"""Files of the seed: taken in with everything they hold, written with exactly its schema."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound
from quipu.kinds.longterm.longterm import AsyncLongterm
from quipu.kinds.longterm.rules import summary_hash

pytestmark = pytest.mark.anyio

# As the program of the seed makes it: nothing is checked, and the hash is of the trimmed lower-case summary.
ORIGIN = """
create table long_term_memory (
  id TEXT PRIMARY KEY, category TEXT NOT NULL, importance TEXT NOT NULL, summary TEXT NOT NULL, details TEXT,
  hash TEXT NOT NULL UNIQUE, source TEXT, created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, last_accessed_at DATETIME,
  access_count INTEGER DEFAULT 0, version INTEGER DEFAULT 1, archived BOOLEAN DEFAULT 0);
create virtual table memory_fts using fts5(summary, details);
"""
START = "2025-11-03 10:22:33"
BOAT = str(uuid4())
ROWS: list[dict[str, object]] = [
    {"id": BOAT, "category": "favorite_things", "importance": "high", "summary": "Has a green boat"},
    {"id": "m-2", "category": "Pets", "importance": "LOW", "summary": "Has a dog", "archived": 1},
    {"id": str(uuid4()), "category": "weather", "importance": "low", "summary": "Likes rain"},
    {"id": str(uuid4()), "category": "identity", "importance": "high", "summary": "  has a  green BOAT"},
    {"id": str(uuid4()), "category": "context", "importance": "low", "summary": "password: hunter2-Xy9$kl"},
]


def file(path: Path, rows: list[dict[str, object]], *, schema: str = ORIGIN) -> Path:
    """A file as another program left it."""
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript(schema)
        for n, row in enumerate(rows):
            row = {"hash": f"hash {n}", "created_at": START, "updated_at": START, **row}
            places = ", ".join(f":{name}" for name in row)
            conn.execute(f"insert into long_term_memory ({', '.join(row)}) values ({places})", row)
        conn.commit()
    return path


def held(path: Path) -> list[Mapping[str, object]]:
    with closing(sqlite3.connect(path)) as conn:
        conn.row_factory = sqlite3.Row
        return [dict(row) for row in conn.execute("select * from long_term_memory order by summary")]


async def test_a_file_is_taken_in_checked_and_taking_it_again_changes_nothing(
    mind: AsyncMemory, longterm: AsyncLongterm, space: str, tmp_path: Path
) -> None:
    path = file(tmp_path / "sati-memory.db", ROWS)
    bytes_before = path.read_bytes()
    done = await longterm.import_sqlite(path, space=space, user="ana")
    assert (done.new, done.archived, done.known, done.repeated) == (2, 1, 0, 1)
    assert done.repaired == {"hashes": 4, "categories": 1, "importances": 1, "ids": 1}
    assert [why for why in (row.why for row in done.refused) if "weather" in why]
    assert sum(done.redacted.values()) == 1
    boat = await longterm.get(BOAT, space=space)
    assert (boat.user, boat.hash) == ("ana", summary_hash("has a green boat"))
    assert boat.created_at == datetime(2025, 11, 3, 10, 22, 33, tzinfo=UTC)
    (hit,) = await mind.recall("green boat", space=space, user="ana", kinds=("longterm",), limit=1)
    assert (hit.text, hit.happened_at) == ("Has a green boat", boat.created_at)
    assert await mind.recall("dog", space=space, kinds=("longterm",)) == []
    before = await longterm.list(space=space, state="all")
    again = await longterm.import_sqlite(path, space=space, user="ana")
    assert (again.new, again.archived, again.known, again.repeated) == (0, 0, 3, 1)
    assert await longterm.list(space=space, state="all") == before
    assert path.read_bytes() == bytes_before


@pytest.mark.parametrize(("first", "second"), [("ana", "bob"), (None, "bob"), ("ana", None)])
async def test_a_file_of_one_person_is_another_ones_too(
    longterm: AsyncLongterm, space: str, tmp_path: Path, first: str | None, second: str | None
) -> None:
    path = file(tmp_path / "sati-memory.db", ROWS)
    await longterm.import_sqlite(path, space=space, user=first)
    before = await longterm.list(space=space, state="all")
    done = await longterm.import_sqlite(path, space=space, user=second)
    assert (done.new, done.archived, done.known, done.repeated) == (2, 1, 0, 1)
    everything = await longterm.list(space=space, state="all")
    assert [one for one in everything if one.user == first] == before
    assert sorted(one.summary for one in everything if one.user == second) == sorted(
        one.summary for one in before
    )
    for user in (first, second):
        again = await longterm.import_sqlite(path, space=space, user=user)
        assert (again.new, again.archived, again.known, again.repeated) == (0, 0, 3, 1)
    assert await longterm.list(space=space, state="all") == everything


async def test_what_was_written_comes_back_whole(longterm: AsyncLongterm, space: str, tmp_path: Path) -> None:
    made = await longterm.add("Has a green boat", space=space, user="ana", details="oak", session="s1")
    await longterm.edit(made.id, space=space, importance="high")
    gone = await longterm.add("Has a dog", space=space, user="ana", category="pets")
    await longterm.archive(gone.id, space=space)
    await longterm.add("has a dog", space=space, user="bob", category="pets")
    done = await longterm.export_sqlite(tmp_path / "out.db", space=space)
    assert (done.written, done.repeated) == (2, 1)  # bob's live dog stands for the archived one
    done = await longterm.export_sqlite(tmp_path / "ana.db", space=space, user="ana")
    assert (done.written, done.repeated) == (2, 0)
    back = f"{space}, back"
    taken = await longterm.import_sqlite(tmp_path / "ana.db", space=back, user="ana")
    assert (taken.new, taken.archived, taken.repaired, taken.refused) == (1, 1, {}, ())
    columns = (
        "id",
        "category",
        "importance",
        "summary",
        "details",
        "hash",
        "source",
        "version",
        "archived",
        "created_at",
    )
    for one in await longterm.list(space=space, user="ana", state="all"):
        other = await longterm.get(one.id, space=back)
        assert [getattr(other, name) for name in columns] == [getattr(one, name) for name in columns]
    assert sorted(os.listdir(tmp_path)) == ["ana.db", "out.db"]


async def test_a_file_that_is_written_holds_times_and_flags_as_sqlite_has_them(
    longterm: AsyncLongterm, space: str, tmp_path: Path
) -> None:
    made = await longterm.add("Has a green boat", space=space)
    await longterm.export_sqlite(tmp_path / "out.db", space=space)
    (row,) = held(tmp_path / "out.db")
    assert row["id"] == made.id
    assert row["created_at"] == "2026-03-14 12:00:00.000"
    assert (row["archived"], row["version"], row["access_count"], row["last_accessed_at"]) == (0, 1, 0, None)
    with pytest.raises(Conflict, match="there already"):
        await longterm.export_sqlite(tmp_path / "out.db", space=space)


BROKEN = {
    "nothing": (None, NotFound, "no file"),
    "no SQLite": (
        b"this is no database at all, but long enough to be read as one " * 20,
        BadInput,
        "no SQLite file",
    ),
    "empty": (b"", BadInput, "no table long_term_memory"),
    "another program's": ("create table long_term_memory (id TEXT, text TEXT)", BadInput, "no column"),
}


@pytest.mark.parametrize("what", BROKEN)
async def test_a_malformed_file_is_told_and_changes_nothing(
    mind: AsyncMemory, longterm: AsyncLongterm, space: str, tmp_path: Path, what: str
) -> None:
    content, error, says = BROKEN[what]
    path = tmp_path / "memory.db"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        file(path, [], schema=content)
    with pytest.raises(error, match=says):
        await longterm.import_sqlite(path, space=space)
    assert space not in {one.name for one in await mind.spaces()}


async def test_a_file_that_is_damaged_in_its_middle_changes_nothing(
    mind: AsyncMemory, longterm: AsyncLongterm, space: str, tmp_path: Path
) -> None:
    rows = [
        {"id": str(uuid4()), "category": "context", "importance": "low", "summary": f"Fact {n} " + "x" * 900}
        for n in range(60)
    ]
    path = file(tmp_path / "memory.db", rows)  # type: ignore[arg-type]
    data = bytearray(path.read_bytes())
    for start in range(5 * 4096, len(data), 4096):
        data[start : start + 64] = b"\xff" * 64
    path.write_bytes(data)
    with pytest.raises(BadInput, match="damaged"):
        await longterm.import_sqlite(path, space=space)
    assert space not in {one.name for one in await mind.spaces()}
