"""The options that narrow what is shown of recorded sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def in_project(function: Command) -> Command:
    """Add ``--project``."""
    return click.option("--project", metavar="TEXT", help="Only projects whose path holds this.")(function)


def in_session(function: Command) -> Command:
    """Add ``--session``."""
    return click.option("--session", metavar="ID", help="Only sessions whose id begins so.")(function)


def in_time(function: Command) -> Command:
    """Add ``--since`` and ``--until``."""
    function = click.option("--until", metavar="TIME", help="Before this time.")(function)
    return click.option("--since", metavar="TIME", help="From this time on: 2026-03-01, 2026-03-01T10:00Z.")(
        function
    )


def at_most(default: int, most: int = 1_000) -> Callable[[Command], Command]:
    """Add ``--limit``."""
    return click.option(
        "--limit", "-n", default=default, show_default=True, help=f"How many at most (1 to {most:,})."
    )
