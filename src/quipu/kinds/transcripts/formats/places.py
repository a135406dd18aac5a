"""Places where agents keep what they record, and what each file there is."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final, cast

from quipu.kernel.base.lines import NO_FILE, all_of, is_regular, open_regular

_NO_SESSIONS: Final = frozenset({"journal.jsonl", "history.jsonl"})
_LINES_THAT_TELL: Final = 200
_TELLING_BYTES: Final = 1024 * 1024
_AT_HOME: Final = (".claude", ".config/claude", ".claude-sneakpeek/claudesp/config", ".codex")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file with lines of sessions, as it was when it was found."""

    path: Path
    size_bytes: int
    modified_at: datetime


@dataclass(slots=True)
class Sources:
    """Files below some roots. ``troubles`` are places that could not be read, by path, with the reason."""

    transcripts: list[Transcript] = field(default_factory=list[Transcript])
    histories: list[Path] = field(default_factory=list[Path])
    indexes: list[Path] = field(default_factory=list[Path])
    teams: list[Path] = field(default_factory=list[Path])
    tasks: list[Path] = field(default_factory=list[Path])
    troubles: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def default_roots(environment: Mapping[str, str] = os.environ, home: Path | None = None) -> list[Path]:
    """Return the places where agents keep sessions, as far as they exist.

    ``$CLAUDE_CONFIG_DIR`` takes the place of ``~/.claude``; several, separated by commas, are all taken.
    """
    home = home or Path.home()
    told = environment.get("CLAUDE_CONFIG_DIR")
    usual = [home / name for name in _AT_HOME]
    if told:
        usual = [*(Path(one.strip()).expanduser() for one in told.split(",") if one.strip()), *usual[1:]]
    if codex := environment.get("CODEX_HOME"):
        usual[-1] = Path(codex).expanduser()
    return [root for root in usual if root.is_dir()]


def find(roots: Iterable[Path]) -> Sources:
    """Find everything below the roots, or at a root; nothing twice, whatever links there are."""
    sources = Sources()
    seen: set[tuple[int, int]] = set()
    for root in roots:
        root = root.expanduser()
        if root.is_dir():
            _walk(root, sources, seen)
        elif os.path.lexists(root):
            _take(root, sources, seen)
        else:
            sources.troubles.append((str(root), "it is not there."))
    return sources


def _walk(root: Path, sources: Sources, seen: set[tuple[int, int]]) -> None:
    # Only what can hold sessions: the whole directory of an agent has much else in it.
    inner = [root / name for name in ("projects", "sessions", "archived_sessions", "teams", "tasks")]
    is_agents = (root / "projects").is_dir() or (root / "sessions").is_dir()
    tops = [path for path in inner if path.is_dir()] if is_agents else [root]
    if (root / "history.jsonl").is_file():
        _take(root / "history.jsonl", sources, seen)
    pending = list(reversed(tops))
    while pending:
        here = pending.pop()
        try:
            key = _key(here.stat())
            names = sorted(os.listdir(here)) if key not in seen else []
        except OSError as failed:
            sources.troubles.append((str(here), _reason(failed)))
            continue
        seen.add(key)
        for path in (here / name for name in names):
            if path.is_dir():
                pending.append(path)
                if path.suffix == ".jsonl":
                    sources.troubles.append((str(path), "it is a directory."))
            elif path.suffix in (".jsonl", ".json"):
                _take(path, sources, seen)


def _take(path: Path, sources: Sources, seen: set[tuple[int, int]]) -> None:
    """Put a file where it belongs."""
    try:
        stat = path.stat()
    except OSError as failed:
        sources.troubles.append((str(path), _reason(failed)))
        return
    if not is_regular(stat):
        sources.troubles.append((str(path), f"{NO_FILE}."))
        return
    if _key(stat) in seen:
        return
    seen.add(_key(stat))
    if path.suffix == ".jsonl":
        if path.name == "history.jsonl":
            sources.histories.append(path)
        elif path.name not in _NO_SESSIONS:
            modified = datetime.fromtimestamp(stat.st_mtime, UTC)
            sources.transcripts.append(Transcript(path, stat.st_size, modified))
    elif path.name == "sessions-index.json":
        sources.indexes.append(path)
    elif path.name == "config.json" and path.parent.parent.name == "teams":
        sources.teams.append(path)
    elif path.parent.parent.name == "tasks":
        sources.tasks.append(path)


def _key(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_dev, stat.st_ino


def _reason(failed: OSError) -> str:
    return f"it cannot be read: {failed.strerror or failed}."


def home_of(path: Path) -> Path:
    """Return the file that names a transcript's project: a subagent's session, if that exists."""
    tx = next((up.parent for up in path.parents if up.name == "subagents"), None)
    if tx is not None and (session := tx.with_suffix(".jsonl")).is_file():
        return session
    return path


def project(path: Path) -> str:
    """Return the project's name that a session worked on; else that of the file's folder.

    Raises:
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        told = 0
        for line in islice(iter(lambda: file.readline(_TELLING_BYTES), b""), _LINES_THAT_TELL):
            told += len(line)
            if b'"cwd"' in line and (name := last_part(_cwd(line))):
                return name
            if told > 8 * _TELLING_BYTES:
                break
    return path.parent.name


def last_part(where: object) -> str | None:
    """Return the last name in a path of any system."""
    parts = [part for part in re.split(r"[\\/]", where) if part] if isinstance(where, str) else []
    return parts[-1] if parts else None


def _cwd(line: bytes) -> object:
    try:
        said: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    record = cast("dict[str, object]", said)
    payload = record.get("payload")
    inner = cast("dict[str, object]", payload).get("cwd") if isinstance(payload, dict) else None
    return record.get("cwd") or inner


def agent_of(path: Path) -> tuple[str, Mapping[str, object]] | None:
    """Return a subagent's id and its ``agent-….meta.json``; None for any other file."""
    if not path.name.startswith("agent-"):
        return None
    beside = path.with_suffix(".meta.json")
    try:
        with open_regular(beside) as file:
            told: object = json.loads(all_of(file) or b"")
    except (OSError, ValueError, RecursionError):
        told = {}
    return path.stem.removeprefix("agent-"), cast("Mapping[str, object]", told) if isinstance(
        told, dict
    ) else {}
