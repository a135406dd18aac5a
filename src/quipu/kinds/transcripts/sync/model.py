"""Input and reports of a sync."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something about a file that could not be taken as it is; the rest of it was."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SpaceReport:
    """Intake of one space.

    ``files``: those that had something new, of ``bytes`` together. ``lines``: stored now; ``messages``: of
    those, what somebody said; ``known``: lines that were stored already; ``withheld``: lines that were
    erased, or are of a session as it was when it was erased, and were left out. ``redacted``: secrets cut
    out, by kind; ``repaired``: characters that no database can store. ``cut_characters``: memory of this
    space that came back and was cut out; ``foreign_characters``: memory of other spaces or installations,
    kept as text and not indexed; ``unmatched_marks``: marks of this space in front of other words than they
    were made for, kept and indexed. ``inserted_characters``: left out of messages of people, as the agent's
    program put them there. ``unknown``: records kept as they came, by type; ``passed``: records that are not
    kept, by type.
    """

    files: int = 0
    bytes: int = 0
    sessions: int = 0
    lines: int = 0
    messages: int = 0
    known: int = 0
    withheld: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    prompts: int = 0
    teams: int = 0
    tasks: int = 0
    repaired: int = 0
    cut_characters: int = 0
    foreign_characters: int = 0
    unmatched_marks: int = 0
    inserted_characters: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict[str, int])
    unknown: Mapping[str, int] = field(default_factory=dict[str, int])
    passed: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Intake of a sync, by space, and what it could not read."""

    spaces: Mapping[str, SpaceReport]
    troubles: tuple[Trouble, ...] = ()
    seconds: float = 0.0

    @property
    def lines(self) -> int:
        """Number of lines that were stored."""
        return sum(one.lines for one in self.spaces.values())

    @property
    def withheld(self) -> int:
        """Number of lines that were left out because they were erased."""
        return sum(one.withheld for one in self.spaces.values())


@dataclass(frozen=True, slots=True)
class Pending:
    """Pending work of a sync in a space: files with something new, and how many bytes of them."""

    files: int
    bytes: int


@dataclass(slots=True)
class Tally:
    """The report of a space in the making."""

    paths: set[str] = field(default_factory=set[str])
    sessions: set[str] = field(default_factory=set[str])
    counts: Counter[str] = field(default_factory=Counter[str])
    redacted: Counter[str] = field(default_factory=Counter[str])
    unknown: Counter[str] = field(default_factory=Counter[str])
    passed: Counter[str] = field(default_factory=Counter[str])

    def report(self) -> SpaceReport:
        """Return the report as it stands."""
        return SpaceReport(
            files=len(self.paths),
            sessions=len(self.sessions),
            redacted=dict(self.redacted),
            unknown=dict(self.unknown),
            passed=dict(self.passed),
            **self.counts,
        )
