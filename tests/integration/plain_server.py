"""A PostgreSQL server such as somebody else runs: on a port, with users and passwords."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from quipu.kernel.db.embedded import Binaries
from quipu.kernel.db.embedded.account import serving_account

PASSWORD = "correct-horse"


@contextmanager
def plain_server(binaries: Binaries, directory: Path, *, without: str | None = None) -> Iterator[str]:
    """Its URL, for the superuser ``admin`` and the database ``postgres``; ``without`` hides an extension."""
    directory.mkdir(mode=0o755)
    (directory / "password").write_text(PASSWORD)
    account = serving_account(None, data_owner_uid=None)
    shutil.chown(directory, account.uid, account.gid)
    who = {"user": account.uid, "group": account.gid, "cwd": directory} if account.borrowed else {}
    data = directory / "data"
    initdb = [binaries.tool("initdb"), "-D", data, "-U", "admin", "-A", "scram-sha-256", "--no-sync"]
    subprocess.run([*initdb, "--pwfile", directory / "password"], check=True, capture_output=True, **who)
    port = _free_port()
    settings = [f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"]
    if without is not None:
        settings.append(f"extension_control_path={_extensions(binaries, directory, without)}")
    command = [binaries.tool("postgres"), "-D", data, *(part for one in settings for part in ("-c", one))]
    with (directory / "log").open("wb") as log, subprocess.Popen(command, stderr=log, stdout=log, **who) as server:
        try:
            url = f"postgresql://admin:{PASSWORD}@127.0.0.1:{port}/postgres"
            _await(url)
            yield url
        finally:
            server.terminate()
            server.wait(30)


def _extensions(binaries: Binaries, directory: Path, without: str) -> Path:
    there = directory / "share" / "extension"
    there.mkdir(parents=True)
    for file in (binaries.bin_dir.parent / "share").rglob("extension/*"):
        if not file.name.startswith((f"{without}.", f"{without}--")):
            shutil.copy(file, there)
    for path in (there.parent, there, *there.iterdir()):
        path.chmod(0o755)
    return there.parent


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _await(url: str) -> None:
    for _ in range(100):
        try:
            psycopg.connect(url, connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise TimeoutError(url)
