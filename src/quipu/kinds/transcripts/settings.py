"""Settings of lessons of sessions."""

from __future__ import annotations

from typing import Any, Final

from quipu.kernel.base.setting import Setting, decimal
from quipu.kernel.config import described

ARCHIVE_BELOW: Final = Setting(
    name="memory_archive_below",
    meaning="A memory whose confidence fell lower is not recalled, and archived by the next pruning.",
    form=decimal(0, 1),
    default=0.1,
)

SETTINGS: Final[tuple[Setting[Any], ...]] = (described()["memory_half_life_days"], ARCHIVE_BELOW)
