"""How fast recorded sessions are taken in, beside reading the same file with ``json.loads`` alone.

    python bench/transcripts.py [--rounds N] [--file MB] [--megabytes MB | --quick | --no-large] [--json]

The file is made up of what agents do all day: prompts, thoughts, source files (of Python's library) that are
read, edits, test output, with the copy of each result that Claude Code keeps beside it. Both passes run over
the same file in the same run, in turn; the shares are the medians of the rounds, by the clock and in seconds
of a processor (of this process, and with those of the server). Then a large file (1 GB; 300 MB with --quick)
is taken in by a process of its own, whose largest memory is told.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from uuid import UUID

import anyio

from quipu import AsyncMemory
from quipu.interfaces.cli.commands.transcripts_sync import make_haste
from quipu.kernel.config import Settings

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Seconds:
    """Of one pass over a file: by the clock, of processors for this process, and for the server."""

    clock: float
    own: float
    server: float = 0.0


@dataclass(frozen=True)
class Speed:
    """Of one file: ``plain`` is json.loads alone, both in MB/s by the clock, medians of the rounds.

    ``share``: what the sync reaches of the plain pass by the clock; ``share_own`` in seconds of a processor
    of this process, ``share_all`` with those of the server.
    """

    megabytes: float
    lines: int
    messages: int
    rounds: int
    plain: float
    sync: float
    share: float
    share_best: float
    share_own: float
    share_all: float
    lines_per_second: float
    messages_per_second: float


def recording(path: Path, megabytes: float, *, seed: int = 1) -> None:
    """Write a session of about that size."""
    size = 0
    with path.open("w", encoding="utf-8") as file:
        for line in records(random.Random(seed)):
            size += file.write(json.dumps(line, ensure_ascii=False) + "\n")
            if size > megabytes * 1e6:
                return


def records(chance: random.Random) -> Iterator[dict[str, object]]:
    """The lines of a session without end: most of it is source code and output, as in real ones."""
    library = Path(sysconfig.get_paths()["stdlib"])
    sources = [
        path.read_text("utf-8") for path in sorted(library.glob("*.py")) if path.stat().st_size > 2_000
    ]
    prose = [
        part
        for path in sorted((ROOT / "docs").rglob("*.md"))
        for part in path.read_text("utf-8").split("\n\n")
    ]
    session, clock = uuid(chance), 1772355600.0
    while True:
        clock += 300
        yield line(
            "user", session, clock, chance, message={"role": "user", "content": chance.choice(prose)[:600]}
        )
        for _ in range(chance.randint(2, 12)):
            clock += 20
            yield from turn(session, clock, chance, sources, prose)


def turn(
    session: str, clock: float, chance: random.Random, sources: list[str], prose: list[str]
) -> Iterator[dict[str, object]]:
    """One answer: a thought, a text, a call; and what the call brought."""
    call, response = f"toolu_{uuid(chance)[:20]}", f"msg_{uuid(chance)[:20]}"
    code = chance.choice(sources)
    start = chance.randrange(len(code))
    some = code[start : start + chance.choice((300, 1_500, 6_000, 20_000))]
    kind, copy = chance.choice(("Read", "Edit", "Bash", "Grep")), dict[str, object]()
    given: dict[str, object] = {"file_path": "/home/ana/quipu/src/service.py"}
    if kind == "Edit":
        given |= {"old_string": some[:400], "new_string": some[400:900]}
        copy = {
            "filePath": given["file_path"],
            "oldString": some[:400],
            "newString": some[400:900],
            "originalFile": code,
            "structuredPatch": [{"oldStart": 1, "lines": some[:900].split("\n")}],
        }
        some = "The file has been updated."
    elif kind in ("Bash", "Grep"):
        given = {"command": "make test", "description": chance.choice(prose)[:80]}
    blocks: list[dict[str, object]] = [
        {"type": "thinking", "thinking": chance.choice(prose)[:500], "signature": uuid(chance) * 16},
        {"type": "text", "text": chance.choice(prose)[:400]},
        {"type": "tool_use", "id": call, "name": kind, "input": given},
    ]
    for block in blocks:
        usage = {
            "input_tokens": 9,
            "output_tokens": 400,
            "cache_read_input_tokens": 50_000,
            "cache_creation_input_tokens": 1_000,
            "service_tier": "standard",
        }
        message = {
            "id": response,
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [block],
            "stop_reason": None,
            "usage": usage,
        }
        yield line("assistant", session, clock, chance, requestId=f"req_{response}", message=message)
    result = {"type": "tool_result", "tool_use_id": call, "content": some}
    copy = copy or {
        "type": "text",
        "file": {"filePath": "/home/ana/quipu/src/service.py", "content": some, "numLines": 9},
    }
    yield line(
        "user", session, clock + 3, chance, message={"role": "user", "content": [result]}, toolUseResult=copy
    )


def line(kind: str, session: str, clock: float, chance: random.Random, **more: object) -> dict[str, object]:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(clock))
    return {
        "parentUuid": uuid(chance),
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/quipu",
        "sessionId": session,
        "version": "2.1.14",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid(chance),
        "timestamp": stamp,
        **more,
    }


def uuid(chance: random.Random) -> str:
    return str(UUID(int=chance.getrandbits(128), version=4))


def plain_pass(path: Path) -> None:
    """Do nothing but read the JSON of each line."""
    with path.open("rb") as file:
        for row in file:
            json.loads(row)


def server_seconds(home: Path) -> float:
    """Seconds of a processor that the processes of the server in ``home`` took so far; 0.0 without /proc."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(home):
                ticks += sum(map(int, (process / "stat").read_text().rpartition(")")[2].split()[11:13]))
        except (OSError, ValueError):  # it ended, or is not ours to look at
            continue
    return ticks / TICKS


