"""Files that somebody names to be read. To open a pipe would wait for its writer, maybe without end."""

from __future__ import annotations

import os
from errno import EINVAL, ENXIO
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final

NO_FILE: Final = "it is no regular file"
PIPE_IN: Final = "What comes by a pipe is handed in on standard input: -"


def is_regular(stat: os.stat_result) -> bool:
    """Say whether it is a regular file, and no pipe, socket or device."""
    return S_ISREG(stat.st_mode)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading bytes. It is checked once open: nothing can take its place then.

    Raises:
        OSError: it is not there, a directory, a pipe, a socket or a device, or we may not read it.
    """
    try:
        file = open(path, "rb", opener=_at_once)  # noqa: SIM115 - the caller closes it
    except OSError as failed:
        raise (_no_file(path) if failed.errno == ENXIO else failed) from None  # a socket
    if not is_regular(os.fstat(file.fileno())):
        file.close()
        raise _no_file(path)
    return file


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for the writer of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _no_file(path: Path) -> OSError:
    return OSError(EINVAL, NO_FILE, str(path))
