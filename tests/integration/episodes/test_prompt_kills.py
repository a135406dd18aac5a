"""A worker that is killed while its agent thinks: another answers the prompt, once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from signal import SIGKILL
from subprocess import DEVNULL

import anyio
import pytest
from cli_process import SOURCE, CommandLine
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.episodes.queues import CHUNKER, PROMPTS

pytestmark = pytest.mark.anyio

AGENT = """
import pathlib, time
thinks = pathlib.Path(__file__).with_suffix(".thinks")

def answer(asked):
    if thinks.exists():
        return "The second has answered."
    thinks.write_text("now")
    time.sleep(3600)
"""

DEADLY = """
import os, signal

def answer(asked):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def worker_of(agent: str, url: str, folder: Path) -> CommandLine:
    return CommandLine(
        folder,
        {
            "QUIPU_DATABASE_URL": url,
            "QUIPU_EMBEDDING_MODEL": "hashing",
            "QUIPU_AGENT": agent,
            "QUIPU_JOB_LEASE_SECONDS": "1",
            "PYTHONPATH": f"{SOURCE}:{folder}",
        },
    )


@contextmanager
def killed(quipu: CommandLine, thinks: Path) -> Iterator[None]:
    """A worker that is killed (SIGKILL) when its agent thinks and the block has begun."""
    with quipu.start("worker", "--topics", PROMPTS, stdout=DEVNULL, stderr=DEVNULL) as running:
        try:
            yield
        finally:
            running.kill()


async def test_the_prompt_of_a_worker_that_was_killed_in_mid_answer_is_answered_once(
    settings: Settings, url: str, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_agent.py").write_text(AGENT)
    monkeypatch.syspath_prepend(str(tmp_path))
    thinks = tmp_path / "slow_agent.thinks"
    named = replace(settings, tuned={**settings.tuned, "agent": "slow_agent:answer"}, job_lease_seconds=1)
    quipu = worker_of("slow_agent:answer", url, tmp_path)
    async with AsyncMemory(settings=named) as memory:
        prompt = await memory.conversations.prompt("Do roses like shade?", space="a", session="s", user="ana")
        with killed(quipu, thinks), anyio.fail_after(PATIENCE_SECONDS):
            while not thinks.exists():  # noqa: ASYNC110 - another process writes it
                await anyio.sleep(0.02)
        assert (await memory.conversations.prompts(space="a"))[0].status == "waiting"
        await memory.work(topics=[PROMPTS])
        answered = await memory.conversations.await_reply(prompt.id, space="a")
        assert (answered.status, answered.reply) == ("answered", "The second has answered.")
        shown = await memory.conversations.get("s", space="a")
        assert [(one.role, one.content) for one in shown.messages] == [
            ("user", "Do roses like shade?"),
            ("assistant", "The second has answered."),
        ]
        assert (await memory.work(topics=[PROMPTS])).done == 0
        assert (await memory.work(topics=[CHUNKER])).done == 1
    sys.modules.pop("slow_agent", None)


async def test_a_prompt_whose_worker_dies_at_each_try_fails(
    settings: Settings, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stayed ``waiting``: only a worker that lived could write down that it had failed."""
    (tmp_path / "deadly_agent.py").write_text(DEADLY)
    monkeypatch.syspath_prepend(str(tmp_path))
    quipu = worker_of("deadly_agent:answer", url, tmp_path)
    named = replace(
        settings, tuned={**settings.tuned, "agent": "deadly_agent:answer"}, job_lease_seconds=1, job_tries=1
    )
    async with AsyncMemory(settings=named) as memory:
        prompt = await memory.conversations.prompt("Well?", space="a", session="s")
        with quipu.start("worker", "--topics", PROMPTS, stdout=DEVNULL, stderr=DEVNULL) as running:
            ended = partial(running.wait, timeout=PATIENCE_SECONDS)
            assert await anyio.to_thread.run_sync(ended) == -SIGKILL
        assert (await memory.work(topics=[PROMPTS])).dead == 1
        found = await memory.conversations.await_reply(prompt.id, space="a")
        assert (found.status, found.prompt) == ("failed", "Well?")
        assert "listed as dead" in (found.error or "")
