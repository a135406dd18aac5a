"""Every command of the command line with what it takes, from the tree of commands itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from quipu.interfaces.cli.main import quipu_command

# What runs until it is stopped, downloads, or works on the machine and not on what somebody says.
APART = frozenset({"serve", "worker", "mcp", "demo", "bench", "backup", "db", "migrate", "reembed"})


@dataclass(frozen=True)
class Called:
    """A command by its path, and its parameters."""

    path: tuple[str, ...]
    command: click.Command

    @property
    def name(self) -> str:
        return " ".join(self.path)

    @property
    def arguments(self) -> list[click.Argument]:
        return [one for one in self.command.params if isinstance(one, click.Argument)]

    @property
    def options(self) -> list[click.Option]:
        """Options that take something."""
        found = [one for one in self.command.params if isinstance(one, click.Option)]
        return [one for one in found if not one.is_flag and not one.count and not one.is_eager]

    def line(self, values: dict[str, str], *rest: str) -> list[str]:
        """The command with a value for each argument, and whichever options have one in ``values``."""
        made = [*self.path]
        for one in self.options:
            if one.name in values:
                made += [max(one.opts, key=len), values[one.name]]
        for one in self.options:
            if one.required and one.name not in values:
                made += [max(one.opts, key=len), "keel"]
        made += rest
        return [*made, "--", *(values.get(str(one.name), "keel") for one in self.arguments)]


def commands() -> Iterator[Called]:
    """All of them but those apart."""
    yield from _below(quipu_command, ())


def _below(group: click.Command, path: tuple[str, ...]) -> Iterator[Called]:
    if not isinstance(group, click.Group):
        yield Called(path, group)
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if name not in APART or path:
            yield from _below(command, (*path, name))


def takes(called: Called, name: str) -> bool:
    return any(one.name == name for one in called.command.params)


def named(found: Sequence[Called], name: str) -> Called:
    return next(one for one in found if one.name == name)
