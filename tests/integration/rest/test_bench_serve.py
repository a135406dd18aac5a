"""The load test on a server that runs already: nothing without a word, and nothing left behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import CommandLine
from patience import PATIENCE_SECONDS


@pytest.fixture(scope="module")
def quipu(module_url: str, tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    settings = {"QUIPU_DATABASE_URL": module_url, "QUIPU_EMBEDDING_MODEL": "hashing"}
    return CommandLine(tmp_path_factory.mktemp("home"), settings)


@pytest.fixture(scope="module")
def address(quipu: CommandLine) -> Iterator[str]:
    process = quipu.start("serve", "--port", "0")
    assert process.stdout is not None
    yield process.stdout.readline().removeprefix("REST: ").removesuffix("/v1\n")
    process.terminate()
    process.communicate(timeout=PATIENCE_SECONDS)


def bench(repository: Path, *arguments: str, key: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, repository / "bench/serve.py", *arguments],
        env=os.environ | {"PYTHONPATH": str(repository / "src"), "QUIPU_KEY": key},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )


def key(quipu: CommandLine, *options: str) -> str:
    rate = ["--requests-per-minute", "1000000"]
    return quipu.json("keys", "create", "load", "--level", "admin", *rate, *options)["token"]


def test_a_load_is_put_on_only_when_it_is_confirmed_and_leaves_nothing(
    quipu: CommandLine, address: str, repository: Path
) -> None:
    owner = key(quipu, "--all-spaces")
    shown = bench(repository, "--url", address, key=owner)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Nothing was done" in shown.stdout
    assert quipu.json("spaces")["items"] == []

    short = ["--n", "60", "--seconds", "0.5", "--clients", "1", "3", "--writes", "0.3", "--confirm"]
    done = bench(repository, "--url", address, *short, key=owner)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [re.split(r"\s*│\s*", line.strip("│ ")) for line in done.stdout.splitlines() if "│" in line]
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        ("observe, 50 at a time", "1", "0"),
        *((operation, clients, "0") for clients in ("1", "3") for operation in ("recall", "observe")),
    ]
    assert all(float(row[3]) <= float(row[4]) <= float(row[5]) for row in rows)
    assert owner not in done.stdout
    assert quipu.json("spaces")["items"] == []


def test_a_key_that_could_not_forget_what_is_stored_stores_nothing(
    quipu: CommandLine, address: str, repository: Path
) -> None:
    for options in (["--space", "mine"], ["--all-spaces", "--level", "write"]):
        done = bench(repository, "--url", address, "--n", "10", "--confirm", key=key(quipu, *options))
        assert done.returncode == 1
        assert "403" in done.stderr
    assert quipu.json("spaces")["items"] == []
