"""Processor time of the embedded server: who runs SQL of agents and readers stands back behind the rest."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from quipu.kernel.config import Settings
from quipu.kernel.db.deadline import Connection

_BACK: Final = 15  # of 19; a process with 0 gets some 28 times as much where both compute


def stand_back(conn: Connection, settings: Settings) -> Connection:
    """Return the connection, whose backend in an embedded server computes with what time the others leave.

    Linux may share time between sessions first, and every backend is a session: so it stands back as well.
    Nothing happens where the process is not a backend, has ended, or may not be changed.
    """
    if sys.platform == "linux" and settings.database_url is None:
        pid = conn.info.backend_pid
        process = Path(f"/proc/{pid}")
        with suppress(OSError):  # it is a favour to the others, and no promise
            if process.joinpath("cmdline").read_bytes().startswith(b"postgres"):
                os.setpriority(os.PRIO_PROCESS, pid, _BACK)
                process.joinpath("autogroup").write_text(f"{_BACK}\n", "ascii")
    return conn
