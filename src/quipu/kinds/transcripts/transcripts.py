"""Recorded sessions, as a caller meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Annotated

from anyio import sleep
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import ErasedToo, Space
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.bootstrap.service import AsyncBootstrap
from quipu.kinds.transcripts.browse.browse import AsyncBrowse
from quipu.kinds.transcripts.sqlite.exchange import AsyncExchange
from quipu.kinds.transcripts.sync.model import Pending, SyncReport
from quipu.kinds.transcripts.sync.service import TranscriptSync
from quipu.recall.generations import Models
from quipu.recall.search import Search
from quipu.record import backlog
from quipu.record.model import Progress

Paths = Iterable[str | PathLike[str]]
Roots = Annotated[
    Paths | None,
    Doc("Directories of agents (`~/.claude`), of their sessions, or files; where agents keep them if None."),
]
OneSpace = Annotated[str | None, Doc("One space for all projects; a space for each if None.")]


class AsyncTranscripts(AsyncBrowse, AsyncBootstrap, AsyncExchange):
    """Recorded sessions of coding agents: what people and agent said, thought and did, line by line.

    Each project is a space of its own, named like the directory that its sessions were started in.
    """

    def __init__(
        self,
        database: Database,
        models: Models,
        *,
        search: Search,
        clock: Clock,
        settings: Settings,
    ) -> None:
        AsyncBrowse.__init__(self, database, clock=clock, search=search)
        AsyncBootstrap.__init__(self, database, search=search, clock=clock)
        AsyncExchange.__init__(self, database, models, clock=clock, redact=settings.redact)
        self._language = settings.language
        self._sync = TranscriptSync(database, clock=clock, redact=settings.redact)

    async def sync(
        self,
        roots: Roots = None,
        *,
        space: OneSpace = None,
        progress: Annotated[Progress | None, Doc("Called with how many bytes more were read.")] = None,
        erased_too: ErasedToo = False,
    ) -> SyncReport:
        """Take in what is new in recorded sessions, and tell what it was.

        Doing it again takes what has come since; a sync that was cut off is finished by doing it again. What
        was taken is searched by its words at once; its meaning follows with the next recalls.

        Lines that were forgotten are left out and counted as ``withheld``, in whatever file they stand; so is
        the rest of a session as it was when it was forgotten. With ``erased_too`` every file is read from its
        beginning.

        Raises:
            BadInput: A name or a root is none.
        """
        name = optional_name("space", space)
        return await self._sync.sync(_paths(roots), space=name, progress=progress, erased_too=erased_too)

    async def pending(self, roots: Roots = None, *, space: OneSpace = None) -> Mapping[str, Pending]:
        """Show the work of a sync: by space, the number of files with something new, and their bytes.

        Raises:
            BadInput: A name or a root is none.
        """
        return await self._sync.pending(_paths(roots), space=optional_name("space", space))

    async def follow(
        self,
        seen: Annotated[
            Callable[[SyncReport], object], Doc("Called with the report of each sync that found something.")
        ],
        roots: Roots = None,
        *,
        space: OneSpace = None,
        every_seconds: Annotated[float, Doc("The seconds to wait between two syncs.")] = 2.0,
    ) -> None:
        """Take in what comes, until cancelled.

        Raises:
            BadInput: A name or a root is none, or the time is not above zero.
        """
        if not every_seconds > 0:
            raise BadInput("a number of seconds above zero.", field="every_seconds")
        paths, name = _paths(roots), optional_name("space", space)
        while True:
            report = await self._sync.sync(paths, space=name, progress=None)
            if report.lines:
                seen(report)
            await sleep(every_seconds)

    async def waiting(self, *, space: Space) -> int:
        """Count the messages that recall finds by their words only, until their meaning is indexed.

        Recalls index them little by little, and `index` all at once.
        """
        return await backlog.waiting(self._database, check_name("space", space))

    async def index(
        self,
        *,
        space: Space,
        progress: Annotated[Progress | None, Doc("Called with how many messages more are done.")] = None,
    ) -> int:
        """Let recalls find all that was taken in, the latest first, and count the messages that were waiting.

        A recall does it by itself, a second's work at a time.
        """
        name = check_name("space", space)
        return await backlog.file(self._database, self._models, name, progress=progress)


def _paths(roots: Paths | None) -> list[Path] | None:
    if roots is None:
        return None
    if isinstance(roots, str | PathLike):
        raise BadInput("give a list of paths.", field="roots", hint='For one: ["~/.claude"].')
    return [Path(root).expanduser() for root in roots]
