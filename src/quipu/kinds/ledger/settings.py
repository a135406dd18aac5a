"""Settings of the ledger: how long it keeps things."""

from __future__ import annotations

from typing import Final

from quipu.kernel.config import described

SETTINGS: Final = tuple(
    described()[name]
    for name in ("preference_days", "session_days", "excerpt_days", "evidence_days", "retention")
)
