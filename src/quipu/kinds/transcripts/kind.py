"""Transcripts as a kind: everything that they register with the system."""

from __future__ import annotations

from quipu.kinds.plug import Kind
from quipu.kinds.transcripts.cite import cite, faded, lately, sources, used, weigh
from quipu.kinds.transcripts.eraser import NAMED, TranscriptsEraser, noted
from quipu.kinds.transcripts.jobs import LEARN, PRUNING, learn
from quipu.kinds.transcripts.lessons.derived import LESSONS
from quipu.kinds.transcripts.lessons.index import CODE, catch_up
from quipu.kinds.transcripts.lessons.store import matching
from quipu.kinds.transcripts.settings import SETTINGS

TRANSCRIPTS = Kind(
    name="lesson",
    code=CODE,
    package="quipu.kinds.transcripts",
    cite=cite,
    eraser=TranscriptsEraser(),
    named=NAMED,
    noted=noted,
    sources=sources,
    matching=matching,
    weigh=weigh,
    catch_up=catch_up,
    faded=faded,
    used=used,
    lately=lately,
    handlers={LEARN: learn},
    job_seconds={LEARN: 3600},
    schedules=(PRUNING,),
    settings=SETTINGS,
    derives=(LESSONS,),
)
