"""Long-term memory as a kind: everything that it registers with the system."""

from __future__ import annotations

from quipu.kinds.longterm.cite import cite, lately
from quipu.kinds.longterm.eraser import NAMED, LongtermEraser
from quipu.kinds.longterm.evaluating.jobs import EVALUATE, evaluate
from quipu.kinds.longterm.filing import LONGTERM as CODE
from quipu.kinds.longterm.jobs import AUDIT_PRUNING
from quipu.kinds.longterm.settings import SETTINGS
from quipu.kinds.longterm.unfiled import catch_up
from quipu.kinds.plug import Kind

LONGTERM = Kind(
    name="longterm",
    code=CODE,
    package="quipu.kinds.longterm",
    cite=cite,
    lately=lately,
    catch_up=catch_up,
    eraser=LongtermEraser(),
    named=NAMED,
    hears=(EVALUATE,),
    handlers={EVALUATE: evaluate},
    schedules=(AUDIT_PRUNING,),
    settings=SETTINGS,
)
