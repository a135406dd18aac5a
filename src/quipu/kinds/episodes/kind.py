"""Episodes as a kind: everything that they register with the system."""

from __future__ import annotations

from quipu.kinds.episodes.cite import cite
from quipu.kinds.episodes.eraser import ERASER, NAMED
from quipu.kinds.episodes.filing.entries import catch_up
from quipu.kinds.episodes.jobs import HANDLERS, HEARS, JOB_SECONDS, SCHEDULES
from quipu.kinds.episodes.minding.loops.reminding import remind
from quipu.kinds.episodes.settings import SETTINGS
from quipu.kinds.episodes.used import lately, used
from quipu.kinds.episodes.weigh import weigh
from quipu.kinds.plug import Kind

CODE = 4  # core.recall_kinds.code

EPISODES = Kind(
    name="episodes",
    code=CODE,
    package="quipu.kinds.episodes",
    cite=cite,
    remind=remind,
    eraser=ERASER,
    named=NAMED,
    weigh=weigh,
    used=used,
    lately=lately,
    catch_up=catch_up,
    hears=HEARS,
    handlers=HANDLERS,
    job_seconds=JOB_SECONDS,
    schedules=SCHEDULES,
    settings=SETTINGS,
)
