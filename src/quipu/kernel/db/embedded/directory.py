"""Directories: making them, giving them to an account, and who may pass through them."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from quipu.errors import ServerError
from quipu.kernel.db.embedded.account import Account


def make_directories(path: Path, mode: int) -> None:
    """Make what is missing down to ``path``. The mode is set apart from mkdir, which would let the umask
    cut it; directories that are there keep theirs."""
    for part in (*reversed(path.parents), path):
        if not part.exists():
            part.mkdir(exist_ok=True)
            part.chmod(mode)


def make_private(path: Path, account: Account) -> None:
    """Make a 0700 directory of ``account``; refuse one that somebody else made, as anyone can in /tmp.

    An empty one of ours that was not handed over yet is finished: whoever made it was killed just then.
    """
    if sys.platform == "win32":
        path.mkdir(exist_ok=True)
        return
    try:
        path.mkdir(mode=0o700)
        give(path, account)
    except FileExistsError:
        info = path.lstat()
        if _is_unfinished(path, info, account):
            give(path, account)
        elif not stat.S_ISDIR(info.st_mode) or info.st_uid != account.uid or info.st_mode & 0o077:
            raise ServerError(
                f"{path} must be a directory of '{account.name}' that is closed to all others (mode 0700).",
                hint="Look who made it, then remove it or correct its owner and mode.",
            ) from None


def _is_unfinished(path: Path, info: os.stat_result, account: Account) -> bool:
    ours = account.borrowed and info.st_uid == os.geteuid() and not info.st_mode & 0o077
    return ours and stat.S_ISDIR(info.st_mode) and not any(path.iterdir())


def give(path: Path, account: Account) -> None:
    """Hand a path that we made over to the account, if it is not ours."""
    if sys.platform != "win32" and account.borrowed:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def first_closed(path: Path, account: Account) -> Path | None:
    """Return the topmost directory on the way to ``path`` whose mode closes it to ``account``, or None."""
    for part in (*reversed(path.parents), path):
        if part.is_dir() and not _may_enter(part.stat(), account):
            return part
    return None


def _may_enter(info: os.stat_result, account: Account) -> bool:
    if info.st_uid == account.uid:
        return bool(info.st_mode & stat.S_IXUSR)
    if info.st_gid == account.gid:
        return bool(info.st_mode & stat.S_IXGRP)
    return bool(info.st_mode & stat.S_IXOTH)
