"""Settings of long-term memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from quipu.kernel.base.setting import TEXT, Form, Setting, decimal
from quipu.kernel.config import described

EVALUATORS: Final = ("rules", "llm")

LEAST_SCORE: Final = Setting(
    name="longterm_least_score",
    meaning="What scores less for a message is not recovered for it.",
    form=decimal(0, 1),
    default=0.28,  # docs/decisions/longterm.md has the measurements
)


def _evaluator(value: Any) -> str:
    name = TEXT.read(value)
    if name not in EVALUATORS:
        raise ValueError(f"is {name!r}; it can be {' or '.join(EVALUATORS)}")
    return name


SETTINGS: Final[tuple[Setting[Any], ...]] = (
    described()["longterm_timeout_ms"],
    described()["longterm_limit"],
    described()["longterm_tokens"],
    LEAST_SCORE,
    described()["longterm_audit_days"],
    described()["longterm_every"],
    replace(described()["longterm_evaluator"], form=Form("text", _evaluator)),
)
