"""A home in which every kind of writer has something to do, copies of it, and what is stored in one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from ccrecall import ccrecall
from cli_process import CommandLine
from psycopg import sql
from two_projects import world

from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database
from quipu.kernel.db.embedded.place import find_place
from quipu.kernel.db.embedded.postmaster import lives
from quipu.upkeep.consistency import Fault, examine

HERE = Path(__file__).resolve().parent
SETTINGS = {
    "QUIPU_EMBEDDING_MODEL": "hashing",
    "QUIPU_SHARED_BUFFERS_MB": "16",
    "QUIPU_POOL_SIZE": "2",
    "QUIPU_JOB_LEASE_SECONDS": "1",
    "QUIPU_JOB_RETRY_SECONDS": "0",
    "QUIPU_JOB_TRIES": "50",
    "QUIPU_CONNECT_SECONDS": "60",
}
COUNTED = ("core.sessions", "core.messages", "core.tool_calls", "core.recall_entries", "core.recall_vectors")
ROWS = 200
MESSAGES = 900  # more than two batches of an import


def settings_of(home: Path) -> Settings:
    """Settings of a home for looking into it."""
    return Settings(home=home, embedding_model="hashing", shared_buffers_mb=16, pool_size=2)


@dataclass(frozen=True)
class Made:
    """A directory with the home and what commands read, and the names that are in it."""

    directory: Path
    moment: str = ""
    snapshot: str = ""
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.directory / "home"

    def quipu(self, **more: str) -> CommandLine:
        """The command line on this home."""
        return CommandLine(self.home, SETTINGS | self.settings | more)

    def words(self, arguments: tuple[str, ...]) -> list[str]:
        """Arguments with the names of this directory filled in."""
        names = {"moment": self.moment, "snapshot": self.snapshot, "directory": str(self.directory)}
        return [argument.format(**names) for argument in arguments]

    def copy(self, target: Path) -> Made:
        """All of it elsewhere, while nothing runs on it. Its archive is told by its whole path."""
        subprocess.run(["cp", "-a", self.directory, target], check=True)
        note = target / "home" / "postgres" / "archive"
        if note.exists():
            note.write_text(note.read_text().replace(str(self.directory), str(target)))
        return Made(target, self.moment, self.snapshot, self.settings)

    def killed(
        self,
        arguments: tuple[str, ...],
        *,
        step: int | str,
        victim: str,
        more: dict[str, str] | None = None,
        given: str = "",
    ) -> tuple[str, subprocess.CompletedProcess[str]]:
        """Run a command that is killed at a step; how many steps there were or ``killed``, and its end."""
        note = self.directory / "note"
        command = [sys.executable, str(HERE / "kill_at_step.py"), str(step), victim, str(note)]
        done = subprocess.run(
            [*command, str(self.home), *self.words(arguments)],
            input=given,
            capture_output=True,
            text=True,
            check=False,
            env=self.quipu(**(more or {})).environment(),
            cwd=self.directory,
            timeout=280,
        )
        return note.read_text(), done


def new(directory: Path) -> Made:
    """A directory without a home yet, with what commands read."""
    directory.mkdir(mode=0o711)
    (directory / "home").mkdir(mode=0o711)
    world(directory / "claude")
    ccrecall(directory / "ccrecall.db", memories=True)
    with (directory / "lines.jsonl").open("w") as file:
        for n in range(MESSAGES):
            line = {"id": f"l{n}", "content": f"Ship {n} carries tea.", "session": f"s{n % 5}", "user": "Ana"}
            file.write(json.dumps(line) + "\n")
    return Made(directory)


def filled(directory: Path) -> Made:
    """A home with messages, a table, a snapshot, a base and a kept log, each changed since; it is stopped."""
    made = new(directory)
    keeping = made.quipu(QUIPU_ARCHIVE="true")
    keeping.text("db", "start")
    first = "".join(
        json.dumps({"id": f"m{n}", "content": f"The boat {n} is red.", "session": "a", "user": "Bo"}) + "\n"
        for n in range(40)
    )
    made.quipu().text("import", "jsonl", "-", "--space", "default", given=first)
    create = "create table memory.notes (id int primary key, body text)"
    keeping.text(
        *("tables", "create-table", "--name", "notes", "--description", "Notes", "--sql", create),
        *("--embed-fields", "body", "--space", "default"),
    )
    rows = json.dumps([{"id": n, "body": f"note {n}"} for n in range(ROWS)])
    keeping.text("tables", "insert", "--table", "notes", "--data", "-", "--space", "default", given=rows)
    snapshot = keeping.json("snapshots", "create", "--space", "default")["name"]
    keeping.text("backup", "base")
    moment = datetime.now(UTC).isoformat()
    some = ("--where", '{"id": {">=": 7}}')
    keeping.text("tables", "delete", "--table", "notes", *some, "--space", "default", "--yes")
    keeping.text(
        *("observe", "--space", "default", "--session", "b", "--user", "Cy", "--id", "promise"),
        "I promise to paint it on Monday.",
    )
    keeping.text("db", "stop", "--force")
    return Made(directory, moment=moment, snapshot=snapshot, settings=made.settings)


async def stored(home: Path) -> tuple[dict[str, int], list[Fault]]:
    """How many rows there are of what counts, and what does not fit together."""
    settings = settings_of(home)
    async with (
        await embedded.start(settings) as server,
        Database.open(server.conninfo(), settings, packages=PACKAGES) as database,
    ):
        counts = {name: _count(server.conninfo(), name) for name in COUNTED}
        counts["notes"] = _count(server.conninfo(), "memory.notes")
        return counts, await examine(database)


def _count(url: str, table: str) -> int:
    """How many rows; -1 where there is no such table."""
    with psycopg.connect(url) as conn:
        there = conn.execute("select to_regclass(%s) is not null", [table]).fetchone()
        if there is None or not there[0]:
            return -1
        name = sql.Identifier(*table.split("."))
        row = conn.execute(sql.SQL("select count(*) from {}").format(name)).fetchone()
    assert row is not None
    return int(row[0])


def put_away(made: Made) -> None:
    """Stop the server of a copy, and remove it."""
    if (made.home / "postgres" / "data").exists() and lives(find_place(settings_of(made.home))):
        made.quipu().run("db", "stop", "--force")
    shutil.rmtree(made.directory, ignore_errors=True)


def small(directory: Path) -> bool:
    """Whether a home holds nothing that a first start or a restore left half done."""
    return not any(
        (directory / "postgres" / name).exists() for name in ("restoring", "data.new", "data.restored")
    )
