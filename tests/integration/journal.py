"""What a process that may be killed at any moment was doing: written down before and after each call.

A line is on the disk before the call that it speaks of begins, and another one after the call returned. So
whoever reads it later knows what was acknowledged, and what was under way when the process died.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

BATCH = 400  # messages that an import takes in at once


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a writer. ``said`` are the messages of an observe or import, ``gone`` the ids of what a
    forget takes out, ``what`` names it."""

    do: str
    space: str
    said: Sequence[dict[str, Any]] = ()
    what: dict[str, str] = field(default_factory=dict)
    gone: Sequence[str] = ()


class Journal:
    """Append-only; every line is on the disk when ``begins`` or ``returned`` is through."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def begins(self, call: Call) -> None:
        self._write(asdict(call))

    def returned(self) -> None:
        self._write(None)

    def _write(self, entry: object) -> None:
        os.write(self._file, json.dumps(entry).encode() + b"\n")
        os.fsync(self._file)


@dataclass(slots=True)
class Account:
    """What must be there after calls of writers, what must not, and what may: calls that were cut off."""

    kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    cut_off: list[Call] = field(default_factory=list)

    def read(self, path: Path) -> int:
        """Take a writer's journal in; how many of its calls were acknowledged."""
        if not path.exists():
            return 0
        *whole, torn = path.read_bytes().split(b"\n")
        assert not torn or whole, "a line is written at once"
        entries = [json.loads(line) for line in whole]
        calls = [Call(**entry) for entry in entries if entry is not None]
        acknowledged = entries.count(None)
        for call in calls[:acknowledged]:
            self.count(call)
        self.cut_off += calls[acknowledged:]
        return acknowledged

    def count(self, call: Call) -> None:
        """Count a call as done."""
        self.kept |= {message["id"]: message | {"space": call.space} for message in call.said}
        for name in call.gone:
            del self.kept[name]
        self.forgotten |= set(call.gone)

    def differences(self, stored: dict[str, dict[str, Any]]) -> list[str]:
        """What of the messages in the database, by id, is not as this account says."""
        unsure = {name for call in self.cut_off for name in [*call.gone, *(m["id"] for m in call.said)]}
        sent = {m["id"]: m | {"space": call.space} for call in self.cut_off for m in call.said} | self.kept
        lost = sorted(self.kept.keys() - stored.keys() - unsure)
        back = sorted(self.forgotten & stored.keys())
        strange = sorted(stored.keys() - sent.keys() - self.forgotten)
        changed = sorted(name for name in stored.keys() & sent.keys() if stored[name] != sent[name])
        halves = [call.do for call in self.cut_off if _is_half(call, stored.keys())]
        found = {"lost": lost, "back": back, "strange": strange, "changed": changed, "half done": halves}
        return [f"{how}: {names}" for how, names in found.items() if names]


def _is_half(call: Call, stored: Any) -> bool:
    """Whether a call that was cut off did some of what is done all at once."""
    if call.do == "forget":
        return 0 < len(stored & set(call.gone)) < len(call.gone)
    ids = [message["id"] for message in call.said]
    batches = [ids[first : first + BATCH] for first in range(0, len(ids), BATCH)]
    if call.do == "observe":
        batches = [ids]
    there = [len(stored & set(batch)) for batch in batches]
    torn = any(0 < count < len(batch) for count, batch in zip(there, batches, strict=True))
    return torn or sorted(there, key=bool, reverse=True) != there
