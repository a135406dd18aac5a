"""Tables as a kind: everything that they register with the system."""

from __future__ import annotations

from quipu.kinds.plug import Kind
from quipu.kinds.tables.cite import cite, weigh
from quipu.kinds.tables.embedding.filing import TABLES as CODE
from quipu.kinds.tables.embedding.following import TOPIC, catch_up, embed
from quipu.kinds.tables.eraser import TablesEraser
from quipu.kinds.tables.jobs import SNAPSHOTS
from quipu.kinds.tables.settings import SETTINGS

TABLES = Kind(
    name="tables",
    code=CODE,
    package="quipu.kinds.tables",
    cite=cite,
    weigh=weigh,
    eraser=TablesEraser(),
    catch_up=catch_up,
    handlers={TOPIC: embed},
    job_seconds={TOPIC: 3600},
    schedules=(SNAPSHOTS,),
    settings=SETTINGS,
)
