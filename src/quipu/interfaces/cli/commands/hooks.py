"""``quipu hooks``: what coding agents call by themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
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
@click.option("--preview", is_flag=True, help="Show the settings as they would be; change nothing.")
@common
def install(
    call: Call, agent: str, preview: bool, space: str | None, budget_tokens: int | None, **where: Any
) -> None:
    """Put the hooks into the settings of an agent; doing it again changes nothing.

    What is there already stays as it is, and the file as it was is kept beside it.
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
    }
    options = {name: str(value) for name, value in values.items() if value is not None}
    path, screen = _settings(**where), Screen(call)
    done = entries.install(path, options, now=datetime.now(UTC), preview=preview)
    _tell(screen, done, agent, "installed", preview=preview)
    if done.changed and not preview:
        screen.note(f"\nThe next session of {agent} has them. {program()} hooks status shows how they do.")


@command.command("remove")
@_agent
@_where
@click.option("--preview", is_flag=True, help="Show the settings as they would be; change nothing.")
@common
def remove(call: Call, agent: str, preview: bool, **where: Any) -> None:
    """Take the hooks out of the settings of an agent; what is there of others stays."""
    done = entries.remove(_settings(**where), now=datetime.now(UTC), preview=preview)
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


def _tell(screen: Screen, done: SettingsChange, agent: str, what: str, *, preview: bool) -> None:
    if preview:
        screen.answer(done, Text(done.text.rstrip()))
        return
    lines = [
        f"Hooks of {agent} {what}: {done.path}" if done.changed else f"Nothing to change in {done.path}."
    ]
    if done.backup is not None:
        lines.append(f"As it was: {done.backup}")
    screen.answer(done, *map(Text, lines))


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
    service: dict[str, object] | None = document["service"]
    if service is None:
        table.add_row(Text("service", style="dim"), Text("not running; it starts when a hook needs it"))
    for name, value in (service or {}).items():
        table.add_row(Text(name.replace("_", " "), style="dim"), Text(str(value)))
    for line in document["log"]:
        table.add_row(Text("log", style="dim"), Text(line))
    return table
