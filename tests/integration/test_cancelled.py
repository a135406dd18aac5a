"""What is cancelled keeps what was acknowledged, leaves nothing half done, and says how to go on."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from cli_process import CommandLine
from lent_databases import LENDER
from long_form import LONG
from patience import PATIENCE_SECONDS, until
from two_projects import world

from quipu import AsyncMemory

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to one process")

LINES = 1_000  # several batches of an import; the input never ends, so nobody is through with it
SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def lines(count: int) -> str:
    return "".join(
        f'{{"id": "{n}", "content": "message number {n}", "session": "s"}}\n' for n in range(count)
    )


def count(url: str, table: str) -> int:
    with psycopg.connect(url) as conn:
        row = conn.execute(f"select count(*) from {table}").fetchone()  # type: ignore[arg-type]
    assert row is not None
    return int(row[0])


def left(url: str) -> list[str]:
    """What others that are connected ran last."""
    with psycopg.connect(url) as conn:
        rows = conn.execute(
            "select query from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid() and application_name <> %s",
            [LENDER],
        ).fetchall()
    return [query for (query,) in rows]


def cancelled(process: subprocess.Popen[str], sign: signal.Signals) -> str:
    """Send a signal; what the process said last, and nothing else."""
    process.send_signal(sign)
    process.wait(PATIENCE_SECONDS)
    assert process.stderr is not None
    err = process.stderr.read()
    assert process.returncode == 128 + sign, err
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize("sign", SIGNALS)
def test_an_import_that_waits_for_more_ends_says_how_far_it_came_and_goes_on(
    quipu: CommandLine, url: str, sign: signal.Signals
) -> None:
    with quipu.start("import", "jsonl", "-", "--space", "s") as process:
        assert process.stdin is not None
        process.stdin.write(lines(LINES))
        process.stdin.flush()
        assert until(lambda: count(url, "core.messages") > 0)
        said = cancelled(process, sign)
    kept = count(url, "core.messages")
    told = re.search(r"Stopped after ([\d,]+) lines", said)
    assert told is not None, said
    assert int(told[1].replace(",", "")) <= kept
    assert "again goes on" in said
    assert until(lambda: left(url) == [])
    assert count(url, "core.recall_entries") == kept
    again = quipu.json("import", "jsonl", "-", "--space", "s", given=lines(LINES))
    assert (again["imported"], again["duplicates"]) == (LINES - kept, kept)
    assert count(url, "core.messages") == LINES


def test_sigterm_ends_what_a_shell_started_in_the_background(quipu: CommandLine, url: str) -> None:
    """Such a process ignores Ctrl-C."""
    ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    with quipu.start("import", "jsonl", "-", "--space", "s", preexec_fn=ignore) as process:
        assert process.stdin is not None
        process.stdin.write(lines(LINES))
        process.stdin.flush()
        assert until(lambda: count(url, "core.messages") > 0)
        process.send_signal(signal.SIGINT)
        assert "Stopped after" in cancelled(process, signal.SIGTERM)


@pytest.fixture
def filled(quipu: CommandLine, tmp_path: Path) -> CommandLine:
    """With messages, a table with a snapshot, and recorded sessions."""
    quipu.text("import", "jsonl", "-", "--space", "default", given=lines(900))
    create = ("--name", "notes", "--description", "Notes", "--embed-fields", "body")
    sql = ("--sql", "create table memory.notes (id int primary key, body text)")
    quipu.text("tables", "create-table", *create, *sql, "--space", "default")
    rows = json.dumps([{"id": n, "body": f"note {n}"} for n in range(50)])
    quipu.text("tables", "insert", "--table", "notes", "--data", rows, "--space", "default")
    quipu.text("snapshots", "create", "--space", "default")
    world(tmp_path / "claude")
    return quipu


ACTS = {
    "sync": ("core.messages", ("transcripts", "sync", "claude", "--space", "default"), {}),
    "reembed": ("core.recall_vectors", ("reembed",), {"QUIPU_EMBEDDING_DIMENSIONS": "100"}),
    "restore": (
        "memory.notes",
        ("snapshots", "restore", "{snapshot}", "--yes", "--space", "default"),
        {},
    ),
    "import": ("core.messages", ("import", "claude-code", "claude/projects", "--space", "default"), {}),
}


# Each act with one of the signals; in the long form with both.
PAIRS = [(act, sign) for n, act in enumerate(ACTS) for sign in (SIGNALS if LONG else [SIGNALS[n % 2]])]


@pytest.mark.long
@pytest.mark.parametrize(("act", "sign"), PAIRS)
def test_a_command_that_is_ended_while_it_writes_leaves_nothing_and_goes_on(
    filled: CommandLine, url: str, act: str, sign: signal.Signals
) -> None:
    table, words, settings = ACTS[act]
    mode = "access share" if act == "restore" else "share"  # it makes the table again
    snapshot = filled.json("snapshots", "list", "--space", "default")["items"][0]["name"]
    quipu = CommandLine(filled.home, filled.settings | settings)
    arguments = [word.format(snapshot=snapshot) for word in words]
    with psycopg.connect(url) as holder:
        holder.execute(f"lock table {table} in {mode} mode")  # type: ignore[arg-type]
        with quipu.start(*arguments) as process:
            assert until(lambda: waits(url)), "it does not get to where it writes"
            said = cancelled(process, sign)
        assert "Stopped after" in said
        assert "the same command again" in said
    assert until(lambda: left(url) == [])
    done = quipu.process(*arguments)
    assert done.returncode == 0, done.stderr
    assert quipu.run("doctor", "--deep").returncode == 0


def waits(url: str) -> bool:
    """Whether somebody waits for a lock."""
    with psycopg.connect(url) as conn:
        row = conn.execute("select count(*) from pg_locks where not granted").fetchone()
    return row is not None and row[0] > 0


@pytest.mark.anyio
async def test_a_task_that_is_cancelled_keeps_whole_batches_and_gives_its_connections_back(
    memory: AsyncMemory, url: str
) -> None:
    begun = asyncio.Event()

    def endless() -> Iterator[dict[str, str]]:
        n = 0
        while True:
            yield {"id": str(n), "content": f"message number {n}", "session": "s"}
            n += 1

    for _ in range(10):  # more often than there are connections
        begun.clear()
        task = asyncio.ensure_future(
            memory.import_messages(endless(), space="s", progress=lambda _: begun.set())
        )
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    kept = count(url, "core.messages")
    assert kept > 0
    assert kept % 400 == 0
    assert count(url, "core.recall_entries") == kept
    first = [{"id": str(n), "content": f"message number {n}", "session": "s"} for n in range(kept + 1)]
    again = await memory.import_messages(first, space="s")
    assert (again.imported, again.duplicates) == (1, kept)
