"""Parameters that many operations share: type, help, bounds and an example, each written once.

An operation annotates its own parameters the same way, for example
``text: Annotated[str | None, Doc("Only memories that contain this text."), Example("tea")] = None``.
Doors read these annotations: REST for its OpenAPI, the command line for its options, the reference pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from annotated_types import Interval
from typing_extensions import Doc

MOST_ROWS: Final = 1_000
MOST_PASSED_OVER: Final = 10**9
LAST_VERSION: Final = 2**31 - 1

ListState = Literal["live", "archived", "all"]
STATES: Final[tuple[ListState, ...]] = ("live", "archived", "all")


@dataclass(frozen=True, slots=True)
class Example:
    """A value that a reader may try."""

    value: object


@dataclass(frozen=True, slots=True)
class Words:
    """Notes that a text may be given as several words, without quotes around them."""


Space = Annotated[str, Doc("The space to work in: a person, a project, a customer."), Example("ana")]
Id = Annotated[
    UUID | str,
    Doc("The id, or the first digits of it (at least four)."),
    Example("0198c5a2-7f3e-7cc1-9d55-3a1f0c9b2e4d"),
]
SchemaName = Annotated[str, Doc("The short name of the schema."), Example("memory")]
OnlySchema = Annotated[str | None, Doc("Only this schema, by its short name."), Example("memory")]
Agent = Annotated[
    str | None,
    Doc("The agent that asks, which may do what was granted to it; none is the program itself."),
    Example("scout"),
]
TheSession = Annotated[str, Doc("The name of the session."), Example("s1")]
OnlyUser = Annotated[str | None, Doc("Only what is about this person."), Example("ana")]
OnlySession = Annotated[str | None, Doc("Only this session."), Example("s1")]
OnlyKinds = Annotated[
    Sequence[str] | None,
    Doc("Only of these kinds: message, ledger, lesson, episodes, longterm, tables or document."),
    Example(["message"]),
]
Since = Annotated[datetime | str | None, Doc("Only from this time on."), Example("2026-05-01")]
Until = Annotated[datetime | str | None, Doc("Only before this time."), Example("2026-06-01T00:00:00Z")]
Matching = Annotated[
    Mapping[str, object] | None,
    Doc("Only what these conditions on its metadata, or on the value of a document, hold for."),
    Example({"topic": "travel", "rank": {"gte": 3}}),
]
Metadata = Annotated[
    Mapping[str, object] | None,
    Doc("What else is known of it; filters ask for it."),
    Example({"agent_id": "planner", "topic": "travel"}),
]
Limit = Annotated[int, Doc("The most rows to return."), Interval(ge=1, le=MOST_ROWS)]
Offset = Annotated[int, Doc("The number of rows to skip."), Interval(ge=0, le=MOST_PASSED_OVER)]
After = Annotated[UUID | str | None, Doc("Continue after the row with this id.")]

User = Annotated[
    str | None, Doc("The person it is about; without one, everybody in the space."), Example("ana")
]
Session = Annotated[str | None, Doc("The session it was said in."), Example("s1")]
Time = Annotated[datetime | str | None, Doc("When it was said, if not now."), Example("2026-05-04T10:00:00Z")]
ValidFrom = Annotated[
    datetime | str | None, Doc("Since when it holds, if not since then."), Example("2025-05-01")
]
ValidUntil = Annotated[
    datetime | str | None, Doc("When it ceases to hold; without one it goes on."), Example("2026-05-01")
]
Reason = Annotated[str | None, Doc("Why; kept in the history."), Example("She said so.")]
ExpectedVersion = Annotated[
    int | None,
    Doc("Change nothing if somebody changed it since this version."),
    Interval(ge=1, le=LAST_VERSION),
    Example(3),
]
ErasedToo = Annotated[bool, Doc("Take in again what was forgotten.")]
Confirm = Annotated[bool, Doc("Do it; without it, only show what would be done.")]
