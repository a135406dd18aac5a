"""Processes beside each other: one that dies is replaced, one that does not end is killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import pytest
from patience import PATIENCE_SECONDS

from quipu.interfaces.serving.supervisor import Command, Supervisor

pytestmark = pytest.mark.anyio

NOTED = """
import os, sys
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()} {sys.stdin.readline()}")
"""
READY = f"{NOTED}\nprint('ready', flush=True)\n"


def command(code: str, notes: Path) -> Command:
    return Command([sys.executable, "-c", code, str(notes)], b"given\n")


def supervisor(gone: list[int], *, grace_seconds: float = PATIENCE_SECONDS) -> Supervisor:
    return Supervisor(environment=os.environ, inherited=(), grace_seconds=grace_seconds, gone=gone.append)


async def test_one_that_dies_is_replaced_until_all_are_to_end(tmp_path: Path) -> None:
    gone: list[int] = []
    kept = supervisor(gone)
    notes = tmp_path / "notes"
    dies = command(READY, notes)
    stays = command(f"{READY}\nsys.stdin.read()", tmp_path / "other")
    ready: list[bool] = []
    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as tasks:

            async def until_three() -> None:
                while len(gone) < 3:  # noqa: ASYNC110 - it is the supervisor that is told
                    await anyio.sleep(0.01)
                kept.leave()

            tasks.start_soon(until_three)
            assert await kept.run([stays, dies], ready=lambda: ready.append(True)) == 0
    assert ready == [True]
    lines = notes.read_text().splitlines()
    assert len({line.split()[0] for line in lines}) == len(lines) >= 3
    assert {line.split()[1] for line in lines} == {"given"}


async def test_one_that_does_not_end_is_killed(tmp_path: Path) -> None:
    gone: list[int] = []
    kept = supervisor(gone, grace_seconds=0.1)
    deaf = command(f"{READY}\nimport time\nwhile True: time.sleep(1)", tmp_path / "notes")
    with anyio.fail_after(PATIENCE_SECONDS):
        assert await kept.run([deaf], ready=kept.leave) == 0
    assert len(gone) == 1


async def test_one_that_cannot_begin_ends_all_with_its_exit_code(tmp_path: Path) -> None:
    kept = supervisor([])
    fails = command(f"{NOTED}\nsys.exit(7)", tmp_path / "notes")
    others = command(READY, tmp_path / "others")
    with anyio.fail_after(PATIENCE_SECONDS):
        assert await kept.run([fails, others], ready=lambda: pytest.fail("it is not")) == 7
    assert not (tmp_path / "others").exists()
