"""The options that every command takes, before or after its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(slots=True)
class Call:
    """What a call said about every command: which memory, and for whom the answer is."""

    home: str | None = None
    url: str | None = None
    json: bool = False
    quiet: bool = False


def _note(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
    """Keep what was given; an option that is not given here may have been given before the command."""
    call = ctx.ensure_object(Call)
    if value and parameter.name:
        setattr(call, parameter.name, value)


def common(function: Command) -> Command:
    """Add the common options to a command; their values are in the ``Call`` that ``click.pass_obj`` hands in."""
    for names, details in (
        (("--quiet", "-q"), {"is_flag": True, "help": "No progress and no notes."}),
        (("--json",), {"is_flag": True, "help": "One JSON document, for programs."}),
        (("--url",), {"metavar": "URL", "help": "A PostgreSQL server instead of the embedded one."}),
        (("--home",), {"metavar": "DIR", "help": "Where the embedded database lives (~/.quipu)."}),
    ):
        function = click.option(*names, **details, callback=_note, expose_value=False)(function)
    return function


def in_space(function: Command) -> Command:
    """Add ``--space``, of the commands that work in one."""
    return click.option(
        "--space",
        "-s",
        envvar="QUIPU_SPACE",
        default="default",
        show_default=True,
        show_envvar=True,
        metavar="NAME",
        help="Whose memory: a person, a project, a customer.",
    )(function)
