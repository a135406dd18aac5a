"""The PostgreSQL of the run: our own embedded one, the same for every store that needs a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from anyio.from_thread import start_blocking_portal
from psycopg import sql
from psycopg.rows import class_row

from pace.statements import load
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

_SQL = load("server")


@dataclass(frozen=True, slots=True)
class Relation:
    """A table (its TOAST included) or an index, and how large it is."""

    relation: str
    kind: str
    table_name: str
    size_bytes: int


class Server:
    """A running server in which every store gets a database of its own."""

    def __init__(self, running: embedded.EmbeddedServer) -> None:
        self._running = running

    @property
    def pid(self) -> int:
        """The process id of the postmaster."""
        return self._running.pid

    def database(self, peer: str) -> str:
        """Make an empty database for a store; its connection string."""
        name = "bench_" + peer.replace(":", "_")
        with psycopg.connect(self._running.conninfo("postgres"), autocommit=True) as conn:
            conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        return self._running.conninfo(name)

    def find(self, peer: str) -> str | None:
        """The connection string of a store's database that an earlier run left here; None where it is not."""
        name = "bench_" + peer.replace(":", "_")
        with psycopg.connect(self._running.conninfo("postgres"), autocommit=True) as conn:
            there = conn.execute(_SQL["database"], {"name": name}).fetchone()
        return None if there is None else self._running.conninfo(name)

    def settle(self, conninfo: str) -> None:
        """Vacuum and analyse, as the server itself would after a while."""
        with psycopg.connect(conninfo, autocommit=True) as conn:
            conn.execute(_SQL["settle"])

    def relations(self, conninfo: str) -> list[Relation]:
        """The tables and indexes of a database, the largest first."""
        with psycopg.connect(conninfo) as conn, conn.cursor(row_factory=class_row(Relation)) as cursor:
            return cursor.execute(_SQL["relations"]).fetchall()


@contextmanager
def home(keep: Path | None, *, name: str) -> Iterator[Path]:
    """A directory for the server: ``keep``, which stays, or one of the run, named after it."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with TemporaryDirectory(prefix=f"quipu-{name}-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        yield Path(temporary) / "home"


@contextmanager
def running(home: Path) -> Iterator[Server]:
    """Start the embedded server with its default settings; it stops when the block ends."""
    with start_blocking_portal() as portal:
        started = portal.call(embedded.start, Settings(home=home))
        with portal.wrap_async_context_manager(started) as server:
            yield Server(server)
