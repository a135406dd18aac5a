"""Configuration that a client needs, and the words that explain it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

NAME = "quipu"
KEY_VARIABLE = "QUIPU_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A server that the client starts itself: a command, and what its environment has beside."""

    command: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Reached:
    """A server that runs already, at an address; the key to it stands in ``KEY_VARIABLE``."""

    url: str


Server = Started | Reached


@dataclass(frozen=True, slots=True)
class Lines:
    """Ready-made lines: a command to be run (``file`` is None), or text for a file."""

    file: str | None
    text: str
    then: str
