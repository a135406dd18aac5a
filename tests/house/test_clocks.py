"""Time: the clock that is handed in says when something happened, one that never jumps how long it took."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "quipu"
CLOCK_OF_THE_MACHINE = re.compile(r"\btime\.time\(|\bdatetime\.now\b|\butcnow\(|\bdate\.today\(")
MAY_ASK_IT = {
    "kernel/base/clock.py": "it is the clock that is handed in",
    "kernel/queue/saq.py": "SAQ dates its tickets by it",
    "upkeep/snapshots/shelf.py": "the age of a file, which the file system dated",
    "compat/adk/events.py": "an event may be dated ahead of it, a message may not",
    "compat/pydantic_ai.py": "an entry may be dated ahead of it, a message may not",
    "compat/mem0/payload.py": "when a memory was written, and what day it is",
    "compat/memory_stores/shapes.py": "when a store was made or archived",
    "interfaces/hooks/client.py": "the age of a file, which the file system dated",
    "interfaces/cli/commands/hooks.py": "the date in the name of a copy",
    "interfaces/cli/commands/transcripts_sqlite.py": "a date that is written",
    "interfaces/middleware/engine.py": "when a turn was",
    "interfaces/middleware/journal.py": "when a turn was",
    "interfaces/web/page_context.py": "a date that is shown",
}


def test_nothing_else_asks_the_clock_of_the_machine() -> None:
    asks = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if CLOCK_OF_THE_MACHINE.search(path.read_text("utf-8"))
    }
    assert asks <= set(MAY_ASK_IT), "measure how long something takes with time.monotonic"
    assert set(MAY_ASK_IT) <= asks, "who does not ask it any more needs no exception"
