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
from quipu.interfaces.hooks import agent_writes, client, entries, settings_file
from quipu.interfaces.hooks.agent_writes import FileContent, Places

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
    """Change of a file, done or previewed; ``backup`` is the file as it was. ``text`` is empty if it goes.

    ``note`` tells what in it stays as somebody else made it.
    """

    path: Path
    changed: bool
    backup: Path | None
    text: str
    note: str = ""


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


def places(folder: Path, *, project: bool, local: bool) -> Places:
    """Return where an agent that writes is set up: for the user, for a project, or for it on this machine."""
    own = user_settings().parent
    listed = own / ".claude.json" if os.environ.get("CLAUDE_CONFIG_DIR") else Path.home() / ".claude.json"
    if not (project or local):
        return Places(own / "commands" / "remember.md", listed, None)
    here = folder.resolve()
    command = here / ".claude" / "commands" / "remember.md"
    return Places(command, listed, str(here)) if local else Places(command, here / ".mcp.json", None)


def install(
    path: Path,
    options: Mapping[str, str],
    *,
    now: datetime,
    preview: bool = False,
    writing: Places | None = None,
) -> list[SettingsChange]:
    """Put our hooks into a settings file, and set up an agent that writes; what is of others stays as it is.

    ``writing`` is where that is set up, or taken away if the ``options`` have no ``agent-writes``. Files come
    in the order in which they are written, the settings last.

    Raises:
        BadInput: a file cannot be read, understood or written; nothing was changed.
        Conflict: somebody else changed one meanwhile.
    """
    file = settings_file.read(path)
    made = entries.installed(file.document, commands(options))
    writes = "agent-writes" in options
    before = _writing(writing, options if writes else None) if writing is not None else []
    return _written([*before, (file, _json(file, made))], now=now, preview=preview)


def remove(
    path: Path, *, now: datetime, preview: bool = False, writing: Places | None = None
) -> list[SettingsChange]:
    """Take our hooks out of a settings file, and an agent's writing down. Raises as ``install`` does."""
    file = settings_file.read(path)
    before = _writing(writing, None) if writing is not None else []
    removed_ = (file, _json(file, entries.removed(file.document)))
    return _written([*before, removed_], now=now, preview=preview)


def writes(document: Document) -> bool:
    """Return True if our hooks in the document tell the agent to write."""
    return any("--agent-writes" in command for told in entries.found(document).values() for command in told)


_File = tuple[settings_file.SettingsFile, FileContent]


def _writing(writing: Places, options: Mapping[str, str] | None) -> list[_File]:
    """Return the files of an agent that writes, and what they are to hold; without options they go."""
    command = settings_file.read_text(writing.command)
    servers = settings_file.read(writing.servers)
    if options is None:
        document, note = agent_writes.without_server(servers.document, writing.within)
    else:
        entry = agent_writes.server(options)
        document, note = agent_writes.with_server(servers.document, entry, writing.within)
    wanted = agent_writes.command_wanted(command.before, writes=options is not None)
    return [(command, wanted), (servers, _json(servers, document, note=note, may_go=True))]


def _json(
    file: settings_file.SettingsFile, made: Document, *, note: str = "", may_go: bool = False
) -> FileContent:
    """Return a document as its file is to hold it: as it stands if nothing changes."""
    if made == file.document:
        return FileContent(file.before, note)
    return FileContent(None if may_go and not made else file.text(made), note)


def _written(files: Sequence[_File], *, now: datetime, preview: bool) -> list[SettingsChange]:
    return [_write(file, wanted, now=now, preview=preview) for file, wanted in files]


def _write(
    file: settings_file.SettingsFile, wanted: FileContent, *, now: datetime, preview: bool
) -> SettingsChange:
    text = (wanted.text or b"").decode("utf-8", "replace")
    if wanted.text == file.before:
        return SettingsChange(file.path, False, None, text, wanted.note)
    backup = None
    if not preview and wanted.text is None:
        file.remove()
    elif not preview and wanted.text is not None:
        backup = file.put(wanted.text, now=now)
    return SettingsChange(file.path, True, backup, text, wanted.note)


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
