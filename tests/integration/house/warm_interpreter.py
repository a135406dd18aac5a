"""A Python that has loaded the library, and runs each program in a process of its own that begins there.

To load the library takes longer than most examples do. Where processes cannot be forked safely, each program
has an interpreter of its own from the beginning.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from patience import PATIENCE_SECONDS

Run = Callable[[str, Path, Mapping[str, str]], tuple[int, str]]
"""Runs a program in a directory with more variables: its exit code, and what it said of errors."""

OPTIONS = ("-W", "error::ResourceWarning")
_FORKING = """
import json, os, sys
import quipu.app.memory, quipu.sync
exec(compile(sys.argv[1], "<first>", "exec"), {"__name__": "__main__"})
for line in sys.stdin:
    program, home, variables, errors = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
os.environ.update(variables)
os.chdir(home)
os.dup2(os.open(os.devnull, os.O_RDWR), 0)
os.dup2(0, 1)
os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
exec(compile(program, "<example>", "exec"), {"__name__": "__main__"})
"""


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables of a program: none of whoever runs the tests has to do with the library."""
    return {name: value for name, value in os.environ.items() if not name.startswith("QUIPU_")} | variables


def run_cold(program: str, home: Path, variables: Mapping[str, str]) -> tuple[int, str]:
    """Run a program in a new interpreter."""
    done = subprocess.run(
        [sys.executable, *OPTIONS, "-c", program],
        capture_output=True,
        text=True,
        env=environment(variables),
        cwd=home,
        timeout=PATIENCE_SECONDS,
    )
    return done.returncode, done.stderr


@contextmanager
def warm(variables: Mapping[str, str], first: str = "") -> Iterator[Run]:
    """Run programs in the block, each in a process that begins with the library loaded, and with what a
    ``first`` program left: patterns that were compiled, say. It must leave no thread and no connection."""
    if sys.platform != "linux":
        yield lambda program, home, more: run_cold(program, home, {**variables, **more})
        return
    with (
        TemporaryDirectory() as errors,
        subprocess.Popen(
            [sys.executable, *OPTIONS, "-c", _FORKING, first],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(variables),
        ) as parent,
    ):
        assert parent.stdin is not None
        assert parent.stdout is not None
        told, answered = parent.stdin, parent.stdout

        def run(program: str, home: Path, more: Mapping[str, str]) -> tuple[int, str]:
            said = Path(errors) / "said"
            said.unlink(missing_ok=True)
            told.write(json.dumps([program, str(home), dict(more), str(said)]) + "\n")
            told.flush()
            return int(answered.readline()), said.read_text("utf-8")

        yield run
        told.close()
