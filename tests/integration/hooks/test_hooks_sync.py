"""What was said reaches the memory when a turn or a session ends, also where no service runs just then."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import anyio
import pytest
from hook_process import Hooks, ended
from patience import PATIENCE_SECONDS, until
from stopped_server import stopped

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import EmbeddedServer

pytestmark = pytest.mark.anyio


def recorded(folder: Path, name: str, words: str) -> Path:
    """A transcript of the project ``boat`` with one prompt."""
    line = {
        "type": "user",
        "uuid": f"u-{name}",
        "sessionId": name,
        "timestamp": "2026-05-04T10:00:00.000Z",
        "cwd": "/home/dana/src/boat",
        "message": {"role": "user", "content": words},
    }
    path = folder / f"{name}.jsonl"
    path.write_text(json.dumps(line) + "\n")
    return path


async def said(settings: Settings, space: str = "boat") -> set[str]:
    async with AsyncMemory(settings=settings) as memory:
        return {hit.text for hit in await memory.recall("What about the mast?", space=space)}


async def test_the_end_of_a_turn_takes_in_what_was_said(
    hooks: Hooks, settings: Settings, tmp_path: Path
) -> None:
    path = recorded(tmp_path, "s-1", "The mast was painted green.")
    ran = hooks.run("stop", transcript_path=str(path))
    assert (ran.code, ran.printed) == (0, "")
    assert until(lambda: hooks.status().get("synced") == 1)
    assert await said(settings) == {"The mast was painted green."}
    assert hooks.status()["pending"] == 0
    assert hooks.log == ""


async def test_what_was_asked_of_a_killed_service_is_done_by_the_next(
    hooks: Hooks, settings: Settings, tmp_path: Path
) -> None:
    hooks.run("session-start")
    pid = hooks.status()["pid"]
    os.kill(pid, signal.SIGSTOP)
    path = recorded(tmp_path, "s-2", "The mast is 9 metres high.")
    asking = hooks.start("session-end", transcript_path=str(path))
    assert until(lambda: list((hooks.run_directory / "pending").glob("[!.]*")))
    os.kill(pid, signal.SIGKILL)
    assert ended(asking).code == 0
    hooks.run("session-start")
    assert until(lambda: hooks.status().get("synced") == 1)
    assert await said(settings) == {"The mast is 9 metres high."}


async def test_an_agent_goes_on_while_the_database_is_stopped_and_nothing_of_it_is_lost(
    hooks: Hooks, settings: Settings, server: EmbeddedServer, tmp_path: Path
) -> None:
    assert hooks.run("session-start").code == 0
    path = recorded(tmp_path, "s-5", "The mast was bent by the storm.")
    with stopped(server.pid):  # within the limits that hooks have, which a timer of theirs keeps
        asked = [hooks.start("prompt", limited=True, prompt="What about the mast?")]
        asked.append(hooks.start("session-start", limited=True))
        asked.append(hooks.start("stop", limited=True, transcript_path=str(path)))
        assert [(ran.code, ran.printed) for ran in map(ended, asked)] == [(0, "")] * 3
    hooks.run("stop", transcript_path=str(path))
    assert until(lambda: hooks.status().get("synced", 0) >= 1)
    assert await said(settings) == {"The mast was bent by the storm."}
    assert "The mast was bent" in hooks.run("prompt", prompt="What about the bent mast?").context


async def test_a_transcript_that_is_gone_is_noted_and_dropped(hooks: Hooks, tmp_path: Path) -> None:
    hooks.run("stop", transcript_path=str(tmp_path / "gone.jsonl"))
    assert until(lambda: "gone.jsonl" in hooks.log)
    assert until(lambda: hooks.status().get("pending") == 0)


async def test_the_next_session_is_told_of_the_one_that_was_taken_in(hooks: Hooks, tmp_path: Path) -> None:
    hooks.run("session-end", transcript_path=str(recorded(tmp_path, "s-3", "Tell me which ropes are worn.")))
    assert until(lambda: hooks.status().get("synced") == 1)
    told = hooks.run("session-start", session_id="s-4").context
    assert "## Recent Activity" in told
    assert "Tell me which ropes are worn." in told
    assert hooks.run("session-start", session_id="s-3").printed == ""


async def test_what_was_taken_in_elsewhere_is_made_findable_when_a_session_begins(
    hooks: Hooks, settings: Settings, tmp_path: Path
) -> None:
    async with AsyncMemory(settings=settings) as memory:
        await memory.transcripts.sync([recorded(tmp_path, "s-5", "The anchor was lost at Drejø.")])
        assert await memory.transcripts.waiting(space="boat") == 1
        hooks.run("session-start")
        with anyio.fail_after(PATIENCE_SECONDS):
            while await memory.transcripts.waiting(space="boat"):  # noqa: ASYNC110 - the service does it
                await anyio.sleep(0.05)
