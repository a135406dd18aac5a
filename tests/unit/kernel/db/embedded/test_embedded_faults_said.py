"""What is made of the words of PostgreSQL's programs."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from quipu.errors import DiskFull, ServerError
from quipu.kernel.db.embedded.door import ConnectionAttempt, Door, read_refusal
from quipu.kernel.db.embedded.faults import (
    creation_failure,
    file_failure,
    last_complaint,
    says_disk_full,
    start_failure,
)

DATA, LOG = Path("/h/postgres/data"), Path("/h/postgres/server.log")


def test_the_last_grave_line_is_the_complaint() -> None:
    log = (
        "2026-01-01 [1] LOG:  starting PostgreSQL\n"
        '2026-01-01 [1] FATAL:  could not open file "x": Permission denied\n'
        "2026-01-01 [1] LOG:  database system is shut down\n"
    )
    assert last_complaint(log) == 'could not open file "x": Permission denied'


@pytest.mark.parametrize(
    "answer",
    [
        "the database system is starting up",
        "the database system is not accepting connections",
        "the database system is in recovery mode",
        "terminating connection due to administrator command",
    ],
)
def test_the_answers_to_our_own_knocking_are_no_complaint(answer: str) -> None:
    log = f"[1] PANIC:  could not locate a valid checkpoint record\n[2] FATAL:  {answer}\n"
    assert last_complaint(log) == "could not locate a valid checkpoint record"


def test_without_a_grave_line_the_last_one_is_taken() -> None:
    assert last_complaint("sh: 1: postgres: not found\n\n") == "sh: 1: postgres: not found"
    assert last_complaint("") == "it said nothing"


@pytest.mark.parametrize(
    "words", ["No space left on device", "Disk quota exceeded", "There is not enough space on the disk."]
)
def test_a_full_disk_is_known_by_its_words(words: str) -> None:
    assert says_disk_full(f"FATAL:  could not write: {words}")
    assert isinstance(start_failure(f"FATAL:  could not write: {words}", data=DATA, log=LOG), DiskFull)
    assert isinstance(creation_failure(f"initdb: error: {words}", data=DATA), DiskFull)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ('could not open file "a": Permission denied', "chown"),
        ('lock file "postmaster.pid" already exists', "pg_ctl"),
        ("database files are incompatible with server", "quipu db upgrade"),
        ("could not map anonymous shared memory: Cannot allocate memory", "QUIPU_SHARED_BUFFERS_MB"),
        ("could not locate a valid checkpoint record", "backup"),
        ('data directory "x" has invalid permissions', "0700"),
        ("something that nobody has seen yet", "doctor"),
    ],
)
def test_every_failed_start_has_the_servers_words_and_a_way_out(words: str, hint: str) -> None:
    error = start_failure(f"[1] FATAL:  {words}\n", data=DATA, log=LOG)
    assert isinstance(error, ServerError)
    assert words in error.message
    assert str(LOG) in error.message
    assert hint in (error.hint or "")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_known_by_its_number(number: int) -> None:
    error = file_failure(OSError(number, os.strerror(number), "/h/start.lock"))
    assert isinstance(error, DiskFull)
    assert "/h/start.lock" in error.message


def test_any_other_trouble_with_a_file_names_the_file() -> None:
    error = file_failure(PermissionError(errno.EACCES, "Permission denied", "/h/start.lock"))
    assert isinstance(error, ServerError)
    assert "/h/start.lock: Permission denied" in error.message
    assert "QUIPU_HOME" in (error.hint or "")


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("connection failed: FATAL:  the database system is starting up", ConnectionAttempt.BUSY),
        ("FATAL:  the database system is shutting down", ConnectionAttempt.BUSY),
        ("FATAL:  the database system is in recovery mode", ConnectionAttempt.BUSY),
        ("FATAL:  sorry, too many clients already", ConnectionAttempt.FULL),
        ("FATAL:  remaining connection slots are reserved for roles with SUPERUSER", ConnectionAttempt.FULL),
        ('FATAL:  Peer authentication failed for user "quipu_admin"', ConnectionAttempt.REFUSED),
        ('requirepeer specifies "a", but actual peer user name is "b"', ConnectionAttempt.REFUSED),
        ("No such file or directory. Is the server running locally?", ConnectionAttempt.SILENT),
        ("connection timeout expired", ConnectionAttempt.SILENT),
    ],
)
def test_what_a_refused_connection_means(message: str, answer: ConnectionAttempt) -> None:
    assert read_refusal(message) is answer


def test_a_connection_string_settles_what_variables_could_change() -> None:
    said = Door(host="/h o/run", port=5432, served_by="ana").conninfo("quipu")
    assert "host='/h o/run'" in said
    assert "hostaddr=''" in said
    assert "requirepeer=ana" in said
    assert "password" not in said
