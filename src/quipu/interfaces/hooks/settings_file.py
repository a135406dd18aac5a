"""A file of Claude Code: read with care, kept as it was beside, replaced in one step."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from quipu.errors import BadInput, Conflict
from quipu.kernel.base.lines import open_regular

_MOST_BYTES = 16 << 20
_INDENT = re.compile(rb"^\{\s*?\n([ \t]+)\"")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Content of a file of settings. ``path`` is the place of the data: a link is followed.

    ``before`` is None if there is no file yet; ``document`` is empty for one that holds no JSON.
    """

    path: Path
    before: bytes | None
    document: Mapping[str, Any]

    def text(self, document: Mapping[str, Any]) -> bytes:
        """Return the document as it would be written, indented as the file is."""
        indent: int | str = 2
        if self.before is not None and (match := _INDENT.match(self.before)):
            indent = match[1].decode()
        return json.dumps(document, indent=indent, ensure_ascii=False).encode() + b"\n"

    def write(self, document: Mapping[str, Any], *, now: datetime) -> Path | None:
        """Put the document in the place of the old one, as ``put`` does."""
        return self.put(self.text(document), now=now)

    def put(self, text: bytes, *, now: datetime) -> Path | None:
        """Put a text in the place of the old one, with its mode and owner; where the old one is kept.

        Raises:
            Conflict: somebody else changed the file since it was read.
            BadInput: it cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            backup = None if self.before is None else self._keep(now)
            self._replace(text)
        except OSError as error:
            raise BadInput(
                f"{error.filename or self.path} cannot be written: {error.strerror}.",
                hint="Correct its owner or mode, then try again.",
            ) from error
        return backup

    def remove(self) -> None:
        """Take the file away, and its directory if that is empty then.

        Raises:
            Conflict: somebody else changed it since it was read.
            BadInput: it cannot be taken away.
        """
        if _content(self.path) != self.before:
            raise Conflict(f"{self.path} was changed a moment ago.", hint="Try again.")
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(
                f"{self.path} cannot be removed: {error.strerror}.", hint="Remove it by hand."
            ) from error
        with suppress(OSError):
            self.path.parent.rmdir()

    def _replace(self, text: bytes) -> None:
        handle, name = mkstemp(prefix=f".{self.path.name}-", dir=self.path.parent)
        made = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            self._dress(made)
            if _content(self.path) != self.before:
                raise Conflict(f"{self.path} was changed a moment ago.", hint="Try again.")
            made.replace(self.path)
        finally:
            made.unlink(missing_ok=True)

    def _keep(self, now: datetime) -> Path:
        """Copy the file as it was, readable by nobody who cannot read the file."""
        backup = self.path.with_name(f"{self.path.name}.{now:%Y%m%dT%H%M%S%fZ}.quipu-backup")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(backup, flags, 0o600), "wb") as file:
            file.write(self.before or b"")
        self._dress(backup)
        return backup

    def _dress(self, made: Path) -> None:
        """Give a new file the mode and the owner of the old one, else those of any new file."""
        if self.before is None:
            mask = os.umask(0)
            os.umask(mask)
            made.chmod(0o666 & ~mask)
            return
        info = self.path.stat()
        made.chmod(stat.S_IMODE(info.st_mode))
        if (info.st_uid, info.st_gid) != (os.geteuid(), os.getegid()):
            os.chown(made, info.st_uid, info.st_gid)


def read(path: Path) -> SettingsFile:
    """Read the settings file; an empty document if there is none.

    Raises:
        BadInput: it is no JSON object, says a thing twice, or cannot be read.
    """
    path = Path(os.path.realpath(path))
    content = _content(path)
    if content is None or not content.strip():
        return SettingsFile(path, content, {})
    try:
        document: object = json.loads(content, object_pairs_hook=_once)
    except ValueError as error:
        raise BadInput(
            f"{path} cannot be read as JSON: {error}.",
            hint="Correct it by hand, then try again; nothing was changed.",
        ) from error
    if not isinstance(document, dict):
        raise BadInput(f"{path} holds no JSON object.", hint="Correct it by hand; nothing was changed.")
    return SettingsFile(path, content, document)  # pyright: ignore[reportUnknownArgumentType]


def read_text(path: Path) -> SettingsFile:
    """Read a file that holds no JSON. Raises BadInput if it cannot be read."""
    path = Path(os.path.realpath(path))
    return SettingsFile(path, _content(path), {})


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object if its names are all different: of two equal ones, writing would lose one."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it has {twice!r} twice in one object")
    return made


def _content(path: Path) -> bytes | None:
    try:
        with open_regular(path) as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read: {error.strerror}.", hint="Correct its owner or mode."
        ) from error
    if len(content) > _MOST_BYTES:
        raise BadInput(f"{path} has more than 16 MiB; that is no settings file.")
    return content
