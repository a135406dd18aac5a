"""The options that every command takes, before or after its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
Options = ParamSpec("Options")
Answer = TypeVar("Answer")


@dataclass(slots=True)
class Call:
    """Options of every command: which memory, and for whom the answer is."""

    home: str | None = None
    url: str | None = None
    json: bool = False
    quiet: bool = False


def _note(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
    """Keep what was given; an option that is not given here may have been given before the command."""
    call = ctx.ensure_object(Call)
    if value and parameter.name:
        setattr(call, parameter.name, value)


def common(function: Callable[Concatenate[Call, Options], Answer]) -> Callable[Options, Answer]:
    """Add the options of every command to a function, and hand their values in as its first argument."""
    return common_options(click.pass_obj(function))


def common_options(function: Command) -> Command:
    """Add the options of every command; ``click.pass_obj`` hands their values in as a ``Call``."""
    for option in (
        _noted("--quiet", "-q", is_flag=True, help="No progress and no notes."),
        _noted("--json", is_flag=True, help="One JSON document, for programs."),
        _noted("--url", metavar="URL", help="A PostgreSQL server instead of the embedded one."),
        _noted("--home", metavar="DIR", help="Where the embedded database lives (~/.quipu)."),
    ):
        function = option(function)
    return function


def _noted(*names: str, **details: Any) -> Callable[[Command], Command]:
    return click.option(*names, callback=_note, expose_value=False, **details)


def erased_too(function: Command) -> Command:
    """Add ``--erased-too``, of the commands that take in recordings."""
    return click.option("--erased-too", is_flag=True, help="Take in what was forgotten, too.")(function)


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
        help="The space: a person, a project, a customer.",
    )(function)


def in_one_space(help: str) -> Callable[[Command], Command]:
    """Add ``--space``, of the commands that may work in many."""
    return click.option("--space", "-s", envvar="QUIPU_SPACE", show_envvar=True, metavar="NAME", help=help)
