"""Settings of the ledger."""

from __future__ import annotations

from typing import Any, Final

from quipu.kernel.base.setting import FLAG, Setting, whole

PREFERENCE_DAYS: Final = Setting(
    name="preference_days",
    meaning="Days after which a preference expires that is not said again.",
    form=whole(1, 36_500),
    default=90,
    unit="days",
)

SESSION_DAYS: Final = Setting(
    name="session_days",
    meaning="Days after which retention takes a session nobody writes to; 0 is never.",
    form=whole(0, 36_500),
    default=90,
    unit="days",
)

EXCERPT_DAYS: Final = Setting(
    name="excerpt_days",
    meaning="Days after which retention cuts the excerpts of evidence; 0 is never.",
    form=whole(0, 36_500),
    default=30,
    unit="days",
)

EVIDENCE_DAYS: Final = Setting(
    name="evidence_days",
    meaning="Days after which retention takes evidence and its recommendation; 0 is never.",
    form=whole(0, 36_500),
    default=90,
    unit="days",
)

RETENTION: Final = Setting(
    name="retention",
    meaning="Let workers do what retention would, every night.",
    form=FLAG,
    default=False,
)

SETTINGS: Final[tuple[Setting[Any], ...]] = (
    PREFERENCE_DAYS,
    SESSION_DAYS,
    EXCERPT_DAYS,
    EVIDENCE_DAYS,
    RETENTION,
)
