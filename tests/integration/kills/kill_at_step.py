"""A ``quipu`` command that is killed at one of its steps: ``kill_at_step.py STEP VICTIM NOTE HOME WORD…``.

A step is a round trip to the database, before and after it, a change of a file or the start of a program; of
those that a line of code does to many files one after the other, the first ten. STEP is its number, or
``EVENT:ENDING:NTH`` for the NTH of Python's audit events of that name whose first value ends so. VICTIM is
``command`` (this process), ``server`` (all processes of the database, this one goes on) or ``both``. With
STEP 0 nothing is killed. NOTE holds how many steps there were, or ``killed``.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from quipu.__main__ import main

_CHANGES = {
    *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate"),
    *("os.chmod", "os.chown", "subprocess.Popen", "shutil.copytree", "shutil.rmtree"),
}
_OF_A_PLACE = 10


class Steps:
    """Counts the steps, and kills at the chosen one."""

    def __init__(self, chosen: str, victim: str, note: Path, home: Path) -> None:
        self.count = 0
        self.killed = False
        self._chosen = int(chosen) if chosen.isdecimal() else 0
        self._named = None if chosen.isdecimal() else chosen.split(":")
        self._named_count = 0
        self._victim = victim
        self._note = note
        self._home = home
        self._seen: Counter[tuple[str, str, int]] = Counter()

    def step(self) -> None:
        self.count += 1
        if self.count == self._chosen:
            self._kill()

    def heard(self, event: str, values: tuple[Any, ...]) -> None:
        """What Python says of itself to an audit hook."""
        if self._named is not None and event == self._named[0] and str(values[0]).endswith(self._named[1]):
            self._named_count += 1
            if self._named_count == int(self._named[2]):
                self._kill()
        opens = event == "open" and isinstance(values[2], int) and bool(values[2] & (os.O_WRONLY | os.O_RDWR))
        if opens or event in _CHANGES:
            caller = sys._getframe(1)
            place = (event, caller.f_code.co_filename, caller.f_lineno)
            self._seen[place] += 1
            if self._seen[place] <= _OF_A_PLACE:
                self.step()

    def _kill(self) -> None:
        self.killed = True
        descriptor = os.open(self._note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(descriptor, b"killed")
        os.close(descriptor)
        if self._victim != "command":
            for pid in servers(self._home):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if self._victim != "server":
            os.kill(os.getpid(), signal.SIGKILL)


def servers(home: Path) -> list[int]:
    """The processes of all servers whose data lie below a home: a restore has one of its own."""
    found: list[int] = []
    for note in Path(os.path.realpath(home / "postgres")).rglob("postmaster.pid"):
        first = note.read_text().partition("\n")[0]
        children = Path(f"/proc/{first}/task/{first}/children")
        if first.isdecimal() and children.exists():
            found += [int(first), *map(int, children.read_text().split())]
    return found


def watch(steps: Steps) -> None:
    """Count from here on."""
    wait, wait_async = psycopg.Connection.wait, psycopg.AsyncConnection.wait

    def waiting(*given: Any, **named: Any) -> Any:
        steps.step()
        try:
            return wait(*given, **named)
        finally:
            steps.step()

    def waiting_async(*given: Any, **named: Any) -> Awaitable[Any]:
        return _both(steps.step, lambda: wait_async(*given, **named))

    psycopg.Connection.wait = waiting  # type: ignore[method-assign]
    psycopg.AsyncConnection.wait = waiting_async  # type: ignore[method-assign, assignment]
    sys.addaudithook(steps.heard)


async def _both(step: Callable[[], None], work: Callable[[], Awaitable[Any]]) -> Any:
    step()
    try:
        return await work()
    finally:
        step()


def run(chosen: str, victim: str, note: Path, home: Path, arguments: list[str]) -> None:
    """Run the command; the note is written whatever becomes of it."""
    steps = Steps(chosen, victim, note, home)
    sys.argv = ["quipu", *arguments]
    watch(steps)
    try:
        main()
    finally:
        if not steps.killed:
            note.write_text(str(steps.count))


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]), sys.argv[5:])
