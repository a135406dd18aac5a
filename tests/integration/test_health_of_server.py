"""What the health of a memory tells of the server's standbys and of the archive of its log."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import anyio
import pytest
from patience import PATIENCE_SECONDS
from plain_server import plain_server, standby_of

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.upkeep.health import Health

pytestmark = pytest.mark.skipif(os.name != "posix", reason="it sends signals")


@pytest.fixture
def directory() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="quipu-test-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


async def told(memory: AsyncMemory, standbys: int, *, fails: bool) -> Health:
    """The health of the memory, once it is so."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while True:
            health = await memory.health()
            if (health.standbys, health.archive_fails) == (standbys, fails):
                return health
            await anyio.sleep(0.05)


async def test_standbys_and_a_log_that_cannot_be_archived_are_told(directory: Path) -> None:
    binaries = await embedded.programs(Settings(home=directory))
    archiving = ["archive_mode=on", "archive_command=false"]
    with ExitStack() as close:
        primary = close.enter_context(plain_server(binaries, directory / "first", settings=archiving))
        settings = Settings(database_url=primary, embedding_model="hashing")
        async with AsyncMemory(settings=settings) as memory:
            assert (await told(memory, 0, fails=False)).standby_lag_bytes is None
            with standby_of(primary, binaries, directory / "second"):  # its copy ends a file of the log
                lag = (await told(memory, 1, fails=True)).standby_lag_bytes
                assert lag is None or lag >= 0  # it is not known before the standby has said something
            assert (await told(memory, 0, fails=True)).standby_lag_bytes is None
