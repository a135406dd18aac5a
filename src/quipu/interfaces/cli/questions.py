"""The options that narrow a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def _kinds(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> list[str] | None:
    return list(value) or None


def narrowing(function: Command) -> Command:
    """Add the options that narrow a question; they are handed in as the fields of ``asked.Filters``."""
    function = click.option(
        "--limit", "-n", default=10, show_default=True, help="How many at most (1 to 1,000)."
    )(function)
    function = click.option("--until", metavar="TIME", help="Before this time.")(function)
    function = click.option(
        "--since", metavar="TIME", help="From this time on: 2025-03-01, 2025-03-01T10:00Z."
    )(function)
    function = click.option(
        "--kind",
        "kinds",
        multiple=True,
        callback=_kinds,
        metavar="KIND",
        help="Only message, ledger, lesson, episodes, longterm or tables; may be repeated.",
    )(function)
    function = click.option("--session", metavar="ID", help="Only this session.")(function)
    return click.option("--user", metavar="NAME", help="Only what is kept for this person.")(function)
