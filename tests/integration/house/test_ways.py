"""The way of a call through the house: how many files one reads who follows it, in a process that is warm."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

import quipu
from quipu import Memory

ROOT: Final = str(Path(quipu.__file__).parent)
WATCHING: Final = ("/kernel/telemetry/", "/kernel/db/recorded.py")  # they look on, and are no step of it
TOLD: Final = [{"role": "user", "content": "My cat is called Tom."}]
WAYS: Final[dict[str, tuple[int, Callable[[Memory, str], object]]]] = {
    "list": (8, lambda memory, space: memory.longterm.list(space=space)),
    "observe": (25, lambda memory, space: memory.observe(TOLD, space=space, session="s1")),
    "recall": (22, lambda memory, space: memory.recall("What is my cat called?", space=space, limit=3)),
}
"""The most files that a call passes: a new step belongs into the module whose thought it is part of."""


@pytest.mark.parametrize("way", WAYS)
def test_a_call_passes_few_files(home: Path, way: str) -> None:
    most, call = WAYS[way]
    passed: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename.removeprefix(ROOT)
        if event == "call" and file != frame.f_code.co_filename and not file.startswith(WATCHING):
            passed.add(file)

    threading.setprofile(note)  # the loop runs in a thread, which begins with the memory
    try:
        with Memory(home=home) as memory:
            memory.observe(
                [{"role": "user", "content": "I moved to Lisbon in May."}], space="a", session="s1"
            )
            for _ in range(2):
                sys.setprofile(note)
                passed.clear()
                call(memory, "a")
                sys.setprofile(None)
            assert len(passed) <= most, sorted(passed)
    finally:
        threading.setprofile(None)
