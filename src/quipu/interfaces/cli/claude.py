"""Claude Code's recorded sessions: where they are, and which project each belongs to."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from quipu.errors import NotFound
from quipu.kinds.transcripts.formats.places import project
from quipu.record.readers import claude_code
from quipu.record.readers.jsonl import FromFile


def default_path() -> Path:
    """Return the directory of sessions: ``$CLAUDE_CONFIG_DIR/projects`` or ``~/.claude/projects``."""
    configured = os.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(configured) if configured else Path.home() / ".claude") / "projects"


def recordings(root: Path) -> list[Path]:
    """Return the files of recorded sessions below ``root``, or ``root`` itself if it is one.

    Raises:
        NotFound: there are none.
    """
    if not root.exists():
        raise NotFound(
            f"There is no {root}.", hint="Name the directory with the sessions, or one .jsonl file."
        )
    files = [root] if root.is_file() else list(claude_code.find(root))
    if not files:
        raise NotFound(
            f"No sessions of Claude Code are in {root}.",
            hint="They are .jsonl files in a folder per project.",
        )
    return files


def by_project(files: Sequence[Path]) -> Mapping[str, list[Path]]:
    """Group the files by the name of the directory that each session was started in."""
    projects: defaultdict[str, list[Path]] = defaultdict(list)
    for path in files:
        projects[project(path)].append(path)
    return projects


def messages(
    files: Sequence[Path],
    *,
    skipped: Counter[str] | None = None,
    inserted: claude_code.Inserted | None = None,
) -> FromFile:
    """Return the turns of people and agent in the sessions, in their order.

    ``skipped`` counts the rest by kind, ``inserted`` what the program itself wrote in the name of people.
    """
    return FromFile(
        one for path in files for one in claude_code.read(path, skipped=skipped, inserted=inserted)
    )
