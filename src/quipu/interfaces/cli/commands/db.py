"""``quipu db``: the embedded database."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import click
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from rich.text import Text

from quipu.errors import BadInput, NotFound
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import backup as views
from quipu.interfaces.cli.views.layout import named_values
from quipu.interfaces.cli.views.text import size
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.embedded import ServerStatus
from quipu.kernel.db.roles import Roles
from quipu.upkeep.backup.upgrade import put_aside, remove_put_aside
from quipu.upkeep.backup.upgrade import upgrade as bring_over

_AGAIN = (
    "The data are as they were, or already of the new version: `quipu db status` says which. In the first "
    "case the same command does it from the beginning."
)


@click.group("db", no_args_is_help=False)
def command() -> None:
    """Start, stop and look at the embedded database.

    It starts by itself when it is needed and stops when its last user leaves; `quipu db start` lets it stay.
    """


@command.command("start", short_help="Start it, and let it stay until `quipu db stop`.")
@common
def start(call: Call) -> None:
    """Start it, and let it stay until `quipu db stop`: calls are then quicker."""
    settings, screen = _embedded(call), Screen(call)
    with screen.busy("Starting PostgreSQL"):
        anyio.run(embedded.keep, settings)
    _show(screen, embedded.status(settings))


@command.command("stop")
@click.option("--force", is_flag=True, help="Also while other processes use it.")
@common
def stop(call: Call, force: bool) -> None:
    """Stop it. What is stored is safe."""
    settings, screen = _embedded(call), Screen(call)
    with screen.busy("Stopping PostgreSQL"):
        stopped = anyio.run(lambda: embedded.stop(settings, force=force))
    screen.answer({"stopped": stopped}, Text("Stopped." if stopped else "It was not running."))


@command.command("status")
@common
def status(call: Call) -> None:
    """Show if it runs, where its data are, and how large they are."""
    settings = _embedded(call)
    _show(Screen(call), embedded.status(settings))


@command.command("url", short_help="Print its address, for pg_dump and other programs.")
@common
def url(call: Call) -> None:
    """Print its address, for psql, pg_dump and other programs, while it runs."""
    settings, screen = settings_of(call), Screen(call)
    address = settings.server_url
    if address is None:
        if embedded.status(settings).state != "running":
            raise NotFound("The embedded database is not running.", hint="quipu db start")
        server = anyio.run(embedded.start, settings)
        address = server.conninfo()
        anyio.run(server.aclose)
    screen.answer({"url": address}, Text(address))


@command.command("upgrade", short_help="Bring the data over to the installed version of PostgreSQL.")
@click.option(
    "--old-programs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Programs of the version that the data have; else those found on this machine.",
)
@click.option("--yes", is_flag=True, help="Do it. Without this, only what would be done is shown.")
@common
def upgrade(call: Call, old_programs: Path | None, yes: bool) -> None:
    """Bring the data over to the version of PostgreSQL that is installed.

    All of it is rewritten by the newer programs, counted, and takes its place last; the data of before
    are put aside. Other programs must let go of the database meanwhile. Cut off, it begins again.
    """
    settings, screen = _embedded(call), Screen(call)
    work = partial(bring_over, settings, clock=SystemClock(), old_programs=old_programs)
    upgraded = work()
    if upgraded is not None and yes:
        with screen.progress("Rewriting", total=upgraded.size_bytes, again=_AGAIN) as steps:
            upgraded = work(confirm=True, progress=steps.advance)
    screen.answer(upgraded, views.upgraded(upgraded))


@command.command("clean")
@click.option("--yes", is_flag=True, help="Remove them. Without this, they are only shown.")
@common
def clean(call: Call, yes: bool) -> None:
    """Remove the data that an upgrade or a restore put aside.

    Do it once you are sure of the new ones.
    """
    settings, screen = _embedded(call), Screen(call)
    copies = remove_put_aside(settings) if yes else put_aside(settings)
    screen.answer({"removed": yes, "put_aside": copies}, *views.put_aside(copies, removed=yes))


@command.command(
    "psql",
    short_help="Open it in psql, as its administrator.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PSQL ARGUMENTS]...")
@common
def psql(call: Call, arguments: tuple[str, ...]) -> int:
    """Open the database in psql, as its administrator; further arguments are psql's.

    The administrator sees every space: row level security does not bind it. A server that is named by its URL
    is opened with the psql of this machine, or else with the one of the embedded database.
    """
    settings = settings_of(call)
    installed = shutil.which("psql")
    if settings.server_url is not None:
        return _psql(installed or _brought(settings), settings.server_url, arguments)
    server = anyio.run(embedded.start, settings)
    try:
        return _psql(_brought(settings) or installed, server.conninfo(), arguments)
    finally:
        anyio.run(server.aclose)


@command.command("roles", short_help="Print, or apply, the SQL that prepares a server of your own.")
@click.option("--login", default="quipu_login", show_default=True, help="The login that Quipu is to use.")
@click.option("--database", default="quipu", show_default=True, help="The database that it is to own.")
@click.option(
    "--password-env",
    metavar="NAME",
    help="The variable with the password of the login; psql asks without it.",
)
@click.option("--apply", "wanted", is_flag=True, help="Run it on the server of --url, as its superuser.")
@click.option(
    "--yes", is_flag=True, help="With --apply: do it. Without this, only what would be run is shown."
)
@common
def roles(call: Call, login: str, database: str, password_env: str | None, wanted: bool, yes: bool) -> None:
    """Print the SQL that prepares a PostgreSQL server: roles, login, database and extensions.

    A superuser runs it once, with psql or by --apply. Running it again changes nothing but the password.

    Example: quipu db roles | psql 'postgresql://postgres@db.example.com/postgres'
    """
    settings, screen = settings_of(call), Screen(call)
    if password_env is not None and not os.environ.get(password_env):
        raise BadInput(f"the variable {password_env} is not set.", field="--password-env")
    prepared = Roles(login, database, os.environ[password_env] if password_env else None)
    if not wanted:
        screen.answer({"sql": prepared.script()}, Text(prepared.script().rstrip("\n")))
        return
    if settings.server_url is None:
        raise BadInput("which server?", field="--url", hint="Name it by a superuser's URL.")
    shown = replace(prepared, password=None)
    if not yes:
        screen.answer({"sql": shown.script(), "applied": False}, Text(shown.script().rstrip("\n")))
        screen.note("Nothing was changed. With --yes this is run on the server.")
        return
    anyio.run(prepared.apply, settings.server_url, settings)
    done = Text(f"The server is prepared: {login} may use the database {database}.")
    screen.answer({"sql": shown.script(), "applied": True}, done)


def _embedded(call: Call) -> Settings:
    settings = settings_of(call)
    if settings.database_url is not None:
        raise BadInput(
            "This is about the embedded database, and a server is named by --url or QUIPU_DATABASE_URL.",
            hint="Leave the URL out, or use that server's own tools.",
        )
    return settings


def _show(screen: Screen, status: ServerStatus) -> None:
    shown = {
        "state": status.state + (" (until `quipu db stop`)" if status.stays else ""),
        "data": f"{status.data_dir} ({size(status.size_bytes)})",
        "socket": status.socket,
        "process": status.pid,
        "version": status.version,
        "connections": status.clients if status.state == "running" else None,
    }
    screen.answer(status, named_values(shown), *(Text(problem, style="red") for problem in status.problems))


def _brought(settings: Settings) -> str | None:
    """Return the psql that the embedded database comes with, if it does."""
    program = anyio.run(embedded.programs, settings).tool("psql")
    return str(program) if program.exists() else None


def _psql(program: str | None, conninfo: str, arguments: tuple[str, ...]) -> int:
    if program is None:
        raise NotFound("There is no psql on this machine.", hint="Install PostgreSQL's client programs.")
    parts = conninfo_to_dict(conninfo)
    password = parts.pop("password", None)  # every user of the machine can read the arguments of a process
    environment = os.environ | ({} if password is None else {"PGPASSWORD": str(password)})
    with subprocess.Popen([program, make_conninfo("", **parts), *arguments], env=environment) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue  # it is for psql, which cancels its query
