"""The MCP clients that we know, and how each is configured. Pure."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from quipu.errors import BadInput

NAME = "quipu"
KEY_VARIABLE = "QUIPU_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A server that the client starts itself: a command, and what its environment has beside."""

    command: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Reached:
    """A server that runs already, at an address; the key to it stands in ``KEY_VARIABLE``."""

    url: str


Server = Started | Reached


@dataclass(frozen=True, slots=True)
class Lines:
    """Ready-made lines: a command to be run (``file`` is None), or text for a file."""

    file: str | None
    text: str
    then: str


def _claude_code(server: Server) -> Lines:
    head = ["claude", "mcp", "add", "--scope", "user"]
    if isinstance(server, Reached):
        line = shlex.join([*head, "--transport", "http", NAME, server.url])
        line += f' --header "Authorization: Bearer ${KEY_VARIABLE}"'
    else:
        # Options that take several values must not stand right before the name.
        variables = [
            part for name, value in server.environment.items() for part in ("--env", f"{name}={value}")
        ]
        line = shlex.join([*head[:3], *variables, *head[3:], NAME, "--", server.command, *server.arguments])
    return Lines(None, line, "claude mcp list shows whether it connects.")


def _claude_desktop(server: Server) -> Lines:
    if isinstance(server, Reached):
        raise BadInput(
            "Claude Desktop reads only servers that it starts itself from its file.",
            field="http",
            hint="Leave --http out; or add the address under Settings, Connectors.",
        )
    return Lines(
        "claude_desktop_config.json (Settings, Developer, Edit Config)",
        _json({"mcpServers": {NAME: _command(server)}}),
        "Quit Claude Desktop and start it again.",
    )


def _cursor(server: Server) -> Lines:
    entry = _remote(server, f"${{env:{KEY_VARIABLE}}}") if isinstance(server, Reached) else _command(server)
    return Lines(
        "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
        _json({"mcpServers": {NAME: entry}}),
        "Cursor Settings, MCP shows whether it connects.",
    )


def _vscode(server: Server) -> Lines:
    if isinstance(server, Reached):
        prompt = {
            "type": "promptString",
            "id": "quipu-key",
            "description": "API key of Quipu",
            "password": True,
        }
        entry = {"type": "http", **_remote(server, "${input:quipu-key}")}
        whole: dict[str, Any] = {"inputs": [prompt], "servers": {NAME: entry}}
    else:
        whole = {"servers": {NAME: {"type": "stdio", **_command(server)}}}
    return Lines(
        ".vscode/mcp.json of a project, or that of your profile (command MCP: Open User Configuration)",
        _json(whole),
        "The command MCP: List Servers shows whether it runs.",
    )


def _codex(server: Server) -> Lines:
    if isinstance(server, Reached):
        lines = [f"url = {_toml(server.url)}", f"bearer_token_env_var = {_toml(KEY_VARIABLE)}"]
    else:
        arguments = ", ".join(map(_toml, server.arguments))
        lines = [f"command = {_toml(server.command)}", f"args = [{arguments}]"]
        if server.environment:
            lines += ["", f"[mcp_servers.{NAME}.env]"]
            lines += [f"{name} = {_toml(value)}" for name, value in server.environment.items()]
    text = "\n".join([f"[mcp_servers.{NAME}]", *lines])
    return Lines(
        "~/.codex/config.toml", text, "codex mcp list shows it; /mcp in a session whether it connects."
    )


CLIENTS: Final[Mapping[str, Callable[[Server], Lines]]] = {
    "claude-code": _claude_code,
    "claude-desktop": _claude_desktop,
    "cursor": _cursor,
    "vscode": _vscode,
    "codex": _codex,
}


def _command(server: Started) -> dict[str, Any]:
    entry: dict[str, Any] = {"command": server.command, "args": list(server.arguments)}
    return entry | ({"env": dict(server.environment)} if server.environment else {})


def _remote(server: Reached, key: str) -> dict[str, Any]:
    return {"url": server.url, "headers": {"Authorization": f"Bearer {key}"}}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _toml(text: str) -> str:
    """Return a basic string of TOML; JSON escapes the same signs in the same way, except DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
