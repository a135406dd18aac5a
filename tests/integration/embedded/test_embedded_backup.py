"""A base and the log that is kept bring the database back as it was at a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cli_process import CommandLine

from quipu.errors import BadInput, Conflict, ServerError
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import lifecycle
from quipu.kernel.db.embedded.cluster import ASIDE
from quipu.kernel.db.embedded.place import find_place, make_place
from quipu.upkeep.backup.bases import listing, take
from quipu.upkeep.backup.restore import restore

CLOCK = SystemClock()


@contextmanager
def used(settings: Settings) -> Iterator[psycopg.Connection[Any]]:
    share = lifecycle.join(make_place(settings), settings)
    try:
        with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as conn:
            yield conn
    finally:
        lifecycle.leave(share)


def boats(settings: Settings) -> list[str]:
    with used(settings) as conn:
        return [name for (name,) in conn.execute("select name from boats order by name").fetchall()]


def moment() -> datetime:
    """A moment with nothing just before it and nothing just after it."""
    time.sleep(0.02)
    at = datetime.now(UTC)
    time.sleep(0.02)
    return at


def test_any_moment_is_restored_elsewhere_and_in_place(settings: Settings, open_dir: Path) -> None:
    keeping, progress = replace(settings, archive=True), []
    with used(keeping) as conn:
        conn.execute("create table boats (name text)")
        before = moment()
        first = take(settings, clock=CLOCK)
        conn.execute("insert into boats values ('a')")
        between = moment()
        conn.execute("insert into boats values ('b')")
        found = restore(
            settings, at=between, clock=CLOCK, into=open_dir / "b", confirm=True, progress=progress.append
        )
        assert sum(progress) == pytest.approx(first.base.size_bytes, rel=0.01)
        assert (found.base, found.put_aside) == (first.base, None)
        assert found.last_change is not None
        assert found.last_change < between
        assert boats(replace(settings, home=open_dir / "b")) == ["a"]
        with pytest.raises(ServerError, match="Other processes use the server"):
            restore(settings, at=between, clock=CLOCK, confirm=True)
        with pytest.raises(BadInput, match="before the first base"):
            restore(settings, at=before, clock=CLOCK)
        with pytest.raises(Conflict, match="There is a database"):
            restore(settings, at=between, clock=CLOCK, into=open_dir / "b")
    assert boats(settings) == ["a", "b"]

    assert not restore(settings, at=between, clock=CLOCK).done
    done = restore(settings, at=between, clock=CLOCK, confirm=True)
    with used(settings) as conn:
        conn.execute("insert into boats values ('c')")
    assert boats(settings) == ["a", "c"]
    assert done.put_aside is not None
    assert done.put_aside.name.startswith(ASIDE)
    # What was written since is on a line of its own, which the next restore follows.
    restore(settings, at=None, clock=CLOCK, into=open_dir / "c", confirm=True)
    assert boats(replace(settings, home=open_dir / "c")) == ["a", "c"]

    # A restore that was cut off between its two renames: no empty database is made in its place.
    place = find_place(settings)
    place.data.rename(place.state / "elsewhere")
    with pytest.raises(ServerError, match="A restore was cut off"):
        boats(settings)
    done.put_aside.rename(place.data)
    assert boats(settings) == ["a", "b"]


def test_a_restore_follows_the_data_that_are_there(settings: Settings, open_dir: Path) -> None:
    keeping = replace(settings, archive=True)
    with used(keeping) as conn:
        conn.execute("create table boats (name text)")
        early = take(settings, clock=CLOCK)
        conn.execute("insert into boats values ('a')")
        between = moment()
        conn.execute("insert into boats values ('b')")
        late = take(settings, clock=CLOCK)
    done = restore(settings, at=between, clock=CLOCK, confirm=True)
    with used(settings) as conn:
        conn.execute("insert into boats values ('c')")
    # The base that was taken after the moment is of data that are aside.
    found = restore(settings, at=None, clock=CLOCK, into=open_dir / "c", confirm=True)
    assert found.base == early.base
    assert boats(replace(settings, home=open_dir / "c")) == ["a", "c"]
    # Undone: the data that were aside are there again, and go on.
    place = find_place(settings)
    place.data.rename(place.state / "elsewhere")
    assert done.put_aside is not None
    done.put_aside.rename(place.data)
    with used(settings) as conn:
        conn.execute("insert into boats values ('d')")
    found = restore(settings, at=None, clock=CLOCK, into=open_dir / "d", confirm=True)
    assert found.base == late.base
    assert boats(replace(settings, home=open_dir / "d")) == ["a", "b", "d"]


def test_a_damaged_segment_of_the_log_ends_a_restore_and_is_named(settings: Settings, open_dir: Path) -> None:
    with used(replace(settings, archive=True)) as conn:
        conn.execute("create table boats (name text)")
        take(settings, clock=CLOCK)
        conn.execute("insert into boats values ('a')")
    wal = listing(settings).log.directory
    restore(settings, at=None, clock=CLOCK, into=open_dir / "whole", confirm=True)
    newest = max(one for one in wal.glob("*.gz") if "." not in one.name.removesuffix(".gz"))
    newest.write_bytes(newest.read_bytes()[:-100])
    with pytest.raises(ServerError, match=newest.name.removesuffix(".gz")):
        restore(settings, at=None, clock=CLOCK, into=open_dir / "b", confirm=True)
    assert not (open_dir / "b" / "postgres" / "data").exists()


def test_without_the_log_that_is_kept_only_what_the_data_still_have_can_be_had(
    settings: Settings, open_dir: Path
) -> None:
    quipu = CommandLine(open_dir, {"QUIPU_HOME": str(settings.home), "QUIPU_SHARED_BUFFERS_MB": "16"})
    with used(settings) as conn:
        conn.execute("create table boats (name text)")
        conn.execute("insert into boats values ('a')")
        assert "The log is not kept" in quipu.text("backup", "base")
        assert quipu.json("backup", "base", "--keep", "1")["removed"] != []
        conn.execute("insert into boats values ('b')")
    into = str(open_dir / "b")
    later = (datetime.now(UTC) - timedelta(milliseconds=1)).isoformat()
    assert "To do it: --yes" in quipu.text("backup", "restore", "--at", later, "--into", into)
    # The log of the data that are there is read too, but nothing in it was committed after that moment.
    refused = quipu.run("backup", "restore", "--at", later, "--into", into, "--yes")
    assert refused.returncode == 2
    assert "does not reach that moment" in refused.stderr
    assert not (open_dir / "b" / "postgres" / "data").exists()
    assert len(listing(settings).bases) == 1
    assert "whole" not in quipu.text("backup", "list")
    done = quipu.json("backup", "restore", "--into", into, "--yes")
    assert done["done"]
    assert boats(replace(settings, home=open_dir / "b")) == ["a", "b"]
    assert quipu.run("backup", "restore", "--at", later).returncode == 2
    assert (
        "before the first base" in quipu.run("backup", "restore", "--at", "2020-01-01", "--in-place").stderr
    )
