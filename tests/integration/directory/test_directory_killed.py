"""A move that is killed at any of its steps: the space is in one place, whole, and the same move ends it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from examined import insist
from long_form import sized
from seeding import SESSION, USER
from spread_databases import Home, Spread

from quipu import AsyncMemory
from quipu.errors import DatabaseUnavailable

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name != "posix", reason="it sends signals")]
HERE = Path(__file__).resolve().parent
SEED = os.environ.get("QUIPU_KILL_SEED") or str(random.SystemRandom().randrange(10**6))
WORDS = [f"Una saw {number} boats." for number in range(40)]


def move(spread: Spread, step: int, target: str, directory: Path) -> str:
    """Run the command, killed at a step (0: at none); how many steps there were, or ``killed``."""
    note = directory / "note"
    note.unlink(missing_ok=True)
    script = HERE.parent / "kills" / "kill_at_step.py"
    words = ("databases", "move", "a", "--to", target, "--yes", "--quiet")
    done = subprocess.run(
        [sys.executable, script, str(step), "command", note, directory, *words],
        env={
            **os.environ,
            "QUIPU_HOME": str(directory),
            "QUIPU_DIRECTORY_URL": spread.directory,
            "QUIPU_EMBEDDING_MODEL": "hashing",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert step or done.returncode == 0, done.stderr
    return note.read_text() if note.exists() else done.stderr


async def rows(memory: AsyncMemory, space: str) -> list[tuple[str, str]]:
    return [(one.id, one.content) for one in await memory.messages(SESSION, space=space)]


async def places(spread: Spread) -> list[str]:
    found: list[str] = []
    for name in spread.databases:
        async with spread.plain(name) as plain:
            assert await plain.space_names() in ([], ["a"]), "something is on its way for ever"
            found += [name] * len(await plain.space_names())
            await insist(plain)
    return found


@pytest.mark.long
async def test_a_killed_move_is_finished_by_the_same_move(
    memory: AsyncMemory, only: Home, spread: Spread, tmp_path: Path
) -> None:
    async with only("one"):
        said = [{"id": str(n), "content": words, "user": USER} for n, words in enumerate(WORDS)]
        await memory.observe(said, space="a", session=SESSION)
        await memory.tables.execute("create table boats (id int primary key)", space="a")
        await memory.tables.insert("boats", [{"id": n} for n in range(10)], space="a")
    before = await rows(memory, "a")
    steps = int(move(spread, 0, "two", tmp_path))
    assert steps > 50
    assert await places(spread) == ["two"]
    chance, target, killed = random.Random(SEED), "one", 0
    for _ in range(sized(3, long=30)):
        killed += move(spread, chance.randrange(steps // 4, steps), target, tmp_path) == "killed"
        async with spread.memory() as fresh:
            with suppress(DatabaseUnavailable):  # it was killed between its last two steps
                assert await rows(fresh, "a") == before, f"seed {SEED}"
            await fresh.databases.move("a", target, confirm=True)
            assert await rows(fresh, "a") == before, f"seed {SEED}"
            boats = await fresh.tables.query("select count(*) as boats from boats", space="a")
            assert boats.results == ({"boats": 10},)
        assert await places(spread) == [target], f"seed {SEED}"
        target = "two" if target == "one" else "one"
    assert killed > 0
