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
    return frozenset((next((theme for theme, found in _PATTERNS if re.search(found, lowered)), "other"),))
