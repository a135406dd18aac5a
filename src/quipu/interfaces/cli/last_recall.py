"""The question that was asked last, so that ``quipu why 2`` knows which hit is the second.

Kept are the question, its filters and the ids of the hits, never what the memories say: what is forgotten
must not live on here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import TypedDict

from quipu.errors import NotFound

_FILE = "last-recall.json"
_NOTHING = "No question was asked yet."
_ASK = 'Ask one: quipu recall "…", or give it here with --question.'


class Filters(TypedDict):
    """The arguments of a recall beside the question."""

    space: str
    user: str | None
    session: str | None
    kinds: list[str] | None
    since: str | None
    until: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was asked, and what came back: (kind, id) of each hit, best first."""

    question: str
    filters: Filters
    hits: tuple[tuple[str, str], ...]


def remember(asked: Asked, *, home: Path) -> None:
    """Keep it in place of the one before, readable by nobody else."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = mkstemp(prefix=f".{_FILE}-", dir=home)  # mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(asdict(asked), file)
    Path(name).replace(home / _FILE)


def last(*, home: Path) -> Asked:
    """Return the question that was kept.

    Raises:
        NotFound: there is none, or not one that this version can read.
    """
    try:
        kept = json.loads((home / _FILE).read_text("utf-8"))
        hits = tuple((str(kind), str(identity)) for kind, identity in kept["hits"])
        return Asked(str(kept["question"]), _filters(kept["filters"]), hits)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotFound(_NOTHING, hint=_ASK) from error


def drop(*, home: Path) -> None:
    """Forget the question: it may name what is to be forgotten."""
    (home / _FILE).unlink(missing_ok=True)


def _filters(kept: Mapping[str, object]) -> Filters:
    return Filters(**{name: kept[name] for name in Filters.__annotations__})  # pyright: ignore[reportArgumentType]
