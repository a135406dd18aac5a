"""Killed at any of its steps, a command has done all of it or a part that the same command finishes.

At a step the command dies, or the server under it, or both. Then the database opens, everything in it fits
together, nothing of before is lost, what is done at once is done or not, and the same command again brings
what it would have brought without the kill.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import killed_home
import pytest
from kill_rounds import rounds
from killed_home import ROWS, Made

ROUNDS = rounds("commands", short=2, long=60)
SEED = os.environ.get("QUIPU_KILL_SEED") or str(random.SystemRandom().randrange(10**6))
VICTIMS = ("command", "server", "both")


@dataclass(frozen=True)
class Act:
    """A command. ``whole``: it is done or not; else in parts, each done or not. ``loose``: counts of what
    follows later, as time allows. ``empty``: there is no home yet."""

    arguments: tuple[str, ...]
    whole: bool = True
    given: str = ""
    more: dict[str, str] = field(default_factory=dict)
    loose: tuple[str, ...] = ()
    empty: bool = False


WHERE = ("--space", "default")
FILED = ("core.recall_entries", "core.recall_vectors")  # of lines they are made when they are first searched
LINES = json.dumps([{"id": n, "body": f"more {n}"} for n in range(1_000, 1_000 + ROWS)])
ACTS = {  # where fewer kills are asked for than there are commands, the first of them are killed
    "observe": Act(("observe", *WHERE, "--session", "c", "--id", "new", "The harbour is frozen.")),
    "import of JSON lines": Act(("import", "jsonl", "{directory}/lines.jsonl", *WHERE), whole=False),
    "restore of a snapshot": Act(("snapshots", "restore", "{snapshot}", "--yes", *WHERE), loose=FILED),
    "forget of a person": Act(("forget", *WHERE, "--user", "Bo", "--yes")),
    "sync": Act(("transcripts", "sync", "{directory}/claude", *WHERE), whole=False, loose=FILED),
    "insert of many rows": Act(
        ("tables", "insert", "--table", "notes", "--data", "-", *WHERE), given=LINES, loose=FILED
    ),
    "first start": Act(("migrate",), empty=True),
    "import of Claude Code": Act(
        ("import", "claude-code", "{directory}/claude/projects", *WHERE), whole=False
    ),
    "import of ccrecall": Act(
        ("transcripts", "import-sqlite", "{directory}/ccrecall.db", *WHERE), whole=False, loose=FILED
    ),
    "snapshot": Act(("snapshots", "create", *WHERE)),
    "base": Act(("backup", "base")),
    "restore to a moment, in place": Act(("backup", "restore", "--at", "{moment}", "--in-place", "--yes")),
    "restore to a moment, elsewhere": Act(
        ("backup", "restore", "--at", "{moment}", "--into", "{directory}/other", "--yes")
    ),
    "reembed": Act(("reembed",), whole=False, more={"QUIPU_EMBEDDING_DIMENSIONS": "100"}, loose=FILED),
    "worker": Act(("worker", "--burst"), whole=False, loose=FILED),
}


@dataclass
class Trial:
    """An act on copies of a home: how it goes undisturbed, then with kills."""

    name: str
    act: Act
    source: Made
    place: Path
    steps: int = 0
    before: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)

    async def undisturbed(self) -> None:
        """Learn how many steps it has, and what it brings."""
        made = self.source.copy(self.place / "undisturbed")
        try:
            if not self.act.empty:
                self.before, _ = await killed_home.stored(made.home)
            note, done = self.killed(made, 0, "command")
            assert done.returncode == 0, (self.name, done.stderr)
            assert int(note), (self.name, done.stdout)
            self.steps = int(note)
            self.after, faults = await killed_home.stored(self.where(made))
            assert faults == []
        finally:
            killed_home.put_away(made)

    async def disturbed(self, number: int) -> str:
        """Kill it once; what was killed where."""
        chance = random.Random(f"{SEED}-{self.name}-{number}")
        victim, step = chance.choice(VICTIMS), chance.randint(1, self.steps)
        made = self.source.copy(self.place / str(number))
        try:
            note, done = self.killed(made, step, victim)
            while note != "killed":  # a run may have fewer steps than the first
                assert int(note), (self.name, done.returncode, done.stdout, done.stderr)
                step = chance.randint(1, min(step, int(note)))
                killed_home.put_away(made)
                made = self.source.copy(self.place / str(number))
                note, done = self.killed(made, step, victim)
            told = f"{self.name}, {victim} killed at step {step} of {self.steps}"
            assert "Traceback" not in done.stderr, (told, done.stderr)
            await self.check(made, told)
        finally:
            killed_home.put_away(made)
        return told

    def killed(self, made: Made, step: int, victim: str) -> tuple[str, subprocess.CompletedProcess[str]]:
        """The act with a kill at a step; how many steps there were or ``killed``, and how it ended."""
        act = self.act
        return made.killed(act.arguments, step=step, victim=victim, more=act.more, given=act.given)

    async def check(self, made: Made, told: str) -> None:
        """The database opens, nothing is lost or half done, and the same command finishes it."""
        now: dict[str, int] = {}
        if not self.act.empty:
            now, faults = await killed_home.stored(made.home)
            assert faults == [], told
            self.compare(now, told)
        if not (self.act.whole and now and self.firm(now) == self.firm(self.after) != self.firm(self.before)):
            again = made.quipu(**self.act.more).process(*made.words(self.act.arguments), given=self.act.given)
            repeated = "There is a database in" in again.stderr  # the other home is there already
            assert again.returncode == 0 or repeated, f"{told}: {again.stderr}"
        done, faults = await killed_home.stored(self.where(made))
        assert faults == [], told
        assert self.firm(done) == self.firm(self.after), (told, self.before)
        assert killed_home.small(made.home), told

    def compare(self, now: dict[str, int], told: str) -> None:
        """What is there after the kill beside what may be there."""
        may_be = [self.before] if "elsewhere" in self.name else [self.before, self.after]
        if self.act.whole:
            at_once = [self.firm(one) for one in may_be]
            assert self.firm(now) in at_once, (told, now, at_once)
        for name, count in self.firm(now).items():
            counts = [one[name] for one in may_be]
            assert min(counts) <= count <= max(counts), (told, name, count, counts)

    def firm(self, counts: dict[str, int]) -> dict[str, int]:
        return {name: count for name, count in counts.items() if name not in self.act.loose}

    def where(self, made: Made) -> Path:
        """The home that the command writes to."""
        return made.directory / "other" if "elsewhere" in self.name else made.home


@pytest.mark.long
@pytest.mark.kills
@pytest.mark.anyio
@pytest.mark.timeout(300 + 60 * ROUNDS)
@pytest.mark.parametrize("name", list(ACTS)[:ROUNDS])
async def test_a_command_killed_at_a_step_is_done_or_is_finished_by_the_same_command(
    name: str, homes: tuple[Made, Made], home: Path
) -> None:
    act = ACTS[name]
    place = list(ACTS).index(name)
    mine = ROUNDS // len(ACTS) + (place < ROUNDS % len(ACTS))
    filled, new = homes
    trial = Trial(name, act, new if act.empty else filled, home)
    await trial.undisturbed()
    print(f"seed {SEED}; {name}: {trial.steps} steps, {mine} kills")
    for number in range(mine):
        print(f"{number}: {await trial.disturbed(number)}", flush=True)
