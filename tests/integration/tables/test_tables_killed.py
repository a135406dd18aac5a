"""Killed in the middle of a bulk insert or of a recreate, a table has all of it or nothing."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from test_durability import kill_server

from quipu import Memory
from quipu.errors import QuipuError
from quipu.kernel.config import Settings

ROWS = 200
WHERE = {"space": "default"}
SLOW = """
create function slow(int) returns boolean language plpgsql as
'begin perform pg_sleep(0.01); return true; end'
"""
OLD = "create table memory.notes (id int primary key, body text)"


def opened(home: Path) -> Memory:
    return Memory(settings=Settings(home=home, embedding_model="hashing", shared_buffers_mb=16, pool_size=2))


def killed_while(home: Path, work: Any) -> None:
    """Do the work and kill the server in the middle of it."""
    settings = Settings(home=home)
    with opened(home) as memory:
        timer = threading.Timer(0.8, kill_server, [settings])
        timer.start()
        try:
            with pytest.raises(QuipuError):
                work(memory)
        finally:
            timer.join()


def test_a_kill_of_the_server_leaves_all_or_nothing(home: Path) -> None:
    rows = [{"id": n, "body": f"note {n}"} for n in range(ROWS)]
    with opened(home) as memory:
        tables = memory.tables
        tables.create_table("notes", OLD, description="Notes.", embed_fields=[], **WHERE)
        tables.insert("notes", rows[:10], **WHERE)
        tables.execute(SLOW, **WHERE, confirm=True)
        tables.execute("create table many (id int check (slow(id)), body text)", **WHERE, confirm=True)
    killed_while(home, lambda memory: memory.tables.insert("many", rows, **WHERE))
    with opened(home) as memory:
        assert memory.tables.query("select count(*) from many", **WHERE).results == ({"count": 0},)
        memory.tables.insert("notes", rows[10:], **WHERE)
    new = "create table memory.notes (id int primary key check (slow(id)), body text, more text)"
    killed_while(home, lambda memory: memory.tables.recreate("notes", new, **WHERE, confirm=True))
    with opened(home) as memory:
        (table,) = memory.tables.list(table="notes", **WHERE).tables
        assert [column.name for column in table.columns] == ["id", "body"]
        assert memory.tables.query("select count(*) from notes", **WHERE).results == ({"count": ROWS},)
        assert {one.name for one in memory.tables.list(**WHERE).tables} >= {"many", "notes"}
        assert not [one for one in memory.tables.list(**WHERE).tables if "before" in one.name]
        done = memory.tables.recreate("notes", OLD.replace("text)", "text, more int)"), **WHERE, confirm=True)
        assert (done.rows, done.lost) == (ROWS, ())
