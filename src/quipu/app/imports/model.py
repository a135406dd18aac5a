"""Values of imports: what was found and done, imports that were made, and what they brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

RecordKind = Literal["message", "memory", "lesson", "document", "loop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPerson:
    """A person as a source names them, the ``user`` whose words they become, and how many records."""

    name: str
    user: str | None
    records: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """Account of an import, or of its preview: then ``done`` is False, and nothing was written.

    ``id`` is that of the import; None if it brought nothing. ``records`` are new, by kind; ``known`` came
    with an earlier import or say what is known; ``changed`` changed at the source since they came. ``ended``
    of the new ones held once and hold no more. ``first`` and ``last`` are the earliest and the latest time.
    ``dropped`` counts fields that have no place here, and stay in the source record alone; ``left_out``
    records that are not taken, by the reason; ``assumed`` are sentences. ``refused`` says what could not be
    taken and why, the first thousand of ``unreadable``. ``withheld`` was forgotten here. ``redacted`` counts
    secrets that were cut out, by kind.
    """

    source: str
    title: str
    version: str | None
    label: str
    done: bool
    id: str | None = None
    records: Mapping[str, int] = field(default_factory=dict[str, int])
    known: int = 0
    changed: int = 0
    withheld: int = 0
    ended: int = 0
    first: datetime | None = None
    last: datetime | None = None
    people: Sequence[ImportedPerson] = ()
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    assumed: Sequence[str] = ()
    refused: Sequence[str] = ()
    unreadable: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict[str, int])
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """An import that was made: from where, when, and how many records of each kind are there of it.

    ``ended_at`` is None for one that was cut off: the same import again goes on with it. ``told`` is what
    was not taken and what was assumed, as in the report.
    """

    id: str
    source: str
    version: str | None
    label: str
    sha256: str
    begun_at: datetime
    ended_at: datetime | None
    records: Mapping[str, int]
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRecord:
    """A record that an import brought.

    ``source_id`` is its id at the source, of a message that of its session, a slash, and its own. ``target``
    is the id of what it became, of a message its number. ``raw`` is the record as the source had it, without
    secrets; None where it was too large to keep.
    """

    kind: RecordKind
    source_id: str
    target: str
    raw: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUndone:
    """Result of undoing an import: rows that go, by table. ``done`` is False for a preview."""

    id: str
    rows: Mapping[str, int]
    done: bool
