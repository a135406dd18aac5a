"""A group of commands that are loaded when they are called, so that ``quipu --help`` is quick."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """Knows its commands by name and one line of help each.

    ``lines``: name -> (module in ``commands`` whose ``command`` it is, its line in the help).
    """

    def __init__(self, *args: Any, lines: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lines = lines

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Their names, in the order in which they are shown."""
        return list(self._lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """The command, loaded now."""
        if cmd_name not in self._lines:
            return None
        module = import_module(f"quipu.interfaces.cli.commands.{self._lines[cmd_name][0]}")
        return module.command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """Write the list without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._lines.items()])
