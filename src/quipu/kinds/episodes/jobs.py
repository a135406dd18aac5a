"""What is done with conversations when nobody asks: topic to handler, one line each.

A worker alone needs what reads and thinks, but every program that recalls reads this file: that is imported
when a job begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quipu.kinds.plug import Handler, Schedule

HEARS: Final[tuple[str, ...]] = ()
HANDLERS: Final[Mapping[str, Handler]] = {}
JOB_SECONDS: Final[Mapping[str, float]] = {}
SCHEDULES: Final[tuple[Schedule, ...]] = ()
