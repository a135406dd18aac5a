"""``quipu tables schemas``, ``grants`` and what changes them: for people, not for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import tables as views
from quipu.kinds.tables.model import PERMISSIONS

if TYPE_CHECKING:
    from quipu.kinds.tables.model import Permission

_schema = click.option("--schema", default="memory", show_default=True, metavar="NAME", help="Which schema.")


@click.command("schemas")
@in_space
@common
@click.pass_obj
def schemas(call: Call, space: str) -> None:
    """List the schemas of a space."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.tables.schemas(space=space)
    screen.answer({"space": space, "schemas": found}, views.schemas(found))


@click.command("create-schema")
@click.argument("name")
@in_space
@click.option("--description", metavar="TEXT", help="What it is for.")
@common
@click.pass_obj
def create_schema(call: Call, name: str, space: str, description: str | None) -> None:
    """Make one more schema, with two login roles of its own."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        made = memory.tables.create_schema(name, description=description, space=space)
    screen.answer(made, views.schemas([made]))


@click.command("drop-schema")
@click.argument("name")
@in_space
@click.option("--confirm", is_flag=True, help="Do it; without this the tables that would go are listed.")
@common
@click.pass_obj
def drop_schema(call: Call, name: str, space: str, confirm: bool) -> None:
    """Drop a schema with everything in it. It cannot be undone."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.tables.list_tables(schema=name, space=space, show_columns=False)
        dropped = confirm and memory.tables.drop_schema(name, space=space)
    screen.answer({"schema": found.schema, "tables": found.tables, "dropped": dropped}, *views.listing(found))
    if not dropped:
        screen.note(f"\nNothing was changed. To drop all of it: quipu tables drop-schema {name} --confirm")


@click.command("grants")
@in_space
@click.option("--schema", metavar="NAME", help="Of this schema only.")
@common
@click.pass_obj
def grants(call: Call, space: str, schema: str | None) -> None:
    """List which agent may do what."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.tables.grants(schema=schema, space=space)
    screen.answer({"space": space, "grants": found}, views.grants(found))


@click.command("grant")
@click.argument("agent")
@click.argument("permission", type=click.Choice(PERMISSIONS))
@in_space
@_schema
@common
@click.pass_obj
def grant(call: Call, agent: str, permission: str, space: str, schema: str) -> None:
    """Let an agent read, write rows, or administer the structure as well."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        memory.tables.grant(agent, cast("Permission", permission), schema=schema, space=space)
        found = memory.tables.grants(schema=schema, space=space)
    screen.answer({"space": space, "grants": found}, views.grants(found))


@click.command("revoke")
@click.argument("agent")
@in_space
@_schema
@common
@click.pass_obj
def revoke(call: Call, agent: str, space: str, schema: str) -> None:
    """Let an agent do nothing in a schema any more."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        memory.tables.revoke(agent, schema=schema, space=space)
        found = memory.tables.grants(schema=schema, space=space)
    screen.answer({"space": space, "grants": found}, views.grants(found))


COMMANDS = (schemas, create_schema, drop_schema, grants, grant, revoke)
