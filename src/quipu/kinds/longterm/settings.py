"""Settings of long-term memory."""

from __future__ import annotations

from typing import Any, Final

from quipu.kernel.base.setting import Setting, decimal, one_of, whole

EVALUATORS: Final = ("rules", "llm")


TIMEOUT_MS: Final = Setting(
    name="longterm_timeout_ms",
    meaning="Longest time to recover long-term memory before an answer, milliseconds.",
    form=whole(1, 60_000),
    default=500,
    unit="milliseconds",
)

LIMIT: Final = Setting(
    name="longterm_limit",
    meaning="Long-term memories for one answer, at most.",
    form=whole(1, 100),
    default=10,
    unit="memories",
)

TOKENS: Final = Setting(
    name="longterm_tokens",
    meaning="Tokens of long-term memory in one prompt, at most.",
    form=whole(1, 100_000),
    default=1_000,
    unit="tokens",
)

LEAST_SCORE: Final = Setting(
    name="longterm_least_score",
    meaning="What scores less for a message is not recovered for it.",
    form=decimal(0, 1),
    default=0.28,  # docs/decisions/longterm.md has the measurements
)

AUDIT_DAYS: Final = Setting(
    name="longterm_audit_days",
    meaning="Days after which lines of the audit of long-term memory go; 0 is never.",
    form=whole(0, 36_500),
    default=90,
    unit="days",
)

EVERY: Final = Setting(
    name="longterm_every",
    meaning="Turns of the user after which a session is evaluated; 0 is never.",
    form=whole(0, 1_000),
    default=1,
    unit="turns",
)

EVALUATOR: Final = Setting(
    name="longterm_evaluator",
    meaning="What evaluates sessions: rules, or llm.",
    form=one_of(*EVALUATORS),
    default="rules",
)

SETTINGS: Final[tuple[Setting[Any], ...]] = (
    TIMEOUT_MS,
    LIMIT,
    TOKENS,
    LEAST_SCORE,
    AUDIT_DAYS,
    EVERY,
    EVALUATOR,
)
