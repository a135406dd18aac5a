"""Where a disk is read-only, what was to be written says so and what is stored stays."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_process import CommandLine

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a directory read-only")


@contextmanager
def read_only(directory: Path) -> Iterator[None]:
    subprocess.run(["mount", "--bind", directory, directory], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", directory], check=True)
        yield
    finally:
        subprocess.run(["umount", directory], check=True)


@needs_root
def test_snapshots_and_backups_on_a_read_only_disk_say_so_and_nothing_is_lost(home: Path) -> None:
    for name in ("home", "backups", "snapshots"):
        (home / name).mkdir(mode=0o711)
    quipu = CommandLine(
        home / "home",
        {
            "QUIPU_EMBEDDING_MODEL": "hashing",
            "QUIPU_SHARED_BUFFERS_MB": "16",
            "QUIPU_BACKUP_DIR": str(home / "backups"),
            "QUIPU_SNAPSHOT_DIRECTORY": str(home / "snapshots"),
        },
    )
    quipu.text("db", "start")  # once, not for each command
    quipu.text(
        *("tables", "create-table", "--name", "notes", "--description", "Notes", "--embed-fields", ""),
        *("--sql", "create table memory.notes (id int primary key)"),
    )
    with read_only(home / "backups"), read_only(home / "snapshots"):
        for command in (("snapshots", "create"), ("backup", "base")):
            refused = quipu.run(*command)
            assert refused.returncode == 5, refused.stderr
            assert "Read-only file system" in refused.stderr
            assert "Traceback" not in refused.stderr
    quipu.text("db", "stop")
    with read_only(home / "home"):
        refused = quipu.run("recall", "boat")
        assert refused.returncode == 5, refused.stderr
        assert "Read-only file system" in refused.stderr
    quipu.text("snapshots", "create")
    quipu.text("backup", "base")
