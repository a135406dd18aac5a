"""Our entries in the settings of Claude Code: changes of the document, and installing them in the file.

    {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "...", "timeout": 10}]}]}}

Entries of others are never touched; ours are known by the program that they run.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from quipu.errors import BadInput
from quipu.interfaces.hooks import client, entries, settings_file

Document = Mapping[str, Any]

# Event of Claude Code, what our client calls it, and after how many seconds Claude Code ends the hook.
EVENTS: Final = (
    ("SessionStart", "session-start", 10),
    ("UserPromptSubmit", "prompt", 5),
    ("Stop", "stop", 5),
    ("SessionEnd", "session-end", 5),
)
_OURS: Final = re.compile(r"quipu[/\\]interfaces[/\\]hooks[/\\]client\.py")


@dataclass(frozen=True, slots=True)
class SettingsChange:
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
    arguments = "".join(f" --{name} {shlex.quote(value)}" for name, value in options.items())
    return {name: f"{program} -I -S {file} {name}{arguments} || true" for _, name, _ in entries.EVENTS}


def install(
    path: Path, options: Mapping[str, str], *, now: datetime, preview: bool = False
) -> SettingsChange:
    """Put our hooks into a settings file; what is there of others stays as it is.

    Raises:
        BadInput: the file cannot be read, understood or written; nothing was changed.
        Conflict: somebody else changed it meanwhile.
    """
    file = settings_file.read(path)
    made = entries.installed(file.document, commands(options))
    return _write(file, made, now=now, preview=preview)


def remove(path: Path, *, now: datetime, preview: bool = False) -> SettingsChange:
    """Take our hooks out of a settings file. Raises as ``install`` does."""
    file = settings_file.read(path)
    return _write(file, entries.removed(file.document), now=now, preview=preview)


def _write(
    file: settings_file.SettingsFile, made: Mapping[str, object], *, now: datetime, preview: bool
) -> SettingsChange:
    text = file.text(made).decode()
    if made == file.document:
        return SettingsChange(file.path, False, None, text)
    backup = None if preview else file.write(made, now=now)
    return SettingsChange(file.path, True, backup, text)


def installed(document: Document, commands: Mapping[str, str]) -> dict[str, Any]:
    """Return the document with our entries as they should be; ``commands`` has the command of each event.

    Raises:
        BadInput: the document is not what Claude Code would understand.
    """
    wanted = {
        event: {"type": "command", "command": commands[name], "timeout": seconds}
        for event, name, seconds in EVENTS
    }
    if _ours(document) == list(wanted.items()):
        return deepcopy(dict(document))
    made = removed(document)
    events = made.setdefault("hooks", {})
    for event, hook in wanted.items():
        events.setdefault(event, []).append({"hooks": [hook]})
    return made


def removed(document: Document) -> dict[str, Any]:
    """Return the document without our entries, and without what they leave empty.

    Raises:
        BadInput: the document is not what Claude Code would understand.
    """
    made = deepcopy(dict(document))
    events = _object("hooks", made.get("hooks", {}))
    for event in list(events):
        groups = _list(f"hooks.{event}", events[event])
        kept = [group for group in map(_without_ours, groups) if group is not None]
        if kept or not groups:
            events[event] = kept
        else:
            del events[event]
    if not events and _ours(document):
        del made["hooks"]
    return made


def found(document: Document) -> dict[str, list[str]]:
    """Return our commands in the document, by the event of Claude Code."""
    by_event: dict[str, list[str]] = {}
    for event, hook in _ours(document):
        by_event.setdefault(event, []).append(hook["command"])
    return by_event


def _without_ours(group: object) -> object:
    """Return a group of hooks without ours; None if nothing is left; unchanged if it has none of ours."""
    if not isinstance(group, dict):
        return group
    document = cast("Document", group)
    if not isinstance(document.get("hooks"), list):
        return document
    hooks = cast("list[object]", document["hooks"])
    kept = [hook for hook in hooks if not _is_ours(hook)]
    if len(kept) == len(hooks):
        return document
    return {**document, "hooks": kept} if kept else None


def _ours(document: Document) -> list[tuple[str, Document]]:
    """Return our hooks with their events, in the order of our events."""
    events = _object("hooks", document.get("hooks", {}))
    known = [event for event, _, _ in EVENTS]
    return [
        (event, hook)
        for event in [*(one for one in known if one in events), *(one for one in events if one not in known)]
        for group in _list(f"hooks.{event}", events[event])
        if isinstance(group, dict) and isinstance(hooks := cast("Document", group).get("hooks"), list)
        for hook in cast("list[Any]", hooks)
        if _is_ours(hook)
    ]


def _is_ours(hook: object) -> bool:
    command = cast("Document", hook).get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and _OURS.search(command) is not None


def _object(field: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput("it is no object, so Claude Code would not read it either.", field=field, hint=_MEND)
    return cast("dict[str, Any]", value)


def _list(field: str, value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise BadInput("it is no list, so Claude Code would not read it either.", field=field, hint=_MEND)
    return cast("list[object]", value)


_MEND: Final = "Correct it by hand, then install again; nothing was changed."
