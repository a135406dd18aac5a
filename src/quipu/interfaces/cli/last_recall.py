"""The question that was asked last, so that ``quipu why 2`` knows which hit is the second.

Kept are the question, its filters and the ids of the hits, never what the memories say: what is forgotten
must not live on here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import Any, TypedDict, TypeVar

import click

from quipu.errors import NotFound
from quipu.interfaces.cli.values import value_of

_FILE = "last-recall.json"
_NOTHING = "No question was asked yet."
_ASK = 'Ask one: quipu recall "…", or give it here with --question.'


Command = TypeVar("Command", bound=Callable[..., Any])


def _kinds(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> list[str] | None:
    return list(value) or None


def _filter(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> object:
    return value_of(value, field="filter") if value else None


def narrowing(function: Command) -> Command:
    """Add the options that narrow a question; they are handed in as the fields of ``asked.Filters``."""
    function = click.option(
        "--limit", "-n", default=10, show_default=True, help="The most rows to return (1 to 1,000)."
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
        help="Only of these kinds: message, ledger, lesson, episodes, longterm, tables or document.",
    )(function)
    function = click.option(
        "--filter",
        multiple=True,
        callback=_filter,
        metavar="NAME=VALUE",
        help="Only what these conditions on its metadata hold for; JSON, or pairs.",
    )(function)
    function = click.option("--session", metavar="ID", help="Only this session.")(function)
    return click.option("--user", metavar="NAME", help="Only what is kept for this person.")(function)


class Filters(TypedDict):
    """The arguments of a recall beside the question."""

    space: str
    user: str | None
    session: str | None
    kinds: list[str] | None
    since: str | None
    until: str | None
    limit: int
    filter: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class LastRecall:
    """A question as it was asked, and what came back: (kind, id) of each hit, best first."""

    question: str
    filters: Filters
    hits: tuple[tuple[str, str], ...]


def remember(recall: LastRecall, *, home: Path) -> None:
    """Keep it in place of the one before, readable by nobody else."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = mkstemp(prefix=f".{_FILE}-", dir=home)  # mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(asdict(recall), file)
    Path(name).replace(home / _FILE)


def last(*, home: Path) -> LastRecall:
    """Return the question that was kept.

    Raises:
        NotFound: there is none, or not one that this version can read.
    """
    try:
        kept = json.loads((home / _FILE).read_text("utf-8"))
        hits = tuple((str(kind), str(identity)) for kind, identity in kept["hits"])
        return LastRecall(str(kept["question"]), _filters(kept["filters"]), hits)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotFound(_NOTHING, hint=_ASK) from error


def drop(*, home: Path) -> None:
    """Forget the question: it may name what is to be forgotten."""
    (home / _FILE).unlink(missing_ok=True)


def _filters(kept: Mapping[str, object]) -> Filters:
    return Filters(**{name: kept.get(name) for name in Filters.__annotations__})  # pyright: ignore[reportArgumentType]
