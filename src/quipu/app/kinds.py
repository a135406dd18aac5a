"""The kinds of memory of this system. A new kind is one folder and one word here."""

from __future__ import annotations

from quipu.kinds.documents.kind import DOCUMENTS
from quipu.kinds.episodes.kind import EPISODES
from quipu.kinds.ledger.kind import LEDGER
from quipu.kinds.longterm.kind import LONGTERM
from quipu.kinds.plug import Context, Kind, Schedule
from quipu.kinds.tables.kind import TABLES
from quipu.kinds.transcripts.kind import TRANSCRIPTS
from quipu.record import backlog, removal
from quipu.record.eraser import NAMED, RecordEraser, noted
from quipu.record.model import MESSAGE
from quipu.record.standing.derived import RULES
from quipu.record.store import cite, matching_filter
from quipu.upkeep.erasers import AnswersEraser, KeysEraser, OutboxEraser
from quipu.upkeep.erasure.model import Named
from quipu.upkeep.erasure.tombstones import note_named
from quipu.upkeep.settings.model import Register


async def _drop_removed(context: Context) -> None:
    """Drop for good what was taken back long ago."""
    days = context.settings.of(removal.REMOVED_DAYS)
    await removal.drop_old(context.database, context.space, now=context.clock.now(), days=days)


DROPPING = Schedule(
    name="removed messages", cron="37 3 * * *", each_space=True, removes=True, handler=_drop_removed
)

RECORD = Kind(
    name="message",
    code=MESSAGE,
    package="quipu.record",
    cite=cite,
    eraser=RecordEraser(),
    named=NAMED,
    noted=noted,
    matching=matching_filter,
    catch_up=backlog.catch_up,
    schedules=(DROPPING,),
    settings=(removal.REMOVED_DAYS,),
    derives=(RULES,),
)

KINDS = (RECORD, LEDGER, TRANSCRIPTS, EPISODES, LONGTERM, TABLES, DOCUMENTS)

CITES = {kind.code: kind.cite for kind in KINDS}
"""Where the texts of each kind's entries are, by its code."""

BEHIND = {kind.code: kind.catch_up for kind in KINDS if kind.catch_up is not None}
"""What files the entries that a kind has left unindexed, by its code."""

REGISTER = Register((kind.name, kind.settings) for kind in KINDS)

HEARS = tuple(topic for kind in KINDS for topic in kind.subscribes)

NAMED_IN = (
    *(kind.named for kind in KINDS),
    Named(gone={"core.origins": ("source_id", "raw")}, words={"core.imports": ("label",)}),
)

NOTED = (note_named, *(kind.noted for kind in KINDS if kind.noted is not None))

# What others refer to goes last.
ERASERS = (OutboxEraser(), AnswersEraser(), KeysEraser(), *(kind.eraser for kind in reversed(KINDS)))

DERIVED = tuple(one for kind in KINDS for one in kind.derives)
"""Statements that can be marked as wrong."""

PACKAGES = (
    "quipu.kernel.db",
    "quipu.kernel.language",
    "quipu.kernel.queue",
    "quipu.recall",
    "quipu.upkeep.answers",
    "quipu.upkeep.directory",
    "quipu.upkeep.erasure",
    "quipu.upkeep.exports",
    "quipu.upkeep.keys",
    *(kind.package for kind in KINDS),
    "quipu.upkeep.archive",
    "quipu.app.imports",
)
