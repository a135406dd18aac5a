"""Measure how fast another system's export is read and taken in, and how much memory that takes.

    python bench/imports.py                                     1,000 MB read, 10,000 messages taken in
    python bench/imports.py --megabytes 20 --messages 1000      a small run: does it work at all?
    python bench/imports.py --check                             exit code 1 where the promise is broken

The exports are ChatGPT's: one array of conversations of forty messages. The large one is only previewed, from
one file. The small one is taken in with the default model, then again, which changes nothing, and undone.
Memory is the most that a process of its own ever had; the server is another process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from pace import usage
from pace.server import home, running
from quipu import Memory

MOST_MB: Final = 300.0
IN_A_CONVERSATION: Final = 40
_WORDS: Final = "We talked about the green boat in the harbour of Lisbon, her mast, and the paint she needs. "
_BEGINS: Final = 1_746_266_400.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 where --check fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=1_000, help="of the export that is read")
    parser.add_argument("--messages", type=int, default=10_000, help="of the export that is taken in")
    parser.add_argument("--check", action="store_true", help="exit code 1 where the promise is broken")
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)  # a process of its own: conninfo, path
    options = parser.parse_args(arguments)
    if options.step:
        print(json.dumps(_read(*options.step)))
        return 0
    busy = usage.load()
    with TemporaryDirectory(prefix="quipu-imports-") as folder, home(None, name="imports") as place:
        large, small = Path(folder, "large.json"), Path(folder, "small.json")
        _write(large, megabytes=options.megabytes)
        _write(small, messages=options.messages)
        with running(place) as server:
            conninfo = server.database("imports")
            told = subprocess.run(
                [sys.executable, __file__, "--step", conninfo, str(large)], check=True, stdout=subprocess.PIPE
            )
            read = json.loads(told.stdout)
            taken = _take(conninfo, small)
    _show(read, taken, title=f"ChatGPT exports, {busy} at the start")
    return int(options.check and read["mb"] >= MOST_MB)


def _conversation(number: int) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": ["0"], "message": None}}
    for turn in range(IN_A_CONVERSATION):
        children = [str(turn + 1)] if turn + 1 < IN_A_CONVERSATION else []
        mapping[str(turn)] = {
            "id": str(turn),
            "parent": str(turn - 1) if turn else "root",
            "children": children,
            "message": {
                "id": str(turn),
                "author": {"role": ("user", "assistant")[turn % 2]},
                "create_time": _BEGINS + number * 3_600 + turn,
                "content": {
                    "content_type": "text",
                    "parts": [f"{number}, {turn}: {_WORDS * (1 + turn % 5)}"],
                },
            },
        }
    current = str(IN_A_CONVERSATION - 1)
    return {"conversation_id": f"c-{number}", "title": "Boats", "current_node": current, "mapping": mapping}


def _write(path: Path, *, megabytes: int = 0, messages: int = 0) -> None:
    """Write an export of a size, or with so many messages."""
    with path.open("w") as file:
        file.write("[")
        number = 0
        while file.tell() < megabytes * 1_000_000 or number * IN_A_CONVERSATION < messages:
            file.write(("," if number else "") + json.dumps(_conversation(number)))
            number += 1
        file.write("]")


def _read(conninfo: str, path: str) -> dict[str, float]:
    start = perf_counter()
    with Memory(url=conninfo) as memory:
        report = memory.imports.load(path, space="bench", preview=True)
    return {
        "messages": report.records["message"],
        "seconds": perf_counter() - start,
        "bytes": Path(path).stat().st_size,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _take(conninfo: str, path: Path) -> dict[str, float]:
    with Memory(url=conninfo) as memory:
        first = memory.imports.load(path, space="bench")
        again = memory.imports.load(path, space="bench")
        assert (again.records, first.id is None) == ({}, False)
        start = perf_counter()
        memory.imports.undo(first.id or "", space="bench", confirm=True)
        undone = perf_counter() - start
    return {
        "messages": first.records["message"],
        "seconds": first.seconds,
        "again": again.seconds,
        "undone": undone,
    }


def _show(read: dict[str, float], taken: dict[str, float], *, title: str) -> None:
    table = Table("figure", "measured", "promised", title=title)
    rows = (
        ("read, MB", f"{read['bytes'] / 1e6:,.0f}", ""),
        ("read, MB/s", f"{read['bytes'] / 1e6 / read['seconds']:,.1f}", ""),
        ("read, messages/s", f"{read['messages'] / read['seconds']:,.0f}", ""),
        ("most memory of the process, MB", f"{read['mb']:,.0f}", f"below {MOST_MB:g}"),
        ("taken in and indexed, messages/s", f"{taken['messages'] / taken['seconds']:,.0f}", ""),
        ("again, messages/s", f"{taken['messages'] / taken['again']:,.0f}", ""),
        ("undone, messages/s", f"{taken['messages'] / taken['undone']:,.0f}", ""),
    )
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)


if __name__ == "__main__":
    sys.exit(main())
