"""The command is named as it can be called from here."""

from __future__ import annotations

from pathlib import Path

import pytest

from quipu.interfaces.cli.program import program


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed ``quipu`` that was called."""
    script = tmp_path / "here" / ".venv" / "bin" / "quipu"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(script), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    return script


def test_what_the_shell_finds_is_called_by_its_name(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(script.parent))
    assert program() == "quipu"


def test_what_lies_below_is_called_by_the_way_there(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(script.parent.parent.parent)
    assert program() == str(Path(".venv/bin/quipu"))


def test_what_lies_elsewhere_is_called_in_full(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(script.parent)
    (script.parent / "other").mkdir()
    monkeypatch.chdir(script.parent / "other")
    assert program() == str(script)


def test_a_module_is_called_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["somewhere/quipu/__main__.py", "demo"])
    assert program() == "python -m quipu"
