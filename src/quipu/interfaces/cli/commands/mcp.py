"""``quipu mcp``: the memory as tools for a model, through the Model Context Protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource
from rich.text import Text

from quipu.errors import BadInput, MissingExtra
from quipu.interfaces.cli.call import Call, common, common_options, in_space
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.hooks.client import space_of
from quipu.interfaces.mcp.clients import CLIENTS, Reached, Server, Started
from quipu.interfaces.peers import TOOLS, loaded
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.config import load

if TYPE_CHECKING:
    from quipu.interfaces.mcp.model import Caller

_EXTRA = frozenset({"mcp", "mcp_types"})
_EXAMPLES = """\b
Examples:
  quipu mcp config claude-code
  quipu mcp config cursor --space ferryboard --user ana
  quipu mcp config codex --http http://127.0.0.1:4780/mcp
  quipu mcp --space ferryboard
  quipu mcp --as server-memory --space ferryboard
"""
Command = TypeVar("Command", bound=Callable[..., Any])


def _whose(function: Command) -> Command:
    """Add the options that decide whose memory it is, and what a model may do with it."""
    for option in (
        click.option("--read-only", is_flag=True, help="Offer only tools that change nothing."),
        click.option("--agent", metavar="NAME", help="Only tables granted to this agent."),
        click.option("--schema", default="memory", show_default=True, help="The schema of tables."),
        click.option(
            "--user", "-u", envvar="QUIPU_USER", show_envvar=True, metavar="NAME", help="Only of this person."
        ),
        in_space,
    ):
        function = option(function)
    return function


@click.group("mcp", invoke_without_command=True, no_args_is_help=False, epilog=_EXAMPLES)
@_whose
@click.option("--project", is_flag=True, help="The space named like this directory, as hooks have it.")
@click.option("--as", "peer", type=click.Choice([*TOOLS]), help="Offer the tools of a peer instead.")
@common_options
@click.pass_context
def command(ctx: click.Context, project: bool, peer: str | None, **whose: Any) -> None:
    """Serve the memory to a model over standard input and output.

    Clients start this by themselves; `quipu mcp config CLIENT` prints what they must be told. Which space and
    whose memory it is are settled here: no tool lets a model choose them. --space counts before --project.
    """
    if project and ctx.get_parameter_source("space") is not ParameterSource.COMMANDLINE:
        folder = os.environ.get("CLAUDE_PROJECT_DIR") or str(Path.cwd())
        whose["space"] = space_of(folder) or whose["space"]
    if ctx.invoked_subcommand is None:
        _serve(ctx.ensure_object(Call), peer, **whose)
    ctx.default_map = {"config": whose}  # what is said before the word holds after it


@command.command("config", epilog=_EXAMPLES)
@click.argument("client", type=click.Choice([*CLIENTS]))
@click.option("--http", metavar="URL", help="Of a server that runs already; the key is in QUIPU_API_KEY.")
@_whose
@common
def config(call: Call, client: str, http: str | None, **whose: Any) -> None:
    """Print what a client must be told so that it uses this memory; nothing is written.

    The lines name the Python that Quipu is installed in. --home and --url, if given, go into them.
    """
    lines = CLIENTS[client](_started(call, **whose) if http is None else _reached(http))
    where = "Run:" if lines.file is None else f"In {lines.file}:"
    screen = Screen(call)
    screen.answer({"client": client, "file": lines.file, "text": lines.text}, Text(lines.text))
    screen.note(f"{where} {lines.then}")


def _reached(url: str) -> Reached:
    if not url.startswith(("http://", "https://")):
        raise BadInput("give an address such as http://127.0.0.1:4780/mcp.", field="http")
    return Reached(url)


def _started(
    call: Call, *, space: str, user: str | None, schema: str, agent: str | None, read_only: bool
) -> Server:
    options = {"--space": check_name("space", space), "--user": user, "--agent": agent}
    options |= {"--schema": schema if schema != "memory" else None}
    arguments = ["-m", "quipu", "mcp"]
    arguments += [part for name, value in options.items() if value is not None for part in (name, value)]
    arguments += ["--read-only"] if read_only else []
    environment = {"QUIPU_HOME": call.home, "QUIPU_DATABASE_URL": call.url}
    beside = {name: value for name, value in environment.items() if value is not None}
    return Started(command=sys.executable, arguments=arguments, environment=beside)


def _serve(
    call: Call,
    peer: str | None,
    *,
    space: str,
    user: str | None,
    schema: str,
    agent: str | None,
    read_only: bool,
) -> None:
    # As `settings_of` of the other commands, which brings along what this one leaves to its server.
    options = {"home": call.home, "database_url": call.url}
    settings = load(None, {name: value for name, value in options.items() if value is not None})
    try:
        # An optional part, and half a second of imports that the other command does without.
        from quipu.interfaces.mcp import stdio  # noqa: PLC0415
        from quipu.interfaces.mcp.model import Caller  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.split(".")[0] not in _EXTRA:
            raise
        raise MissingExtra("mcp", "quipu mcp") from missing
    caller = Caller(
        space=check_name("space", space),
        user=optional_name("user", user),
        level="read" if read_only else "admin",
        schema=schema,
        agent=optional_name("agent", agent),
    )
    stdio.run(settings, stdio.tools_for(caller) if peer is None else _tools_of(peer, caller))


def _tools_of(peer: str, caller: Caller) -> Any:
    """Return the builder of the server that has the tools of a peer."""
    make = loaded(TOOLS[peer])
    return partial(make, space=caller.space, user=caller.user, read_only=caller.level == "read")
