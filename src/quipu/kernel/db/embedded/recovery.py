"""Replaying the log over a copied data directory, up to a moment."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psycopg

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db import queries
from quipu.kernel.db.embedded import lifecycle, postmaster
from quipu.kernel.db.embedded.archive import restore_command
from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.door import Door, enter
from quipu.kernel.db.embedded.lock import POLL_SECONDS
from quipu.kernel.db.embedded.place import ClusterPlace, give
from quipu.kernel.db.embedded.process import Account

NOT_REACHED: Final = "recovery ended before configured recovery target was reached"

_QUERIES = queries.load("quipu.kernel.db.embedded")
_ARCHIVE_SECONDS: Final = 60


def replay(
    place: ClusterPlace,
    binaries: Binaries,
    settings: Settings,
    *,
    at: datetime | None,
    wal: Path,
    left: Path | None,
    timeline: int,
    keeps_log: bool,
) -> datetime | None:
    """Make a copied data directory one that a server can start on, as it was at ``at`` (None: at the end of
    the log). Returns the time of the last change in it, if the log had one after the copy.

    ``wal`` is the archive that the log is read from, ``left`` the log of data that were left; of the
    timelines in them ``timeline`` is followed. With ``keeps_log`` what is written from then on waits beside
    the data for the first server that is started on them in their place: until then it is no part of the
    archive, which a restore that is given up must leave as it was. The data belong to the account of
    ``place`` afterwards.

    Raises:
        ServerError: the log does not reach so far (``NOT_REACHED`` in its message), or cannot be replayed.
    """
    own = place.data / "postgresql.auto.conf"
    before = own.read_text("utf-8")
    own.write_text(before + _targets(at, timeline, restore_command(wal, left=left)), "utf-8")
    (place.data / "recovery.signal").touch()
    _give_all(place.data, place.account)
    lifecycle.configure(place, settings, binaries.major, archive="" if keeps_log else None)
    door = postmaster.launch(place, binaries)
    try:
        last = _promoted(place, door)
        own.write_text(before, "utf-8")
    finally:
        lifecycle.put_down(place)
    return last


def flush(door: Door) -> None:
    """Have all that is committed by now in the archive, and a commit after it, if the server keeps its log.

    Raises:
        ServerError: PostgreSQL does not get rid of it.
    """
    with enter(door) as conn:
        keeps = conn.execute(_QUERIES["keeps_log"]).fetchone()
        if keeps is None or not keeps[0]:
            return
        conn.execute(_QUERIES["commit_something"])
        row = conn.execute(_QUERIES["switch_log"]).fetchone()
        assert row is not None
        began = time.monotonic()
        while True:
            done = conn.execute(_QUERIES["archived"], {"name": row[0]}).fetchone()
            if done is not None and done[0]:
                return
            if time.monotonic() - began > _ARCHIVE_SECONDS:
                raise ServerError(
                    "The log of the server does not get into its archive.",
                    hint="Look for archive_command in its log (quipu doctor says where); is the disk full?",
                )
            time.sleep(POLL_SECONDS)


def _promoted(place: ClusterPlace, door: Door) -> datetime | None:
    began = time.monotonic()
    while True:
        try:
            with enter(door) as conn:
                row = conn.execute(_QUERIES["recovered"]).fetchone()
        except psycopg.OperationalError as error:
            if postmaster.lives(place):
                row = None
            else:
                raise postmaster.failed(place) from error
        if row is not None and row[0]:
            return None if row[1] is None else row[1].astimezone(UTC)
        if time.monotonic() - began > postmaster.START_SECONDS:
            raise ServerError(f"The log is not replayed after {postmaster.START_SECONDS} seconds.")
        time.sleep(POLL_SECONDS)


def _targets(at: datetime | None, timeline: int, command: str) -> str:
    values = {
        "restore_command": command,
        "recovery_target_action": "promote",
        "recovery_target_timeline": str(timeline),
    }
    if at is not None:
        values["recovery_target_time"] = at.astimezone(UTC).isoformat(sep=" ")
    quoted = {name: value.replace("\\", "\\\\").replace("'", "''") for name, value in values.items()}
    return "".join(f"{name} = '{value}'\n" for name, value in quoted.items())


def _give_all(directory: Path, account: Account) -> None:
    give(directory, account)
    for parent, folders, files in os.walk(directory):
        for name in (*folders, *files):
            give(Path(parent) / name, account)
