"""Finding and making the place of an embedded database."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.account import Account, name_of, serving_account, user_id
from quipu.kernel.db.embedded.directory import first_closed, make_directories
from quipu.kernel.db.embedded.place import MACHINE_DIRECTORY, Place, digest


def find_place(settings: Settings) -> Place:
    """Return the place of the database of these settings, existing or not; creates nothing.

    Raises ServerError if another user owns it or its link leads nowhere, ConfigError for a wrong ``pg_user``.
    """
    home = Path(os.path.abspath(settings.home.expanduser()))
    try:
        return _look(home, settings.pg_user)
    except PermissionError as error:
        raise ServerError(
            f"{error.filename} is inside a directory that is closed to us.",
            hint="Set QUIPU_HOME to a directory of your own.",
        ) from error


def make_place(settings: Settings) -> Place:
    """Return the place of the database, with its directories made; existing directories keep their mode.

    Raises ServerError if they cannot be made, besides the errors of ``find_place``.
    """
    place = find_place(settings)
    mode = 0o711 if place.account.borrowed else 0o700
    try:
        make_directories(place.home, mode)
        make_directories(place.state, mode)
        entry = place.home / "postgres"
        if not entry.exists():
            place.home_note.write_text(f"{place.home}\n", "utf-8")
            entry.symlink_to(place.state, target_is_directory=True)
    except FileExistsError:
        pass  # another process made the link a moment ago
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise ServerError(
            f"{error.filename} cannot be made: {error.strerror}.",
            hint="Set QUIPU_HOME to a directory of yours, or QUIPU_DATABASE_URL to a server.",
        ) from error
    return place


def forgotten() -> list[Path]:
    """Return databases of this machine's shelf whose home is gone or leads to another one by now."""
    found: list[Path] = []
    for note in MACHINE_DIRECTORY.glob("*/home"):
        entry = Path(note.read_text("utf-8").rstrip("\n")) / "postgres"
        if not entry.exists() or not entry.samefile(note.parent):
            found.append(note.parent)
    return sorted(found)


def _look(home: Path, pg_user: str | None) -> Place:
    entry = home / "postgres"
    if entry.is_symlink() and not entry.exists():
        raise ServerError(
            f"{entry} says that the database is in {entry.readlink()}, and there is nothing.",
            hint="Bring that directory back. To begin with an empty database instead, remove the link.",
        )
    _refuse_foreign(entry, user_id(), "run as that user, or set QUIPU_HOME to a directory of your own")
    account = serving_account(pg_user, data_owner_uid=_owner_uid(entry / "data"))
    _refuse_foreign(entry / "data", account.uid, "set QUIPU_PG_USER to that user")
    state = entry.resolve() if entry.exists() else _planned_state(home.resolve(), account)
    return Place(home=home, state=state, account=account)


def _planned_state(home: Path, account: Account) -> Path:
    if not account.borrowed or first_closed(home, account) is None:
        return home / "postgres"
    return MACHINE_DIRECTORY / digest(home)


def _refuse_foreign(path: Path, uid: int, way_out: str) -> None:
    owner = _owner_uid(path)
    if owner is not None and owner != uid:
        raise ServerError(
            f"{path} belongs to the user '{name_of(owner) or owner}', not to '{name_of(uid) or uid}'.",
            hint=f"Nothing was changed. Either {way_out}, or change its owner while no server runs.",
        )


def _owner_uid(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except (FileNotFoundError, NotADirectoryError):
        return None
