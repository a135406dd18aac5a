"""An import that is undone leaves the database as it was before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from notebook import EVERYTHING, LESSON, MOVED, written
from psycopg import sql

from quipu import AsyncMemory

pytestmark = pytest.mark.anyio

_COUNTED = ("core.spaces", "ledger.filing_marks")  # counters of changes and of filing go on


def rows(url: str) -> dict[str, list[Any]]:
    """All rows of all tables, but the counters of the space and what the server keeps for itself."""
    with psycopg.connect(url) as conn:
        tables = conn.execute(
            "select schemaname, tablename from pg_tables"
            " where schemaname not in ('pg_catalog', 'information_schema', 'queue') order by 1, 2"
        ).fetchall()
        found: dict[str, list[Any]] = {}
        for schema, table in tables:
            if f"{schema}.{table}" not in _COUNTED:
                query = sql.SQL("select to_jsonb(t)::text from {} t order by 1").format(
                    sql.Identifier(schema, table)
                )
                found[f"{schema}.{table}"] = [text for (text,) in conn.execute(query).fetchall()]
        return found


async def test_undoing_leaves_what_was_before(memory: AsyncMemory, url: str, tmp_path: Path) -> None:
    await memory.observe([{"content": "Ben lives in Faro."}], space="ana", session="own", user="ben")
    await memory.longterm.add("Prefers tea.", space="ana", user="ben")
    await memory.recall("Faro", space="ana")
    before = rows(url)
    done = await memory.imports.load(written(tmp_path / "n", *EVERYTHING), space="ana")
    assert done.id is not None
    told = await memory.imports.undo(done.id, space="ana")
    assert (told.done, told.rows["messages"], told.rows["long_term_memory"]) == (False, 4, 2)
    assert len(await memory.imports.list(space="ana")) == 1
    assert (await memory.imports.undo(done.id, space="ana", confirm=True)).done
    await memory.recall("Faro", space="ana")
    after = rows(url)
    assert [name for name in before if before[name] != after[name]] == []


async def test_what_was_there_before_stays(memory: AsyncMemory, tmp_path: Path) -> None:
    await memory.observe(
        [{"id": "own", "content": "Ben lives in Faro."}], space="ana", session="s1", user="ben"
    )
    await memory.lessons.add("Use pnpm, never npm.", space="ana", category="preference")
    done = await memory.imports.load(written(tmp_path / "n", MOVED, LESSON), space="ana")
    assert (done.records, done.known) == ({"message": 1}, 1)
    assert done.id is not None
    await memory.imports.undo(done.id, space="ana", confirm=True)
    assert [one.id for one in await memory.messages("s1", space="ana")] == ["own"]
    assert len(await memory.lessons.list(space="ana")) == 1


async def test_what_was_undone_may_come_again(memory: AsyncMemory, tmp_path: Path) -> None:
    notebook = written(tmp_path / "n", *EVERYTHING)
    for _ in range(2):
        done = await memory.imports.load(notebook, space="ana")
        assert sum(done.records.values()) == 9
        assert done.id is not None
        await memory.imports.undo(done.id, space="ana", confirm=True)
