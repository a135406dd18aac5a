"""``quipu hooks``: what coding agents call by themselves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Table
from rich.text import Text

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import settings_of
from quipu.interfaces.cli.program import program
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.hooks import client, entries, settings_file
from quipu.interfaces.hooks.entries import SettingsChange

Command = TypeVar("Command", bound=Callable[..., Any])
_LOG_LINES = 3


def _where(function: Command) -> Command:
    """Add what tells the settings file."""
    for option in (
        click.option("--project", is_flag=True, help="Of the project in this directory, not of the user."),
        click.option("--local", is_flag=True, help="Of this project on this machine alone."),
    ):
        function = option(function)
    return function


def _agent(function: Command) -> Command:
    return click.argument("agent", type=click.Choice(["claude-code"]), default="claude-code")(function)


@click.group("hooks", no_args_is_help=False)
def command() -> None:
    """Give a coding agent a memory: what it is told, and what is stored of its sessions.

    A session begins with what is known of the project, a prompt brings the memories that belong to it, and
    what was said is taken in. A hook that fails is silent; hooks.log in the home says why.
    """


@command.command("install")
@_agent
@_where
@click.option("--space", metavar="NAME", help="One space for all projects.")
@click.option("--budget-tokens", type=click.IntRange(1, 100_000), help="The most that a hook may tell (400).")
@click.option(
    "--agent-writes",
    is_flag=True,
    help="Have the agent write memories, too: an instruction, /remember, and the MCP server.",
)
@click.option("--preview", is_flag=True, help="Show the files as they would be; change nothing.")
@common
def install(
    call: Call,
    agent: str,
    preview: bool,
    agent_writes: bool,
    space: str | None,
    budget_tokens: int | None,
    **where: Any,
) -> None:
    """Put the hooks into the settings of an agent; doing it again changes nothing.

    What is there already stays as it is, and a file as it was is kept beside it. Without --agent-writes, what
    an earlier installation with it added is taken away.
    """
    if call.url is not None:
        raise BadInput(
            "A URL is not written into settings that others can read.",
            field="--url",
            hint="Set QUIPU_DATABASE_URL where the agent is started.",
        )
    values = {
        "home": call.home and client.home_directory(call.home),
        "space": space,
        "budget-tokens": budget_tokens,
        "agent-writes": "yes" if agent_writes else None,
    }
    options = {name: str(value) for name, value in values.items() if value is not None}
    path, screen = _settings(**where), Screen(call)
    writing = entries.places(Path.cwd(), **where) if agent_writes or _writes(path) else None
    done = entries.install(path, options, now=datetime.now(UTC), preview=preview, writing=writing)
    _tell(screen, done, agent, "installed", preview=preview)
    if done[-1].changed and not preview:
        screen.note(f"\nThe next session of {agent} has them. {program()} hooks status shows how they do.")


@command.command("remove")
@_agent
@_where
@click.option("--preview", is_flag=True, help="Show the files as they would be; change nothing.")
@common
def remove(call: Call, agent: str, preview: bool, **where: Any) -> None:
    """Take the hooks out of the settings of an agent; what is there of others stays.

    What --agent-writes added goes as well, unless somebody changed it.
    """
    path = _settings(**where)
    writing = entries.places(Path.cwd(), **where) if _writes(path) else None
    done = entries.remove(path, now=datetime.now(UTC), preview=preview, writing=writing)
    _tell(Screen(call), done, agent, "removed", preview=preview)


@command.command("status")
@common
def status(call: Call) -> None:
    """Show the installed hooks, and the state of the service that answers them."""
    home = client.home_directory(str(settings_of(call).home))
    screen, here = Screen(call), Path.cwd()
    files = [
        entries.user_settings(),
        *(entries.project_settings(here, local=local) for local in (False, True)),
    ]
    document = {
        "settings": {str(file): _events(file) for file in files},
        "agent_writes": [str(file) for file in files if _writes(file)],
        "service": _asked(home, "status"),
        "log": _log(home),
    }
    screen.answer(document, _shown(document))


@command.command("stop")
@common
def stop(call: Call) -> None:
    """End the service that answers hooks; the next hook starts it again."""
    answer = _asked(client.home_directory(str(settings_of(call).home)), "stop")
    text = "It ends." if answer else "It was not running."
    Screen(call).answer({"stopped": answer is not None}, Text(text))


def _settings(*, project: bool, local: bool) -> Path:
    if not project and not local:
        return entries.user_settings()
    return entries.project_settings(Path.cwd(), local=local)


def _writes(file: Path) -> bool:
    """Return True if the installed hooks let the agent write; a file that nobody can read tells nothing."""
    try:
        return entries.writes(settings_file.read(file).document)
    except BadInput:
        return False


def _tell(screen: Screen, done: Sequence[SettingsChange], agent: str, what: str, *, preview: bool) -> None:
    *beside, settings = done
    beside = [one for one in beside if preview or one.changed or one.note]
    document = {"files": done} if beside else settings
    if preview:
        texts = [f"{one.path}\n{one.text.rstrip() or '(none)'}" for one in done]
        screen.answer(document, Text("\n\n".join(texts) if beside else settings.text.rstrip()))
        return
    changed = [one for one in done if one.changed]
    lines = [f"Hooks of {agent} {what}: {one.path}" for one in changed]
    lines += [f"As it was: {one.backup}" for one in changed if one.backup is not None]
    lines += [f"{one.path}: {one.note}." for one in done if one.note]
    screen.answer(document, *map(Text, lines or [f"Nothing to change in {settings.path}."]))


def _events(file: Path) -> list[str] | str:
    """Return the events that call us, or why nobody knows."""
    try:
        return list(entries.found(settings_file.read(file).document))
    except BadInput as error:
        return error.message


def _asked(home: str, what: str) -> dict[str, object] | None:
    try:
        return client.converse(home, {"do": what}, 2.0)
    except (OSError, EOFError, client.Refused, json.JSONDecodeError):
        return None


def _log(home: str) -> list[str]:
    try:
        lines = (Path(home) / "hooks.log").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return lines[-_LOG_LINES:]


def _shown(document: dict[str, Any]) -> Table:
    table = Table.grid(padding=(0, 2))
    for path, events in document["settings"].items():
        names = events if isinstance(events, str) else ", ".join(events) or "none of ours"
        table.add_row(Text(path, style="dim"), Text(names))
    for path in document["agent_writes"]:
        table.add_row(Text("agent writes", style="dim"), Text(f"yes: {path}"))
    service: dict[str, object] | None = document["service"]
    if service is None:
        table.add_row(Text("service", style="dim"), Text("not running; it starts when a hook needs it"))
    for name, value in (service or {}).items():
        table.add_row(Text(name.replace("_", " "), style="dim"), Text(str(value)))
    for line in document["log"]:
        table.add_row(Text("log", style="dim"), Text(line))
    return table
