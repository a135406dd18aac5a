"""Settings of lessons of sessions."""

from __future__ import annotations

from typing import Any, Final

from quipu.kernel.base.setting import Setting, decimal

HALF_LIFE_DAYS: Final[Setting[float]] = Setting(
    name="memory_half_life_days",
    meaning="Days in which a memory that nobody uses loses half of its confidence.",
    form=decimal(0.1, 36_500),
    default=70,  # ln 2 / 0.01: the decay of the seed's design, confidence * e^(-0.01 * days)
    unit="days",
)
ARCHIVE_BELOW: Final = Setting(
    name="memory_archive_below",
    meaning="A memory whose confidence fell lower is not recalled, and archived by the next pruning.",
    form=decimal(0, 1),
    default=0.1,
)

LASTING: Final = ("preferences",)
"""Categories of lessons that hold until somebody ends or contradicts them. Time takes nothing from them."""

LASTING_IN_PROJECTS: Final = ("patterns", "corrections")
"""Categories that are conventions where a lesson is of a project, and last there; in talk they pass."""

SETTINGS: Final[tuple[Setting[Any], ...]] = (HALF_LIFE_DAYS, ARCHIVE_BELOW)
