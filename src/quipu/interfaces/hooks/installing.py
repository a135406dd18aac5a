"""Putting our hooks into the settings of Claude Code, and taking them out."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from quipu.errors import BadInput
from quipu.interfaces.hooks import client, entries, settings_file


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a settings file, done or previewed; ``backup`` is the file as it was."""

    path: Path
    changed: bool
    backup: Path | None
    text: str


def user_settings() -> Path:
    """Return the settings of the user: in ``$CLAUDE_CONFIG_DIR``, else in ``~/.claude``."""
    configured = os.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(configured).expanduser() if configured else Path.home() / ".claude") / "settings.json"


def project_settings(folder: Path, *, local: bool) -> Path:
    """Return the settings of a project: those that are shared, or those of this machine alone."""
    return folder.resolve() / ".claude" / ("settings.local.json" if local else "settings.json")


def commands(options: Mapping[str, str]) -> dict[str, str]:
    """Return the command of each hook, by event.

    It ends well whatever happens, even if this installation is gone: a hook that ends with exit code 2, as
    Python does for a missing file, would have Claude Code refuse the prompt.

    Raises:
        BadInput: this system has none of what hooks need.
    """
    if sys.platform == "win32":
        raise BadInput(
            "Hooks need Unix sockets and signals, which this system does not have.",
            hint="Use `quipu transcripts sync` and `quipu transcripts bootstrap` instead.",
        )
    program, file = shlex.quote(sys.executable), shlex.quote(str(Path(client.__file__).resolve()))
    given = "".join(f" --{name} {shlex.quote(value)}" for name, value in options.items())
    return {name: f"{program} -I -S {file} {name}{given} || true" for _, name, _ in entries.EVENTS}


def install(path: Path, options: Mapping[str, str], *, now: datetime, dry_run: bool = False) -> Change:
    """Put our hooks into a settings file; what is there of others stays as it is.

    Raises:
        BadInput: the file cannot be read, understood or written; nothing was changed.
        Conflict: somebody else changed it meanwhile.
    """
    file = settings_file.read(path)
    made = entries.installed(file.document, commands(options))
    return _write(file, made, now=now, dry_run=dry_run)


def remove(path: Path, *, now: datetime, dry_run: bool = False) -> Change:
    """Take our hooks out of a settings file. Raises as ``install`` does."""
    file = settings_file.read(path)
    return _write(file, entries.removed(file.document), now=now, dry_run=dry_run)


def _write(
    file: settings_file.SettingsFile, made: Mapping[str, object], *, now: datetime, dry_run: bool
) -> Change:
    text = file.text(made).decode()
    if made == file.document:
        return Change(file.path, False, None, text)
    backup = None if dry_run else file.write(made, now=now)
    return Change(file.path, True, backup, text)
