"""Files that somebody names to be read. To open a pipe would wait for its writer, maybe without end."""

from __future__ import annotations

from errno import EINVAL
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO, Final

NO_FILE: Final = "it is no regular file"
PIPE_IN: Final = "What comes by a pipe is handed in on standard input: -"


def open_regular(path: Path) -> BinaryIO:
    """The file, open for reading bytes.

    Raises:
        OSError: it is not there, a directory, a pipe, a socket or a device, or we may not read it.
    """
    mode = path.stat().st_mode
    if not S_ISREG(mode) and not S_ISDIR(mode):
        raise OSError(EINVAL, NO_FILE, str(path))
    return path.open("rb")
