"""``quipu hooks``: installed, seen, removed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hook_process import Hooks

from quipu.interfaces.cli.main import run


@pytest.fixture
def settings_file(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's settings would be; the home is one of its own."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("QUIPU_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "claude" / "settings.json"


def test_hooks_are_installed_shown_and_removed(
    settings_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings_file.parent.mkdir()
    settings_file.write_text('{"model": "opus"}')
    assert run(["hooks", "install", "claude-code", "--preview"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "opus"
    assert settings_file.read_text() == '{"model": "opus"}'
    assert run(["hooks", "install", "claude-code"]) == 0
    assert run(["hooks", "install", "claude-code"]) == 0
    assert "Nothing to change" in capsys.readouterr().out
    assert run(["hooks", "status", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["settings"][str(settings_file)] == [
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "SessionEnd",
    ]
    assert status["service"] is None
    assert run(["hooks", "remove"]) == 0
    assert json.loads(settings_file.read_text()) == {"model": "opus"}


def test_a_project_has_hooks_of_its_own(settings_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["hooks", "install", "--project", "--space", "boat", "--budget-tokens", "200"]) == 0
    made = json.loads((Path(".claude") / "settings.json").read_text())
    (group,) = made["hooks"]["UserPromptSubmit"]
    assert group["hooks"][0]["command"].endswith(" prompt --space boat --budget-tokens 200 || true")
    assert run(["hooks", "install", "--local"]) == 0
    assert (Path(".claude") / "settings.local.json").exists()
    assert not settings_file.exists()
    capsys.readouterr()


def test_settings_that_cannot_be_read_are_refused(
    settings_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings_file.parent.mkdir()
    settings_file.write_text("{ // mine\n}")
    assert run(["hooks", "install"]) == 2
    told = capsys.readouterr().err
    assert "cannot be read as JSON" in told
    assert "nothing was changed" in told
    assert run(["hooks", "status"]) == 0
    assert settings_file.read_text() == "{ // mine\n}"


def test_a_url_is_not_written_where_others_read_it(settings_file: Path) -> None:
    assert run(["hooks", "install", "--url", "postgresql://me:secret@db/quipu"]) == 2
    assert not settings_file.exists()


def test_what_is_installed_runs_and_ends_well_even_when_the_package_is_gone(
    settings_file: Path, hooks: Hooks
) -> None:
    assert run(["hooks", "install", "--quiet"]) == 0
    command = json.loads(settings_file.read_text())["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"]
    for line in (command, command.replace("client.py", "gone/client.py")):
        done = subprocess.run(
            ["/bin/sh", "-c", line], env=hooks.environment(), input="{}", text=True, check=False
        )
        assert done.returncode == 0


def test_the_service_is_shown_and_stopped(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hooks.run("session-start")
    monkeypatch.setenv("QUIPU_HOME", str(hooks.home))
    assert run(["hooks", "status"]) == 0
    assert "resident mb" in capsys.readouterr().out
    assert run(["hooks", "stop"]) == 0
    assert run(["hooks", "stop", "--json"]) == 0


def test_an_agent_that_writes_is_set_up_seen_and_taken_down(
    settings_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claude = settings_file.parent
    assert run(["hooks", "install", "--agent-writes", "--preview"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("remember.md", ".claude.json", "settings.json", "$ARGUMENTS"))
    assert not claude.exists()
    assert run(["hooks", "install", "--agent-writes"]) == 0
    assert str(claude / "commands" / "remember.md") in capsys.readouterr().out
    assert run(["hooks", "install", "--agent-writes"]) == 0
    assert "Nothing to change" in capsys.readouterr().out
    (group,) = json.loads(settings_file.read_text())["hooks"]["SessionStart"]
    assert " session-start --agent-writes yes" in group["hooks"][0]["command"]
    assert run(["hooks", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agent_writes"] == [str(settings_file)]
    assert run(["hooks", "status"]) == 0
    assert "agent writes" in capsys.readouterr().out
    (claude / "commands" / "remember.md").write_text("Mine now.\n")
    assert run(["hooks", "remove"]) == 0
    assert json.loads(settings_file.read_text()) == {}
    assert not (claude / ".claude.json").exists()
    assert (claude / "commands" / "remember.md").read_text() == "Mine now.\n"


def test_only_an_agent_that_writes_is_told_to(hooks: Hooks) -> None:
    assert "remember" not in hooks.run("session-start").context
    told = hooks.run("session-start", "--agent-writes", "yes").context
    assert "`remember` of the MCP server `quipu`" in told
