"""A primary and a standby of it by streaming replication, each a server of its own."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import psycopg
from patience import until
from plain_server import plain_server, standby_of

from quipu.kernel.config import Settings
from quipu.kernel.db import embedded


@dataclass
class Pair:
    """A primary and its standby: the address of each, and what happens to them."""

    primary: str
    standby: str
    directory: Path
    binaries: embedded.Binaries

    @property
    def both(self) -> str:
        """The address of whichever of them takes writes."""
        first, second = (one.split("@")[1].split("/")[0] for one in (self.primary, self.standby))
        return self.primary.replace(first, f"{first},{second}") + "?target_session_attrs=read-write"

    def kill_primary(self) -> None:
        """End the primary as a power cut does."""
        _kill(self.directory / "first")

    def kill_standby(self) -> None:
        """End the standby as a power cut does, and wait until the primary hears no more of it."""
        _kill(self.directory / "second")
        with psycopg.connect(self.primary, autocommit=True) as conn:
            assert until(lambda: conn.execute("select from pg_stat_replication").fetchall() == [])

    def promote(self) -> None:
        """Let the standby take writes; it waits for no other."""
        with psycopg.connect(self.standby, autocommit=True) as conn:
            assert conn.execute("select pg_promote()").fetchone() == (True,)
            conn.execute("alter system set synchronous_standby_names = ''")
            conn.execute("select pg_reload_conf()")

    def pause(self) -> None:
        """Have the standby show nothing more of what is written from now on."""
        with psycopg.connect(self.standby, autocommit=True) as conn:
            conn.execute("select pg_wal_replay_pause()")
            paused = "select pg_get_wal_replay_pause_state()"
            assert until(lambda: conn.execute(paused).fetchone() == ("paused",))

    def resume(self) -> None:
        """Have the standby show what was written, and wait until it does."""
        with psycopg.connect(self.standby, autocommit=True) as conn:
            conn.execute("select pg_wal_replay_resume()")
        self.wait()

    def wait(self) -> None:
        """Wait until the standby shows all that was written."""
        with psycopg.connect(self.primary) as conn, psycopg.connect(self.standby, autocommit=True) as other:
            written = conn.execute("select pg_current_wal_flush_lsn()").fetchone()
            assert written is not None
            reached = "select pg_last_wal_replay_lsn() >= %s"
            assert until(lambda: other.execute(reached, written).fetchone() == (True,))


@contextmanager
def running_pair() -> Iterator[Pair]:
    """Run both for the block."""
    with ExitStack() as close:
        directory = Path(tempfile.mkdtemp(prefix="quipu-test-"))
        close.callback(shutil.rmtree, directory)
        directory.chmod(0o711)
        binaries = anyio.run(embedded.programs, Settings(home=directory))
        primary = close.enter_context(plain_server(binaries, directory / "first"))
        standby = close.enter_context(standby_of(primary, binaries, directory / "second"))
        yield Pair(primary, standby, directory, binaries)


def _kill(directory: Path) -> None:
    pid = int((directory / "data" / "postmaster.pid").read_text().split("\n")[0])
    os.kill(pid, signal.SIGKILL)
