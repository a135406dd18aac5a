"""Claude Code's recorded sessions: where they are, and which project each belongs to."""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import cast

from quipu.errors import NotFound
from quipu.record.model import Refusal
from quipu.record.readers import claude_code

_LINES_THAT_TELL = 200


def default_path() -> Path:
    """Where Claude Code keeps sessions: ``$CLAUDE_CONFIG_DIR/projects``, else ``~/.claude/projects``."""
    configured = os.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(configured) if configured else Path.home() / ".claude") / "projects"


def recordings(root: Path) -> list[Path]:
    """The files of recorded sessions below ``root``, or ``root`` itself where it is one.

    Raises:
        NotFound: there are none.
    """
    if not root.exists():
        raise NotFound(
            f"There is no {root}.", hint="Name the directory with the sessions, or one .jsonl file."
        )
    found = [root] if root.is_file() else list(claude_code.find(root))
    if not found:
        raise NotFound(
            f"No sessions of Claude Code are in {root}.",
            hint="They are .jsonl files in a folder per project.",
        )
    return found


def by_project(files: Sequence[Path]) -> Mapping[str, list[Path]]:
    """The files by the name of the directory that each session was started in."""
    found: defaultdict[str, list[Path]] = defaultdict(list)
    for path in files:
        found[project(path)].append(path)
    return found


def project(path: Path) -> str:
    """The name of the project that a session worked on; where it does not say, that of the file's folder."""
    with path.open("rb") as file:
        for line in islice(file, _LINES_THAT_TELL):
            if b'"cwd"' in line and (name := _last_part(line)):
                return name
    return path.parent.name


def messages(
    files: Sequence[Path], *, skipped: Counter[str] | None = None
) -> Iterator[Mapping[str, object] | Refusal]:
    """What people and agent said in the sessions, in turn; ``skipped`` counts the rest by kind."""
    for path in files:
        yield from claude_code.read(path, skipped=skipped)


def _last_part(line: bytes) -> str | None:
    try:
        told = json.loads(line)
    except ValueError:
        return None
    where: object = cast("dict[str, object]", told).get("cwd") if isinstance(told, dict) else None
    parts = [part for part in re.split(r"[\\/]", where) if part] if isinstance(where, str) else []
    return parts[-1] if parts else None
