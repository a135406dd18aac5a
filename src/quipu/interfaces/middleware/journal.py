"""Journal of what went wrong, in a file beside the memory: it outlives the program, without a database.

``quipu doctor`` reads it. A line holds a time, what failed, and why; no word of a conversation.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any, Final, cast, get_args

from quipu.errors import BadInput, QuipuError
from quipu.interfaces.middleware.model import Part
from quipu.kernel.base.text import excerpt
from quipu.kernel.redact import redact

_NAME: Final = "middleware.jsonl"
_BEFORE: Final = "middleware.old.jsonl"
_LONGEST_TROUBLE: Final = 300
_MOST_BYTES: Final = 256_000
_TOGETHER: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that failed ``times`` in a minute, from ``at`` on."""

    at: datetime
    part: Part
    trouble: str
    times: int = 1


def told(error: BaseException | None) -> str:
    """Describe an error for the journal; of bad input or a foreign error, only what it was.

    Messages of other libraries may quote what was said.
    """
    if isinstance(error, BadInput):
        return f"{type(error).__name__}: {error.field or 'what was handed in'} cannot be taken"
    if isinstance(error, (QuipuError, OSError)):
        return f"{type(error).__name__}: {excerpt(redact(str(error)).text, _LONGEST_TROUBLE)}"
    return type(error).__name__


class Journal:
    """Writes troubles to the file of a home. The same one is written once in a minute, then with its number.

    Where the file cannot be written, the counts of the middleware still have them.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = Lock()
        self._held: dict[tuple[Part, str], Trouble] = {}

    def note(self, part: Part, trouble: str, *, now: datetime | None = None) -> None:
        """Note that something failed."""
        at = now or datetime.now(UTC)
        with self._lock:
            self._write(self._past(at))
            held = self._held.get((part, trouble))
            if held is None:
                self._write([Trouble(at=at, part=part, trouble=trouble)])
                self._held[part, trouble] = Trouble(at=at, part=part, trouble=trouble, times=0)
            else:
                self._held[part, trouble] = Trouble(
                    at=held.at, part=part, trouble=trouble, times=held.times + 1
                )

    def close(self) -> None:
        """Write what is counted and not written yet."""
        with self._lock:
            self._write([one for one in self._held.values() if one.times])
            self._held.clear()

    def _past(self, now: datetime) -> list[Trouble]:
        """Return troubles held for a minute that is over, and let go of them."""
        over = [key for key, one in self._held.items() if now - one.at >= _TOGETHER]
        return [one for one in map(self._held.pop, over) if one.times]

    def _write(self, troubles: Sequence[Trouble]) -> None:
        if not troubles:
            return
        text = "".join(_line(one) for one in troubles)
        path = self._home / _NAME
        with suppress(OSError):
            self._home.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size > _MOST_BYTES:
                path.replace(self._home / _BEFORE)
            # Appended in one write: what several programs write does not mix.
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as file:
                file.write(text.encode("utf-8"))


def troubles(home: Path, *, since: datetime) -> list[Trouble]:
    """Return the troubles in a home's file since a time, earliest first; skip unreadable lines.

    Raises:
        OSError: it is there and cannot be read.
    """
    lines = [one for name in (_BEFORE, _NAME) for one in _read(home / name)]
    return [one for one in lines if one.at >= since]


def _line(one: Trouble) -> str:
    fields = {"at": one.at.isoformat(), "part": one.part, "trouble": one.trouble, "times": one.times}
    return json.dumps(fields, ensure_ascii=False) + "\n"


def _read(path: Path) -> Iterator[Trouble]:
    if not path.exists():
        return
    for line in path.read_text("utf-8", errors="replace").splitlines():
        with suppress(ValueError, KeyError, TypeError):  # cut off by a crash, or written by another version
            yield _trouble(cast("dict[str, Any]", json.loads(line)))


def _trouble(fields: dict[str, Any]) -> Trouble:
    part, times = fields["part"], fields["times"]
    at = datetime.fromisoformat(fields["at"])
    if part not in get_args(Part) or not isinstance(times, int) or at.tzinfo is None:
        raise ValueError(part)
    return Trouble(at=at, part=part, trouble=str(fields["trouble"]), times=times)
