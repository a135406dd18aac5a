"""Settings of documents."""

from __future__ import annotations

from typing import Any, Final

from quipu.kernel.base.setting import Setting, whole

HISTORY_DAYS: Final = Setting(
    name="documents_history_days",
    meaning="Days after which earlier versions of documents, and removed ones, go; 0 is never.",
    form=whole(0, 36_500),
    default=90,
    unit="days",
)

SETTINGS: Final[tuple[Setting[Any], ...]] = (HISTORY_DAYS,)