async def speed(path: Path, home: Path, *, rounds: int = ROUNDS) -> Speed:
    """Passes of both kinds in turn, after a sync that warms up; each sync goes into a space of its own."""
    plain, synced, spaces = list[Seconds](), list[Seconds](), (f"round {number}" for number in range(rounds))
    async with AsyncMemory(settings=Settings(home=home)) as memory:
        make_haste()  # as the command does
        await memory.transcripts.sync([path], space="warm")
        for space in spaces:
            clock, own = time.perf_counter(), time.process_time()
            plain_pass(path)
            plain.append(Seconds(time.perf_counter() - clock, time.process_time() - own))
            server = server_seconds(home)
            clock, own = time.perf_counter(), time.process_time()
            report = await memory.transcripts.sync([path], space=space)
            taken = Seconds(time.perf_counter() - clock, time.process_time() - own)
            synced.append(replace(taken, server=server_seconds(home) - server))
            found = report.spaces[space]
    megabytes, seconds = found.bytes / 1e6, median(one.clock for one in synced)
    shares = [one.clock / other.clock for one, other in zip(plain, synced, strict=True)]
    return Speed(
        megabytes=megabytes,
        lines=found.lines,
        messages=found.messages,
        rounds=rounds,
        plain=megabytes / median(one.clock for one in plain),
        sync=megabytes / seconds,
        share=median(shares),
        share_best=max(shares),
        share_own=median(one.own / other.own for one, other in zip(plain, synced, strict=True)),
        share_all=median(
            one.own / (other.own + other.server) for one, other in zip(plain, synced, strict=True)
        ),
        lines_per_second=found.lines / seconds,
        messages_per_second=found.messages / seconds,
    )


def memory_of_large_file(folder: Path, megabytes: float) -> tuple[float, float]:
    """Size of a large file, and the largest memory (both MB) of a process that takes it in."""
    path = folder / "large.jsonl"
    recording(path, megabytes, seed=2)
    size = path.stat().st_size / 1e6
    command = [sys.executable, __file__, "--child", str(path), str(folder / "large-home")]
    (folder / "large-home").mkdir(mode=0o711)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    path.unlink()
    return size, float(done.stdout)


async def child(path: Path, home: Path) -> None:
    async with AsyncMemory(settings=Settings(home=home)) as memory:
        make_haste()
        await memory.transcripts.sync([path], space="large")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"passes of each kind ({ROUNDS})")
    parser.add_argument("--file", type=float, default=60, help="megabytes of the file for speed (60)")
    parser.add_argument("--megabytes", type=float, default=1_024, help="size of the large file (1,024)")
    parser.add_argument("--quick", action="store_true", help="a large file of 300 MB only")
    parser.add_argument("--no-large", action="store_true", help="leave the large file out")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        path, home = map(Path, asked.child)
        anyio.run(child, path, home)
        return
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        recording(folder / "session.jsonl", asked.file)
        (folder / "home").mkdir(mode=0o711)
        run = partial(speed, folder / "session.jsonl", folder / "home", rounds=asked.rounds)
        found: dict[str, object] = asdict(anyio.run(run))
        if not asked.no_large:
            size, most = memory_of_large_file(folder, 300 if asked.quick else asked.megabytes)
            found |= {"large_megabytes": size, "large_memory_megabytes": most}
    if asked.json:
        print(json.dumps(found))
        return
    for what, figure in found.items():
        print(f"{what:24}{figure:>12,.2f}" if isinstance(figure, float) else f"{what:24}{figure:>12,}")


if __name__ == "__main__":
    main()
