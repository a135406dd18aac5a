"""Clients that go away in the middle: what was begun ends, nothing half is left, the server goes on."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import psycopg
import pytest
from cli_process import CommandLine
from patience import PATIENCE_SECONDS, until
from server_process import Serving, serving

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="files that are open cannot be seen there")

LINES = "".join(f'{{"id": "{n}", "content": "message number {n}", "session": "s"}}\n' for n in range(2_000))


@pytest.fixture(scope="module")
def quipu(module_url: str, tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    home: Path = tmp_path_factory.mktemp("home")
    (home / "temporary").mkdir()
    settings = {"QUIPU_DATABASE_URL": module_url, "QUIPU_EMBEDDING_MODEL": "hashing"}
    return CommandLine(home, settings | {"TMPDIR": str(home / "temporary")})


@pytest.fixture(scope="module")
def served(quipu: CommandLine) -> Iterator[Serving]:
    with serving(quipu) as running:
        yield running
        running.end()
        assert "Traceback" not in running.said()


@pytest.fixture(scope="module")
def token(quipu: CommandLine) -> str:
    return str(quipu.json("keys", "create", "all", "--all-spaces", "--level", "admin")["token"])


def count(url: str, query: str) -> int:
    with psycopg.connect(url) as conn:
        row = conn.execute(query.encode()).fetchone()
    assert row is not None
    return int(row[0])


def begun(served: Serving, token: str, method: str, path: str, length: int) -> socket.socket:
    """A connection on which the head of a request was sent."""
    client = socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE_SECONDS)
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    client.sendall(f"{head}Content-Length: {length}\r\n\r\n".encode())
    return client


def ask(served: Serving, token: str, method: str, path: str, content: str = "") -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"}
    url = served.url + path
    return httpx.request(method, url, headers=headers, content=content, timeout=PATIENCE_SECONDS)


def links(fds: Path) -> Iterator[str]:
    """What the open files of a process are; one may be closed while this looks."""
    for one in fds.iterdir() if fds.exists() else ():
        with suppress(FileNotFoundError):
            yield os.readlink(one)


def left(served: Serving, url: str, home: Path) -> list[str]:
    """What works or waits in the database, and files of requests that are there or open."""
    with psycopg.connect(url) as conn:
        busy = "select query from pg_stat_activity where datname = current_database() and state <> 'idle'"
        busy += " and backend_type = 'client backend' and pid <> pg_backend_pid()"
        found = [query for (query,) in conn.execute(busy.encode())]
    fds = Path(f"/proc/{served.process.pid}/fd")
    opened = [*links(fds)]
    found += [name for name in opened if str(home / "temporary") in name]
    kept = (home / "temporary").rglob("*")
    return found + [one.name for one in kept if one.is_file()]


def test_an_upload_that_is_cut_off_at_half_leaves_nothing(
    served: Serving, token: str, quipu: CommandLine, module_url: str
) -> None:
    half = LINES[: len(LINES) // 2].encode()
    for path in ("/v1/import?space=cut", "/v1/snapshots/import?space=cut"):
        for _ in range(12):  # more often than there are connections
            with begun(served, token, "POST", path, len(LINES)) as client:
                client.sendall(half)
    assert until(lambda: not left(served, module_url, quipu.home)), left(served, module_url, quipu.home)
    stored = "select count(*) from core.messages join core.spaces s on s.id = space_id where s.name = 'cut'"
    assert count(module_url, stored) == 0
    assert ask(served, token, "GET", "/ready").status_code == 200


def test_an_import_whose_client_goes_away_keeps_whole_batches_and_goes_on(
    served: Serving, token: str, quipu: CommandLine, module_url: str
) -> None:
    waits = "select count(*) from pg_locks where not granted"
    with psycopg.connect(module_url) as holder:
        holder.execute("lock table core.recall_entries in share mode")
        with begun(served, token, "POST", "/v1/import?space=gone", len(LINES)) as client:
            client.sendall(LINES.encode())
            assert until(lambda: count(module_url, waits) > 0)
        assert until(lambda: count(module_url, waits) == 0), "it goes on for nobody"
    assert until(lambda: not left(served, module_url, quipu.home)), left(served, module_url, quipu.home)
    kept = count(module_url, "select count(*) from core.messages")
    assert kept % 400 == 0
    assert count(module_url, "select count(*) from core.recall_entries") == kept
    again = ask(served, token, "POST", "/v1/import?space=gone", content=LINES)
    told = json.loads(again.text.splitlines()[-1])
    assert (told["report"]["imported"], told["report"]["duplicates"]) == (2_000 - kept, kept)


def test_a_download_whose_client_goes_away_leaves_no_file(
    served: Serving, token: str, quipu: CommandLine, module_url: str
) -> None:
    made = "create table notes (id int primary key, body text)"
    described = ("--name", "notes", "--description", "Notes", "--embed-fields", "")
    quipu.text("tables", "create-table", *described, "--sql", made)
    fill = "insert into notes select n, repeat(md5(n::text), 300) from generate_series(1, 2000) n"
    quipu.text("tables", "execute", fill)
    for _ in range(2):
        with begun(served, token, "GET", "/v1/snapshots/export?space=default", 0) as client:
            assert b"200" in client.recv(1000)
    assert until(lambda: not left(served, module_url, quipu.home)), left(served, module_url, quipu.home)
    assert ask(served, token, "GET", "/ready").status_code == 200
