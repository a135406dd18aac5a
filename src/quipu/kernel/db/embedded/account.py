"""The account of this machine that runs the embedded server: ours, or a powerless one when we are root."""

from __future__ import annotations

import getpass
import os
import sys
from dataclasses import dataclass

from quipu.errors import ConfigError, ServerError

POWERLESS = ("postgres", "nobody")


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
    found = [account for account in map(_find, POWERLESS) if account is not None]
    if not found:
        raise ServerError(
            "PostgreSQL refuses to run as root, and this machine has neither 'postgres' nor 'nobody'.",
            hint="Set QUIPU_PG_USER to an account without privileges, or run as an ordinary user.",
        )
    return next((account for account in found if account.uid == data_owner_uid), found[0])


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
