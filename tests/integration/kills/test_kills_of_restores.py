"""Killed at any of the steps that change something, a restore in place is finished by the same command.

What a restore left unfinished is no part of the database's history: the log goes on as if it had not been.
"""

from __future__ import annotations

from pathlib import Path

import killed_home
import pytest
from killed_home import ROWS, Made

STEPS = {
    "before the log is replayed": "open:restoring/data/postgresql.auto.conf:1",
    "before the server that replays it is started": "open:restoring/server.log:1",
    "once the data are on a line of their own": "open:restoring/data/postgresql.auto.conf:2",
    "before the restored data are named as whole": "os.rename:restoring/data:1",
    "before the present data are put aside": "os.rename:/data:2",
    "when there are no data": "os.rename:/data.restored:1",
    "before what is left is removed": "shutil.rmtree:/restoring:1",
}
SHORT = "when there are no data"
RESTORE = ("backup", "restore", "--at", "{moment}", "--in-place", "--yes")


@pytest.mark.anyio
@pytest.mark.timeout(300)
@pytest.mark.parametrize("victim", ["command", pytest.param("both", marks=pytest.mark.long(only=True))])
@pytest.mark.parametrize(
    "step",
    [step if step == SHORT else pytest.param(step, marks=pytest.mark.long(only=True)) for step in STEPS],
)
async def test_a_restore_in_place_that_was_killed_is_finished_by_the_same_command(
    step: str, victim: str, homes: tuple[Made, Made], home: Path
) -> None:
    made = homes[0].copy(home / "killed")
    try:
        note, done = made.killed(RESTORE, step=STEPS[step], victim=victim)
        assert note == "killed", (done.stdout, done.stderr)
        quipu(made, *made.words(RESTORE))
        counts, faults = await killed_home.stored(made.home)
        assert faults == []
        assert counts["notes"] == ROWS
        assert killed_home.small(made.home)
        await goes_on(made, home / "later")
    finally:
        killed_home.put_away(made)


@pytest.mark.anyio
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "step",
    [
        pytest.param("once the data are on a line of their own", marks=pytest.mark.long(only=True)),
        "before the present data are put aside",
    ],
)
async def test_a_restore_that_was_killed_and_given_up_leaves_the_log_as_it_was(
    step: str, homes: tuple[Made, Made], home: Path
) -> None:
    made = homes[0].copy(home / "killed")
    try:
        note, done = made.killed(RESTORE, step=STEPS[step], victim="command")
        assert note == "killed", (done.stdout, done.stderr)
        before, _ = await killed_home.stored(made.home)
        assert before["notes"] < ROWS  # some of them were deleted after the moment
        await goes_on(made, home / "later")
    finally:
        killed_home.put_away(made)


async def goes_on(made: Made, later: Path) -> None:
    """What is written now is in a restore to the end of the log, beside all that was there."""
    quipu(made, "observe", "--space", "default", "--session", "z", "--id", "last", "The bridge is open.")
    counts, _ = await killed_home.stored(made.home)
    quipu(made, "backup", "restore", "--into", str(later), "--yes")
    restored, faults = await killed_home.stored(later)
    assert faults == []
    assert restored == counts


def quipu(made: Made, *arguments: str) -> None:
    """Run a command as a process of its own, and insist on its success."""
    done = made.quipu().process(*arguments)
    assert done.returncode == 0, done.stderr
