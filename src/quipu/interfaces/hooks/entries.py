"""Our entries in the settings of Claude Code: pure changes of the document.

    {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "...", "timeout": 10}]}]}}

Entries of others are never touched; ours are known by the program that they run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, cast

from quipu.errors import BadInput

Document = Mapping[str, Any]

# Event of Claude Code, what our client calls it, and after how many seconds Claude Code ends the hook.
EVENTS: Final = (
    ("SessionStart", "session-start", 10),
    ("UserPromptSubmit", "prompt", 5),
    ("Stop", "stop", 5),
    ("SessionEnd", "session-end", 5),
)
_OURS: Final = re.compile(r"quipu[/\\]interfaces[/\\]hooks[/\\]client\.py")


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
    told = cast("Document", group)
    if not isinstance(told.get("hooks"), list):
        return told
    hooks = cast("list[object]", told["hooks"])
    kept = [hook for hook in hooks if not _is_ours(hook)]
    if len(kept) == len(hooks):
        return told
    return {**told, "hooks": kept} if kept else None


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
