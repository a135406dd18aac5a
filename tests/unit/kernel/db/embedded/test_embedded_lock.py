"""Locks that end with their holders, the pid file, the log, and running programs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from patience import PATIENCE_SECONDS

from quipu.errors import ServerError
from quipu.kernel.db.embedded.faults import LARGEST_BYTES, tail, trim
from quipu.kernel.db.embedded.lock import (
    FileLock,
    PidFile,
    alone,
    clear_stale,
    is_held_alone,
    is_postmaster,
    read_pid_file,
    wait_until,
)
from quipu.kernel.db.embedded.process import Account, bare_environment, run

ME = Account(name="me", uid=os.geteuid(), gid=os.getegid())


def test_two_share_and_neither_has_it_alone(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.try_shared()
    assert second.try_shared()
    assert not second.try_exclusive()
    first.close()
    assert second.try_exclusive()
    second.close()


def test_asking_who_holds_it_disturbs_nobody(tmp_path: Path) -> None:
    assert not is_held_alone(tmp_path / "lock")
    assert not (tmp_path / "lock").exists()
    lock = FileLock(tmp_path / "lock")
    assert lock.try_shared()
    assert not is_held_alone(tmp_path / "lock")
    assert lock.try_exclusive()
    assert is_held_alone(tmp_path / "lock")
    lock.close()
    assert not is_held_alone(tmp_path / "lock")


def test_a_lock_that_was_handed_on_lives_as_long_as_the_child(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    assert lock.try_exclusive()
    child = subprocess.Popen(["sleep", "3600"], pass_fds=(lock.fileno(),))
    lock.close()
    assert is_held_alone(tmp_path / "lock")
    child.kill()
    child.wait()
    assert not is_held_alone(tmp_path / "lock")


def test_waiting_for_a_lock_ends_with_what_one_can_do(tmp_path: Path) -> None:
    with alone(tmp_path / "lock", wait_seconds=PATIENCE_SECONDS, purpose="to do something"):  # noqa: SIM117
        with pytest.raises(ServerError, match="another process to do something") as caught:
            with alone(tmp_path / "lock", wait_seconds=0.05, purpose="to do something"):
                pytest.fail("two held it")
    assert str(tmp_path / "lock") in (caught.value.hint or "")


def test_a_lock_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lock"):
        FileLock(tmp_path / "lock")
    assert not (tmp_path / "elsewhere").exists()


def test_what_happens_in_time_is_seen() -> None:
    answers = iter([False, False, True])
    assert wait_until(5, lambda: next(answers))
    assert not wait_until(0.02, lambda: False)


def test_a_pid_file_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    assert read_pid_file(tmp_path) is None
    file = tmp_path / "postmaster.pid"
    file.write_text("")
    assert read_pid_file(tmp_path) is None
    file.write_text("123\n/data\n1700000000\n5432\n")
    assert read_pid_file(tmp_path) is None
    file.write_text("123\n/data\n1700000000\n5432\n/run\n\n 1 2\nready\n")
    assert read_pid_file(tmp_path) == PidFile(pid=123, port=5432, socket_dir="/run", ready=False)


def test_a_process_that_works_elsewhere_is_no_postmaster(tmp_path: Path) -> None:
    child = subprocess.Popen(["sleep", "3600"], cwd=tmp_path)
    try:
        assert is_postmaster(child.pid, tmp_path)
        assert not is_postmaster(child.pid, tmp_path.parent)
    finally:
        child.kill()
        child.wait()
    assert not is_postmaster(child.pid, tmp_path)


def test_only_lock_files_of_strangers_are_put_out_of_the_way(tmp_path: Path) -> None:
    data, run_dir = tmp_path / "data", tmp_path / "run"
    data.mkdir()
    run_dir.mkdir()
    pid_file, socket_lock = data / "postmaster.pid", run_dir / ".s.PGSQL.5432.lock"
    server = subprocess.Popen(["sleep", "3600"], cwd=data)
    try:
        for file in (pid_file, socket_lock):
            file.write_text(f"{server.pid}\n")
        clear_stale(data, run_dir)
        assert pid_file.exists()
        assert socket_lock.exists()
        for file in (pid_file, socket_lock):
            file.write_text(f"{os.getpid()}\n")
        clear_stale(data, run_dir)
        assert not pid_file.exists()
        assert (data / "postmaster.pid.stale").read_text() == f"{os.getpid()}\n"
        assert not socket_lock.exists()
    finally:
        server.kill()
        server.wait()


def test_a_log_is_cut_only_when_it_is_large(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    trim(log)
    assert tail(log) == []
    log.write_text("one\ntwo\n")
    trim(log)
    assert tail(log, lines=1) == ["two"]
    lines = [f"line {number}\n" for number in range(LARGEST_BYTES // 8)]
    log.write_text("".join(lines))
    trim(log)
    assert log.stat().st_size <= 200_000
    assert "".join(lines).endswith(log.read_text())


def test_programs_get_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "elsewhere")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    said = run(["env"], account=ME, env=bare_environment(bin_dir=tmp_path, home=tmp_path))
    assert said.code == 0
    assert "elsewhere" not in said.text
    assert "secret" not in said.text


def test_a_program_that_cannot_be_run_or_does_not_end_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="cannot be run as 'me'"):
        run([tmp_path / "nothing"], account=ME, env={})
    with pytest.raises(ServerError, match="did not end within"):
        run(["sleep", "3600"], account=ME, env={"PATH": os.defpath}, timeout_seconds=0.1)
