"""Results of the middleware: what was recovered for a message, and how it is doing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Part = Literal["open", "before", "after", "evaluate"]
"""Parts that can fail: opening the memory, recovering, writing a turn down, evaluating."""

Outcome = Literal["found", "nothing", "timeout", "failed"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("found", "nothing", "timeout", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Person of a conversation; ``user`` is None if people are not told apart."""

    space: str
    user: str | None
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Recalled memory for a message, or the reason why there is none.

    ``block`` goes into the prompt: it is marked, so that it is not taken in again; empty if nothing is known,
    there was no time, or memory failed (``outcome``; ``trouble`` says why). ``ids`` are those of the memories
    in it. ``message`` is the id under which the message will be recorded.
    """

    outcome: Outcome
    message: str
    block: str = ""
    ids: tuple[str, ...] = ()
    tokens: int = 0
    took_ms: float = 0.0
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Counts of one middleware since it was made.

    ``before`` counts recoveries by outcome, ``before_ms`` is their time in all and ``before_ms_most`` the
    longest. Turns are ``written``, ``waiting`` to be, or ``lost``; ``tried_again`` counts tries that failed
    and were repeated. ``evaluated`` and ``evaluations_failed`` count the jobs done here, not by a worker.
    ``troubles`` counts all failures by what failed.
    """

    before: Mapping[Outcome, int] = field(default_factory=dict["Outcome", int])
    before_ms: float = 0.0
    before_ms_most: float = 0.0
    written: int = 0
    waiting: int = 0
    lost: int = 0
    tried_again: int = 0
    evaluated: int = 0
    evaluations_failed: int = 0
    troubles: Mapping[Part, int] = field(default_factory=dict["Part", int])
