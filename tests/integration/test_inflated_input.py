"""Input that unpacks to more than it is, lines without end, JSON nested without end: refused in words.

The commands run with a limit on their memory that none of these inputs would fit in.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import resource
import zipfile
from pathlib import Path

import pytest
from cli_process import CommandLine, Done
from long_form import sized
from patience import PATIENCE_SECONDS

ENDLESS = sized(640 << 20, long=1 << 30)
"""Bytes of a line, and what a command may have of memory."""
DEEP = "[" * 100_000
GOOD = '{"content": "The boat is green.", "session": "s"}\n'
TOLD = "longer than 64 MiB"


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("lines.jsonl", data)
    return file.getvalue()


PACKED = {
    "gzip": gzip.compress,
    "zip": zipped,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: b"\x28\xb5\x2f\xfd" + gzip.compress(data),  # no reader of ours looks further
}


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def bounded(quipu: CommandLine, *arguments: str) -> Done:
    """Run a command as a process that may not have the memory for an endless line."""

    def bind() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (ENDLESS, ENDLESS))

    with quipu.start(*arguments, preexec_fn=bind) as process:
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in err
    return Done(process.returncode, out, err)


def endless(path: Path, *, before: str = "", after: str = "") -> Path:
    """A file with an endless line, of which the disk has next to nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(before.encode())
        file.truncate(file.tell() + ENDLESS)
        file.seek(0, io.SEEK_END)
        file.write(b"\n" + after.encode())
    return path


@pytest.mark.parametrize("packed", PACKED)
def test_every_importer_names_a_compressed_file_and_stores_nothing(
    quipu: CommandLine, tmp_path: Path, packed: str
) -> None:
    bomb = PACKED[packed](GOOD.encode() * 20_000)
    folder = tmp_path / "sessions" / "projects" / "boat"
    folder.mkdir(parents=True)
    for path in (folder / "s.jsonl", tmp_path / "lines.jsonl", tmp_path / "dump.sql", tmp_path / "old.db"):
        path.write_bytes(bomb)
    jsonl = quipu.run("import", "jsonl", "lines.jsonl")
    claude = quipu.run("import", "claude-code", "sessions/projects", "--space", "default")
    dump = quipu.run("snapshots", "import-dump", "dump.sql", "--yes")
    for done in (jsonl, claude, dump):
        assert done.returncode == 2, done.stderr
        assert f"compressed ({packed})" in done.stdout + done.stderr
    told = quipu.json("transcripts", "sync", "sessions", "--space", "default")
    assert f"compressed ({packed})" in json.dumps(told)
    assert quipu.run("transcripts", "import-sqlite", "old.db").returncode != 0
    assert quipu.json("recall", "boat")["hits"] == []


def test_an_endless_line_is_refused_and_the_others_are_taken(quipu: CommandLine, tmp_path: Path) -> None:
    endless(tmp_path / "lines.jsonl", before=GOOD, after=GOOD.replace("green", "red"))
    done = bounded(quipu, "import", "jsonl", "lines.jsonl", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["imported"]) == (0, 2)
    assert TOLD in json.dumps(told["refused"])


def test_an_endless_line_in_what_an_agent_recorded_is_passed_over(quipu: CommandLine, tmp_path: Path) -> None:
    endless(tmp_path / "claude" / "projects" / "boat" / "s.jsonl")
    endless(tmp_path / "claude" / "history.jsonl")
    endless(tmp_path / "claude" / "teams" / "crew" / "config.json")
    done = bounded(quipu, "transcripts", "sync", "claude", "--space", "default", "--json")
    assert done.returncode == 0, done.stderr
    told = {Path(one["path"]).name: one["reason"] for one in json.loads(done.stdout)["troubles"]}
    assert set(told) == {"s.jsonl", "history.jsonl", "config.json"}
    assert all(TOLD in reason for reason in told.values()), told
    done = bounded(quipu, "import", "claude-code", "claude/projects", "--space", "default")
    assert done.returncode == 2
    assert TOLD in done.stdout + done.stderr


@pytest.mark.parametrize("before", ["", "-- ", "CREATE TABLE memory.t (a text DEFAULT '"])
def test_an_endless_line_in_a_dump_is_refused(quipu: CommandLine, tmp_path: Path, before: str) -> None:
    endless(tmp_path / "dump.sql", before=before)
    done = bounded(quipu, "snapshots", "import-dump", "dump.sql", "--yes")
    assert done.returncode == 2
    assert "file: line 1: the statement is too long; 1,000,000 bytes are the most." in done.stderr


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("observe", "--file", "big"), "file"),
        (("receipts", "verify", "big"), "file"),
        (("forget", "--check", "r", "--for", "big"), "for"),
    ],
)
def test_an_endless_text_is_not_loaded(
    quipu: CommandLine, tmp_path: Path, words: tuple[str, ...], field: str
) -> None:
    endless(tmp_path / "big")
    done = bounded(quipu, *words)
    assert done.returncode == 2
    assert f"{field}: big is {TOLD}" in done.stderr


def test_json_nested_without_end_is_refused_by_every_command_that_takes_json(
    quipu: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "deep.jsonl").write_text(f'{{"content": {DEEP}\n{GOOD}')
    told = quipu.json("import", "jsonl", "deep.jsonl")
    assert told["imported"] == 1
    assert "nested more than 100 deep" in json.dumps(told["refused"])
    sessions = tmp_path / "claude" / "projects" / "boat"
    sessions.mkdir(parents=True)
    (sessions / "s.jsonl").write_text(f'{{"type": "user", "message": {DEEP}\n')
    (tmp_path / "claude" / "history.jsonl").write_text(f'{{"display": {DEEP}\n')
    told = quipu.json("transcripts", "sync", "claude", "--space", "default")
    assert "nested some 1,000 deep" in json.dumps(told["troubles"])
    quipu.text(
        *("tables", "create-table", "--name", "notes", "--description", "Notes"),
        *("--sql", "create table memory.notes (id int primary key, body text)", "--embed-fields", "body"),
    )
    data = ("tables", "insert", "--table", "notes", "--data")
    for done, field in (
        (quipu.run(*data, "-", given=DEEP), "data"),
        (quipu.run(*data, DEEP), "data"),
        (quipu.run("ledger", "set", "trip.destination", DEEP), "value"),
    ):
        assert done.returncode == 2, done.stderr
        assert f"{field}: it is nested more than 100 deep." in done.stderr
    count = ("--sql", "select count(*)::text || ' rows' as found from memory.notes")
    assert "0 rows" in quipu.text("tables", "query", *count)
