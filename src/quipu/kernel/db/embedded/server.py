"""The embedded server as the rest of the system sees it."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from anyio import CancelScope, to_thread

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import lifecycle
from quipu.kernel.db.embedded.binaries import Binaries, choose_binaries
from quipu.kernel.db.embedded.cluster import data_major
from quipu.kernel.db.embedded.faults import file_failure
from quipu.kernel.db.embedded.lifecycle import Share
from quipu.kernel.db.embedded.locate import find_place, make_place
from quipu.kernel.db.embedded.pidfile import read_pid_file

_T = TypeVar("_T")


class EmbeddedServer:
    """A running server and our share in it. The last one that lets go stops the server."""

    def __init__(self, share: Share) -> None:
        self._share = share
        # Also runs when the interpreter ends, for those who never close.
        self._leave = weakref.finalize(self, _leave, share, os.getpid())

    def conninfo(self, dbname: str = "quipu") -> str:
        """Return a libpq connection string of the role ``quipu_admin`` (superuser)."""
        return self._share.door.conninfo(dbname)

    @property
    def pid(self) -> int:
        """The process id of the server; raises ServerError if it has gone."""
        found = read_pid_file(self._share.place.data)
        if found is None:
            raise ServerError(
                "The embedded server is not running.", hint="Start it again, or see `quipu doctor`."
            )
        return found.pid

    async def aclose(self) -> None:
        """Let go of the server; stops it if nobody else uses it. A second call does nothing."""
        with CancelScope(shield=True):
            await _in_thread(self._leave)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


async def start(settings: Settings) -> EmbeddedServer:
    """Open the server of ``settings.home``: join it if it runs, start it if not, make it if it is new.

    Raises ServerError (with the way out in ``hint``), DiskFull or ConfigError. No data is ever deleted.
    """
    return await _in_thread(lambda: EmbeddedServer(lifecycle.join(make_place(settings), settings)))


async def keep(settings: Settings) -> None:
    """Start the server, and let it stay when its last client leaves, until ``stop``."""
    await _in_thread(lambda: lifecycle.keep(make_place(settings), settings))


async def stop(settings: Settings, *, force: bool = False) -> bool:
    """Stop the server; False if none ran. Raises ServerError if others use it and ``force`` is not set."""
    return await _in_thread(lambda: lifecycle.stop(find_place(settings), force=force))


async def programs(settings: Settings) -> Binaries:
    """Return the PostgreSQL programs (psql, pg_dump, …) that fit the data of these settings."""
    return await _in_thread(lambda: _programs(settings))


async def _in_thread(work: Callable[[], _T]) -> _T:
    try:
        return await to_thread.run_sync(work)
    except OSError as error:
        raise file_failure(error) from error


def _programs(settings: Settings) -> Binaries:
    place = make_place(settings)
    return choose_binaries(settings, place.account, data_major=data_major(place))


def _leave(share: Share, owner_pid: int) -> None:
    if os.getpid() == owner_pid:  # in a forked child the share is still its parent's
        lifecycle.leave(share)
