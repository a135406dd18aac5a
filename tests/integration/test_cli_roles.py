"""``quipu db roles``: a bare server is prepared by what it prints, or by itself."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import psycopg
import pytest
from cli_process import CommandLine
from plain_server import PASSWORD, plain_server
from psycopg import conninfo

from quipu.kernel.config import Settings
from quipu.kernel.db import embedded


@pytest.fixture(scope="module")
def bare() -> Iterator[tuple[str, Path]]:
    """The URL of a server that nobody prepared, and its psql."""
    directory = Path(tempfile.mkdtemp(prefix="quipu-test-"))
    directory.chmod(0o711)
    binaries = anyio.run(embedded.programs, Settings(home=directory))
    with plain_server(binaries, directory / "bare") as url:
        yield url, binaries.tool("psql")
    shutil.rmtree(directory)


def works(quipu: CommandLine, superuser: str, *, login: str, database: str) -> None:
    """The login can do all that is needed, and is no superuser."""
    url = conninfo.make_conninfo(superuser, user=login, password="river stone", dbname=database)
    mine = CommandLine(quipu.home, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    mine.text("migrate")
    with psycopg.connect(url) as conn:
        assert conn.execute("select rolsuper from pg_roles where rolname = current_user").fetchone() == (
            False,
        )
    with psycopg.connect(conninfo.make_conninfo(superuser, dbname=database), autocommit=True) as conn:
        conn.execute("select core.harden()")
    mine.text("observe", "The boat is green.", "--space", "ana")
    assert mine.json("recall", "boat", "--space", "ana")["hits"]
    sql = ("--sql", "create table notes (id int primary key, body text)", "--embed-fields", "body")
    mine.text("tables", "create-table", "--name", "notes", "--description", "Notes", "--space", "ana", *sql)
    assert mine.run("doctor").returncode == 0


def test_a_server_is_prepared_by_what_it_prints(bare: tuple[str, Path], tmp_path: Path) -> None:
    superuser, psql = bare
    quipu = CommandLine(tmp_path, {"SECRET_WORDS": "river stone"})
    script = quipu.text(
        "db", "roles", "--login", "o'neill", "--database", "Printed", "--password-env", "SECRET_WORDS"
    )
    for _ in range(2):  # the second time changes nothing
        done = subprocess.run(
            [psql, "-X", "-v", "ON_ERROR_STOP=1", superuser], input=script, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    works(quipu, superuser, login="o'neill", database="Printed")


def test_a_server_is_prepared_when_that_is_wanted(bare: tuple[str, Path], tmp_path: Path) -> None:
    superuser, _ = bare
    quipu = CommandLine(tmp_path, {"SECRET_WORDS": "river stone", "QUIPU_DATABASE_URL": superuser})
    words = ("db", "roles", "--database", "applied", "--password-env", "SECRET_WORDS", "--apply")
    shown = quipu.json(*words)
    assert not shown["applied"]
    assert "river stone" not in shown["sql"]
    with psycopg.connect(superuser) as conn:
        databases = [name for (name,) in conn.execute("select datname from pg_database")]
    assert "applied" not in databases
    for _ in range(2):
        assert quipu.json(*words, "--yes")["applied"]
    works(quipu, superuser, login="quipu_login", database="applied")


def test_what_is_missing_is_said(bare: tuple[str, Path], tmp_path: Path) -> None:
    superuser, _ = bare
    quipu = CommandLine(tmp_path)
    assert "--url" in quipu.run("db", "roles", "--apply").stderr
    assert "NOT_SET" in quipu.run("db", "roles", "--password-env", "NOT_SET").stderr
    nobody = superuser.replace("admin:" + PASSWORD, "admin:wrong")
    refused = quipu.run("db", "roles", "--apply", "--yes", "--url", nobody)
    assert (refused.returncode, refused.stdout) == (5, "")
