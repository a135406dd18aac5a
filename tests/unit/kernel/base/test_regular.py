"""What is opened is looked at when it is open, whatever stood there a moment before."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from quipu.kernel.base.lines import NO_FILE, open_regular


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"words")
    with open_regular(tmp_path / "file") as file:
        assert file.read() == b"words"


def test_a_pipe_that_took_the_place_of_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"words")
    seen = (tmp_path / "file").stat()
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)

    def as_it_was(_path: Path, **_how: bool) -> os.stat_result:
        return seen

    monkeypatch.setattr(Path, "stat", as_it_was)
    with pytest.raises(OSError, match=NO_FILE):
        open_regular(tmp_path / "pipe")
    os.close(writer)


def test_a_socket_a_device_and_a_directory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for path in (Path("socket"), Path("/dev/null")):
            with pytest.raises(OSError, match=NO_FILE):
                open_regular(path)
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
