"""A group of commands that are loaded when they are called, so that ``quipu --help`` is quick."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

_PACKAGE = "quipu.interfaces.cli"


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command before it is loaded: its module in ``commands``, its line in the help, whether it embeds.

    Without a module it is derived: a room with all its commands, or one command of the memory itself.
    """

    module: str | None
    text: str
    embeds: bool = False


class LazyGroup(click.Group):
    """Knows its commands by name and one line of help each; ``lines`` has them in the order of the help."""

    def __init__(self, *args: Any, lines: Mapping[str, CommandLine], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return their names, in the order in which they are shown."""
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """Return the command, loaded now."""
        if cmd_name not in self._lines:
            return None
        module = self._lines[cmd_name].module
        loaded = import_module(f"{_PACKAGE}.commands.{module or 'rooms'}")
        return loaded.command if module else loaded.room(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the called command. One that embeds begins to load its model while it is loaded itself."""
        if args[0] not in self._lines and (near := get_close_matches(args[0], self._lines, n=1)):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        if _embeds(self._lines.get(args[0]), args):
            _warm()
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """Write the list without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line.text) for name, line in self._lines.items()])


class WarmGroup(click.Group):
    """A group of which the commands named in ``embed`` find their model loading when they are loaded."""

    def __init__(self, *args: Any, embed: Collection[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._embed = embed

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called; ``show`` is ``get`` where there is no other."""
        if args[0] == "show" and "show" not in self.commands and "get" in self.commands:
            args = ["get", *args[1:]]
        if args[0] not in self.commands and (near := get_close_matches(args[0], self.commands, n=1)):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        if args[0] in self._embed and _is_done(args):
            _warm()
        return super().resolve_command(ctx, args)


def _warm() -> None:
    import_module(f"{_PACKAGE}.warm").Warming().start()


def _embeds(line: CommandLine | None, arguments: Sequence[str]) -> bool:
    return line is not None and line.embeds and _is_done(arguments)


def _is_done(arguments: Sequence[str]) -> bool:
    """Return True if a command is called for more than its help."""
    return "--help" not in arguments and "-h" not in arguments
