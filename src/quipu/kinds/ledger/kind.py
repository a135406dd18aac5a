"""The ledger as a kind: everything that it registers with the system."""

from __future__ import annotations

from quipu.kinds.ledger.cite import cite
from quipu.kinds.ledger.eraser import LedgerEraser
from quipu.kinds.ledger.filing import LEDGER as CODE
from quipu.kinds.ledger.filing import catch_up
from quipu.kinds.ledger.jobs import RETENTION
from quipu.kinds.ledger.settings import SETTINGS
from quipu.kinds.plug import Kind

LEDGER = Kind(
    name="ledger",
    code=CODE,
    package="quipu.kinds.ledger",
    cite=cite,
    eraser=LedgerEraser(),
    catch_up=catch_up,
    schedules=(RETENTION,),
    settings=SETTINGS,
)
