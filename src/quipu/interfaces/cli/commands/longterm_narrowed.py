"""The options that narrow which memories of long-term memory are meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from quipu.kinds.longterm.model import CATEGORIES, IMPORTANCES

Command = TypeVar("Command", bound=Callable[..., Any])


def of_user(function: Command) -> Command:
    """Add ``--user``."""
    return click.option("--user", metavar="NAME", help="Whom it is about.")(function)


def of_kind(function: Command) -> Command:
    """Add ``--category`` and ``--importance``."""
    function = click.option("--importance", type=click.Choice(IMPORTANCES), help="Of this importance.")(
        function
    )
    return click.option(
        "--category",
        type=click.Choice(CATEGORIES),
        metavar="NAME",
        help=f"Of this category: {', '.join(CATEGORIES)}.",
    )(function)


def with_reason(function: Command) -> Command:
    """Add ``--reason``."""
    return click.option("--reason", metavar="TEXT", help="Why; it is kept in the history.")(function)


def if_version(function: Command) -> Command:
    """Add ``--expected-version``."""
    return click.option(
        "--expected-version",
        type=click.IntRange(min=1),
        metavar="N",
        help="Change nothing if somebody changed it since this version.",
    )(function)
