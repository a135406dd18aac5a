"""Hooks over this test's database, whose service is ended with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from hook_process import Hooks

from quipu import AsyncMemory
from quipu.kernel.config import Settings

SAID = [
    {
        "id": "m1",
        "session": "old",
        "role": "user",
        "content": "The gangway of the boat squeaks since Monday.",
    },
    {"id": "m2", "session": "old", "role": "assistant", "content": "I oiled the hinges of the gangway."},
]


@pytest.fixture
def hooks(home: Path, url: str) -> Iterator[Hooks]:
    """Hooks with a home and a database of their own; no service runs yet."""
    made = Hooks(home, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    yield made
    made.stop()


@pytest.fixture
def known(settings: Settings) -> None:
    """Something was said in the project ``boat`` before."""

    async def say() -> None:
        async with AsyncMemory(settings=settings) as memory:
            await memory.observe(SAID, space="boat")

    anyio.run(say)
