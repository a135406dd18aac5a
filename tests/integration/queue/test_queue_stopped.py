"""A worker whose server is stopped waits it out, and goes on by itself: each job is done once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from errands import appears, started
from patience import PATIENCE_SECONDS
from stopped_server import stopped

from quipu.kernel.db.embedded import EmbeddedServer

if TYPE_CHECKING:
    from conftest import Works

pytestmark = pytest.mark.anyio
HERE = Path(__file__).resolve().parent
SILENT = re.compile("no answer within|does not answer")  # in the middle of a statement, or before one


@pytest.fixture
def carrier() -> str:
    return "postgresql"


@contextmanager
def process(works: Works, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker in a process of its own, for which a second without an answer is too long.

    On a busy machine that happens to jobs after the stop as well, so none is given up for it.
    """
    command = [sys.executable, str(HERE / "worker_process.py"), str(works.settings.database_url), "3"]
    path = os.pathsep.join([str(HERE.parents[2] / "src"), str(HERE), str(HERE.parents[1] / "fixtures")])
    environment = {"PYTHONPATH": path, "QUIPU_ANSWER_SECONDS": "1", "QUIPU_JOB_TRIES": "100"}
    with (
        log.open("w") as said,
        subprocess.Popen(command, env=environment, stdout=said, stderr=said) as running,
    ):
        try:
            yield running
        finally:
            running.kill()


async def test_a_worker_gives_up_broken_connections_and_does_what_waits_once(
    works: Works, server: EmbeddedServer, tmp_path: Path
) -> None:
    mark, go, log = tmp_path / "started", tmp_path / "go", tmp_path / "log"
    await works.put("note", {"until": str(go), **started(mark)}, key="held")
    for n in range(8):
        await works.put("note", {}, key=str(n))
    with process(works, log) as running:
        await appears(mark)
        with stopped(server.pid), anyio.fail_after(PATIENCE_SECONDS):
            while not SILENT.search(log.read_text()):  # noqa: ASYNC110 - it waits it out
                await anyio.sleep(0.05)
            go.touch()  # the job ends while nobody answers
            await anyio.sleep(1)
        await works.put("note", {}, key="later")
        try:
            await works.until_done()
        except AssertionError as waits:
            raise AssertionError(log.read_text()) from waits
        assert running.poll() is None
        running.send_signal(signal.SIGTERM)
        await anyio.to_thread.run_sync(running.wait)
    assert running.returncode == 0, log.read_text()
    done = sorted(trace["key"] for trace in await works.traces())
    assert done == sorted(["held", "later", *map(str, range(8))])
