"""Killed in the middle, a sync is finished by the next one: nothing is lost and nothing is there twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from coding_sessions import World
from told import expected, sessions, tokens
from two_projects import world

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.upkeep.consistency import examine

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent.parent / "src"


def killed_after(home: Path, root: Path, transactions: int) -> int:
    """Start a sync and kill it after so many transactions; how it ended."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUIPU_")}
    command = [sys.executable, str(HERE / "sync_writer.py"), str(home), str(root)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, env=environment | {"PYTHONPATH": str(SOURCE)}
    ) as process:
        assert process.stdout is not None
        for _ in range(transactions):
            process.stdout.readline()
        process.kill()
        return process.wait()


async def test_a_sync_that_was_killed_is_finished_by_the_next(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "claude"
    made: World = world(root)
    for transactions in (1, 3):
        assert killed_after(home, root, transactions) == -9
    settings = Settings(home=home, embedding_model="hashing", shared_buffers_mb=16, pool_size=2)
    async with AsyncMemory(settings=settings) as memory:
        report = await memory.transcripts.sync([root], space="all")
        assert 0 < report.lines < sum(truth.lines for truth in made.sessions.values())
        server = await embedded.start(settings)
        async with server:
            url = server.conninfo()
            assert sessions(url) == expected(made)
            assert tokens(url) == made.tokens()
            await memory.recall("login", space="all")
            assert (await memory.transcripts.sync([root], space="all")).spaces == {}
            async with Database.open(url, settings, packages=PACKAGES) as database:
                assert await examine(database) == []
