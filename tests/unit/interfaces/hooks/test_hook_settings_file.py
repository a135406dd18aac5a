"""The settings file is replaced as a whole, or stays as it is."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from quipu.errors import BadInput, Conflict
from quipu.interfaces.hooks import entries, settings_file

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_a_new_file_is_made_with_its_directory(tmp_path: Path) -> None:
    (done,) = entries.install(tmp_path / ".claude" / "settings.json", {}, now=NOW)
    assert done.changed
    assert done.backup is None
    assert set(json.loads(done.path.read_text())["hooks"]) == {
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "SessionEnd",
    }


def test_what_was_there_is_kept_beside_with_mode_and_indent(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n\t"model": "größer"\n}')
    path.chmod(0o640)
    (done,) = entries.install(path, {}, now=NOW)
    assert done.backup is not None
    assert done.backup.read_text() == '{\n\t"model": "größer"\n}'
    assert {p.stat().st_mode & 0o777 for p in (path, done.backup)} == {0o640}
    assert path.read_text().startswith('{\n\t"model": "größer",\n\t"hooks"')


def test_the_second_time_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    entries.install(path, {}, now=NOW)
    before = path.stat().st_mtime_ns
    (again,) = entries.install(path, {}, now=NOW)
    assert not again.changed
    assert path.stat().st_mtime_ns == before
    assert [p.name for p in tmp_path.iterdir()] == ["settings.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real, link = tmp_path / "dotfiles" / "claude.json", tmp_path / "settings.json"
    real.write_text("{}")
    link.symlink_to(real)
    entries.install(link, {}, now=NOW)
    assert link.is_symlink()
    assert "hooks" in json.loads(real.read_text())


def test_removing_gives_back_what_was(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n  "model": "x"\n}\n')
    entries.install(path, {}, now=NOW)
    entries.remove(path, now=datetime(2026, 5, 5, tzinfo=UTC))
    assert path.read_text() == '{\n  "model": "x"\n}\n'


def test_a_preview_writes_nothing(tmp_path: Path) -> None:
    (done,) = entries.install(tmp_path / "settings.json", {}, now=NOW, preview=True)
    assert done.changed
    assert "SessionStart" in done.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "broken", [b'{"model": ', b"[]", b'{"a": 1, "a": 2}', b"\xff\xfe{"], ids=["cut", "list", "twice", "bytes"]
)
def test_a_file_that_cannot_be_understood_is_left_alone(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(broken)
    with pytest.raises(BadInput) as refused:
        entries.install(path, {}, now=NOW)
    assert refused.value.hint
    assert path.read_bytes() == broken
    assert len(list(tmp_path.iterdir())) == 1


def test_what_somebody_else_wrote_meanwhile_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    read = settings_file.read(path)
    path.write_text('{"model": "new"}')
    with pytest.raises(Conflict):
        read.write({"hooks": {}}, now=NOW)
    assert path.read_text() == '{"model": "new"}'
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


def test_a_file_in_a_place_that_cannot_be_written_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be"):
        entries.install(tmp_path / "file" / "settings.json", {}, now=NOW)


def test_a_project_has_settings_for_all_and_for_this_machine(tmp_path: Path) -> None:
    assert entries.project_settings(tmp_path, local=False) == tmp_path.resolve() / ".claude/settings.json"
    assert entries.project_settings(tmp_path, local=True).name == "settings.local.json"


def test_the_user_may_have_moved_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", os.fspath(tmp_path))
    assert entries.user_settings() == tmp_path / "settings.json"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes that are files")
def test_a_pipe_is_no_settings_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.json")
    with pytest.raises(BadInput, match="no regular file"):
        entries.install(tmp_path / "settings.json", {}, now=NOW)
