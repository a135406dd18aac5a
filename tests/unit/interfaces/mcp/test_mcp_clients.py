"""The lines for each client are what that client reads, whatever names and paths hold."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from collections.abc import Sequence
from typing import Any

import pytest

from quipu.errors import BadInput
from quipu.interfaces.cli.main import run
from quipu.interfaces.mcp.clients import CLIENTS, KEY_VARIABLE, Reached, Started

ODD = 'Ana\'s "old" notes \\ 小 $HOME'
STARTED = Started(
    command="/usr/bin/python 3",
    arguments=["-m", "quipu", "mcp", "--space", ODD],
    environment={"QUIPU_HOME": ODD},
)
REACHED = Reached("https://memory.example/mcp")


def entry(client: str, server: Started | Reached) -> dict[str, Any]:
    text = CLIENTS[client](server).text
    if client == "codex":
        return tomllib.loads(text)["mcp_servers"]["quipu"]
    return json.loads(text)["servers" if client == "vscode" else "mcpServers"]["quipu"]


@pytest.mark.parametrize("client", ["claude-desktop", "cursor", "vscode", "codex"])
def test_a_file_starts_our_server_with_exactly_those_arguments(client: str) -> None:
    found = entry(client, STARTED)
    assert found["command"] == STARTED.command
    assert found["args"] == list(STARTED.arguments)
    assert found["env"] == dict(STARTED.environment)
    assert found.get("type") == ("stdio" if client == "vscode" else None)


def test_a_shell_gives_claude_code_exactly_those_arguments() -> None:
    words = shlex.split(CLIENTS["claude-code"](STARTED).text)
    assert words[:3] == ["claude", "mcp", "add"]
    end = words.index("--")
    assert words[end - 1] == "quipu"
    assert words[end + 1 :] == [STARTED.command, *STARTED.arguments]
    assert words[words.index("--env") + 1] == f"QUIPU_HOME={ODD}"
    assert words[words.index("--env") + 2].startswith("--"), "it would take the name for another variable"


def test_no_key_stands_in_any_line_but_where_to_find_it_does() -> None:
    assert entry("cursor", REACHED)["headers"] == {"Authorization": f"Bearer ${{env:{KEY_VARIABLE}}}"}
    assert entry("codex", REACHED) == {"url": REACHED.url, "bearer_token_env_var": KEY_VARIABLE}
    asked = json.loads(CLIENTS["vscode"](REACHED).text)
    assert asked["inputs"][0]["password"] is True
    assert (
        asked["servers"]["quipu"]["headers"]["Authorization"]
        == f"Bearer ${{input:{asked['inputs'][0]['id']}}}"
    )
    assert CLIENTS["claude-code"](REACHED).text.endswith(f'--header "Authorization: Bearer ${KEY_VARIABLE}"')


def test_claude_desktop_is_told_that_its_file_starts_servers_only() -> None:
    with pytest.raises(BadInput, match="starts itself"):
        CLIENTS["claude-desktop"](REACHED)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["mcp", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


BEFORE = ("-s", "ferryboard", "-u", "ana", "config", "codex")
AFTER = ("config", "codex", "--space", "ferryboard", "--user", "ana")


@pytest.mark.parametrize("arguments", [BEFORE, AFTER])
def test_the_command_prints_lines_for_the_space_and_person_that_it_is_given(
    capsys: pytest.CaptureFixture[str], arguments: Sequence[str]
) -> None:
    code, out, err = printed(capsys, *arguments)
    assert code == 0
    found = tomllib.loads(out)["mcp_servers"]["quipu"]
    assert found["command"] == sys.executable
    assert found["args"] == ["-m", "quipu", "mcp", "--space", "ferryboard", "--user", "ana"]
    assert ".codex/config.toml" in err


def test_the_answer_for_programs_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = printed(capsys, "config", "claude-desktop", "--read-only", "--schema", "notes", "--json")
    assert code == 0
    lines = json.loads(json.loads(out)["text"])["mcpServers"]["quipu"]["args"]
    assert lines[-3:] == ["--schema", "notes", "--read-only"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("config", "emacs"), "claude-code"),
        (("config", "cursor", "--http", "ftp://x"), "http://127.0.0.1"),
        (("config", "cursor", "--space", " "), "space"),
    ],
)
def test_what_cannot_be_configured_is_refused_with_the_way_out(
    capsys: pytest.CaptureFixture[str], arguments: Sequence[str], told: str
) -> None:
    code, out, err = printed(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert told in err
