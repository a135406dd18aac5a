"""The rules of the seed's origin, restated: substrings, the first that occurs decides."""

from __future__ import annotations

import re

from quipu.kinds.ledger.signals.model import Theme
from signals.labelled import Themes

_PATTERNS: tuple[tuple[Theme, str], ...] = (
    ("wait_time", "wait|line|queued|queue|seated"),
    ("service_speed", "slow service|service slow|took forever|server"),
    ("host_queue", "host|front desk|check in|reservation"),
    ("kitchen_delay", "kitchen|food took|cold food|hot food"),
)


def origin(text: str) -> Themes:
    """The one theme that it gives a text, complaint or not; ``other`` where no pattern occurs."""
    lowered = text.lower()
    matching: list[Theme] = [theme for theme, pattern in _PATTERNS if re.search(pattern, lowered)]
    matching.append("other")
    return frozenset(matching[:1])
