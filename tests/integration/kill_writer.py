"""A process that writes to a memory until it is stopped or killed: ``kill_writer.py HOME JOURNAL SEED``.

It ends by itself, with 0, once JOURNAL.stop is there or the database has gone; with anything else only if
something happened that must not.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import anyio
from journal import BATCH, Call, Journal

from quipu import AsyncMemory
from quipu.errors import DatabaseError
from quipu.kernel.config import Settings

THINGS = ["boat", "oar", "harbour", "garden", "soup", "ladder", "winter", "letter", "train", "violin"]


def settings_of(home: Path) -> Settings:
    return Settings(home=home, embedding_model="hashing", shared_buffers_mb=16, pool_size=2)


class Writer:
    """Chooses calls by chance and remembers what of its own is there, so that it can name what to forget."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._chance = random.Random(name)
        self._number = 0
        self._mine: dict[str, dict[str, dict[str, Any]]] = {"sea": {}, "land": {}}

    def next_call(self) -> Call:
        """The next one; it will be acknowledged or nothing follows it."""
        space = self._chance.choice(["sea", "land"])
        dice = self._chance.random()
        if dice < 0.15 and self._mine[space]:
            call = self._forget(space)
        elif dice < 0.25:
            size = self._chance.choice([5, 20, 40, BATCH + 30])
            call = Call("import", space, [self._message(space) for _ in range(size)])
        else:
            call = Call("observe", space, [self._message(space) for _ in range(self._chance.randint(1, 3))])
        self._mine[space] |= {message["id"]: message for message in call.said}
        for name in call.gone:
            del self._mine[space][name]
        return call

    def _message(self, space: str) -> dict[str, Any]:
        self._number += 1
        name = f"{self._name}n{self._number}"
        words = " ".join(self._chance.choices(THINGS, k=self._chance.randint(1, 12)))
        mine = [f"{self._name}-{space}-{k}" for k in range(2)]
        session = self._chance.choice([None, "everybody", *mine])
        # What names no user goes with the one user of its session: so a session has a user or none.
        users = {None: [None, f"{self._name}-{space}-user"], mine[0]: [f"{self._name}-{space}-user"]}
        return {
            "id": name,
            "content": f"{name} {words}{self._chance.choice('.?!')}",
            "session": session,
            "speaker": self._chance.choice([None, "Ana", "Boris"]),
            "user": self._chance.choice(users.get(session, [None])),
        }

    def _forget(self, space: str) -> Call:
        """A message, or a session or a user that nobody else writes about."""
        chosen = self._chance.choice(list(self._mine[space].values()))
        field = self._chance.choice(
            [f for f in ("session", "user") if chosen[f] not in (None, "everybody")] or ["id"]
        )
        gone = [name for name, other in self._mine[space].items() if other[field] == chosen[field]]
        return Call("forget", space, what={{"id": "message"}.get(field, field): chosen[field]}, gone=gone)


async def do(memory: AsyncMemory, call: Call) -> None:
    """Make a call; doing one again that was cut off finishes it."""
    match call.do:
        case "forget":
            await memory.forget(space=call.space, confirm=True, **call.what)
        case "import":
            report = await memory.import_messages(call.said, space=call.space)
            assert report.imported + report.duplicates == len(call.said), report
        case _:
            index = "later" if len(call.said) == 2 else "now"
            report = await memory.observe(call.said, space=call.space, index=index)
            assert report.imported + report.duplicates == len(call.said), report


async def write(home: Path, journal: Path, seed: str) -> None:
    told, writer, stop = Journal(journal), Writer(seed), journal.with_suffix(".stop")
    try:
        async with AsyncMemory(settings=settings_of(home)) as memory:
            while not stop.exists():
                call = writer.next_call()
                told.begins(call)
                await do(memory, call)
                told.returned()
    except DatabaseError as error:
        print(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    anyio.run(write, Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
