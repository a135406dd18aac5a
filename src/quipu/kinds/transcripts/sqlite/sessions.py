"""The sessions of a ccrecall file, one after the other, as the values that a transcript is read into."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from quipu.kernel.base.text import Marks
from quipu.kinds.transcripts.formats import claude_code
from quipu.kinds.transcripts.formats.cleanup import clean_reading
from quipu.kinds.transcripts.formats.model import Details, Reading, Summary
from quipu.kinds.transcripts.sqlite import rules
from quipu.kinds.transcripts.sqlite.file import Connection, rows

_ORPHANS: Final = "/"
_DEFAULT: Final = "default"

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FileSession:
    """A session of the file, read: its name, the space that it belongs to, and what its lines say."""

    name: str
    space: str
    reading: Reading


def sessions(
    connection: Connection,
    *,
    space: str | None,
    now: datetime,
    repaired: Counter[str],
    secrets: bool,
    marks_of: Callable[[str], Marks],
) -> Iterator[FileSession]:
    """Yield every session, cleaned; also those that the file mentions without having a row for them.

    ``marks_of`` returns the marks of a space, by which memory that came from it is recognised.
    """
    known = rows(connection, "sessions")
    blank = dict.fromkeys(("git_branch", "cwd", "first_timestamp", "last_timestamp", "summary"))
    known += [{**blank, "id": row["id"], "project_path": _ORPHANS} for row in rows(connection, "homeless")]
    for row in known:
        reading = _read(connection, row, now=now, repaired=repaired)
        details = _details(row, reading, repaired)
        name = space or space_of(details.project_path)
        clean_reading(reading, secrets=secrets, marks=marks_of(name))
        yield FileSession(row["id"], name, reading)


def space_of(project: str | None) -> str:
    """Return the space of a project: the last part of its path, as for a transcript."""
    parts = [part for part in re.split(r"[\\/]", project or "") if part]
    return parts[-1] if parts else _DEFAULT


def _read(connection: Connection, session: Row, *, now: datetime, repaired: Counter[str]) -> Reading:
    messages = rows(connection, "messages", session=session["id"])
    results = rows(connection, "results", session=session["id"])
    calls = _by_message(rows(connection, "calls", session=session["id"]))
    brought = _by_message(results)
    answers = rules.responses(messages, repaired)
    if (again := rules.repeated(results)) > 0:
        repaired[rules.REPEATED_RESULTS] += again
    begun = rules.moment(session["first_timestamp"]) or now
    at = claude_code.place(session["id"], written_at=begun, now=now)
    into = Reading(lines=len(messages))
    for row in messages:
        uuid = row["uuid"]
        record = rules.record(row, session, calls[uuid], brought[uuid], answers.get(uuid), repaired)
        claude_code.read(record, at, into)
    if session["summary"] and messages:
        into.summaries.append(Summary(messages[-1]["uuid"], session["summary"]))
    return into


def _by_message(read: Sequence[Row]) -> Mapping[str, list[Row]]:
    by_message: defaultdict[str, list[Row]] = defaultdict(list)
    for row in read:
        by_message[row["message_uuid"]].append(row)
    return by_message


def _details(session: Row, reading: Reading, repaired: Counter[str]) -> Details:
    """Return the details of a session, its span and its project corrected."""
    details = reading.of(session["id"])
    details.source = "ccrecall"
    for told in (session["first_timestamp"], session["last_timestamp"]):
        if (at := rules.moment(told)) is not None:
            details.spans(at)
    told = rules.moment(session["last_timestamp"])
    if told is not None and details.last_at is not None and told < details.last_at:
        repaired[rules.SHORT_SPANS] += 1
    details.project_path = details.project_path or session["cwd"] or session["project_path"]
    if details.project_path != session["project_path"] and session["project_path"] != _ORPHANS:
        repaired[rules.WRONG_PROJECTS] += 1
    details.cwd = details.cwd or session["cwd"]
    details.git_branch = details.git_branch or session["git_branch"]
    return details
