"""Pending syncs that hooks wrote down: one small file each, which stays until it is done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DOING = ".doing"


@dataclass(frozen=True, slots=True)
class Pending:
    """A transcript to be synced, and where to: a space, or None for that of its project."""

    file: Path
    path: Path
    space: str | None

    def done(self) -> None:
        """Take it off the list. What was asked meanwhile stays on it."""
        self.file.unlink(missing_ok=True)


def take(folder: Path) -> Iterator[Pending]:
    """Yield what waits, also what an earlier service left unfinished. Files of others are skipped."""
    for file in sorted(folder.glob("*")):
        if file.name.startswith("."):
            continue
        doing = file if file.suffix == _DOING else file.with_name(f"{file.name}{_DOING}")
        if (one := _begun(file, doing)) is not None:
            yield one


def count(folder: Path) -> int:
    """Count the pending syncs."""
    return sum(not file.name.startswith(".") for file in folder.glob("*"))


def _begun(file: Path, doing: Path) -> Pending | None:
    """Rename a file, then read it: a hook that asks again meanwhile makes a file of its own."""
    try:
        file.replace(doing)
        told: Any = json.loads(doing.read_text("utf-8", "surrogateescape"))
        return Pending(doing, Path(told["path"]), told["space"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        doing.unlink(missing_ok=True)
        return None
