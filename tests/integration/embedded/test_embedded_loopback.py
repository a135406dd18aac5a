"""Where there are no sockets: the loopback address and a random password. Tried here on a system that has
sockets, with the same code."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import lifecycle, postmaster
from quipu.kernel.db.embedded.lifecycle import Share
from quipu.kernel.db.embedded.place import ClusterPlace, make_place


@pytest.fixture
def place(new_settings: Settings) -> ClusterPlace:
    return replace(make_place(new_settings), loopback=True)


@pytest.fixture
def share(place: ClusterPlace, new_settings: Settings) -> Iterator[Share]:
    joined = lifecycle.join(place, new_settings)
    yield joined
    lifecycle.leave(joined)


def test_it_listens_on_the_loopback_address_alone(share: Share) -> None:
    with psycopg.connect(share.door.conninfo("quipu")) as connection:
        assert connection.execute("show listen_addresses").fetchone() == ("127.0.0.1",)
        assert connection.execute("show unix_socket_directories").fetchone() == ("",)
        row = connection.execute("select system_user").fetchone()
    assert row == ("scram-sha-256:quipu_admin",)


def test_nobody_comes_in_without_the_password(share: Share, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = psycopg.conninfo.conninfo_to_dict(share.door.conninfo("quipu"))
    parts.pop("passfile")
    monkeypatch.setenv("PGPASSFILE", "/dev/null")
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        psycopg.connect("", **parts).close()
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        psycopg.connect("", **parts, password="postgres").close()


def test_the_password_is_in_one_private_file_and_in_no_command_line(share: Share) -> None:
    file = share.place.password_file
    password = file.read_text().rstrip("\n").rpartition(":")[2]
    assert len(password) > 40
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert password not in share.door.conninfo("quipu")
    others = [path for path in share.place.state.iterdir() if path.is_file() and path != file]
    assert not [path for path in others if password in path.read_text("utf-8", "replace")]


def test_a_second_one_joins_and_the_last_one_stops_it(place: ClusterPlace, new_settings: Settings) -> None:
    first = lifecycle.join(place, new_settings)
    second = lifecycle.join(place, new_settings)
    assert first.door == second.door
    lifecycle.leave(first)
    assert postmaster.find_running(place) is not None
    lifecycle.leave(second)
    assert postmaster.find_running(place) is None
    third = lifecycle.join(place, new_settings)
    lifecycle.leave(third)
