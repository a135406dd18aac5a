"""A group of commands that are loaded when they are called, so that ``quipu --help`` is quick."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """Knows its commands by name and one line of help each; the command is ``command`` in a module of that name.

    ``lines``: name of the command -> (module in ``commands``, its line in the help).
    """

    def __init__(self, *args: Any, lines: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order in which they are shown."""
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, loaded now."""
        if cmd_name not in self._lines:
            return None
        module = import_module(f"quipu.interfaces.cli.commands.{self._lines[cmd_name][0]}")
        return module.command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._lines.items()])
