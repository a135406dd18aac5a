"""A PostgreSQL server such as somebody else runs: on a port, with users and passwords."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from patience import PATIENCE_SECONDS, until

from quipu.kernel.db.embedded import Binaries
from quipu.kernel.db.embedded.process import serving_account

PASSWORD = "correct-horse"


@contextmanager
def plain_server(
    binaries: Binaries, directory: Path, *, without: str | None = None, settings: Sequence[str] = ()
) -> Iterator[str]:
    """Its URL, for the superuser ``admin`` and the database ``postgres``; ``without`` hides an extension."""
    how = _prepare(binaries, directory)
    initdb = [
        binaries.tool("initdb"),
        "-D",
        "data",
        "-U",
        "admin",
        "-A",
        "scram-sha-256",
        "-E",
        "UTF8",
        "--no-locale",
    ]
    _run([*initdb, "--no-sync", "--pwfile", "password"], how)
    extra = [] if without is None else [f"extension_control_path={_extensions(binaries, directory, without)}"]
    with _serving(binaries, how, [*extra, *settings]) as url:
        yield url


@contextmanager
def standby_of(url: str, binaries: Binaries, directory: Path) -> Iterator[str]:
    """A replica of a plain server, which can be read only."""
    how = _prepare(binaries, directory)
    _run(
        [
            binaries.tool("pg_basebackup"),
            "-d",
            url,
            "-D",
            "data",
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
            "--no-sync",
        ],
        how,
    )
    with _serving(binaries, how, []) as standby:
        yield standby


def _prepare(binaries: Binaries, directory: Path) -> dict[str, Any]:
    """Make the directory; how programs are to be run in it: root may not run them."""
    directory.mkdir(mode=0o755)
    (directory / "password").write_text(PASSWORD)
    account = serving_account(None, data_owner_uid=None)
    how: dict[str, Any] = {"cwd": directory, "env": binaries.environment(directory)}
    if account.borrowed:
        how |= {"user": account.uid, "group": account.gid, "extra_groups": []}
        shutil.chown(directory, account.uid, account.gid)
        shutil.chown(directory / "password", account.uid, account.gid)
    return how


def _run(command: list[Any], how: dict[str, Any]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stderr


@contextmanager
def _serving(binaries: Binaries, how: dict[str, Any], extra: list[str]) -> Iterator[str]:
    port = _free_port()
    settings = [f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", *extra]
    command = [binaries.tool("postgres"), "-D", "data", *(part for one in settings for part in ("-c", one))]
    log = (how["cwd"] / "log").open("wb")
    with log, subprocess.Popen(command, stderr=log, stdout=log, **how) as server:
        try:
            url = f"postgresql://admin:{PASSWORD}@127.0.0.1:{port}/postgres"
            _await(url)
            yield url
        finally:
            server.send_signal(signal.SIGINT)  # whoever is connected is put out
            server.wait(PATIENCE_SECONDS)


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
    assert until(lambda: _answers(url)), url


def _answers(url: str) -> bool:
    with suppress(psycopg.OperationalError), psycopg.connect(url):
        return True
    return False
