"""Running PostgreSQL's programs: as the serving account, with a bare environment, in no directory of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.db.embedded.account import Account

_ROOT_DIRECTORY = os.path.abspath(os.sep)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit code and output of a program, errors last."""

    code: int
    text: str


def run(
    argv: Sequence[str | Path],
    *,
    account: Account,
    env: Mapping[str, str],
    timeout_seconds: float = 120,
    umask: int = 0o077,
) -> Outcome:
    """Run a program to its end. Raises ServerError if it cannot be run at all or does not end in time."""
    words = [str(word) for word in argv]
    try:
        done = subprocess.run(
            words,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_seconds,
            cwd=_ROOT_DIRECTORY,
            env=dict(env),
            umask=umask if sys.platform != "win32" else -1,
            user=account.uid if account.borrowed else None,
            group=account.gid if account.borrowed else None,
            extra_groups=[] if account.borrowed else None,
        )
    except subprocess.TimeoutExpired as error:
        raise ServerError(f"{words[0]} did not end within {timeout_seconds:.0f} seconds.") from error
    except OSError as error:
        raise ServerError(
            f"{words[0]} cannot be run as '{account.name}': {error.strerror}.",
            hint="Check that this account may read and execute it, or set QUIPU_PG_BIN to other binaries.",
        ) from error
    return Outcome(code=done.returncode, text=f"{done.stdout}\n{done.stderr}".strip())


def spawn(
    argv: Sequence[str | Path],
    *,
    account: Account,
    env: Mapping[str, str],
    log_fd: int,
    keep_fd: int,
    most_memory_mb: int = 0,
) -> None:
    """Start a program that outlives us, writing to ``log_fd`` and holding ``keep_fd`` open while it lives.

    The shell in between ends at once, so the program becomes a child of init: no zombie stays with us when
    it dies. Its own session keeps a Ctrl-C in our terminal away from it. ``most_memory_mb`` is the largest
    address space that it, and each process that it makes, may have; 0 is no limit.
    """
    limit = f"ulimit -v {most_memory_mb * 1024}; " if most_memory_mb else ""
    subprocess.run(
        ["/bin/sh", "-c", f'{limit}"$@" &', "sh", *map(str, argv)],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=log_fd,
        stderr=log_fd,
        cwd=_ROOT_DIRECTORY,
        env=dict(env),
        umask=0o077,
        start_new_session=True,
        pass_fds=(keep_fd,),
        user=account.uid if account.borrowed else None,
        group=account.gid if account.borrowed else None,
        extra_groups=[] if account.borrowed else None,
    )


def bare_environment(*, bin_dir: Path, home: Path) -> dict[str, str]:
    """Return a clean environment for PostgreSQL's programs.

    Nothing of ours is in it: no secret stays in a server that outlives us, and no ``PG*`` variable changes
    what it does.
    """
    env = {"PATH": os.defpath, "HOME": str(home), "LC_ALL": "C", "TZ": "UTC"}
    libraries = bin_dir.parent / "lib"
    if any(libraries.glob("libpq.so*")):
        env["LD_LIBRARY_PATH"] = str(libraries)
    for name in ("SYSTEMROOT", "TEMP", "TMP"):
        if sys.platform == "win32" and name in os.environ:
            env[name] = os.environ[name]
    return env
