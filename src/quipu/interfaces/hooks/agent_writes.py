"""An agent that writes its own memory: what it is told, its command, and its server in Claude Code's files.

    {"mcpServers": {"quipu": {"command": "...", "args": ["-m", "quipu", "mcp", "--project"]}}}

An entry of that form, and a command file with our mark on it, are ours; what a person changed is theirs.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from quipu.errors import BadInput

Document = Mapping[str, Any]

SERVER: Final = "quipu"
_ARGUMENTS: Final = ["-m", "quipu", "mcp", "--project"]
_KEYS: Final = {"type", "command", "args", "env"}

_INSTRUCTION: Final = """\
You keep what will matter later of this person yourself, with the tool `remember` of the MCP server `quipu`.
Call it when they tell something of themselves, their work or their wishes that will still hold in later
sessions, when that changes, or when they ask you to remember.
- text: their own words. claims: one for each thing, a full sentence ("The user lives in Porto."), names
  instead of pronouns, with the exact words that it rests on.
- Not: secrets, tasks of this session, moods, what files say. The conversation is recorded anyway."""

_COMMAND: Final = """\
---
description: Keep something in memory for later sessions
argument-hint: what to remember
allowed-tools: mcp__quipu__remember
---
Remember for later sessions: $ARGUMENTS

Call the tool `remember` of the server `quipu` once.

- text: the first line above, word for word. If nothing stands behind its colon: "Remember: " and the last
  words of the user that will matter later, word for word.
- claims: one for each thing that it tells of the user or of somebody named: a full sentence ("The user lives
  in Porto."), names instead of pronouns, and the exact words that it rests on. None for anything else.

Then say in one line what was kept, and what was left out and why.
"""
_MARK: Final = re.compile(r"<!-- quipu hooks install: ([0-9a-f]{16}) -->\n?\Z")


def instruction(session: object) -> str:
    """Return the instruction that an agent gets when a session begins."""
    named = (
        f"\n- session, for words of earlier turns: {session}" if isinstance(session, str) and session else ""
    )
    return f"{_INSTRUCTION}{named}"


@dataclass(frozen=True, slots=True)
class Places:
    """Files in which an agent that writes is set up.

    ``servers`` lists the MCP servers, in the part of the project ``within`` if that is not None.
    """

    command: Path
    servers: Path
    within: str | None


@dataclass(frozen=True, slots=True)
class FileContent:
    """Content that a file is to have, None if it is to go; ``note`` says what stays as it is."""

    text: bytes | None
    note: str = ""


def command_text() -> bytes:
    """Return the file of the command, with a mark that tells whether somebody changed it."""
    return f"{_COMMAND}\n<!-- quipu hooks install: {_digest(_COMMAND)} -->\n".encode()


def command_wanted(before: bytes | None, *, writes: bool) -> FileContent:
    """Return the new content of the command's file; one that is not ours, or was changed, stays."""
    if before is None:
        return FileContent(command_text() if writes else None)
    text = before.decode("utf-8", "replace")
    mark = _MARK.search(text)
    if mark is not None and mark[1] == _digest(text[: mark.start()].removesuffix("\n")):
        return FileContent(command_text() if writes else None)
    if mark is None:
        return FileContent(before, "it is not of Quipu, and stays as it is" if writes else "")
    return FileContent(before, "it was changed by hand, and stays as it is")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def server(options: Mapping[str, str]) -> dict[str, Any]:
    """Return the entry of our server, for the options of the hooks."""
    space = ["--space", options["space"]] if "space" in options else []
    entry: dict[str, Any] = {"type": "stdio", "command": sys.executable, "args": [*_ARGUMENTS, *space]}
    return entry | ({"env": {"QUIPU_HOME": options["home"]}} if "home" in options else {})


def with_server(document: Document, entry: Document, within: str | None) -> tuple[dict[str, Any], str]:
    """Return the document with our server, and a note if somebody else's entry of its name stays.

    Raises:
        BadInput: the document is not what Claude Code would understand.
    """
    made = deepcopy(dict(document))
    servers = _part(_holder(made, within), "mcpServers")
    there = servers.get(SERVER)
    if there is not None and not _is_ours(there):
        return deepcopy(dict(document)), _OTHERS
    servers[SERVER] = dict(entry)
    return made, ""


def without_server(document: Document, within: str | None) -> tuple[dict[str, Any], str]:
    """Return the document without our server and what that leaves empty; a note if a changed one stays.

    Raises:
        BadInput: the document is not what Claude Code would understand.
    """
    made = deepcopy(dict(document))
    holder = _holder(made, within)
    servers = _part(holder, "mcpServers")
    there = servers.get(SERVER)
    if not _is_ours(there):
        return deepcopy(dict(document)), _CHANGED if _was_ours(there) else ""
    del servers[SERVER]
    if not servers:
        del holder["mcpServers"]
    if within is not None and not holder:
        del made["projects"][within]
        if not made["projects"]:
            del made["projects"]
    return made, ""


_OTHERS: Final = (
    "its entry quipu is not of the hooks, and stays as it is; see that it serves the space of the hooks"
)
_CHANGED: Final = "its entry quipu was changed by hand, and stays as it is"


def _holder(document: dict[str, Any], within: str | None) -> dict[str, Any]:
    return document if within is None else _part(_part(document, "projects"), within)


def _part(holder: dict[str, Any], name: str) -> dict[str, Any]:
    part = holder.setdefault(name, {})
    if not isinstance(part, dict):
        hint = "Correct it by hand, then install again; nothing was changed."
        raise BadInput("it is no object, so Claude Code would not read it either.", field=name, hint=hint)
    return cast("dict[str, Any]", part)


def _was_ours(entry: object) -> bool:
    """Return True if an entry begins as ours do."""
    arguments: object = cast("Document", entry).get("args") if isinstance(entry, dict) else None
    return isinstance(arguments, list) and cast("list[object]", arguments)[:4] == _ARGUMENTS


def _is_ours(entry: object) -> bool:
    """Return True if an entry is one that an installation makes, by whatever Python."""
    if not _was_ours(entry):
        return False
    document = cast("Document", entry)
    rest, beside = document["args"][4:], document.get("env", {})
    plain = not rest or (len(rest) == 2 and rest[0] == "--space")
    return plain and document.keys() <= _KEYS and set(beside) <= {"QUIPU_HOME"}
