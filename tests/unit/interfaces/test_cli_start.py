"""The outermost frame: quick help, the list of commands, and one line for whatever goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from patience import PATIENCE_SECONDS

from quipu.interfaces.cli.main import quipu_command, run

HEAVY = {"anyio", "asyncio", "numpy", "onnxruntime", "psycopg", "pydantic", "rich", "tokenizers"}


MISTYPED = [("recal", "recall"), ("sesions", "sessions"), ("docter", "doctor")]


def loaded_by(arguments: list[str], repository: Path) -> set[str]:
    """The top-level modules that a fresh interpreter has after this command."""
    code = (
        "import sys\n"
        "from quipu.interfaces.cli.main import run\n"
        f"code = run({arguments!r})\n"
        "print(code, *{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE_SECONDS,
    )
    exit_code, *modules = done.stderr.splitlines()[-1].split()
    assert exit_code == "0", done.stderr
    return set(modules)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_and_version_load_nothing_heavy(arguments: list[str], repository: Path) -> None:
    assert loaded_by(arguments, repository) & HEAVY == set()


def test_every_command_of_the_list_can_be_loaded_and_says_what_it_does() -> None:
    context = click.Context(quipu_command)
    assert quipu_command.list_commands(context)
    for name in quipu_command.list_commands(context):
        command = quipu_command.get_command(context, name)
        assert command is not None
        assert command.help, name


def test_the_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    listed = capsys.readouterr().out
    for name in quipu_command.list_commands(click.Context(quipu_command)):
        assert f"\n  {name} " in listed


def test_no_command_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "Commands:" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong", [["nosuch"], ["--nosuch"], ["recall"], ["db"], ["recall", "x", "-n", "many"]]
)
def test_what_cannot_be_understood_is_one_line_and_a_hint(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(wrong) == 2
    said = capsys.readouterr()
    assert said.out == ""
    message, hint = said.err.splitlines()
    assert message.startswith("quipu: ")
    assert "--help" in hint


@pytest.mark.parametrize(("typed", "meant"), MISTYPED)
def test_a_mistyped_command_is_told_the_one_that_was_meant(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([typed, "x"]) == 2
    assert f"Did you mean '{meant}'?" in capsys.readouterr().err


def test_what_is_like_no_command_is_not_guessed_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["zzzzzz"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize("group", [[], ["db"], ["import"], ["model"]])
def test_no_line_of_a_list_of_commands_is_cut_short(
    group: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*group, "--help"]) == 0
    assert "..." not in capsys.readouterr().out.partition("Commands:")[2]


def test_the_model_is_loaded_beside_the_commands_that_embed_and_no_others(repository: Path) -> None:
    code = (
        "import sys, threading\n"
        "from quipu.interfaces.cli.main import quipu_command\n"
        "import click\n"
        "context = click.Context(quipu_command)\n"
        "for words in (['doctor'], ['recall', '--help'], ['recall', 'x']):\n"
        "    quipu_command.resolve_command(context, words)\n"
        "    print([one.name for one in threading.enumerate() if 'model' in one.name])\n"
    )
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE_SECONDS,
    )
    assert done.stdout.splitlines()[:2] == ["[]", "[]"], done.stderr
    assert "loads the model" in done.stdout.splitlines()[2]


def test_with_json_an_error_is_a_document_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["forget", "--json"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    error = json.loads(said.err)["error"]
    assert error["kind"] == "bad-input"
    assert error["exit_code"] == 2
    assert "--everything" in error["hint"]


def test_a_terminal_is_not_steered_by_what_a_message_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["no\x1b[2Jsuch"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_wrong_setting_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIPU_POOL_SIZE", "zero")
    assert run(["model", "list"]) == 2
    assert "QUIPU_POOL_SIZE" in capsys.readouterr().err


def test_quipu_debug_shows_where_an_error_comes_from(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIPU_DEBUG", "1")
    assert run(["forget"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_what_nobody_foresaw_is_one_line_too(repository: Path) -> None:
    code = (
        "import sys\n"
        "from quipu.interfaces.cli import failure\n"
        "sys.excepthook = failure.excepthook\n"
        "{}['missing']\n"
    )
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first == "quipu: unexpected KeyError: 'missing'"
    assert "QUIPU_DEBUG" in second


@pytest.mark.parametrize(("called", "meant"), [("imports", "imports get"), ("longterm", "longterm get")])
def test_to_show_one_is_to_get_it(called: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([called, "show", "--help"]) == 0
    assert f"Usage: quipu {meant} " in capsys.readouterr().out
