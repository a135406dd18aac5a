"""Killed in the middle of a restore, a schema is what it was, and what undoes the restore is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_durability import kill_server
from test_tables_killed import WHERE, opened

from quipu.errors import QuipuError
from quipu.kernel.config import Settings

ROWS = 200
A_TABLE = 2_000  # bytes of those rows in a dump


def test_a_kill_of_the_server_in_a_restore_leaves_all_of_what_was_there(home: Path) -> None:
    with opened(home) as memory:
        tables = memory.tables
        tables.execute("create table first (id int)", **WHERE, confirm=True)
        tables.execute("create table notes (id int, body text)", **WHERE, confirm=True)
        tables.insert("notes", [{"id": n, "body": f"note {n}"} for n in range(ROWS)], **WHERE)
        snapshot = memory.snapshots.create(**WHERE)
        tables.execute("drop table first", **WHERE, confirm=True)
        tables.delete("notes", where={"id": {">=": 7}}, **WHERE, confirm=True)
        read: list[int] = []

        def kill_in_the_middle(count: int) -> None:
            if max(read, default=0) < A_TABLE <= count:  # the rows are in, and more is to come
                kill_server(Settings(home=home))
            read.append(count)

        with pytest.raises(QuipuError):
            memory.snapshots.restore(snapshot.name, confirm=True, progress=kill_in_the_middle, **WHERE)
        assert A_TABLE < sum(read) < snapshot.bytes
    with opened(home) as memory:
        assert memory.tables.query("select count(*) from notes", **WHERE).results == ({"count": 7},)
        names = {one.name for one in memory.tables.list(**WHERE).tables if not one.protected}
        assert names == {"notes"}
        assert [one.reason for one in memory.snapshots.list(**WHERE)] == ["before-restore", "manual"]
        done = memory.snapshots.restore(snapshot.name, confirm=True, **WHERE)
        assert done.after == {"first": 0, "notes": ROWS}
