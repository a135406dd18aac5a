"""PostgreSQL's programs: the account that runs them, their bare environment, no directory of ours."""

from __future__ import annotations

import getpass
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quipu.errors import ConfigError, ServerError

_ROOT_DIRECTORY = os.path.abspath(os.sep)
POWERLESS = ("postgres", "nobody")


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


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the operating system. ``borrowed``: not the one that this process runs as."""

    name: str
    uid: int
    gid: int
    borrowed: bool = False


if sys.platform == "win32":

    def user_id() -> int:
        """Return 0: Windows has no user ids."""
        return 0

    def name_of(uid: int) -> str | None:
        """Return our account name for our own id, else None: Windows has no user ids."""
        return getpass.getuser() if uid == user_id() else None

    def _find(name: str) -> Account | None:
        return Account(name=name, uid=0, gid=0)

    def _is_root() -> bool:
        return False

else:
    import pwd

    def user_id() -> int:
        """Return the user id that this process acts as."""
        return os.geteuid()

    def name_of(uid: int) -> str | None:
        """Return the account name of a user id, or None if it has none."""
        try:
            return pwd.getpwuid(uid).pw_name
        except KeyError:
            return None

    def _find(name: str) -> Account | None:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            return None
        return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, borrowed=entry.pw_uid != os.geteuid())

    def _is_root() -> bool:
        return os.geteuid() == 0


def serving_account(wished: str | None, *, data_owner_uid: int | None) -> Account:
    """Choose the account that runs the server.

    PostgreSQL refuses to run as root. So root lends it ``wished``, else the powerless account that the data
    already belongs to, else the first of postgres and nobody. Everybody else runs it as themselves.
    """
    if not _is_root():
        return _own()
    if wished is not None:
        return _checked(wished)
    accounts = [account for account in map(_find, POWERLESS) if account is not None]
    if not accounts:
        raise ServerError(
            "PostgreSQL refuses to run as root, and this machine has neither 'postgres' nor 'nobody'.",
            hint="Set QUIPU_PG_USER to an account without privileges, or run as an ordinary user.",
        )
    return next((account for account in accounts if account.uid == data_owner_uid), accounts[0])


def _own() -> Account:
    name = name_of(user_id())
    account = None if name is None else _find(name)
    if account is None:
        raise ServerError(
            f"User id {user_id()} has no name on this machine, and PostgreSQL refuses to run without one.",
            hint="Add the id to /etc/passwd, or use a server: set QUIPU_DATABASE_URL.",
        )
    return account


def _checked(name: str) -> Account:
    account = _find(name)
    if account is None or account.uid == 0:
        why = (
            "is no account of this machine"
            if account is None
            else "is root, as which PostgreSQL does not run"
        )
        raise ConfigError(
            f"QUIPU_PG_USER names '{name}', which {why}.",
            hint="Name an existing account without privileges, such as postgres or nobody.",
        )
    return account
