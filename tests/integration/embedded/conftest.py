"""Homes for servers of these tests' own, and other processes that use them."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import anyio
import pytest
from made_once import MadeOnce
from patience import PATIENCE_SECONDS

from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.kernel.db.embedded import lifecycle
from quipu.kernel.db.embedded.place import find_place, make_place
from quipu.kernel.db.embedded.postmaster import lives


@pytest.fixture
def open_dir() -> Iterator[Path]:
    """A directory that every account may pass through, as pytest's own are not."""
    directory = Path(tempfile.mkdtemp(prefix="quipu-test-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="session")
def stopped_home(made_once: MadeOnce) -> Path:
    """A home with a database whose server was started and stopped once."""
    return made_once("stopped", _stopped)


def _stopped(directory: Path) -> Path:
    made = Settings(home=directory / "home", shared_buffers_mb=16)
    lifecycle.leave(lifecycle.join(make_place(made), made))
    return made.home


@pytest.fixture(scope="session")
def migrated_home(stopped_home: Path, made_once: MadeOnce) -> Path:
    """A copy of it whose database was migrated."""
    return made_once("migrated", lambda directory: _migrated(stopped_home, directory))


def _migrated(stopped_home: Path, directory: Path) -> Path:
    home = directory / "home"
    subprocess.run(["cp", "-a", stopped_home, home], check=True)
    anyio.run(_migrate, Settings(home=home, shared_buffers_mb=16))
    return home


async def _migrate(settings: Settings) -> None:
    server = await embedded.start(settings)
    async with Database.open(server.conninfo(), settings, packages=PACKAGES):
        pass
    await server.aclose()


@pytest.fixture
def home_to_copy(stopped_home: Path) -> Path:
    """The home whose copies tests get; where they open memories, a module takes the migrated one."""
    return stopped_home


@pytest.fixture
def settings(open_dir: Path, home_to_copy: Path) -> Iterator[Settings]:
    """Settings of a home with an empty database; a server that is left on it is stopped."""
    subprocess.run(["cp", "-a", home_to_copy, open_dir / "home"], check=True)
    yield from _ending_stopped(Settings(home=open_dir / "home", shared_buffers_mb=16))


@pytest.fixture
def new_settings(open_dir: Path) -> Iterator[Settings]:
    """Settings of a home that does not exist yet; a server that is left on it is stopped."""
    yield from _ending_stopped(Settings(home=open_dir / "home", shared_buffers_mb=16))


def _ending_stopped(found: Settings) -> Iterator[Settings]:
    yield found
    if (found.home / "postgres" / "data").exists() and lives(place := find_place(found)):
        lifecycle.stop(place, force=True)


class Helper:
    """A forked process that answers one call at a time, so that it can be killed in between."""

    def __init__(self, work: Callable[[Connection], None], *, account: tuple[int, int] | None = None) -> None:
        context = multiprocessing.get_context("fork")
        self.wire, far_end = context.Pipe()
        self.process = context.Process(target=_run, args=(work, far_end, account), daemon=True)
        self.process.start()
        far_end.close()

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def hear(self, *, seconds: float = 60) -> Any:
        """The next thing that it says; an exception in it is raised here."""
        assert self.wire.poll(seconds), "the helper says nothing"
        said = self.wire.recv()
        if isinstance(said, BaseException):
            raise said
        return said

    def tell(self, word: object) -> None:
        self.wire.send(word)

    def end(self) -> None:
        self.process.join(PATIENCE_SECONDS)
        assert self.process.exitcode == 0, f"the helper ended with {self.process.exitcode}"


def _run(work: Callable[[Connection], None], wire: Connection, account: tuple[int, int] | None) -> None:
    if account is not None:
        os.setgroups([])
        os.setgid(account[1])
        os.setuid(account[0])
    try:
        work(wire)
    except BaseException as error:
        wire.send(error)
        raise


@pytest.fixture
def helper() -> Iterator[Callable[..., Helper]]:
    """Starts other processes; those that are left are killed by their ids."""
    started: list[Helper] = []

    def start(work: Callable[[Connection], None], *, account: tuple[int, int] | None = None) -> Helper:
        started.append(Helper(work, account=account))
        return started[-1]

    yield start
    for each in started:
        if each.process.is_alive():
            each.process.kill()
        each.process.join()
