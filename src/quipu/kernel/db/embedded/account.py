"""The account of this machine that runs the embedded server: ours, or a powerless one when we are root."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from quipu.errors import ConfigError, ServerError

if sys.platform != "win32":
    import pwd

POWERLESS = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the operating system. ``borrowed``: not the one that this process runs as."""

    name: str
    uid: int
    gid: int
    borrowed: bool = False


def own_account() -> Account:
    """The account of this process; raises ServerError where the system has no name for it."""
    if sys.platform == "win32":
        return Account(name=os.environ.get("USERNAME", "quipu"), uid=0, gid=0)
    uid = os.geteuid()
    name = name_of(uid)
    if name is None:
        raise ServerError(
            f"User id {uid} has no name on this machine, and PostgreSQL refuses to run without one.",
            hint="Add the id to /etc/passwd, or use a server: set QUIPU_DATABASE_URL.",
        )
    return Account(name=name, uid=uid, gid=os.getegid())


def serving_account(wished: str | None, *, data_owner_uid: int | None) -> Account:
    """The account for the server. PostgreSQL refuses to run as root, so root lends it ``wished``, else the
    powerless account that the data already belongs to, else the first of postgres and nobody."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return own_account()
    if wished is not None:
        return _checked(wished)
    found = [account for account in map(_borrowed, POWERLESS) if account is not None]
    if not found:
        raise ServerError(
            "PostgreSQL refuses to run as root, and this machine has neither 'postgres' nor 'nobody'.",
            hint="Set QUIPU_PG_USER to an account without privileges, or run as an ordinary user.",
        )
    return next((account for account in found if account.uid == data_owner_uid), found[0])


def name_of(uid: int) -> str | None:
    """The account name of a user id, or None."""
    if sys.platform == "win32":
        return None
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


def _checked(name: str) -> Account:
    account = _borrowed(name)
    if account is None:
        raise ConfigError(
            f"QUIPU_PG_USER names '{name}', which is no account of this machine.",
            hint="Name an existing account without privileges, such as postgres or nobody.",
        )
    if account.uid == 0:
        raise ConfigError(
            "QUIPU_PG_USER must not be root: PostgreSQL refuses to run as root.",
            hint="Leave it out, or name an account without privileges.",
        )
    return account


def _borrowed(name: str) -> Account | None:
    if sys.platform == "win32":
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, borrowed=True)
