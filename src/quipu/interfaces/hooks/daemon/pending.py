"""Taking in the transcripts that hooks name, one after the other; those that wait are kept in files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound, QuipuError
from quipu.interfaces.hooks.client import note
from quipu.kinds.transcripts.sync.model import SyncReport

COUNTED: Final = ("cut_characters", "foreign_characters", "unmatched_marks", "inserted_characters")


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
    """Yield the waiting transcripts, also those that an earlier service left unfinished; skip other files."""
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
        entry: Any = json.loads(doing.read_text("utf-8", "surrogateescape"))
        return Pending(doing, Path(entry["path"]), entry["space"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        doing.unlink(missing_ok=True)
        return None


async def sync_all(memory: AsyncMemory, home: str, folder: Path) -> Counter[str]:
    """Sync everything that waits; how many were ``synced``, and of ``COUNTED`` how much.

    What cannot be read is noted in the log and dropped; what failed for another reason waits for next time.
    """
    done: Counter[str] = Counter()
    for one in take(folder):
        try:
            report = await _sync(memory, one)
            for space in report.spaces.values():
                done.update({name: getattr(space, name) for name in COUNTED})
            for trouble in report.troubles:
                note(home, f"sync of {trouble.path}: {trouble.reason}")
        except (BadInput, NotFound, OSError) as error:
            note(home, f"sync of {one.path}: {error}")
        except QuipuError as error:
            note(home, f"sync of {one.path}, put off: {error}")
            continue
        except Exception as error:  # noqa: BLE001 - one file must not end the service, nor each one after it
            note(home, f"sync of {one.path}: {error!r}")
        one.done()
        done["synced"] += 1
    return done


async def catch_up(memory: AsyncMemory, home: str, space: str) -> None:
    """Make findable what was taken into a space elsewhere, so that its prompts need not wait for that."""
    try:
        await memory.transcripts.index(space=space)
    except Exception as error:  # noqa: BLE001 - as above: what is not found yet is no reason to end
        note(home, f"index of {space}: {error!r}")


async def _sync(memory: AsyncMemory, one: Pending) -> SyncReport:
    """Take in what is new, and make it findable now, so that no later prompt waits for that."""
    beside = one.path.with_suffix("")  # subagents, and outputs too long for a line
    roots = [one.path, beside] if beside.is_dir() else [one.path]
    report = await memory.transcripts.sync(roots, space=one.space)
    for space in report.spaces:
        await memory.transcripts.index(space=space)
    return report
