"""Settings of the tables of agents."""

from __future__ import annotations

from typing import Any, Final

from quipu.kernel.base.setting import Setting, whole

SNAPSHOT_RETENTION_DAYS: Final = Setting(
    name="memory_snapshot_retention_days",
    meaning="Days for which a snapshot a day of an agent's tables is kept.",
    form=whole(1, 365),
    default=30,
    unit="days",
)

SETTINGS: Final[tuple[Setting[Any], ...]] = (SNAPSHOT_RETENTION_DAYS,)
